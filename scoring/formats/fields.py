"""Pieces of a text, given by offsets into its bytes: read, compared, coded at once.

A piece is handled as 64-bit words of eight bytes each, so that thousands of them are
compared or told apart by a few array operations and become Python strings only when
somebody wants to see them. Long columns go through in blocks that fit a processor's
cache, so that time grows no faster than the text.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from scoring.counts import Integers
from scoring.formats.codes import Coded, Flags, merged, of_texts

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
Objects = npt.NDArray[np.object_]
Kind = TypeVar("Kind", bound=np.generic)

BLOCK = 1 << 15
NEWLINE = 10
ZERO = np.uint8(ord("0"))
WORD_BYTES = 8
MASKS = np.array(
    [(1 << 8 * size) - 1 for size in range(WORD_BYTES + 1)], dtype=np.uint64
)
SPREAD = np.uint64(0x9E3779B97F4A7C15)
FOLD = np.uint64(29)
SLOTS = 1 << 14
TO_SLOT = np.uint64(64 - 14)
MOST_DIGITS = 9
LARGEST = 1_000_000_000
NOT_A_NUMBER = -1
# Fewer or longer pieces than these are quicker as Python bytes.
FEW = 48
PLACES = 64
LONG = 1 << 22


def _pairs() -> Integers:
    """The number that two bytes (or one and a zero) spell, NOT_A_NUMBER if none."""
    found = np.full(1 << 16, NOT_A_NUMBER, dtype=np.int64)
    for number in range(100):
        found[int.from_bytes(b"%02d" % number, "little")] = number
        found[int.from_bytes(b"%d" % number, "little")] = number
    return found


PAIRS = _pairs()


@dataclass(frozen=True)
class Fields:
    """`n` pieces of a buffer: offsets of their first bytes and of their ends.

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
        """Only the pieces of these rows."""
        return Fields(self.buffer, self.begins[rows], self.ends[rows])

    def blocks(self) -> Iterator["Fields"]:
        """All pieces, some thousands at a time."""
        for start in range(0, len(self), BLOCK):
            yield self.at(slice(start, start + BLOCK))

    def word(self, place: int) -> Words:
        """Bytes 8 * place to 8 * place + 7 of each piece (n,), zero past its end."""
        starts = self.begins
        if place:
            starts = np.minimum(starts + WORD_BYTES * place, self.ends)
        known: Words = MASKS[np.minimum(self.ends - starts, WORD_BYTES)]
        return _eight(self.buffer, starts) & known

    def tails(self) -> Words:
        """The last eight bytes of each piece (n,), none of which is shorter."""
        return _eight(self.buffer, self.ends - WORD_BYTES)

    def inner(self, place: int) -> Words:
        """Bytes 8 * place to 8 * place + 7 of each piece (n,), none ending before."""
        return _eight(self.buffer, self.begins + WORD_BYTES * place)

    def texts(self) -> list[str]:
        """Every piece as a string; none may hold a newline."""
        return joined(self).decode("utf-8").split("\n")[:-1]

    def pieces(self) -> list[bytes]:
        """Every piece as bytes."""
        text = self.buffer.data
        ends = zip(self.begins.tolist(), self.ends.tolist(), strict=True)
        return [bytes(text[begin:end]) for begin, end in ends]

    def numbers(self) -> Integers:
        """Pieces of 1 to 9 ASCII digits as integers, all others NOT_A_NUMBER."""
        return in_a_row([_numbers(block) for block in self.blocks()], np.int64)

    def whole(self) -> Integers:
        """As `numbers`, but what Python reads as a whole number counts too: "+1".
        Negative and unreadable pieces are NOT_A_NUMBER; values stop at 10**9."""
        values = self.numbers()
        odd = np.flatnonzero(values == NOT_A_NUMBER)
        if len(odd):
            values[odd] = self.at(odd).coded().mapped(whole)
        return values

    def coded(self) -> Coded:
        """Distinct texts and which of them each piece is."""
        return merged([_coded(block) for block in self.blocks()])


def in_a_row(parts: list[npt.NDArray[Kind]], kind: type[Kind]) -> npt.NDArray[Kind]:
    """Arrays of all blocks as one; there may be none."""
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=kind)


def _eight(buffer: Bytes, starts: Integers) -> Words:
    """The eight bytes from each offset on, zeros behind the end of the buffer."""
    last = len(buffer) - WORD_BYTES
    if last < 0:
        return _eight(np.append(buffer, np.zeros(WORD_BYTES, dtype=np.uint8)), starts)
    view: Words = np.ndarray((last + 1,), "<u8", buffer, strides=(1,))
    if int(starts.max(initial=0)) <= last:
        return view[starts]
    # Only pieces in the last bytes of the text come here.
    known = np.minimum(starts, last)
    return view[known] >> (8 * (starts - known)).astype(np.uint64)


def _numbers(fields: Fields) -> Integers:
    short = np.minimum(fields.sizes, 2)
    pairs = _eight(fields.buffer, fields.begins) & MASKS[short]
    values = np.asarray(PAIRS[pairs.view(np.int64)], dtype=np.int64)
    rows = np.flatnonzero(fields.sizes > 2)
    if len(rows):
        values[rows] = _long_numbers(fields.at(rows))
    return values


def _long_numbers(fields: Fields) -> Integers:
    fine = fields.sizes <= MOST_DIGITS
    values = np.zeros(len(fields), dtype=np.int64)
    for place in range(int(fields.sizes[fine].max(initial=0))):
        inside = fine & (place < fields.sizes)
        digits = fields.buffer[np.where(inside, fields.begins + place, 0)] - ZERO
        fine &= ~inside | (digits <= 9)
        values = np.where(inside, values * 10 + digits, values)
    return np.where(fine, values, NOT_A_NUMBER)


def whole(text: str) -> int:
    """Whole number as Python reads it, at most 10**9; else NOT_A_NUMBER."""
    # Most that is no number is told by its beginning, long before an exception.
    if not text.strip().lstrip("+-")[:1].isdecimal():
        return NOT_A_NUMBER
    try:
        return max(NOT_A_NUMBER, min(int(text), LARGEST))
    except ValueError:
        return NOT_A_NUMBER


Part = tuple[Integers, Words | Objects]


def _coded(fields: Fields) -> Coded:
    parts = list(_parts(fields))
    sample, codes = _told_apart(_keys(fields.sizes, parts))
    same = (fields.sizes[sample][codes] == fields.sizes).all()
    if not (same and all(_agree(part, sample, codes) for part in parts)):
        # Two texts happen to have one key.
        return of_texts(fields.texts())
    return Coded(codes, fields.at(sample).texts())


def _told_apart(keys: Words) -> tuple[Integers, Integers]:
    """A row of each distinct key, and which of them every row has."""
    rows = np.arange(len(keys))
    slots = ((keys * SPREAD) >> TO_SLOT).view(np.int64)
    last = np.zeros(SLOTS, dtype=np.int64)
    last[slots] = rows + 1
    if (keys[last[slots] - 1] == keys).all():
        # Every distinct key has a slot of its own: no need to sort.
        taken = np.flatnonzero(last)
        sample = last[taken] - 1
        last[taken] = np.arange(len(taken))
        return sample, last[slots]
    distinct, codes = np.unique(keys, return_inverse=True)
    sample = np.zeros(len(distinct), dtype=np.int64)
    sample[codes] = rows
    return sample, codes


def _parts(fields: Fields) -> Iterator[Part]:
    """Eight bytes of some rows at a time, until every byte of every row was there.

    First the heads of all, then the tails of the longer ones, then what lies between.
    When few rows are left or the pieces are very long, the rest comes as bytes.
    """
    yield np.arange(len(fields)), fields.word(0)
    rows, place = np.flatnonzero(fields.sizes > WORD_BYTES), 0
    while len(rows) > FEW and place < PLACES:
        part = fields.at(rows)
        yield rows, part.inner(place) if place else part.tails()
        place += 1
        # The tail has said what is behind the last full place.
        rows = rows[part.sizes > WORD_BYTES * (place + 1)]
    if len(rows):
        rest = np.empty(len(rows), dtype=object)
        rest[:] = fields.at(rows).pieces()
        yield rows, rest


def _keys(sizes: Integers, parts: Iterable[Part]) -> Words:
    """A 64-bit number per piece; equal pieces have equal numbers."""
    keys = sizes.astype(np.uint64)
    for rows, words in parts:
        mixed = keys[rows] * SPREAD
        keys[rows] = (mixed ^ (mixed >> FOLD)) + _as_words(words)
    return keys


def _as_words(words: Words | Objects) -> Words:
    if words.dtype != np.object_:
        return words.astype(np.uint64, copy=False)
    digests = (
        blake2b(piece, digest_size=WORD_BYTES).digest() for piece in words.tolist()
    )
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64, copy=False)


def _agree(part: Part, sample: Integers, codes: Integers) -> bool:
    """Whether every piece has in this part what the sample of its code has."""
    rows, words = part
    place = np.minimum(np.searchsorted(rows, sample), len(rows) - 1)
    return bool((words[place][codes[rows]] == words).all())


def joined(fields: Fields) -> bytes:
    """The bytes of all pieces, each followed by a newline."""
    return b"".join(map(_joined, fields.blocks()))


def _joined(fields: Fields) -> bytes:
    sizes = fields.sizes + 1
    last = np.cumsum(sizes, dtype=np.int64)
    if last[-1] > LONG:
        return b"\n".join([*fields.pieces(), b""])
    # Short numbers are moved faster; offsets fit them in all but enormous texts.
    kind = np.int32 if len(fields.buffer) < 2**31 else np.int64
    source = np.repeat((fields.begins - last + sizes).astype(kind), sizes)
    source += np.arange(last[-1], dtype=kind)
    found = fields.buffer[source]
    found[last - 1] = NEWLINE
    return bytes(found.tobytes())


def equal(first: Fields, second: Fields) -> Flags:
    """Which rows (n,) hold the same bytes on both sides."""
    pairs = zip(first.blocks(), second.blocks(), strict=True)
    return in_a_row([_equal(left, right) for left, right in pairs], np.bool_)


def _equal(first: Fields, second: Fields) -> Flags:
    same = np.equal(first.sizes, second.sizes) & (first.word(0) == second.word(0))
    rows, place = np.flatnonzero(same & (first.sizes > WORD_BYTES)), 0
    while len(rows) > FEW and place < PLACES:
        left, right = first.at(rows), second.at(rows)
        if place:
            agree = left.inner(place) == right.inner(place)
        else:
            agree = left.tails() == right.tails()
        same[rows[~agree]] = False
        place += 1
        rows = rows[agree & (left.sizes > WORD_BYTES * (place + 1))]
    if len(rows):
        texts = zip(first.at(rows).pieces(), second.at(rows).pieces(), strict=True)
        same[rows] = [a == b for a, b in texts]
    return np.asarray(same, dtype=np.bool_)
