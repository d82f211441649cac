"""Outlines of files: which units are in them, read leniently, for a diagnosis.

A reader of a format refuses what it cannot use. An outline is made of such a file all
the same, and of the blind file in the same way, so that the two can be compared: its
sentences, items, documents or topics, and what calls them. Nobody scores by it.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal

from scoring.errors import Findings, Refused, ScoringError
from scoring.options import Options
from scoring.source import Source, decode

# Readers of tables, columns and zips are imported when they are needed: each scorer has
# an outline, and a score needs none.
if TYPE_CHECKING:
    from scoring.formats.answers import Layout

# What a file of more bytes holds is not looked at: time grows with the lines.
MOST_BYTES = 16 << 20
Kind = Literal["sentence", "passage", "item", "line", "document", "topic", "instance"]
SENT_ID = re.compile(r"#\s*sent_id\s*=\s*(.*?)\s*$")
UNL_SENTENCE = re.compile(r"\[S:([^\[\]\n]*)\]")
DOCSTART = "-DOCSTART-"
TOKEN = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?\t([^\t\n]+)")
PASSAGE = re.compile(r"[^.!?。]*[.!?。]+|[^.!?。]+")


@dataclass(frozen=True)
class Outline:
    """Units (n,) of one file, in its order.

    `keys` are equal for the same unit of two files, `names` call it, `lines` are where
    it begins. `words` and `rows` are the tokens of each sentence and their lines, empty
    elsewhere. `fields` are what words or items were answered with, as it is written;
    `header` are the columns of a table, `columns` those that it must have. `named`:
    sentences have names of their own; `ordered`: the order counts; `whole`: none may
    be left out.
    """

    kind: Kind
    keys: Sequence[str]
    names: Sequence[str]
    lines: Sequence[int]
    words: Sequence[Sequence[str]] = ()
    rows: Sequence[Sequence[int]] = ()
    fields: Sequence[str] = ()
    header: Sequence[str] = ()
    columns: Sequence[str] = ()
    named: bool = False
    ordered: bool = False
    whole: bool = True
    documents: int = 0

    def __len__(self) -> int:
        return len(self.keys)


Outliner = Callable[[Source, Options], Outline]


def outline_of(hook: Outliner | None, source: Source, options: Options) -> Any:
    """The outline, None for what is too large, no text, or of a form without one."""
    if hook is None or sum(map(len, source.files.values())) > MOST_BYTES:
        return None
    try:
        return hook(source, options)
    except ScoringError:
        return None


def _text(source: Source) -> str:
    return decode(source.name, source.single())


def _blocks(text: str) -> Iterator[tuple[int, list[str]]]:
    """Runs of lines without a blank one among them, with the number of the first."""
    block: list[str] = []
    number = 0
    for number, line in enumerate(text.split("\n"), 1):
        if line and not line.isspace():
            block.append(line)
        elif block:
            yield number - len(block), block
            block = []
    if block:
        yield number - len(block) + 1, block


@dataclass
class _Sentences:
    """Collects sentences of words."""

    keys: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    words: list[list[str]] = field(default_factory=list)
    rows: list[list[int]] = field(default_factory=list)
    fields: list[str] = field(default_factory=list)
    named: bool = False

    def add(self, name: str, words: list[str], rows: list[int]) -> None:
        self.keys.append("\t".join(words))
        self.names.append(name or str(len(self.keys)))
        self.named |= bool(name)
        self.lines.append(rows[0])
        self.words.append(words)
        self.rows.append(rows)

    def outline(self, documents: int = 0) -> Outline:
        return Outline(
            "sentence",
            self.keys,
            self.names,
            self.lines,
            self.words,
            self.rows,
            self.fields,
            named=self.named,
            ordered=True,
            documents=documents,
        )


def trees(source: Source, _options: Options) -> Outline:
    """Sentences of CoNLL-U by their FORMs; what was answered are the HEADs."""
    found = _Sentences()
    for first, block in _blocks(_text(source)):
        name, words, rows = "", [], []
        for number, line in enumerate(block, first):
            if line[0] == "#":
                match = SENT_ID.match(line)
                name = match[1] if match else name
                continue
            fields = line.split("\t", 7)
            if len(fields) > 1 and fields[0].isdigit():
                words.append(fields[1])
                rows.append(number)
                found.fields.append(fields[6] if len(fields) > 6 else "")
        if words:
            found.add(name, words, rows)
    return found.outline()


def running_text(source: Source, _options: Options) -> Outline:
    """Passages of running text by their characters without spaces, of raw text and of
    CoNLL-U alike: up to a full stop, however the text is divided into words."""
    words: list[str] = []
    lines: list[int] = []
    covered = 0
    for number, line in enumerate(_text(source).split("\n"), 1):
        match = TOKEN.match(line)
        if not line.strip():
            covered = 0
        elif match and not match[2] and int(match[1]) <= covered:
            continue
        elif match:
            covered = max(covered, int(match[2] or 0))
        if line[:1] == "#" or not line.strip():
            continue
        found = [match[3]] if match else line.split()
        words += found
        lines += [number] * len(found)
    plain = ["".join(word.split()) for word in words]
    ends = [*accumulate(map(len, plain))]
    keys = PASSAGE.findall("".join(plain))
    rows = [bisect_right(ends, end) for end in accumulate(map(len, keys), initial=0)]
    names = [" ".join(words[row : row + 6]) for row in rows[:-1]]
    begins = [lines[row] for row in rows[:-1]]
    return Outline("passage", keys, names, begins, ordered=True)


def tags(source: Source, _options: Options) -> Outline:
    """Sentences of columns by their tokens; what was answered are the tags."""
    found, documents = _Sentences(), 0
    for first, block in _blocks(_text(source)):
        words, rows = [], []
        for number, line in enumerate(block, first):
            line = line.rstrip()
            fields = line.split("\t" if "\t" in line else " ")
            if fields[0] == DOCSTART:
                documents += 1
                continue
            words.append(fields[0])
            rows.append(number)
            found.fields.append(fields[-1] if len(fields) > 1 else "")
        if words:
            found.add("", words, rows)
    return found.outline(documents)


def items(layout: "Layout", answer: str = "") -> Outliner:
    """Function that outlines a table of items, or lines of text where these may be."""
    return partial(_items, layout=layout, answer=answer)


def _items(source: Source, options: Options, layout: "Layout", answer: str) -> Outline:
    from scoring.formats import answers, records

    layout = answers.Layout(options[answer]) if answer else layout
    if layout.plain and answers.is_plain(source):
        texts = _text(source).removesuffix("\n").split("\n")
        rows = range(1, len(texts) + 1)
        numbers = [*map(str, rows)]
        return Outline("line", numbers, numbers, rows, fields=texts)
    table = records.read(source, Findings(source.name), Refused)
    header, wanted = tuple(table.columns), (answers.ID, layout.answer)
    own, answered = map(table.called, wanted)
    longest = answers.LONGEST_ID
    names = [_cell(cell)[:longest] for cell in table.columns[own]] if own else []
    texts = [_cell(cell) for cell in table.columns[answered]] if answered else []
    lines = table.lines.tolist() if own else []
    return Outline(
        "item", names, names, lines, fields=texts, header=header, columns=wanted
    )


def _cell(cell: Any) -> str:
    return cell.strip() if isinstance(cell, str) else "" if cell is None else str(cell)


def _first_fields(
    source: Source, _options: Options, kind: Kind, count: int, whole: bool
) -> Outline:
    """Units called by the first fields of their lines, each once."""
    first: dict[str, int] = {}
    for number, line in enumerate(_text(source).split("\n"), 1):
        fields = line.split(None, count)[:count]
        if len(fields) == count and not fields[0].startswith("#"):
            first.setdefault(" ".join(fields), number)
    names = list(first)
    return Outline(kind, names, names, list(first.values()), whole=whole)


topics = partial(_first_fields, kind="topic", count=1, whole=False)
instances = partial(_first_fields, kind="instance", count=2, whole=False)


def unl(source: Source, _options: Options) -> Outline:
    """Sentences of a UNL document by their ids."""
    names, lines = [], []
    for number, line in enumerate(_text(source).split("\n"), 1):
        for name in UNL_SENTENCE.findall(line):
            names.append(name)
            lines.append(number)
    return Outline("sentence", names, names, lines, whole=False)


def spans(source: Source, options: Options) -> Outline:
    """Sentences of one file of columns; else documents by the names of their files."""
    from scoring.formats import bundle

    members = bundle.members(source)
    if bundle.is_single(source) and _is_columns(members, options):
        return tags(source, options)
    if ids := _records_of(members):
        return Outline("document", *ids)
    names = sorted({name.rpartition("/")[2].partition(".")[0] for name in members})
    return Outline("document", names, names, [1] * len(names))


def _records_of(
    members: Mapping[str, bytes],
) -> tuple[list[str], list[str], list[int]] | None:
    """Ids and lines of the objects of a file of JSON Lines; None for other files."""
    from scoring.formats import offsets

    data = next(iter(members.values()), b"")
    if len(members) > 1 or not offsets.begins(data):
        return None
    ids, lines = [], []
    for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and isinstance(found.get("id"), str | int):
            ids.append(str(found["id"]).strip())
            lines.append(number)
    return ids, ids, lines


def _is_columns(members: Mapping[str, bytes], options: Options) -> bool:
    if options["format"] != "auto":
        return bool(options["format"] == "conll")
    name, data = next(iter(members.items()))
    begin = data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    other = name.lower().endswith((".json", ".xml", ".ann"))
    return begin not in (b"{", b"<") and not other
