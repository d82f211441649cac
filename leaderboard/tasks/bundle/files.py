"""Files of a bundle: a folder or a zip, and YAML that knows its lines. No Django."""

import io
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, Any, ClassVar, Self

import yaml
from django.utils.translation import gettext_noop

from scoring.elsewhere import with_judgements
from scoring.errors import Problem, Refused, ScoringError, SetupError
from scoring.formats.bundle import (
    LEFT_BY_DESKTOPS,
    is_about,
    is_single,
    members,
    zip_files,
)
from scoring.formats.recognition import MESSAGES as KINDS
from scoring.formats.recognition import kind_of
from scoring.messages import Messages
from scoring.picks import likely
from scoring.scorer import Scorer
from scoring.scorers import all_scorers, of_task
from scoring.source import Source, decode, list_names

MESSAGES = Messages(
    no_yaml=gettext_noop("not readable as YAML"),
    too_long=gettext_noop("the file is too long"),
    no_zip=gettext_noop("expected a zip with %(manifest)s at its top; this is no zip"),
    other_kind=gettext_noop(
        "expected a zip with %(manifest)s at its top; this is %(kind)s"
    ),
    no_manifest=gettext_noop("no %(manifest)s in the bundle; it belongs at the top"),
    near_manifest=gettext_noop(
        "no %(manifest)s at the top of the bundle, but there is %(names)s"
    ),
    problem=gettext_noop("not readable as YAML: %(problem)s"),
    tab=gettext_noop(
        "not readable as YAML: the line has a tab: indent with spaces, and put texts "
        "with tabs between quotes"
    ),
    colon=gettext_noop(
        "not readable as YAML: put texts with a colon between quotes, and indent keys "
        "of one table alike"
    ),
    quote=gettext_noop("not readable as YAML: a quote is opened and not closed"),
    bracket=gettext_noop("not readable as YAML: a bracket is opened and not closed"),
    sign=gettext_noop(
        "not readable as YAML: put texts that begin with a sign between quotes"
    ),
    no_table=gettext_noop("expected a table of keys"),
    most_values=gettext_noop("not readable as YAML: more than %(most)s values"),
    no_value=gettext_noop(
        "not readable as YAML: there is no such day, time or number: '%(text)s'"
    ),
    key=gettext_noop("not readable as YAML: expected a word as key"),
    repeated_key=gettext_noop(
        "not readable as YAML: '%(key)s' is there twice, first on line %(line)s"
    ),
)

# What PyYAML says of what people often write.
OFTEN = {
    "tab": re.compile(r"'\\t' that cannot start"),
    "sign": re.compile(r"that cannot start any token|expected alphabetic or numeric"),
    "colon": re.compile(
        r"mapping values are not allowed|expected <block end>|could not find expected"
    ),
    "bracket": re.compile(r"expected ',' or"),
    "quote": re.compile(r"unexpected end of stream"),
}
MANIFEST = "task.yaml"
# Zips that may stand inside a bundle: a scoring program brings them along.
PACKAGES = (".whl",)
# With aliases a short file can stand for endless values.
MOST_VALUES = 20_000
MOST_QUOTED = 40


class YamlTable(dict[str, Any]):
    """A mapping; `lines` holds the line of each key, `line` where it begins."""

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line
        self.lines: dict[str, int] = {}


class _Written:
    """A number that knows how it is written, for where a text is meant: 012, 1.50."""

    text: str

    def as_written(self, text: str) -> Self:
        self.text = text
        return self

    def __str__(self) -> str:
        return self.text


class WrittenWhole(_Written, int):
    """A whole number of a YAML file."""


class WrittenDecimal(_Written, float):
    """Any other number of a YAML file."""


WRITTEN: dict[type, type[WrittenWhole | WrittenDecimal]] = {
    int: WrittenWhole,
    float: WrittenDecimal,
}
yaml.SafeDumper.add_representer(
    WrittenWhole, lambda dumper, value: dumper.represent_int(int(value))
)
yaml.SafeDumper.add_representer(
    WrittenDecimal, lambda dumper, value: dumper.represent_float(float(value))
)


LIKE_MANIFEST = re.compile(r"(?i)(?:^|[/\\])task\.(?:ya?ml|json)(?:\.txt)?$")
MOST_NEAR = 3


@dataclass(frozen=True)
class Manifest:
    """The table of a bundle beside its other files."""

    NAME: ClassVar[str] = MANIFEST
    MOST_BYTES: ClassVar[int] = 200_000
    table: YamlTable
    files: Mapping[str, bytes]
    # Names of files that were asked for.
    named: set[str] = field(default_factory=set)

    def file(self, name: str) -> Source | None:
        """A file of the bundle, or a folder of it as a zip; None if there is none."""
        name = name.rstrip("/")
        last = name.rpartition("/")[2]
        if name in self.files:
            self.named.add(name)
            return Source.of_bytes(last, self.files[name])
        start = name + "/"
        inside = {
            member.removeprefix(start): data
            for member, data in self.files.items()
            if member.startswith(start)
        }
        if not inside or not name:
            return None
        self.named.update(start + member for member in inside)
        return zip_files(last + ".zip", inside)

    @property
    def strays(self) -> tuple[str, ...]:
        """Files that nobody asked for, but those that tell of a bundle, as a README
        does, and what desktops leave."""
        rest = self.files.keys() - self.named - {MANIFEST}
        return tuple(
            name
            for name in sorted(rest)
            if not LEFT_BY_DESKTOPS.search(name)
            and not is_about(name, self.files[name])
        )

    def nearest(self, name: str) -> str:
        """The file that was probably meant: of the same name in other capitals or in
        another folder, or of nearly that name; empty for none."""
        last = name.replace("\\", "/").rpartition("/")[2].casefold()
        same = [n for n in self.files if n.rpartition("/")[2].casefold() == last]
        others = [n for n in self.files if n != MANIFEST]
        return same[0] if len(same) == 1 else likely(name, others)

    @property
    def scorer(self) -> str | None:
        """The scorer's name, if there is a scorer of that name."""
        name = self._scorer.get("name")
        return name if isinstance(name, str) and name in all_scorers() else None

    @property
    def headline(self) -> Any:
        """The measure that ranks unless a board says otherwise."""
        scorer = self.declared_scorer
        return self._scorer.get("headline") or (scorer.headline if scorer else "")

    @cached_property
    def declared_scorer(self) -> Scorer | None:
        """The scorer with the measures that its options declare.

        None without a scorer, and where the declaration cannot be read.
        """
        given = self._scorer.get("options")
        texts = {
            name: [str(part) for part in value] if isinstance(value, list) else [value]
            for name, value in (given if isinstance(given, dict) else {}).items()
            if isinstance(value, list | str)
        }
        try:
            if self.scorer is None:
                return None
            lines = self._scorer.get("judgements")
            lines = [str(line) for line in lines] if isinstance(lines, list) else []
            return with_judgements(of_task(self.scorer, texts), lines)
        except ScoringError:
            return None

    @property
    def _scorer(self) -> dict[str, Any]:
        table = self.table.get("scorer")
        return table if isinstance(table, dict) else {}

    @property
    def is_empty_draft(self) -> bool:
        """Whether it has no test sets, and nothing that would make the task public
        without any."""
        return not self.table.get("test_sets") and self.table.get("draft") is not False

    def names(self, key: str) -> tuple[str, ...]:
        """Names of the tables in a list, wherever one can be read."""
        entries = self.table.get(key)
        tables = entries if isinstance(entries, list) else []
        return tuple(str(t.get("name", "")) for t in tables if isinstance(t, dict))


def bundle_of(path: Path) -> Source:
    """A bundle from a folder or a zip file.

    Raises SetupError for a zip that is broken or too large.
    """
    if path.is_dir():
        return Source.of_path(path)
    with path.open("rb") as file:
        return unzip(path.name, file)


def unzip(name: str, file: IO[bytes]) -> Source:
    """The members of a zip as a Source.

    Raises SetupError for one whose structure or sizes are not plain.
    """
    try:
        return Source(name, members(Source.of_bytes(name, file.read()), PACKAGES))
    except Refused as refusal:
        raise SetupError(refusal.problems) from None


def manifest_of(source: Source) -> Manifest:
    """The manifest of a bundle, which may be wrapped in one folder.

    Raises SetupError where there is none, or it is no YAML.
    """
    files = _from_its_root(source)
    data = files[MANIFEST]
    if len(data) > Manifest.MOST_BYTES:
        raise SetupError(Problem("manifest", MESSAGES("too_long"), MANIFEST))
    return Manifest(read(MANIFEST, data), files)


def _from_its_root(source: Source) -> Mapping[str, bytes]:
    if MANIFEST in source.files:
        return source.files
    roots = {name.partition("/")[0] for name in source.files}
    if len(roots) == 1 and f"{(root := roots.pop())}/{MANIFEST}" in source.files:
        return {n.removeprefix(root + "/"): data for n, data in source.files.items()}
    if is_single(source):
        message = MESSAGES("no_zip", manifest=MANIFEST)
        kind, _hint = kind_of(source.single())
        if kind:
            about = {"manifest": MANIFEST, "kind": KINDS(kind)}
            message = MESSAGES("other_kind", **about)
    elif near := [n for n in source.files if LIKE_MANIFEST.search(n)]:
        about = {"manifest": MANIFEST, "names": list_names(near, MOST_NEAR)}
        message = MESSAGES("near_manifest", **about)
    else:
        message = MESSAGES("no_manifest", manifest=MANIFEST)
    raise SetupError(Problem("no_manifest", message, source.name))


@dataclass
class Folder:
    """Files of a bundle that is written, by their path in it."""

    files: dict[str, bytes] = field(default_factory=dict)

    def write(self, path: str, data: bytes) -> str:
        self.files[path] = data
        return path

    def put(self, folder: str, source: Source) -> str:
        """Write a file, or the files of a zip; the path that the manifest names."""
        path = f"{folder}/{source.name}"
        if not source.name.endswith(".zip"):
            return self.write(path, source.single())
        path = path.removesuffix(".zip")
        with zipfile.ZipFile(io.BytesIO(source.single())) as archive:
            for name in archive.namelist():
                if name.endswith("/"):  # a folder of its own
                    continue
                self.write(f"{path}/{name}", archive.read(name))
        return path


def read(
    name: str, data: bytes, repeated: list[tuple[str, int, int]] | None = None
) -> YamlTable:
    """The table a YAML file holds.

    Raises SetupError with the line of what is not readable, of a key that is there
    twice, and for anything but a table. With a list for `repeated` keys they are noted
    there with both lines, and the last counts, as most readers of YAML have it.
    """
    loader = yaml.SafeLoader(decode(name, data))
    try:
        node = loader.get_single_node()
        table = _Maker(name, loader, repeated).value(node) if node else None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = mark.line + 1 if mark else None
        raise _unreadable(name, _in_our_words(error), line) from None
    except (yaml.YAMLError, RecursionError):
        raise _unreadable(name) from None
    finally:
        loader.dispose()
    if not isinstance(table, YamlTable):
        raise SetupError(Problem("yaml", MESSAGES("no_table"), name, 1))
    return table


def _in_our_words(error: yaml.MarkedYAMLError) -> str:
    """The fault of the YAML, and what to do where that is known."""
    reason = error.problem or ""
    for name, form in OFTEN.items():
        if form.search(reason):
            return MESSAGES(name)
    return MESSAGES("problem", problem=reason)


def _unreadable(name: str, why: str = "", line: int | None = None) -> SetupError:
    return SetupError(Problem("yaml", why or MESSAGES("no_yaml"), name, line))


class _Maker:
    """Turns nodes into values."""

    def __init__(
        self,
        name: str,
        loader: yaml.SafeLoader,
        repeated: list[tuple[str, int, int]] | None,
    ) -> None:
        self.name, self.loader, self.repeated = name, loader, repeated
        self.value_count = 0

    def value(self, node: yaml.Node) -> Any:
        self.value_count += 1
        if self.value_count > MOST_VALUES:
            raise _unreadable(self.name, MESSAGES("most_values", most=MOST_VALUES))
        if isinstance(node, yaml.MappingNode):
            return self._table(node)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(child) for child in node.value]
        try:
            value = self.loader.construct_object(node)
        except ValueError:  # the thirteenth month, a number without end
            why = MESSAGES("no_value", text=node.value[:MOST_QUOTED])
            raise _unreadable(self.name, why, line_of(node)) from None
        kind = WRITTEN.get(type(value))
        return kind(value).as_written(node.value) if kind else value

    def _table(self, node: yaml.MappingNode) -> YamlTable:
        table = YamlTable(line_of(node))
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise _unreadable(self.name, MESSAGES("key"), table.line)
            key, line = key_node.value, line_of(key_node)
            if key in table and self.repeated is not None:
                self.repeated.append((key, table.lines[key], line))
            elif key in table:
                why = MESSAGES("repeated_key", key=key, line=table.lines[key])
                raise _unreadable(self.name, why, line)
            table[key] = self.value(value_node)
            table.lines[key] = line
        return table


def line_of(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1
