"""Contents of an item: text, code, tables and pictures, by how they are written.

Code stands between lines of three backticks or tildes. A table is lines with cells
between bars, the second of dashes, as in Markdown, or two or more lines with as many
tabs each. A picture is a whole text that is a `data:` address of PNG, JPEG, GIF or
WebP. All else is text as it is. Nothing is fetched, and nothing is taken as HTML.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

PICTURE = re.compile(
    r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}\Z", re.ASCII
)
FENCE = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,})[^`]*\Z")
DASHES = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*\Z")
CELLS = re.compile(r"(?<!\\)\|")
Kind = Literal["text", "code", "table", "picture"]


@dataclass(frozen=True)
class Content:
    """A piece of an item: its `text` or, of a table, `rows` below a `head`."""

    kind: Kind
    text: str = ""
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()


def contents(text: str) -> list[Content]:
    """The pieces of a text, in order; one at least."""
    if PICTURE.match(text.strip()):
        return [Content("picture", text.strip())]
    return list(_pieces(text.split("\n"))) or [Content("text")]


def _pieces(lines: Sequence[str]) -> Iterator[Content]:
    """Code by its fences, and between them tables and text. A fence without an end is
    text."""
    start = at = 0
    while at < len(lines):
        fence = FENCE.match(lines[at])
        end = fence and _end_of(lines, at, fence["marks"])
        if not end:
            at += 1
            continue
        yield from _without_code(lines[start:at])
        yield Content("code", "\n".join(lines[at + 1 : end]))
        start = at = end + 1
    yield from _without_code(lines[start:])


def _end_of(lines: Sequence[str], at: int, marks: str) -> int | None:
    for place in range(at + 1, len(lines)):
        line = lines[place].strip()
        if line.startswith(marks) and set(line) == {marks[0]}:
            return place
    return None


def _without_code(lines: Sequence[str]) -> Iterator[Content]:
    """Tables and text between them: a table is a run of lines that all look like it."""
    text_lines: list[str] = []
    for mark, run in groupby(lines, _mark):
        own = list(run)
        table = _table(own, mark)
        if table is None:
            text_lines += own
            continue
        yield from _text(text_lines)
        text_lines = []
        yield table
    yield from _text(text_lines)


def _mark(line: str) -> str:
    """The sign between the cells of a line of a table, as often as it stands there; ""
    of other lines."""
    if "\t" in line:
        return f"\t{line.count(chr(9))}"
    return "|" if CELLS.search(line) else ""


def _table(lines: Sequence[str], mark: str) -> Content | None:
    if mark.startswith("\t") and len(lines) > 1:
        head, *rows = (line.split("\t") for line in lines)
        # Lines that begin with tabs are set in, as in programs.
        return Content("table", head=head, rows=rows) if all(head) else None
    if mark != "|" or len(lines) < 2 or not DASHES.match(lines[1]):
        return None
    head, dashes, *rows = (_cells(line) for line in lines)
    if len(dashes) != len(head):
        return None
    whole = [(*row, *[""] * len(head))[: len(head)] for row in rows]
    return Content("table", head=head, rows=whole)


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return [cell.strip().replace("\\|", "|") for cell in CELLS.split(inner)]


def _text(lines: Sequence[str]) -> Iterator[Content]:
    text = "\n".join(lines)
    if text.strip():
        yield Content("text", text)
