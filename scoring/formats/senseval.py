"""SENSEVAL files: keys, blind files and lists, one instance per line."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import compress

import numpy as np

from scoring.counts import Integers
from scoring.errors import Findings, SetupError
from scoring.formats.codes import Flags
from scoring.formats.sense_lines import SenseLines, blocks, rows
from scoring.formats.text import text_of
from scoring.source import Source

MOST_SHOWN = 80
MOST_MET = 100_000
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Key:
    """`n` instances with `k` senses in all; a blind file has no senses.

    `names` (n,) are "lexelt instance", unique, and `lexelts` (n,) their lexelts;
    `tags` (k,) are the senses, none twice in one instance; `instance_of` (k,) is the
    row of each, ascending.
    """

    names: tuple[str, ...]
    lexelts: tuple[str, ...]
    tags: tuple[str, ...]
    instance_of: Integers

    @property
    def sizes(self) -> Integers:
        """Senses of each instance, shape (n,)."""
        return np.bincount(self.instance_of, minlength=len(self.names))

    def keep(self, instances: Flags) -> "Key":
        """Only the instances where the mask (n,) says so."""
        if instances.all():
            return self
        place = np.cumsum(instances) - 1
        kept = instances[self.instance_of]
        return Key(
            tuple(compress(self.names, instances.tolist())),
            tuple(compress(self.lexelts, instances.tolist())),
            tuple(compress(self.tags, kept.tolist())),
            place[self.instance_of[kept]],
        )

    def keep_tags(self, tags: Flags) -> "Key":
        """Only the senses where the mask (k,) says so, and no emptied instance."""
        chosen = tuple(compress(self.tags, tags.tolist()))
        fewer = Key(self.names, self.lexelts, chosen, self.instance_of[tags])
        return fewer.keep(fewer.sizes > 0)


def shown(text: str) -> str:
    """A piece of a file as messages print it: short and printable."""
    short = text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "…"
    return "".join(c if c.isprintable() else "�" for c in short)


def list_text(source: Source) -> str:
    """The text of a list, which may be empty.

    Raises SetupError when there is not one file or it is not UTF-8.
    """
    if len(source.files) == 1 and not source.single().removeprefix(BOM).strip():
        return ""
    return text_of(source, SetupError)


def read_key(source: Source) -> Key:
    """Read lines of `lexelt instance tag ...`; a repeated tag counts once.

    Raises SetupError with the line for an instance that comes twice, a line without
    a tag, and a tag with a slash, which no answer could name.
    """
    findings = Findings(source.name)
    lines, names, lexelts = list[int](), list[str](), list[str]()
    tags, sizes = list[str](), [np.zeros(0, dtype=np.int64)]
    met: dict[str, str] = {}
    for whole in blocks(text_of(source, SetupError), findings):
        block = whole.at_least(3, "'lexelt instance tag ...' with a tag", findings)
        block = _without_repeats(block)
        lines += block.lines.tolist()
        names += block.names
        lexelts += once(block.lexelts, met)
        sizes.append(block.sizes - 2)
        tags += once(block.tags, met)
        _refuse_slashes(block, findings)
    _refuse_repeated(lines, names, findings)
    findings.raise_if_any(SetupError)
    instance_of = np.repeat(np.arange(len(names)), np.concatenate(sizes))
    return Key(tuple(names), tuple(lexelts), tuple(tags), instance_of)


def once(texts: list[str], met: dict[str, str]) -> Iterator[str]:
    """The same texts, but of equal ones only the first that was met is kept."""
    if len(met) > MOST_MET:
        met.clear()
    return map(met.setdefault, texts, texts)


def _without_repeats(block: SenseLines) -> SenseLines:
    """Each tag of a line once."""
    kept = np.ones(len(block.texts), dtype=np.bool_)
    for row in np.flatnonzero(block.sizes > 3).tolist():
        begin = int(block.begins[row]) + 2
        tags = block.texts[begin : begin + int(block.sizes[row]) - 2].tolist()
        if len(set(tags)) < len(tags):
            met = set[str]()
            for place, tag in enumerate(tags, begin):
                kept[place] = tag not in met
                met.add(tag)
    if kept.all():
        return block
    sizes = np.add.reduceat(kept, block.begins, dtype=np.int64)
    return SenseLines(block.lines, sizes, block.texts[kept])


def _refuse_slashes(block: SenseLines, findings: Findings) -> None:
    if "/" not in "".join(block.tags):
        return
    for line, fields in zip(block.lines.tolist(), block.fields, strict=True):
        if any("/" in sense for sense in fields[2:]):
            message = "a tag holds a slash; expected senses without weights."
            findings.add("tag", message, line=line)


def read_instances(source: Source) -> Key:
    """Read a blind file: `lexelt instance`, whatever follows is passed over.

    Raises SetupError with the line for an instance that comes twice.
    """
    findings = Findings(source.name)
    lines, names, lexelts = list[int](), list[str](), list[str]()
    for whole in blocks(list_text(source), findings):
        block = whole.at_least(2, "'lexelt instance'", findings)
        lines += block.lines.tolist()
        names += block.names
        lexelts += block.lexelts
    _refuse_repeated(lines, names, findings)
    findings.raise_if_any(SetupError)
    return Key(tuple(names), tuple(lexelts), (), np.zeros(0, dtype=np.int64))


def _refuse_repeated(lines: list[int], names: list[str], findings: Findings) -> None:
    # A set of very many names is slow; nearly always their hashes say enough.
    hashes = np.sort(np.fromiter(map(hash, names), np.int64, len(names)))
    if not (hashes[1:] == hashes[:-1]).any():
        return
    first: dict[str, int] = {}
    for line, name in zip(lines, names, strict=True):
        if first.setdefault(name, line) != line:
            message = f"instance '{shown(name)}' has line {first[name]} already."
            findings.add("duplicate", message, line=line, unit=shown(name))


def read_senses(source: Source) -> frozenset[str]:
    """Read a list of senses, split at any white space; an empty file has none.

    Raises SetupError.
    """
    findings = Findings(source.name)
    read = list(rows(list_text(source), findings))
    findings.raise_if_any(SetupError)
    return frozenset(sense for _, fields in read for sense in fields)


def read_instance_list(source: Source) -> frozenset[str]:
    """Read a list of "lexelt instance" or instance alone; an empty file has none.

    Raises SetupError with the line of an entry of more than two fields.
    """
    findings = Findings(source.name)
    entries = set()
    for line, fields in rows(list_text(source), findings):
        if len(fields) > 2:
            message = "expected 'lexelt instance' or the instance alone."
            findings.add("fields", message, line=line)
        entries.add(" ".join(fields))
    findings.raise_if_any(SetupError)
    return frozenset(entries)
