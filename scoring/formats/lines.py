"""Where the lines of a text begin and end, and where the tabs in them are."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from scoring.counts import Integers
from scoring.errors import MOST_PROBLEMS, Findings, Problem, Refused, ScoringError
from scoring.formats.codes import Flags
from scoring.formats.fields import NEWLINE, Bytes
from scoring.source import normalised

TAB, HASH = 9, 35
MOST_LINES = 8_000_000
BLOCK = 1 << 16

Offsets = npt.NDArray[np.signedinteger]


@dataclass(frozen=True)
class Lines:
    """All lines (l,) of a file whose text ends with a newline.

    `stops` are the offsets of all tabs and newlines with -1 in front; `before` and
    `last` (l,) are the places in them of the stop before each line and of its end.
    """

    name: str
    buffer: Bytes
    stops: Offsets
    before: Integers
    last: Integers

    @cached_property
    def begins(self) -> Offsets:
        return self.stops[self.before] + 1

    @cached_property
    def ends(self) -> Offsets:
        return self.stops[self.last]

    @cached_property
    def columns(self) -> Integers:
        return self.last - self.before

    @cached_property
    def blank(self) -> Flags:
        return np.equal(self.begins, self.ends)

    @cached_property
    def comment(self) -> Flags:
        return np.equal(self.buffer[self.begins], HASH)


def read(name: str, data: bytes, kind: type[ScoringError]) -> Lines:
    """Lines of UTF-8 bytes; they end at LF or CRLF only, the last one anyhow.

    Raises `kind` for bytes that are no text, an empty file and very many lines.
    """
    try:
        text = normalised(name, data)
    except Refused as refusal:
        raise kind(refusal.problems) from None
    text = text if text.endswith(b"\n") else text + b"\n"
    if b"\0" in text:
        line = text.count(b"\n", 0, text.index(b"\0")) + 1
        raise kind(Problem("encoding", "a NUL is not text", name, line))
    buffer = np.frombuffer(text, dtype=np.uint8)
    stops, last = _stops(buffer)
    if len(last) > MOST_LINES:
        raise kind(Problem("size", f"more than {MOST_LINES} lines", name))
    return Lines(name, buffer, stops, np.concatenate(([0], last[:-1])), last)


def _stops(text: Bytes) -> tuple[Offsets, Integers]:
    """-1 and the offsets of all tabs and newlines; which of them are newlines.

    The text is read in blocks that fit a processor's cache, and no further than
    MOST_LINES.
    """
    # Room for the worst case: memory that is never written to is never taken.
    kind = np.int32 if len(text) < 2**31 else np.int64
    found: Offsets = np.empty(len(text) + 1, kind)
    found[0], size = -1, 1
    newlines = []
    lines = 0
    for start in range(0, len(text), BLOCK):
        block = text[start : start + BLOCK]
        # Tab and newline are neighbours: one comparison finds both.
        (here,) = (block - np.uint8(TAB) <= NEWLINE - TAB).nonzero()
        newlines.append((block[here] == NEWLINE).nonzero()[0] + size)
        here += start
        found[size : size + len(here)] = here
        size += len(here)
        lines += len(newlines[-1])
        if lines > MOST_LINES:
            break
    return found[:size], np.concatenate(newlines)


def check_columns(
    lines: Lines, rows: Integers, kind: type[ScoringError], at_least: bool = False
) -> None:
    """Raise `kind` for the lines in `rows` that do not have ten columns."""
    findings = Findings(lines.name)
    columns = lines.columns[rows]
    wrong = rows[(columns < TEN) if at_least else (columns != TEN)]
    for line in capped(wrong, findings):
        found = lines.columns[line]
        message = f"expected ten columns separated by tabs, found {found}."
        findings.add("columns", message, line=line + 1, hint=_hint(lines, line))
    findings.raise_if_any(kind)


TEN = 10


def _hint(lines: Lines, line: int) -> str:
    text = lines.buffer[lines.begins[line] : lines.ends[line]].tobytes()
    spaces = b"\t" not in text and len(text.split(maxsplit=TEN)) >= TEN
    return "Separate columns with tabs, not spaces." if spaces else ""


def capped(rows: Integers, findings: Findings) -> list[int]:
    """The rows worth a message each; the rest is only counted."""
    shown: list[int] = rows[:MOST_PROBLEMS].tolist()
    findings.left_out += len(rows) - len(shown)
    return shown
