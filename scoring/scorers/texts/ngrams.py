"""Clipped n-gram matches between texts of one segment, for all segments at once.

A segment's matches with a reference are the n-grams that both have, each counted as
often as the one that has it less often. Sorting the n-grams of the longest order also
sorts their beginnings, so that one sort serves all orders.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.counts import Flags, Integers

# Segments at a time: a sort of this many stays in a processor's cache.
BLOCK = 512
MOST_BITS = 62


@dataclass(frozen=True)
class Sequences:
    """The items (t,) of all segments in a row, as numbers, and how many each of the
    segments (n,) has."""

    codes: Integers
    sizes: Integers

    def __len__(self) -> int:
        return len(self.sizes)

    def grams(self, order: int) -> Integers:
        """The number of n-grams of this order in each segment (n,)."""
        return np.maximum(self.sizes - (order - 1), 0)

    def block(self, start: int, stop: int) -> "Sequences":
        """The segments from `start` up to `stop`."""
        before = int(self.sizes[:start].sum())
        sizes = self.sizes[start:stop]
        return Sequences(self.codes[before : before + int(sizes.sum())], sizes)


def of_words(columns: Iterable[Sequence[Sequence[str]]]) -> list[Sequences]:
    """Words as numbers, the same in all columns; a column has the words of each
    segment."""
    known: dict[str, int] = {}
    sequences = []
    for column in columns:
        codes = [
            known.setdefault(word, len(known)) for words in column for word in words
        ]
        sizes = np.fromiter(map(len, column), dtype=np.int64, count=len(column))
        sequences.append(Sequences(np.array(codes, dtype=np.int64), sizes))
    return sequences


def of_characters(columns: Iterable[Sequence[str]]) -> list[Sequences]:
    """Characters as numbers: their code points."""
    sequences = []
    for column in columns:
        text = "".join(column).encode("utf-32-le")
        sizes = np.fromiter(map(len, column), dtype=np.int64, count=len(column))
        codes = np.frombuffer(text, dtype="<u4").astype(np.int64)
        sequences.append(Sequences(codes, sizes))
    return sequences


def matches(
    system: Sequences,
    references: Sequence[Sequences],
    order: int,
    *,
    merged: bool = False,
) -> Integers:
    """Clipped matches (order, references, segments) of n-grams of 1 to `order` items.

    `merged` counts an n-gram as often as the reference that has it most often, and
    gives (order, 1, segments).
    """
    sides = [system, *references]
    table = np.zeros((order, 1 if merged else len(references), len(system)), np.int64)
    for start in range(0, len(system), BLOCK):
        stop = min(start + BLOCK, len(system))
        block = [side.block(start, stop) for side in sides]
        table[:, :, start:stop] = _block_matches(block, order, merged)
    return table


def _block_matches(sides: list[Sequences], order: int, merged: bool) -> Integers:
    size = len(sides[0])
    table = np.zeros((order, 1 if merged else len(sides) - 1, size), np.int64)
    shifted, segment, left = _following_items(sides, order)
    if not len(segment):
        return table
    sort = np.argsort(_keys(segment, shifted))
    segment, left = segment[sort], left[sort]
    side = np.repeat(np.arange(len(sides)), [len(s.codes) for s in sides])[sort]
    before = [_running(side == number) for number in range(1, len(sides))]
    changes = np.diff(segment, prepend=-1) != 0
    for n in range(order):
        column = shifted[n][sort]
        changes |= np.diff(column, prepend=-1) != 0
        first = np.flatnonzero(changes)
        # Runs that would reach beyond the end of a segment count nothing.
        whole = left[first] > n
        first, end = first[whole], np.append(first[1:], len(segment))[whole]
        counts = [running[end] - running[first] for running in before]
        own = end - first - sum(counts)
        if merged:
            counts = [np.maximum.reduce(counts)]
        for row, others in enumerate(counts):
            table[n, row] = np.bincount(
                segment[first], weights=np.minimum(own, others), minlength=size
            ).astype(np.int64)
    return table


def _following_items(
    sides: list[Sequences], order: int
) -> tuple[list[Integers], Integers, Integers]:
    """About each item of a block: the items that follow it up to the end of its
    segment, 0 behind that; its segment; how many are left in the segment."""
    codes = _dense(np.concatenate([side.codes for side in sides]))
    sizes = np.concatenate([side.sizes for side in sides])
    ends = np.cumsum(sizes)
    left = np.repeat(ends, sizes) - np.arange(len(codes))
    segments = np.tile(np.arange(len(sides[0])), len(sides))
    shifted = [codes]
    for n in range(1, order):
        later = np.zeros_like(codes)
        later[:-n] = codes[n:]
        shifted.append(np.where(left > n, later, 0))
    return shifted, np.repeat(segments, sizes), left


def _dense(codes: Integers) -> Integers:
    """Numbers from 1 for the same numbers, in the same order."""
    if not len(codes):
        return codes
    used = np.zeros(int(codes.max()) + 1, dtype=np.bool_)
    used[codes] = True
    return np.asarray(np.cumsum(used)[codes], dtype=np.int64)


def _keys(segment: Integers, shifted: list[Integers]) -> Integers:
    """One number per item that sorts by segment and n-gram."""
    keys = segment
    bits = int(keys.max()).bit_length()
    width = int(shifted[0].max()).bit_length()
    for column in shifted:
        if bits + width > MOST_BITS:
            keys = np.unique(keys, return_inverse=True)[1]
            bits = int(keys.max()).bit_length()
        keys = (keys << width) | column
        bits += width
    return keys


def _running(flags: Flags) -> Integers:
    """How many flags are set before each place, and in all (n + 1,)."""
    return np.concatenate(([0], np.cumsum(flags)))
