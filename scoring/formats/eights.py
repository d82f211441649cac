"""The beginnings of many fields, compared, read and told apart without the text.

They are fetched while the part of the text they come from is at hand, and say all of
nearly every field. Every field is followed by a tab, and some bytes behind it come with
it.
"""

import numpy as np

from scoring.counts import Integers
from scoring.formats.codes import Coded, Flags
from scoring.formats.fields import NOT_A_NUMBER, ZERO, Bytes, Words

TAB = 9
TABS = np.uint64(0x0909090909090909)
ONES = np.uint64(0x0101010101010101)
HIGHS = np.uint64(0x8080808080808080)
SEVEN, ONE = np.uint64(7), np.uint64(1)
SPREAD = np.uint64(0x9E3779B97F4A7C15)
SLOTS = 1 << 13
TO_SLOT = np.uint64(64 - 13)

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


def _tabs(words: Words) -> Words:
    """The highest bit of the byte that is the first tab (n,), 0 where there is none."""
    apart = words ^ TABS
    found = (apart - ONES) & ~apart & HIGHS
    # A byte behind the first tab may be marked too: only the lowest bit is sure.
    return found & (~found + ONE)


def _without_rest(words: Words, tabs: Words) -> Words:
    """Zeros from the first tab on."""
    return words & ((tabs >> SEVEN) - ONE)


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
    """Which fields (n,) begin alike, and the rows of which more is to be looked at."""
    alike, rows = _same(left[:, 0], right[:, 0])
    for place in range(1, left.shape[1]):
        if not len(rows):
            break
        more, rest = _same(left[:, place][rows], right[:, place][rows])
        alike[rows] = more
        rows = rows[rest]
    return alike, rows


def _same(left: Words, right: Words) -> tuple[Flags, Integers]:
    tabs = _tabs(left)
    # Up to the tab and with it; all eight bytes where there is none.
    alike = ((left ^ right) & ((tabs << ONE) - ONE)) == 0
    return alike, np.flatnonzero(alike & (tabs == 0))


def coded(heads: Heads) -> tuple[Coded, Integers]:
    """Distinct fields and which of them each is (n,), and the rows too long for that.

    The codes of the latter are still to be filled in.
    """
    codes = np.empty(len(heads), dtype=np.int64)
    values: list[str] = []
    rows, prefix = np.arange(len(heads)), np.zeros(0, dtype=np.int64)
    for place in range(heads.shape[1]):
        words = heads[:, place][rows] if place else heads[:, 0]
        tabs = _tabs(words)
        words = _without_rest(words, tabs)
        sample, found = _pairs_apart(prefix, words) if place else _told_apart(words)
        ends = tabs[sample] != 0
        texts = heads[rows[sample[ends]]]
        values += [row.tobytes().partition(b"\t")[0].decode("utf-8") for row in texts]
        # What goes on has no code of its own yet.
        codes[rows] = (len(values) - np.count_nonzero(ends) - 1 + np.cumsum(ends))[
            found
        ]
        on = np.flatnonzero(tabs == 0)
        rows, prefix = rows[on], found[on]
        if not len(rows):
            break
    return Coded(codes, values), rows


def _pairs_apart(first: Integers, second: Words) -> tuple[Integers, Integers]:
    """As `_told_apart`, for pairs of a code and a word."""
    sample, codes = _told_apart(second)
    return _told_apart((first * len(sample) + codes).view(np.uint64))


def _told_apart(words: Words) -> tuple[Integers, Integers]:
    """A row of each distinct word, and which of them every row has."""
    slots = ((words * SPREAD) >> TO_SLOT).view(np.int64)
    last = np.full(SLOTS, NOT_A_NUMBER, dtype=np.int64)
    last[slots] = np.arange(len(words))
    if (words[last[slots]] != words).any():
        _, sample, codes = np.unique(words, return_index=True, return_inverse=True)
        return sample, codes
    used = np.flatnonzero(last != NOT_A_NUMBER)
    sample = last[used]
    last[used] = np.arange(len(used))
    return sample, last[slots]
