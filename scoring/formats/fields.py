"""Pieces of a text, given by offsets into its bytes: read, compared, coded at once.

A piece is handled as 64-bit words of eight bytes each, so that thousands of them are
compared or told apart by a few array operations and become Python strings only when
somebody wants to see them.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from scoring.counts import Floats, Integers

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]
Objects = npt.NDArray[np.object_]

NEWLINE = 10
WIDTH = 8
MASKS = np.array([(1 << 8 * size) - 1 for size in range(WIDTH + 1)], dtype=np.uint64)
SPREAD = np.uint64(0x9E3779B97F4A7C15)
FOLD = np.uint64(29)
ZERO = np.uint8(ord("0"))
MOST_DIGITS = 9
LARGEST = 1_000_000_000
NOT_A_NUMBER = -1
FEW = 48
PLACES = 64


def _pairs() -> Integers:
    """The number that two bytes (or one and a zero) spell, NOT_A_NUMBER if none."""
    found = np.full(1 << 16, NOT_A_NUMBER, dtype=np.int64)
    for number in range(100):
        found[int.from_bytes(b"%02d" % number, "little")] = number
        found[int.from_bytes(b"%d" % number, "little")] = number
    return found


PAIRS = _pairs()


@dataclass(frozen=True)
class Coded:
    """Texts as whole numbers (n,) into the list of distinct texts."""

    codes: Integers
    values: list[str]

    def mapped(self, function: Callable[[str], float]) -> Floats:
        """`function` of every text, called once per distinct one."""
        found = [float(function(value)) for value in self.values]
        return np.array(found, dtype=np.float64)[self.codes]

    def flags(self, predicate: Callable[[str], bool]) -> Flags:
        found = [bool(predicate(value)) for value in self.values]
        return np.array(found, dtype=np.bool_)[self.codes]

    def texts(self) -> list[str]:
        found: list[str] = np.array(self.values, dtype=object)[self.codes].tolist()
        return found


@dataclass(frozen=True)
class Fields:
    """`n` pieces of a padded buffer: offsets of their first bytes and of their ends."""

    buffer: Bytes
    begins: Integers
    ends: Integers

    def __len__(self) -> int:
        return len(self.begins)

    @cached_property
    def sizes(self) -> Integers:
        """Bytes in each piece (n,)."""
        return self.ends - self.begins

    def at(self, rows: Integers | Flags) -> "Fields":
        """Only the pieces of these rows."""
        return Fields(self.buffer, self.begins[rows], self.ends[rows])

    def word(self, place: int) -> Words:
        """Bytes 8 * place to 8 * place + 7 of each piece (n,), zero past its end."""
        starts = self.begins + WIDTH * place
        if place:
            starts = np.minimum(starts, self.ends)
        left = np.minimum(self.ends - starts, WIDTH)
        return np.asarray(_views(self, starts) & MASKS[left], dtype=np.uint64)

    def texts(self) -> list[str]:
        """Every piece as a string; none may hold a newline."""
        if not len(self):
            return []
        return joined(self).decode("utf-8").split("\n")[:-1]

    def pieces(self) -> Objects:
        """Every piece as bytes, in an array of objects (n,)."""
        found = np.empty(len(self), dtype=object)
        whole = self.buffer.data
        ends = zip(self.begins.tolist(), self.ends.tolist(), strict=True)
        found[:] = [bytes(whole[begin:end]) for begin, end in ends]
        return found

    def numbers(self) -> Integers:
        """Pieces of 1 to 9 ASCII digits as integers, all others NOT_A_NUMBER."""
        short = np.minimum(self.sizes, 2)
        pairs = _views(self, self.begins) & MASKS[short]
        values = np.asarray(PAIRS[pairs.view(np.int64)], dtype=np.int64)
        rows = np.flatnonzero(self.sizes > 2)
        if len(rows):
            values[rows] = _long_numbers(self.at(rows))
        return values

    def whole(self) -> Integers:
        """As `numbers`, but what Python reads as a whole number counts too: "+1".

        Negative and unreadable pieces are NOT_A_NUMBER; values stop at 10**9.
        """
        values = self.numbers()
        odd = np.flatnonzero(values == NOT_A_NUMBER)
        if len(odd):
            values[odd] = self.at(odd).coded().mapped(whole)
        return values

    def coded(self) -> Coded:
        """Distinct texts and which of them each piece is."""
        if not len(self):
            return Coded(np.zeros(0, dtype=np.int64), [])
        parts = list(_parts(self))
        distinct, codes = np.unique(_keys(self.sizes, parts), return_inverse=True)
        sample = np.zeros(len(distinct), dtype=np.int64)
        sample[codes] = np.arange(len(self))
        same = (self.sizes[sample][codes] == self.sizes).all()
        if not (same and all(_agree(part, sample, codes) for part in parts)):
            return _coded_texts(self)
        return Coded(codes, self.at(sample).texts())


def _views(fields: Fields, starts: Integers) -> Words:
    """The eight bytes from each offset on, whatever follows the piece among them."""
    buffer = fields.buffer
    if len(buffer) < WIDTH or int(starts.max(initial=0)) > len(buffer) - WIDTH:
        # Only a piece in the last bytes of the text comes here.
        buffer = np.concatenate((buffer, np.zeros(WIDTH, dtype=np.uint8)))
    shape = (len(buffer) - WIDTH + 1,)
    view: Words = np.ndarray(shape, "<u8", buffer, strides=(1,))
    return view[starts]


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
    """What Python reads as a whole number, at most 10**9; else NOT_A_NUMBER."""
    # Most that is no number is told by its beginning, long before an exception.
    if not text.strip().lstrip("+-")[:1].isdecimal():
        return NOT_A_NUMBER
    try:
        return max(NOT_A_NUMBER, min(int(text), LARGEST))
    except ValueError:
        return NOT_A_NUMBER


def _coded_texts(fields: Fields) -> Coded:
    """The slow way, for two texts that happen to have one key."""
    known: dict[str, int] = {}
    codes = [known.setdefault(text, len(known)) for text in fields.texts()]
    return Coded(np.array(codes, dtype=np.int64), list(known))


Part = tuple[Integers, Words | Objects]


def _parts(fields: Fields) -> Iterator[Part]:
    """Rows and their first words, then the longer rows and their second words, ...

    When few rows are left or the pieces are very long, the rest comes as bytes.
    """
    rows, place = np.arange(len(fields)), 0
    while len(rows) and (not place or (len(rows) > FEW and place < PLACES)):
        part = fields.at(rows) if place else fields
        yield rows, part.word(place)
        place += 1
        rows = rows[part.sizes > WIDTH * place]
    if len(rows):
        yield rows, fields.at(rows).pieces()


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
    digests = (blake2b(piece, digest_size=WIDTH).digest() for piece in words.tolist())
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64, copy=False)


def _agree(part: Part, sample: Integers, codes: Integers) -> bool:
    """Whether every piece has in this part what the sample of its code has."""
    rows, words = part
    place = np.minimum(np.searchsorted(rows, sample), len(rows) - 1)
    return bool((words[place][codes[rows]] == words).all())


def joined(fields: Fields) -> bytes:
    """The bytes of all pieces, each followed by a newline."""
    if not len(fields):
        return b""
    sizes = fields.sizes + 1
    last = np.cumsum(sizes, dtype=np.int64)
    source = np.arange(last[-1]) + np.repeat(fields.begins - last + sizes, sizes)
    found = fields.buffer[source]
    found[last - 1] = NEWLINE
    return bytes(found.tobytes())


def equal(first: Fields, second: Fields) -> Flags:
    """Which rows (n,) hold the same bytes on both sides."""
    same = np.equal(first.sizes, second.sizes) & (first.word(0) == second.word(0))
    place, rows = 1, np.flatnonzero(same & (first.sizes > WIDTH))
    while len(rows) > FEW and place < PLACES:
        left, right = first.at(rows), second.at(rows)
        agree = left.word(place) == right.word(place)
        same[rows[~agree]] = False
        place += 1
        rows = rows[agree & (left.sizes > WIDTH * place)]
    if len(rows):
        same[rows] = first.at(rows).pieces() == second.at(rows).pieces()
    return np.asarray(same, dtype=np.bool_)


def shared_codes(
    first: Coded, second: Coded, key: Callable[[str], Hashable] = str
) -> tuple[Integers, Integers]:
    """Numbers for both sides, the same where `key` of the texts is the same."""
    known: dict[Hashable, int] = {}
    numbers = [
        np.array(
            [known.setdefault(key(value), len(known)) for value in side.values],
            dtype=np.int64,
        )
        for side in (first, second)
    ]
    return numbers[0][first.codes], numbers[1][second.codes]
