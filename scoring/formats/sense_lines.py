"""Lines of SENSEVAL files as fields, read block by block.

Lines end at LF; fields are split at any white space; `!!` starts a comment. Memory
grows with what is kept and not with the file.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from scoring.counts import Integers
from scoring.errors import Findings
from scoring.formats.codes import Flags

PIECE = 1 << 16
LONGEST_LINE = 100_000
TAB, LINE_FEED, CARRIAGE_RETURN = 9, 10, 13
FILE_SEPARATOR, UNIT_SEPARATOR, SPACE = 28, 31, 32

# White space for Python beyond ASCII; none of it ends a line.
ODD_SPACES = (
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)

Texts = npt.NDArray[np.object_]
Row = tuple[int, list[str]]


@dataclass(frozen=True)
class SenseLines:
    """Some lines of a file, blank ones left out, `b` of them.

    `lines` (b,) are their numbers, `sizes` (b,) say how many fields each has, and
    `texts` are all fields in a row.
    """

    lines: Integers
    sizes: Integers
    texts: Texts

    @cached_property
    def begins(self) -> Integers:
        """Where the fields of each line begin (b,)."""
        return np.cumsum(self.sizes) - self.sizes

    @cached_property
    def lexelts(self) -> list[str]:
        """The first field of every line."""
        found: list[str] = self.texts[self.begins].tolist()
        return found

    @property
    def names(self) -> list[str]:
        """ "lexelt instance" of every line; each needs two fields."""
        instances = self.texts[self.begins + 1].tolist()
        return [*map(" ".join, zip(self.lexelts, instances, strict=True))]

    @property
    def tags(self) -> list[str]:
        """The fields behind the first two of every line, all in a row."""
        behind = np.ones(len(self.texts), dtype=np.bool_)
        behind[self.begins] = behind[self.begins + 1] = False
        found: list[str] = self.texts[behind].tolist()
        return found

    @property
    def fields(self) -> list[list[str]]:
        """The fields of every line."""
        bounds = zip(self.begins, self.begins + self.sizes, strict=True)
        return [self.texts[begin:end].tolist() for begin, end in bounds]

    def where(self, chosen: Flags) -> "SenseLines":
        texts = self.texts[np.repeat(chosen, self.sizes)]
        return SenseLines(self.lines[chosen], self.sizes[chosen], texts)

    def at_least(self, fewest: int, expected: str, findings: Findings) -> "SenseLines":
        """Without the lines of too few fields, which go to `findings`."""
        enough = self.sizes >= fewest
        if enough.all():
            return self
        for line in self.lines[~enough].tolist():
            findings.add("fields", f"expected {expected}.", line=line)
        return self.where(enough)


def blocks(text: str, findings: Findings) -> Iterator[SenseLines]:
    """All lines that are not blank, comments taken off.

    A line beyond all measure is a finding and left out.
    """
    first = 1
    for whole in _pieces(text):
        piece = _plain(whole, first, findings)
        sizes = _sizes(piece)
        texts = np.array(piece.split(), dtype=np.object_)
        block = SenseLines(np.arange(first, first + len(sizes)), sizes, texts)
        yield block if sizes.all() else block.where(sizes > 0)
        first += len(sizes)


def _plain(piece: str, first: int, findings: Findings) -> str:
    """Without comments, lines that are too long, and white space beyond ASCII."""
    # One character is found much faster than two.
    if ("!" in piece and "!!" in piece) or len(piece) > LONGEST_LINE:
        lines = [line.partition("!!")[0] for line in piece.split("\n")]
        _drop_long_lines(lines, first, findings)
        piece = "\n".join(lines)
    if not piece.isascii():
        for space in ODD_SPACES:
            piece = piece.replace(space, " ")
    return piece


def _sizes(piece: str) -> Integers:
    """How many fields each line has, the way `str.split` counts them."""
    text = np.frombuffer(piece.encode("ascii", "replace"), dtype=np.uint8)
    gap = text == SPACE
    for low, high in ((TAB, CARRIAGE_RETURN), (FILE_SEPARATOR, UNIT_SEPARATOR)):
        gap |= text - np.uint8(low) <= high - low
    begins = ~gap
    begins[1:] &= gap[:-1]
    fields = np.flatnonzero(begins)
    so_far = np.searchsorted(fields, np.flatnonzero(text == LINE_FEED))
    return np.diff(so_far, prepend=0, append=len(fields))


def rows(text: str, findings: Findings) -> Iterator[Row]:
    """The lines of `blocks` one by one: number and fields."""
    for block in blocks(text, findings):
        yield from zip(block.lines.tolist(), block.fields, strict=True)


def _pieces(text: str) -> Iterator[str]:
    """The text cut at line ends into pieces of about PIECE characters."""
    size = len(text) - text.endswith("\n")
    start = 0
    while start < size:
        end = text.find("\n", start + PIECE, size)
        end = size if end < 0 else end
        yield text[start:end]
        start = end + 1


def _drop_long_lines(lines: list[str], first: int, findings: Findings) -> None:
    for place, line in enumerate(lines):
        if len(line) > LONGEST_LINE:
            message = f"the line has more than {LONGEST_LINE} characters."
            findings.add("long_line", message, line=first + place)
            lines[place] = ""
