"""Outlines of files: which units are in them, read leniently, for a diagnosis.

A reader of a format refuses what it cannot use. An outline is made of such a file all
the same, and of the blind file in the same way, so that the two can be compared: its
sentences, items, documents or topics, and what calls them. Nobody scores by it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from scoring.errors import Findings, Refused, ScoringError
from scoring.options import Options
from scoring.source import Source, decode

# Readers of tables are imported when they are needed: a score needs no outline.
if TYPE_CHECKING:
    from scoring.formats.answers import Layout

# What a file of more bytes holds is not looked at: time grows with the lines.
MOST_BYTES = 16 << 20
Kind = Literal["sentence", "passage", "item", "line", "document", "topic", "instance"]


@dataclass(frozen=True)
class Outline:
    """Units (n,) of one file, in its order.

    `keys` are equal for the same unit of two files, `names` call it, `lines` are where
    it begins. `words` and `rows` are the tokens of each sentence and their lines, empty
    elsewhere. `fields` are what words or items were answered with, as it is written,
    and the words of passages; `header` are the columns of a table, `columns` those that
    it must have, `optional` those that are read where they are there. `named`:
    sentences have names of their own; `ordered`: the order counts; `whole`: none may be
    left out; `closed`: there may be no other.
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
    optional: Sequence[str] = ()
    named: bool = False
    ordered: bool = False
    whole: bool = True
    closed: bool = True
    documents: int = 0
    form: str = ""

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


def text_of(source: Source) -> str:
    """The text of one file. Raises ScoringError where it is none."""
    return decode(source.name, source.single())


def blocks(text: str) -> Iterator[tuple[int, list[str]]]:
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
class Sentences:
    """Collects sentences of words, for an outline of them."""

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


def items(layout: "Layout", answer: str = "") -> Outliner:
    """Function that outlines a table of items, or lines of text where these may be."""
    return partial(_items, layout=layout, answer=answer)


def _items(source: Source, options: Options, layout: "Layout", answer: str) -> Outline:
    from scoring.formats import answers, records

    layout = answers.Layout(options[answer]) if answer else layout
    if layout.plain and answers.is_plain(source):
        texts = text_of(source).removesuffix("\n").split("\n")
        rows = range(1, len(texts) + 1)
        numbers = [*map(str, rows)]
        return Outline("line", numbers, numbers, rows, fields=texts)
    value = layout.answer if answer else ""
    table = records.read(source, Findings(source.name), Refused, value)
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


def first_fields(
    source: Source, _options: Options, kind: Kind, count: int, whole: bool
) -> Outline:
    """Units called by the first fields of their lines, each once."""
    first: dict[str, int] = {}
    for number, line in enumerate(text_of(source).split("\n"), 1):
        fields = line.split(None, count)[:count]
        if len(fields) == count and not fields[0].startswith("#"):
            first.setdefault(" ".join(fields), number)
    names = list(first)
    return Outline(kind, names, names, list(first.values()), whole=whole)
