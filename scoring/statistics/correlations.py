"""Correlations of two columns: Pearson's of sums, and those of ranks by weighed rows.

The rank correlations take tables (rows, 2 columns or more) whose order counts and
nothing else; equal values are ties. Weights say how often each row counts: a resample
needs no sorting, since its ranks are sums of weights along the order of all rows. For
whole weights everything up to the last division is a whole number, exact for up to
200,000 rows (2**53 is about 208,000**3).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scoring.counts import Flags, Floats, Integers

# A variance below this share of the mean of squares is rounding.
ROUNDING = 1e-13
# Numbers of 16 bits are sorted in one pass.
MOST_BLOCKS = 2**16


def pearson(
    size: Floats, x: Floats, y: Floats, xx: Floats, yy: Floats, xy: Floats
) -> Floats:
    """Pearson's r out of sums; nan where a side does not vary."""
    first, second = varying(size, x, xx), varying(size, y, yy)
    with np.errstate(invalid="ignore"):
        r = (size * xy - x * y) / np.sqrt(first * second)
    return np.clip(r, -1.0, 1.0)


def varying(size: Floats, values: Floats, squares: Floats) -> Floats:
    """Squared deviations from the mean times `size`; nan where they are 0 but for
    rounding."""
    whole = size * squares
    deviations = whole - np.asarray(values) ** 2
    return np.where(deviations > ROUNDING * whole, deviations, np.nan)


def one_column(column: Floats | Integers) -> Integers:
    """Dense ranks of numbers (rows,), from 0; equal ones share theirs."""
    return np.unique(column, return_inverse=True)[1].reshape(-1)


def _sides(table: Floats) -> tuple[Integers, Integers]:
    """Dense ranks of the first two columns of a table."""
    return one_column(table[:, 0]), one_column(table[:, 1])


def group_sums(weights: Floats, codes: Integers, size: int) -> Floats:
    """Sums of weights (k, rows) by code, (k, size)."""
    order = np.argsort(codes, kind="stable")
    if size == len(codes):
        return np.take(weights, order, axis=1)
    starts = np.searchsorted(codes[order], np.arange(size))
    return np.asarray(np.add.reduceat(np.take(weights, order, axis=1), starts, axis=1))


def _size(codes: Integers) -> int:
    return int(codes.max(initial=-1)) + 1


@dataclass(frozen=True)
class _Ranked:
    """One side of rows with weights (k, rows), whose sums are `whole` (k, 1).

    `ties` (k, groups) are weights by value. `places` (k, rows) are twice the distance
    of a row's rank from the mean rank: weights below it less weights above it.
    """

    codes: Integers
    whole: Floats
    ties: Floats

    @classmethod
    def of(cls, codes: Integers, weights: Floats, whole: Floats) -> "_Ranked":
        return cls(codes, whole, group_sums(weights, codes, _size(codes)))

    @cached_property
    def places(self) -> Floats:
        of_values = 2 * np.cumsum(self.ties, axis=1) - self.ties - self.whole
        return np.take(of_values, self.codes, axis=1)

    @cached_property
    def squares(self) -> Floats:
        """Weighted squares of the places, (k,)."""
        # That of ranks in a row, less what ties take away.
        return np.asarray((self.whole[:, 0] ** 3 - (self.ties**3).sum(axis=1)) / 3)

    @cached_property
    def untied_weights(self) -> Floats:
        """Weights of ordered pairs of rows with different values, (k,)."""
        return np.asarray(self.whole[:, 0] ** 2 - (self.ties**2).sum(axis=1))

    def signed_sums(self, numbers: Floats) -> Floats:
        """The sum, by row, of the `numbers` (k, rows) of the rows above it less that of
        the rows below."""
        sums = group_sums(numbers, self.codes, self.ties.shape[1])
        running = np.cumsum(sums, axis=1)
        whole = running[:, -1:] if running.shape[1] else np.zeros((len(sums), 1))
        return np.asarray((whole - 2 * running + sums)[:, self.codes])


def _over(part: Floats, first: Floats, second: Floats) -> Floats:
    """part / sqrt(first * second), nan where a side has no two different values."""
    size = np.sqrt(first * second)
    out = np.full(len(part), np.nan)
    return np.asarray(np.divide(part, size, out=out, where=size > 0))


def spearman(weights: Floats, table: Floats) -> Floats:
    """Spearman's rho, ties having the mean of their ranks: Pearson's r of ranks."""
    whole = weights.sum(axis=1, keepdims=True)
    first, second = (_Ranked.of(c, weights, whole) for c in _sides(table))
    products = np.einsum("kn,kn,kn->k", weights, first.places, second.places)
    return _over(products, first.squares, second.squares)


def spearman_slopes(weights: Floats, table: Floats) -> Floats:
    """Derivative of Spearman's rho by the weight of each row."""
    row = weights[None]
    whole = row.sum(axis=1, keepdims=True)
    first, second = (_Ranked.of(c, row, whole) for c in _sides(table))
    u, v = first.places, second.places
    products = np.einsum("kn,kn,kn->k", row, u, v)
    moved = u * v + first.signed_sums(row * v) + second.signed_sums(row * u)
    squares = [side.whole**2 - side.ties**2 for side in (first, second)]
    return _slopes(
        (products, moved),
        *(
            (side.squares, own[:, side.codes])
            for side, own in zip((first, second), squares, strict=True)
        ),
    )


Moving = tuple[Floats, Floats]


def _slopes(products: Moving, first: Moving, second: Moving) -> Floats:
    """Derivative of products / sqrt(first * second), each with its own."""
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.sqrt(first[0] * second[0])
        shares = first[1] / first[0] + second[1] / second[0]
        slopes = (products[1] - products[0] * shares / 2) / size
    return np.asarray(np.where(size > 0, slopes, np.nan)[0])


def _levels(x: Integers, y: Integers) -> Iterator[tuple[Integers, Flags, int]]:
    """Levels of merging rows in the order of x, halves of blocks by y, from pairs of
    rows up to all: the rows by block and y, which of them are of the first half of
    their block, and its width in rows. Where x is the same, y falls, so that
    no such two count; a row of the second half comes before an equal one of the first.
    """
    rows = len(x)
    order = np.lexsort((-y, x))
    # By y, equal ones from the last to the first; each block keeps that order.
    places = np.lexsort((-np.arange(rows), y[order]))
    width = 2
    while width < 2 * rows:
        blocks = places // width
        small = blocks.astype(np.uint16) if rows < 2 * MOST_BLOCKS else blocks
        own = places[np.argsort(small, kind="stable")]
        yield order[own], own % width < width // 2, width
        width *= 2


def _blocks(cells: Floats, width: int) -> Floats:
    """Cells (k, rows) as (k, blocks, width), filled up with 0."""
    k, rows = cells.shape
    blocks = -(-rows // width)
    if rows != blocks * width:
        full = np.zeros((k, blocks * width))
        full[:, :rows] = cells
        cells = full
    return cells.reshape(k, blocks, width)


def _ascending(weights: Floats, x: Integers, y: Integers) -> Floats:
    """Weights of pairs of rows of which one is below in both columns, (k,)."""
    sums = np.zeros(len(weights))
    for order, left, width in _levels(x, y):
        own = np.take(weights, order, axis=1)
        below = _blocks(np.where(left, own, 0.0), width)
        above = _blocks(np.where(left, 0.0, own), width)
        sums += np.einsum("kbw,kbw->k", np.cumsum(below, axis=2), above)
    return sums


def _ascending_of_rows(weights: Floats, x: Integers, y: Integers) -> Floats:
    """Weights of the rows below or above each row in both columns, (rows,)."""
    ascending = np.zeros(len(weights))
    rows = len(weights)
    for order, left, width in _levels(x, y):
        own = weights[order][None]
        below = _blocks(np.where(left, own, 0.0), width)
        above = _blocks(np.where(left, 0.0, own), width)
        later = above.sum(axis=2, keepdims=True) - np.cumsum(above, axis=2)
        sums = np.cumsum(below, axis=2).reshape(-1)[:rows]
        ascending[order] += np.where(left, later.reshape(-1)[:rows], sums)
    return ascending


def _pairs(x: Integers, y: Integers) -> Integers:
    """Codes of the values of both sides together."""
    return one_column(x * (_size(y) + 1) + y)


def kendall(weights: Floats, table: Floats) -> Floats:
    """Kendall's tau-b: pairs in the same order less pairs in opposite orders, over the
    geometric mean of the pairs that differ on each side."""
    x, y = _sides(table)
    whole = weights.sum(axis=1, keepdims=True)
    first, second, both = (
        _Ranked.of(codes, weights, whole) for codes in (x, y, _pairs(x, y))
    )
    # Ordered pairs that differ on both sides; each in one order or the opposite.
    differing = first.untied_weights + second.untied_weights - both.untied_weights
    gain = 4 * _ascending(weights, x, y) - differing
    return _over(gain, first.untied_weights, second.untied_weights)


def kendall_slopes(weights: Floats, table: Floats) -> Floats:
    """Derivative of Kendall's tau-b by the weight of each row."""
    x, y = _sides(table)
    row = weights[None]
    whole = row.sum(axis=1, keepdims=True)
    ranked = [_Ranked.of(codes, row, whole) for codes in (x, y, _pairs(x, y))]
    moved = [2 * (side.whole - side.ties)[:, side.codes] for side in ranked]
    first, second, both = (
        (s.untied_weights, m) for s, m in zip(ranked, moved, strict=True)
    )
    ascending = _ascending_of_rows(weights, x, y)[None]
    gain = 2 * (row * ascending).sum(axis=1) - (first[0] + second[0] - both[0])
    moving = 4 * ascending - (first[1] + second[1] - both[1])
    return _slopes((gain, moving), first, second)
