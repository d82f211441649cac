"""Prefixes of many fields, compared, read and told apart without the text.

They are fetched while the part of the text they come from is at hand, and say all of
nearly every field: a row of words of eight bytes, with zeros behind the end of the
field. No field holds a NUL, so that one whose row ends with a byte other than zero may
go on behind it, and all others are whole. Fetching 64 bytes from somewhere in a buffer
costs hardly more than fetching eight.
"""

import numpy as np
import numpy.typing as npt

from scoring.counts import Flags, Integers
from scoring.formats.codes import Coded, of_texts
from scoring.formats.fields import (
    NEWLINE,
    NOT_A_NUMBER,
    WORD_BYTES,
    ZERO,
    Fields,
    Words,
    in_a_row,
)
from scoring.source import Bytes

TAB = 9
MOST_WORDS = 12
# Nearly all fields that differ do so in these.
FEW_WORDS = 3
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
Prefixes = Words


def numbers(digits: Digits) -> tuple[Integers, Integers]:
    """Fields of one or two digits as numbers (n,), and the rows of all others."""
    first, second = digits[0] - ZERO, digits[1] - ZERO
    two = (second <= 9) & (digits[2] == TAB)
    values = first + two * (first * np.uint8(9) + second)
    fine = (two | (digits[1] == TAB)) & (first <= 9)
    return values.astype(np.int64), np.flatnonzero(~fine)


def same_digits(left: Digits, right: Digits, rows: slice) -> tuple[Flags, Integers]:
    """The answer of `same` for some rows of a column of numbers."""
    first, second, third = (
        x[rows] == y[rows] for x, y in zip(left, right, strict=True)
    )
    # Nothing behind a tab belongs to the field.
    empty, single = left[0][rows] == TAB, left[1][rows] == TAB
    alike = first & (empty | (second & (single | third)))
    return alike, np.flatnonzero(alike & ~empty & ~single & (left[2][rows] != TAB))


def same(left: Prefixes, right: Prefixes) -> tuple[Flags, Integers]:
    """Flags (n,) of fields that begin alike, and rows of which more must be looked at.
    Rows of one side may be wider than those of the other."""
    width = min(left.shape[1], right.shape[1])
    differ = left[:, :width] != right[:, :width]
    if width in AT_ONCE:
        alike = differ.view(f"u{width}")[:, 0] == 0
    else:
        alike = np.ones(len(left), dtype=np.bool_)
        alike[np.flatnonzero(differ) // width] = False
    return alike, np.flatnonzero(alike & (left[:, width - 1] > FULL))


def unfinished_rows(prefixes: Prefixes) -> Integers:
    """The rows of fields that may go on."""
    return np.flatnonzero(prefixes[:, -1] > FULL)


def code_fields(prefixes: Prefixes) -> tuple[Coded, Integers]:
    """Distinct fields and which of them each is (n,), and the rows that may go on. The
    codes of the latter are still to be filled in."""
    odd = unfinished_rows(prefixes)
    if not len(odd):
        return _code_prefixes(prefixes), odd
    whole = np.delete(np.arange(len(prefixes)), odd)
    known = _code_prefixes(prefixes[whole])
    codes = np.zeros(len(prefixes), dtype=np.int64)
    codes[whole] = known.codes
    return Coded(codes, known.values), odd


def _code_prefixes(prefixes: Prefixes) -> Coded:
    width = prefixes.shape[1]
    if width == 1:
        sample, codes = distinct(prefixes[:, 0])
        return Coded(codes, texts(prefixes[sample]))
    sample, codes = distinct(np.matmul(prefixes, MIXERS[:width], dtype=np.uint64))
    if not _agree(prefixes, sample, codes):
        # Two texts happen to have one key.
        return of_texts(texts(prefixes))
    return Coded(codes, texts(prefixes[sample]))


def _agree(prefixes: Prefixes, sample: Integers, codes: Integers) -> bool:
    """Whether every field is the sample of its code; in parts that stay at hand."""
    kind = f"V{prefixes.shape[1] * WORD_BYTES}"
    values = np.ascontiguousarray(prefixes[sample]).view(kind).ravel()
    parts = (slice(start, start + ROWS) for start in range(0, len(codes), ROWS))
    return all(
        (values.take(codes[part]).view(prefixes.dtype) == prefixes[part].ravel()).all()
        for part in parts
    )


def texts(prefixes: Prefixes) -> list[str]:
    """Fields as strings; those that go on are cut off."""
    return join_fields(prefixes).split("\n")[:-1]


def join_fields(prefixes: Prefixes) -> str:
    """The fields of `texts` as one string, each followed by a newline."""
    lines = np.full(
        (len(prefixes), prefixes.shape[1] * WORD_BYTES + 1), NEWLINE, dtype=np.uint8
    )
    lines[:, :-1] = np.ascontiguousarray(prefixes).view(np.uint8)
    return lines.tobytes().translate(None, b"\0").decode("utf-8", "ignore")


def distinct(keys: Words) -> tuple[Integers, Integers]:
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


def put_prefixes(
    buffer: Bytes, begins: Integers, sizes: Integers, into: Prefixes
) -> Prefixes:
    """Put the first bytes of fields `into` (n, words), zeros behind their ends. The
    buffer goes on behind every field for as many bytes as a row has."""
    words = into.shape[1]
    rows = fetch_pieces(buffer, begins, WORD_BYTES * words)
    following: Words = np.ndarray(into.shape, "<u8", rows)
    return np.bitwise_and(following, _inside(sizes, words), out=into)


def prefixes_of(fields: Fields) -> Prefixes:
    """Prefixes of fields (n, words), as wide as nearly all of them are long."""
    into = np.empty((len(fields), words_for(fields.sizes)), dtype=np.uint64)
    return fill(fields, into)


def equal(first: Fields, second: Fields) -> Flags:
    """Flags (n,) of rows that hold the same bytes on both sides."""
    pairs = zip(first.blocks(), second.blocks(), strict=True)
    return in_a_row([_equal(left, right) for left, right in pairs], np.bool_)


def _equal(first: Fields, second: Fields) -> Flags:
    words = min(words_for(first.sizes), FEW_WORDS)
    alike = np.equal(first.sizes, second.sizes) & _begin_alike(first, second, words)
    rows = np.flatnonzero(alike & (first.sizes > WORD_BYTES * words))
    if len(rows):
        alike[rows] = _begin_alike(first.at(rows), second.at(rows), MOST_WORDS)
        rows = rows[alike[rows] & (first.sizes[rows] > WORD_BYTES * MOST_WORDS)]
        pairs = zip(first.at(rows).pieces(), second.at(rows).pieces(), strict=True)
        alike[rows] = [left == right for left, right in pairs]
    return np.asarray(alike, dtype=np.bool_)


def _begin_alike(first: Fields, second: Fields, words: int) -> Flags:
    """Flags (n,) of rows whose first words agree, as far as the first side's go."""
    differ = _following(first, words)
    differ ^= _following(second, words)
    differ &= _inside(first.sizes, words)
    bits = differ[:, 0].copy()
    for word in range(1, words):
        bits |= differ[:, word]
    return np.equal(bits, 0)


def _following(fields: Fields, words: int) -> Words:
    """Words (n, words) from the first byte of each field on, whatever ends it."""
    if not len(fields):
        return np.zeros((0, words), dtype=np.uint64)
    first, last = int(fields.begins.min()), int(fields.ends.max())
    buffer = padded_bytes(fields.buffer, first, last, words)
    rows = fetch_pieces(buffer, fields.begins - first, WORD_BYTES * words)
    return np.ndarray((len(fields), words), "<u8", rows)


def _inside(sizes: Integers, words: int) -> Words:
    """Masks (n, words) of the bytes that belong to fields of these sizes."""
    # No size is beyond the last mask: that of a field which fills its row.
    rows = _masks(words).take(sizes, mode="clip")
    return np.ndarray((len(sizes), words), "<u8", rows)


def fill(fields: Fields, into: Prefixes) -> Prefixes:
    """Prefixes put `into` (n, words), wherever in the buffer the fields end."""
    words = into.shape[1]
    return np.bitwise_and(
        _following(fields, words), _inside(fields.sizes, words), out=into
    )


def padded_bytes(buffer: Bytes, start: int, end: int, words: int = MOST_WORDS) -> Bytes:
    """buffer[start:end] and so many more words, of zeros where the buffer has ended."""
    more = end + words * WORD_BYTES
    if more <= len(buffer):
        return buffer[start:more]
    zeros = np.zeros(more - len(buffer), dtype=np.uint8)
    return np.concatenate((buffer[start:], zeros))


def words_for(sizes: Integers) -> int:
    """The number of words of eight bytes that hold all of nearly every field."""
    for words in range(1, MOST_WORDS):
        if np.count_nonzero(sizes >= WORD_BYTES * words) * RARE <= len(sizes):
            return words
    return MOST_WORDS


def _masks(words: int) -> Rows:
    """Masks of the bytes of a row that belong to a field, by the field's size."""
    size = WORD_BYTES * words
    inside = np.tri(size + 1, size, -1, dtype=np.uint8) * np.uint8(255)
    return inside.reshape(-1).view(f"V{size}")


def fetch_pieces(buffer: Bytes, begins: Integers, size: int) -> Rows:
    """Pieces of `size` bytes (n,) from each offset on; none goes behind the buffer."""
    every: Rows = np.ndarray(
        (len(buffer) - size + 1,), f"V{size}", buffer, strides=(1,)
    )
    return every[begins]
