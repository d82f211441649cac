"""Measures of systems by their means over segments, and by how sure their order is.

Soft pairwise accuracy (Thompson, Mathur, Deutsch and Khayrallah 2024) compares, pair of
systems by pair, the chance that a difference at least as large comes about where the
systems' scores are exchanged at random within segments. People try a thousand
exchanges; here the chance is that of a normal variable with the same variance, at half
a step below where all scores are multiples of one step.
"""

import math
from typing import NamedTuple

import numpy as np

from scoring.counts import Flags, Floats
from scoring.measures import ratio
from scoring.scorers.metrics.cells import HIGH, HUMAN, METRIC, Cells, exact_sums
from scoring.statistics.correlations import ROUNDING

SIDES = HUMAN, METRIC
# Means that are as close as this beside a standard deviation are the same.
SAME = 1e-11
# Libraries differ in the last bits; of chances twelve digits agree.
DIGITS = 12
# Pairs of systems of which cells are held together.
CELLS_AT_ONCE = 4_000_000


def _means(weights: Floats, cells: Cells) -> tuple[list[Floats], Flags]:
    """Means of each side by system (k, systems), and which systems have any."""
    given = cells.given.astype(np.float64)
    sizes = exact_sums(weights, given)
    means = []
    for side in SIDES:
        sums = exact_sums(weights, cells.block(side))
        means.append(np.divide(sums, sizes, out=np.zeros_like(sums), where=sizes > 0))
    return means, sizes > 0


class _Standard(NamedTuple):
    """Means of systems (k, systems) less their mean over their deviation (k, 1)."""

    values: Floats
    deviation: Floats

    @classmethod
    def of(cls, means: Floats, there: Flags) -> "_Standard":
        size = np.maximum(there.sum(axis=1, keepdims=True), 1)
        middle = np.where(there, means, 0).sum(axis=1, keepdims=True) / size
        off = np.where(there, means - middle, 0.0)
        squares = (off * off).sum(axis=1, keepdims=True) / size
        deviation = np.sqrt(np.where(squares > ROUNDING**1.5, squares, np.nan))
        return cls(off / deviation, deviation)


def pearson(weights: Floats, table: Floats) -> Floats:
    """Pearson's correlation of the systems' means."""
    means, there = _means(weights, Cells(table))
    first, second = (_Standard.of(side, there).values for side in means)
    size = np.maximum(there.sum(axis=1), 1)
    return np.asarray(np.clip((first * second).sum(axis=1) / size, -1.0, 1.0))


def pearson_slopes(weights: Floats, table: Floats) -> Floats:
    """The derivative by the weight of each segment."""
    cells, row = Cells(table), weights[None]
    means, there = _means(row, cells)
    first, second = (_Standard.of(side, there) for side in means)
    size = max(int(there.sum()), 1)
    r = float((first.values * second.values).sum()) / size
    slopes = np.zeros(len(weights))
    sizes = exact_sums(row, cells.given.astype(np.float64))[0]
    for own, other, side, mean in (
        (first, second, SIDES[0], means[0]),
        (second, first, SIDES[1], means[1]),
    ):
        by_mean = (other.values - r * own.values) / (size * own.deviation)
        moved = np.where(cells.given, cells.block(side) - mean, 0.0)
        slopes += moved @ np.divide(
            by_mean[0], sizes, out=np.zeros(len(sizes)), where=sizes > 0
        )
    return slopes


def pairwise_accuracy(weights: Floats, table: Floats) -> Floats:
    """Share of the pairs of systems that both sides have in the same order."""
    means, there = _means(weights, Cells(table))
    first, second = np.triu_indices(there.shape[1], 1)
    signs = []
    for side in means:
        gap = side[:, first] - side[:, second]
        signs.append(np.where(np.abs(gap) > SAME, np.sign(gap), 0.0))
    both = there[:, first] & there[:, second]
    same = ((signs[0] == signs[1]) & both).sum(axis=1)
    size = both.sum(axis=1)
    return ratio(same, size)


def flat(weights: Floats, _table: Floats) -> Floats:
    """No slope: an order of systems turns around at once."""
    return np.zeros(len(weights))


class _Gaps(NamedTuple):
    """Differences of pairs of systems (segments, pairs) of one side, their squares, and
    what they are whole multiples of."""

    cells: Floats
    squares: Floats
    step: float

    def sums(self, weights: Floats) -> tuple[Floats, Floats]:
        """How far sums lie above half a step below, and their variances (k, pairs)."""
        moved = exact_sums(weights, self.cells) - self.step
        return moved, np.asarray(weights @ self.squares)

    def chances(self, weights: Floats) -> Floats:
        """Chances of differences at least as large, (k, pairs)."""
        moved, variance = self.sums(weights)
        z = np.divide(
            moved,
            np.sqrt(2 * variance),
            out=np.full(moved.shape, -np.inf),
            where=variance > 0,
        )
        values = [math.erfc(value) / 2 for value in z.ravel().tolist()]
        return np.round(np.array(values), DIGITS).reshape(z.shape)

    def slopes(self, weights: Floats) -> Floats:
        """Derivative of the chances by the weight of each segment."""
        moved, variance = self.sums(weights[None])
        defined = variance > 0
        deviation = np.sqrt(np.where(defined, variance, 1.0))
        z = moved / deviation
        density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        steps = self.cells / deviation - self.squares * z / (2 * variance)
        return np.where(defined, -density * steps, 0.0)


def _gaps(cells: Cells) -> list[tuple[_Gaps, _Gaps, Flags]]:
    """Both sides of pairs of systems, some at a time, and where both have a score."""
    first, second = np.triu_indices(cells.systems, 1)
    at_once = max(1, CELLS_AT_ONCE // max(1, len(cells.table)))
    triples = []
    for top in range(0, len(first), at_once):
        i, j = first[top : top + at_once], second[top : top + at_once]
        both = cells.given[:, i] & cells.given[:, j]
        sides = []
        for place, name in enumerate(SIDES):
            block = cells.block(name)
            gaps = np.where(both, block[:, i] - block[:, j], 0.0)
            squares = np.rint(gaps**2 * HIGH) / HIGH
            sides.append(_Gaps(gaps, squares, cells.step(place)))
        triples.append((sides[0], sides[1], both))
    return triples


def soft_accuracy(weights: Floats, table: Floats) -> Floats:
    """1 less the mean difference of the chances of both sides."""
    off, size = np.zeros(len(weights)), np.zeros(len(weights))
    for human, metric, both in _gaps(Cells(table)):
        compared = weights @ both > 0
        gap = np.abs(human.chances(weights) - metric.chances(weights))
        off += np.where(compared, gap, 0.0).sum(axis=1)
        size += compared.sum(axis=1)
    return np.asarray(1 - ratio(off, size))


def soft_accuracy_slopes(weights: Floats, table: Floats) -> Floats:
    """The derivative by the weight of each segment."""
    slopes, size = np.zeros(len(weights)), 0.0
    for human, metric, both in _gaps(Cells(table)):
        compared = weights @ both > 0
        row = weights[None]
        sign = np.sign(human.chances(row) - metric.chances(row))
        with np.errstate(divide="ignore", invalid="ignore"):
            moved = human.slopes(weights) - metric.slopes(weights)
        slopes -= np.where(compared, moved * sign, 0.0).sum(axis=1)
        size += float(compared.sum())
    return slopes / size if size else np.full(len(weights), np.nan)
