"""Places where the lines of a text begin and end, and those of the tabs in them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from scoring.counts import Flags, Integers
from scoring.errors import Findings, Problem, ScoringError
from scoring.formats.field_prefixes import (
    Digits,
    Prefixes,
    fetch_pieces,
    padded_bytes,
    put_prefixes,
    words_for,
)
from scoring.formats.fields import NEWLINE, WORD_BYTES
from scoring.messages import Messages, _
from scoring.source import Bytes, whole_lines

MESSAGES = Messages(
    most_lines=_("more than %(most)s lines"),
    columns=_("expected ten columns separated by tabs, found %(count)s."),
    tabs=_("Separate columns with tabs, not spaces."),
)

TAB, HASH, TEN = 9, 35, 10
MOST_LINES = 8_000_000
BLOCK = 1 << 18
# Bytes of a line of ten short columns; where lines are shorter still, room is made.
SHORTEST = 24

# glibc gives freed memory back to the system, and takes it page by page anew, unless
# a larger piece was freed before. This one is never written to: it costs nothing.
np.empty(31 << 20, dtype=np.uint8)

Offsets = npt.NDArray[np.signedinteger]


@dataclass(frozen=True)
class Prefetch:
    """Columns, from 0, whose prefixes are fetched while the lines are found.

    As numbers none behind the seventh, as texts any; `stops` are all tabs and
    newlines, which else are looked for when they are needed.
    """

    numbers: tuple[int, ...] = ()
    texts: tuple[int, ...] = ()
    stops: bool = True


ALL_STOPS = Prefetch()


@dataclass(frozen=True)
class FieldPrefixes:
    """Prefixes of fields, by column, of some lines; `rows` says of which."""

    rows: Integers
    digits: Mapping[int, Digits]
    prefixes: Mapping[int, Prefixes]

    def of(self, lines: Integers) -> "FieldPrefixes":
        """Prefixes of some lines only."""
        if len(lines) == len(self.rows):
            return self
        # A comment with ten columns is among the rows.
        where = np.searchsorted(self.rows, lines)
        digits, prefixes = self.digits.items(), self.prefixes.items()
        return FieldPrefixes(
            lines,
            {c: (x[where], y[where], z[where]) for c, (x, y, z) in digits},
            {c: words[where] for c, words in prefixes},
        )


@dataclass(frozen=True)
class Lines:
    """All lines (l,) of a file whose text ends with a newline.

    `begins` are the offsets of their first bytes, `first_bytes` these themselves,
    `columns` the number of tabs and newlines in each; `prefetched` are the prefixes of
    fields in the lines of ten columns or more.
    """

    name: str
    text: bytes
    begins: Offsets
    first_bytes: Bytes
    columns: Integers
    prefetched: FieldPrefixes
    prefetched_stops: Offsets | None

    @cached_property
    def buffer(self) -> Bytes:
        return np.frombuffer(self.text, dtype=np.uint8)

    @cached_property
    def stops(self) -> Offsets:
        """The offsets of all tabs and newlines, -1 in front."""
        if self.prefetched_stops is not None:
            return self.prefetched_stops
        finder = _LineScanner(self.text, ALL_STOPS)
        finder.find()
        return finder.stops.all()

    @cached_property
    def before(self) -> Integers:
        """Index of the stop that comes before each line (l,)."""
        return np.cumsum(self.columns, dtype=np.int64) - self.columns

    def has_stops(self) -> bool:
        """Whether the stops need not be looked for any more."""
        return self.prefetched_stops is not None or "stops" in self.__dict__

    def ends(self, rows: Integers) -> Integers:
        """Offset of the newline of each line."""
        following = np.append(self.begins, len(self.text))[rows + 1]
        return following.astype(np.int64) - 1

    @cached_property
    def blank(self) -> Flags:
        return np.equal(self.first_bytes, NEWLINE)

    @cached_property
    def comment(self) -> Flags:
        return np.equal(self.first_bytes, HASH)


def read(
    name: str, data: bytes, kind: type[ScoringError], prefetch: Prefetch = ALL_STOPS
) -> Lines:
    """Lines of UTF-8 bytes; they end at LF or CRLF only, the last one anyhow. Raises
    `kind` for bytes that are no text, an empty file and very many lines."""
    text = whole_lines(name, data, kind)
    finder = _LineScanner(text, prefetch)
    if not finder.find():
        raise kind(Problem("size", MESSAGES("most_lines", most=MOST_LINES), name))
    return finder.lines(name)


class _Growing:
    """An array that grows at its end."""

    def __init__(self, kind: npt.DTypeLike, expected: int | tuple[int, int]) -> None:
        self.array = np.empty(expected, kind)
        self.size = 0

    def add(self, items: npt.NDArray[Any]) -> None:
        self.more(len(items))[:] = items

    def more(self, size: int) -> npt.NDArray[Any]:
        """Room for so many items, to be filled."""
        start, self.size = self.size, self.size + size
        if self.size > len(self.array):
            more = np.empty((self.size, *self.array.shape[1:]), self.array.dtype)
            self.array = np.concatenate((self.array[:start], more))
        return self.array[start : self.size]

    def all(self) -> npt.NDArray[Any]:
        return self.array[: self.size]


class _LineScanner:
    """Goes through a text in blocks of whole lines and notes what is asked for.

    A block fits a processor's cache, so that time grows no faster than the text.
    """

    def __init__(self, text: bytes, prefetch: Prefetch) -> None:
        self.text, self.prefetch = text, prefetch
        self.buffer = np.frombuffer(text, dtype=np.uint8)
        # Offsets of half the size are moved faster, and fit all but enormous texts.
        offsets = np.int32 if len(text) < 2**31 else np.int64
        size = len(text) // SHORTEST + 1
        self.begins, self.first_bytes = (
            _Growing(offsets, size),
            _Growing(np.uint8, size),
        )
        self.columns, self.rows = (
            _Growing(np.int32, size),
            _Growing(np.int32, size),
        )
        self.stops = _Growing(offsets, TEN * size + 1 if prefetch.stops else 1)
        self.stops.add(np.array([-1]))
        self.digits = {
            c: [_Growing(np.uint8, size) for _ in "123"] for c in prefetch.numbers
        }
        self.prefixes: dict[int, _Growing] = {}

    def find(self) -> bool:
        """Go through the text, but no further than MOST_LINES; whether that did."""
        start = 0
        while start < len(self.text) and self.begins.size <= MOST_LINES:
            end = self.text.rfind(b"\n", start, start + BLOCK) + 1
            end = end or self.text.index(b"\n", start + BLOCK) + 1
            self._note(start, end)
            start = end
        return self.begins.size <= MOST_LINES

    def _note(self, start: int, end: int) -> None:
        """Note the lines that are text[start:end]; offsets count from `start`."""
        block = self.buffer[start:end]
        # Tab and newline are neighbours: one comparison finds both.
        (stops,) = (block - np.uint8(TAB) <= NEWLINE - TAB).nonzero()
        (ends,) = (block[stops] == NEWLINE).nonzero()
        columns, begins = ends + 1, np.zeros_like(ends)
        columns[1:] -= columns[:-1].copy()
        begins[1:] = stops[ends[:-1]] + 1
        if self.prefetch.stops:
            self.stops.add(stops + start)
        rows = np.flatnonzero(columns >= TEN)
        self.rows.add(rows + self.begins.size)
        self.begins.add(begins + start)
        self.first_bytes.add(block[begins])
        self.columns.add(columns)
        if len(rows) and (self.digits or self.prefetch.texts):
            first = ends[rows] + 1 - columns[rows]
            tens = fetch_pieces(
                stops.view(np.uint8), first * WORD_BYTES, TEN * WORD_BYTES
            )
            # What is fetched may reach behind the block.
            text = padded_bytes(self.buffer, start, end)
            self._fetch(text, begins[rows], tens.view(np.int64).reshape(-1, TEN))

    def _fetch(self, text: Bytes, first: Integers, stops: Integers) -> None:
        """Note the prefixes of fields of lines that begin at `first` (rows,). `stops`
        (rows, 10) are the ends of their columns."""
        for column, rooms in self.digits.items():
            begins = stops[:, column - 1] + 1 if column else first
            for place, room in enumerate(rooms):
                room.add(text[place:][begins])
        for column in self.prefetch.texts:
            begins = stops[:, column - 1] + 1 if column else first
            sizes = stops[:, column] - begins
            if column not in self.prefixes:
                # The first lines tell how long the fields of a column are.
                shape = len(self.begins.array), words_for(sizes)
                self.prefixes[column] = _Growing("<u8", shape)
            put_prefixes(text, begins, sizes, self.prefixes[column].more(len(first)))

    def lines(self, name: str) -> Lines:
        digits, prefixes = self.digits.items(), self.prefixes.items()
        prefetched = FieldPrefixes(
            self.rows.all(),
            {c: (x.all(), y.all(), z.all()) for c, (x, y, z) in digits},
            {c: room.all() for c, room in prefixes},
        )
        return Lines(
            name,
            self.text,
            self.begins.all(),
            self.first_bytes.all(),
            self.columns.all(),
            prefetched,
            self.stops.all() if self.prefetch.stops else None,
        )


def check_columns(
    lines: Lines, rows: Integers, kind: type[ScoringError], at_least: bool = False
) -> None:
    """Raise `kind` for the lines in `rows` that do not have ten columns."""
    findings = Findings(lines.name)
    columns = lines.columns[rows]
    wrong = rows[(columns < TEN) if at_least else (columns != TEN)]
    for line in findings.capped(wrong):
        size = lines.columns[line]
        message = MESSAGES("columns", count=size)
        findings.add("columns", message, line=line + 1, hint=_hint(lines, line))
    findings.raise_if_any(kind)


def _hint(lines: Lines, line: int) -> str:
    begin = int(lines.begins[line])
    text = lines.text[begin : lines.text.index(b"\n", begin)]
    spaces = b"\t" not in text and len(text.split(maxsplit=TEN)) >= TEN
    return MESSAGES("tabs") if spaces else ""
