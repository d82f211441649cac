"""Prefixes of many fields, compared, read and told apart without the text.

They are fetched while the part of the text they come from is at hand, and say all of
nearly every field: a row of words of eight bytes, with zeros behind the end of the
field. No field holds a NUL, so that one whose row ends with a byte other than zero may
go on behind it, and all others are whole. Fetching 64 bytes from somewhere in a buffer
costs hardly more than fetching eight.
"""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from scoring.counts import Integers
from scoring.formats.codes import Coded, Flags, of_texts
from scoring.formats.fields import (
    NEWLINE,
    NOT_A_NUMBER,
    WORD_BYTES,
    ZERO,
    Bytes,
    Fields,
    Words,
)

TAB = 9
MOST_WORDS = 12
ROWS = 1 << 11
# So many flags make a number.
AT_ONCE = 1, 2, 4, 8
# Above this a word's last byte is not zero.
FULL = np.uint64((1 << 56) - 1)
SPREAD = np.uint64(0x9E3779B97F4A7C15)
MIXERS: Words = np.cumprod(np.full(MOST_WORDS, SPREAD), dtype=np.uint64)
SLOTS = 1 << 14
TO_SLOT = np.uint64(64 - 14)

# The first three bytes of each field, and a row of its first words of eight bytes.
Digits = tuple[Bytes, Bytes, Bytes]
Heads = Words


def numbers(digits: Digits) -> tuple[Integers, Integers]:
    """Fields of one or two digits as numbers (n,), and the rows of all others."""
    first, second = digits[0] - ZERO, digits[1] - ZERO
    two = (second <= 9) & (digits[2] == TAB)
    values = first + two * (first * np.uint8(9) + second)
    fine = (two | (digits[1] == TAB)) & (first <= 9)
    return values.astype(np.int64), np.flatnonzero(~fine)


def same_digits(left: Digits, right: Digits, rows: slice) -> tuple[Flags, Integers]:
    """As `same`, for some rows of a column of numbers."""
    first, second, third = (
        x[rows] == y[rows] for x, y in zip(left, right, strict=True)
    )
    # Nothing behind a tab belongs to the field.
    empty, one = left[0][rows] == TAB, left[1][rows] == TAB
    alike = first & (empty | (second & (one | third)))
    return alike, np.flatnonzero(alike & ~empty & ~one & (left[2][rows] != TAB))


def same(left: Heads, right: Heads) -> tuple[Flags, Integers]:
    """Which fields (n,) begin alike, and the rows of which more is to be looked at.
    Rows of one side may be wider than those of the other."""
    width = min(left.shape[1], right.shape[1])
    differ = left[:, :width] != right[:, :width]
    if width in AT_ONCE:
        alike = differ.view(f"u{width}")[:, 0] == 0
    else:
        alike = np.ones(len(left), dtype=np.bool_)
        alike[np.flatnonzero(differ) // width] = False
    return alike, np.flatnonzero(alike & (left[:, width - 1] > FULL))


def unfinished(heads: Heads) -> Integers:
    """The rows of fields that may go on."""
    return np.flatnonzero(heads[:, -1] > FULL)


def coded(heads: Heads) -> tuple[Coded, Integers]:
    """Distinct fields and which of them each is (n,), and the rows that may go on. The
    codes of the latter are still to be filled in."""
    odd = unfinished(heads)
    if not len(odd):
        return _coded(heads), odd
    whole = np.delete(np.arange(len(heads)), odd)
    found = _coded(heads[whole])
    codes = np.zeros(len(heads), dtype=np.int64)
    codes[whole] = found.codes
    return Coded(codes, found.values), odd


def _coded(heads: Heads) -> Coded:
    width = heads.shape[1]
    if width == 1:
        sample, codes = told_apart(heads[:, 0])
        return Coded(codes, texts(heads[sample]))
    sample, codes = told_apart(np.matmul(heads, MIXERS[:width], dtype=np.uint64))
    if not _agree(heads, sample, codes):
        # Two texts happen to have one key.
        return of_texts(texts(heads))
    return Coded(codes, texts(heads[sample]))


def _agree(heads: Heads, sample: Integers, codes: Integers) -> bool:
    """Whether every field is the sample of its code; in parts that stay at hand."""
    kind = f"V{heads.shape[1] * WORD_BYTES}"
    values = np.ascontiguousarray(heads[sample]).view(kind).ravel()
    parts = (slice(start, start + ROWS) for start in range(0, len(codes), ROWS))
    return all(
        (values.take(codes[part]).view(heads.dtype) == heads[part].ravel()).all()
        for part in parts
    )


def texts(heads: Heads) -> list[str]:
    """Fields as strings; those that go on are cut off."""
    return joined(heads).split("\n")[:-1]


def joined(heads: Heads) -> str:
    """As `texts`, each followed by a newline."""
    lines = np.full(
        (len(heads), heads.shape[1] * WORD_BYTES + 1), NEWLINE, dtype=np.uint8
    )
    lines[:, :-1] = np.ascontiguousarray(heads).view(np.uint8)
    return lines.tobytes().translate(None, b"\0").decode("utf-8", "ignore")


def told_apart(keys: Words) -> tuple[Integers, Integers]:
    """A row of each distinct key, and which of them every row has."""
    slots = ((keys * SPREAD) >> TO_SLOT).view(np.int64)
    last = np.full(SLOTS, NOT_A_NUMBER, dtype=np.int64)
    last[slots] = np.arange(len(keys))
    odd = np.flatnonzero(keys[last[slots]] != keys)
    taken = np.flatnonzero(last != NOT_A_NUMBER)
    sample = last[taken]
    last[taken] = np.arange(len(taken))
    codes = last[slots]
    if not len(odd):
        return sample, codes
    # Their slots went to other keys: only these few are sorted.
    _, first, rest = np.unique(keys[odd], return_index=True, return_inverse=True)
    codes[odd] = rest + len(sample)
    return np.concatenate((sample, odd[first])), codes


# One field in this many may be as long as the rows are, or longer.
RARE = 128

Rows = npt.NDArray[np.void]


def beginnings(buffer: Bytes, begins: Integers, sizes: Integers, into: Heads) -> Heads:
    """Put the first bytes of fields `into` (n, words), zeros behind their ends. The
    buffer goes on behind every field for as many bytes as a row has."""
    words = into.shape[1]
    found = fetched(buffer, begins, WORD_BYTES * words)
    # No size is beyond the last mask: that of a field which fills its row.
    inside = _masks(words).take(sizes, mode="clip")
    left: Heads = np.ndarray(into.shape, "<u8", found)
    right: Heads = np.ndarray(into.shape, "<u8", inside)
    return np.bitwise_and(left, right, out=into)


def beginnings_of(fields: Fields) -> Heads:
    """As many first bytes of fields (n, words) as nearly all of them have."""
    into = np.empty((len(fields), words_for(fields.sizes)), dtype=np.uint64)
    return fill(fields, into)


def fill(fields: Fields, into: Heads) -> Heads:
    """As `beginnings`, wherever the fields end."""
    if not len(fields):
        return into
    first = int(fields.begins.min())
    buffer = padded(fields.buffer, first, int(fields.ends.max()), into.shape[1])
    return beginnings(buffer, fields.begins - first, fields.sizes, into)


def padded(buffer: Bytes, start: int, end: int, words: int = MOST_WORDS) -> Bytes:
    """buffer[start:end] and so many more words, of zeros where the buffer has ended."""
    more = end + words * WORD_BYTES
    if more <= len(buffer):
        return buffer[start:more]
    zeros = np.zeros(more - len(buffer), dtype=np.uint8)
    return np.concatenate((buffer[start:], zeros))


def words_for(sizes: Integers) -> int:
    """Words of eight bytes that hold all of nearly every field."""
    for words in range(1, MOST_WORDS):
        if np.count_nonzero(sizes >= WORD_BYTES * words) * RARE <= len(sizes):
            return words
    return MOST_WORDS


@lru_cache
def _masks(words: int) -> Rows:
    """By the size of a field, the bytes of a row that belong to it."""
    size = WORD_BYTES * words
    inside = np.tri(size + 1, size, -1, dtype=np.uint8) * np.uint8(255)
    return inside.reshape(-1).view(f"V{size}")


def fetched(buffer: Bytes, begins: Integers, size: int) -> Rows:
    """So many bytes (n,) from each offset on; none goes behind the buffer."""
    every: Rows = np.ndarray(
        (len(buffer) - size + 1,), f"V{size}", buffer, strides=(1,)
    )
    return every[begins]
