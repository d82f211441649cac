"""Pieces of a text, given by offsets into its bytes: cut out, read, coded at once.

Thousands of them are handled by a few array operations and become Python strings only
when somebody wants to see them. Long columns go through in blocks that fit a
processor's cache, so that time grows no faster than the text.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from scoring.counts import Flags, Integers
from scoring.formats.codes import Coded, of_texts
from scoring.source import Bytes

Words = npt.NDArray[np.uint64]
Kind = TypeVar("Kind", bound=np.generic)

BLOCK = 1 << 15
NEWLINE = 10
ZERO = np.uint8(ord("0"))
WORD_BYTES = 8
MOST_DIGITS = 9
LARGEST = 1_000_000_000
NOT_A_NUMBER = -1
# Pieces that together are longer than this are joined as Python bytes.
LONG = 1 << 22


@dataclass(frozen=True)
class Fields:
    """Pieces of a buffer, `n` of them: offsets of their first bytes and of their ends.

    At least one byte follows every piece: the tab or newline that ended it.
    """

    buffer: Bytes
    begins: Integers
    ends: Integers

    def __len__(self) -> int:
        return len(self.begins)

    @cached_property
    def sizes(self) -> Integers:
        """Bytes in each piece (n,)."""
        return self.ends - self.begins

    def at(self, rows: Integers | Flags | slice) -> "Fields":
        """The pieces of these rows."""
        return Fields(self.buffer, self.begins[rows], self.ends[rows])

    def blocks(self) -> Iterator["Fields"]:
        """All pieces, some thousands at a time."""
        for start in range(0, len(self), BLOCK):
            yield self.at(slice(start, start + BLOCK))

    def texts(self) -> list[str]:
        """Every piece as a string; none may hold a newline."""
        return join_fields(self).decode("utf-8").split("\n")[:-1]

    def pieces(self) -> list[bytes]:
        """Every piece as bytes."""
        text = self.buffer.data
        ends = zip(self.begins.tolist(), self.ends.tolist(), strict=True)
        return [bytes(text[begin:end]) for begin, end in ends]

    def numbers(self) -> Integers:
        """Pieces of 1 to 9 ASCII digits as integers, all others NOT_A_NUMBER."""
        if not len(self.buffer):
            return np.full(len(self), NOT_A_NUMBER, dtype=np.int64)
        # Nearly all have one digit or two.
        last = len(self.buffer) - 1
        first = self.buffer[np.minimum(self.begins, last)] - ZERO
        second = self.buffer[np.minimum(self.begins + 1, last)] - ZERO
        two = self.sizes == 2
        values = np.where(two, 10 * first.astype(np.int64) + second, first)
        short = (first <= 9) & ((self.sizes == 1) | (two & (second <= 9)))
        odd = np.flatnonzero(~short)
        if len(odd):
            values[odd] = self.at(odd).coded().mapped(_number)
        return values

    def whole(self) -> Integers:
        """The numbers of `numbers` and others that Python reads as whole, "+1" (n,).

        Negative and unreadable pieces are NOT_A_NUMBER; values stop at 10**9.
        """
        return self.coded().mapped(whole).astype(np.int64)

    def coded(self) -> Coded:
        """Distinct texts and which of them each piece is."""
        return of_texts(self.texts())


def in_a_row(parts: list[npt.NDArray[Kind]], kind: type[Kind]) -> npt.NDArray[Kind]:
    """Arrays of all blocks as one; there may be none."""
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=kind)


def _number(text: str) -> int:
    fine = text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS
    return int(text) if fine else NOT_A_NUMBER


def whole(text: str) -> int:
    """Whole number as Python reads it, at most 10**9; else NOT_A_NUMBER."""
    # Most that is no number is told by its beginning, long before an exception.
    if not text.strip().lstrip("+-")[:1].isdecimal():
        return NOT_A_NUMBER
    try:
        return max(NOT_A_NUMBER, min(int(text), LARGEST))
    except ValueError:
        return NOT_A_NUMBER


def join_fields(fields: Fields) -> bytes:
    """The bytes of all pieces, each followed by a newline."""
    return b"".join(map(_join_fields, fields.blocks()))


def _join_fields(fields: Fields) -> bytes:
    sizes = fields.sizes + 1
    last = np.cumsum(sizes, dtype=np.int64)
    if last[-1] > LONG:
        return b"\n".join([*fields.pieces(), b""])
    # Short numbers are moved faster; offsets fit them in all but enormous texts.
    kind = np.int32 if len(fields.buffer) < 2**31 else np.int64
    source = np.repeat((fields.begins - last + sizes).astype(kind), sizes)
    source += np.arange(last[-1], dtype=kind)
    moved = fields.buffer[source]
    moved[last - 1] = NEWLINE
    return bytes(moved.tobytes())
