"""Accuracy of pairs where a metric's ties are calibrated (Deutsch, Foster and Freitag
2023).

People give two texts the same score, and a metric hardly ever does: its scores count as
tied up to a threshold, the one that makes the accuracy the highest. A pair is right
where both tie, or both have the same order. A change of the threshold turns pairs of
one difference around, so that all thresholds are tried by one running sum.
"""

from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np

from scoring.counts import Flags, Floats, Integers
from scoring.scorers.metrics.cells import CONSTANT as CONSTANTS
from scoring.scorers.metrics.cells import EXPONENT, HUMAN_RANK, Cells

# Of more pairs of all segments so many are taken, the same for every metric.
MOST_PAIRS = 500_000
# Sums of fractions that differ by less are the same.
ROUNDING = 1e-9
# Thresholds that are as good as the best one, of which slopes are taken.
MOST_BEST = 16


class Averaged(Enum):
    """Which pairs are compared: all, or those of one segment or of one system, the
    mean being over segments or systems."""

    NONE = "none"
    ITEM = "item"
    SYS = "sys"


def pairs_in(given: Flags, average: Averaged) -> int:
    """How many pairs of scores (segments, systems) there are."""
    if average is Averaged.NONE:
        sizes = np.array([given.sum()])
    else:
        sizes = given.sum(axis=1 if average is Averaged.ITEM else 0)
    return int((sizes * (sizes - 1) // 2).sum())


def _some_pairs(size: int, offsets: int) -> tuple[Integers, Integers]:
    """Pairs of so many places: all, or each with `offsets` others if that is less."""
    if offsets >= (size - 1) // 2:
        return np.triu_indices(size, 1)
    steps = np.unique(np.linspace(1, (size - 1) // 2, offsets).astype(np.int64))
    first = np.tile(np.arange(size), len(steps))
    return first, (first + np.repeat(steps, size)) % size


@dataclass(frozen=True)
class _Pairs:
    """Pairs (p,) of scores: their segments, their groups, and what they are worth.

    `close` are differences of the metric, `order` whether both sides have the same
    order (1), human scores tie (0) or the orders are opposite (-1). `whole` says that
    all pairs of a group are here. Groups are `of_segments` or not.
    """

    first: Integers
    second: Integers
    group: Integers
    close: Floats
    order: Integers
    groups: int
    whole: bool
    of_segments: bool

    @classmethod
    def of(cls, cells: Cells, average: Averaged) -> "_Pairs":
        if average is Averaged.ITEM:
            return cls._within_segments(cells)
        segment, system = cells.rows
        groups = cells.systems if average is Averaged.SYS else 1
        group = system if average is Averaged.SYS else np.zeros_like(system)
        offsets = len(segment)
        whole = pairs_in(cells.given, average) <= MOST_PAIRS
        if not whole:
            offsets = MOST_PAIRS // len(segment)
        firsts, seconds = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for place in range(groups):
            own = np.flatnonzero(group == place)
            first, second = _some_pairs(len(own), offsets)
            firsts.append(own[first])
            seconds.append(own[second])
        first, second = np.concatenate(firsts), np.concatenate(seconds)
        scores = cells.scores[segment, system]
        ranks = cells.block(HUMAN_RANK)[segment, system]
        centres = cells.centres[segment]
        # Of one metric the centre is one, and takes no bit off.
        close = scores[first] - scores[second]
        close -= centres[first] - centres[second]
        human = ranks[first] - ranks[second]
        return cls(
            segment[first],
            segment[second],
            group[first],
            np.abs(close),
            _order(human, close),
            groups,
            whole,
            False,
        )

    @classmethod
    def _within_segments(cls, cells: Cells) -> "_Pairs":
        first, second = np.triu_indices(cells.systems, 1)
        given, scores, ranks = cells.given, cells.scores, cells.block(HUMAN_RANK)
        close = scores[:, first] - scores[:, second]
        order = _order(ranks[:, first] - ranks[:, second], close)
        np.abs(close, out=close)
        segment = np.repeat(np.arange(len(scores)), len(first))
        if given.all():
            close, order = close.reshape(-1), order.reshape(-1)
        else:
            both = given[:, first] & given[:, second]
            close, order, segment = close[both], order[both], segment[both.reshape(-1)]
        return cls(segment, segment, segment, close, order, len(scores), True, True)

    @cached_property
    def sizes(self) -> Integers:
        """How many pairs each group has."""
        return np.bincount(self.group, minlength=self.groups)

    @cached_property
    def right(self) -> Flags:
        """Pairs that are right where nothing but equal scores is a tie."""
        return np.where(self.close == 0, self.order == 0, self.order > 0)

    @cached_property
    def turning(self) -> Integers:
        """Places of pairs that a threshold turns around, by rising differences."""
        places = np.flatnonzero((self.close > 0) & (self.order >= 0))
        return places[np.argsort(self.close[places])]

    @cached_property
    def turned(self) -> Floats:
        """What each of those is worth more when it is a tie: 1 or -1."""
        return np.where(self.order[self.turning] == 0, 1.0, -1.0)

    @cached_property
    def lasts(self) -> Integers:
        """Where the next difference is another one."""
        close = self.close[self.turning]
        return np.flatnonzero(np.append(close[1:] != close[:-1], [True][: len(close)]))


def _order(human: Floats, metric: Floats) -> Integers:
    return (np.sign(human) * np.where(metric > 0, 1, -1)).astype(np.int8)


@dataclass(frozen=True)
class Calibrated:
    """Accuracies (k,) and the thresholds that they were reached at, nan for none."""

    values: Floats
    thresholds: Floats


def calibrated(weights: Floats, table: Floats, average: Averaged) -> Calibrated:
    """Accuracies for weights (k, segments) of a table of cells."""
    if not len(table):
        return Calibrated(*(np.full(len(weights), np.nan) for _ in range(2)))
    cells = Cells(table)
    pairs = _Pairs.of(cells, average)
    scale = np.ldexp(1.0, int(table[0, CONSTANTS.index(EXPONENT)]))
    found = [_One(pairs, cells, row) for row in weights]
    best = [one.best[0] if len(one.best) else None for one in found]
    values = [
        np.nan if place is None else one.value(place)
        for one, place in zip(found, best, strict=True)
    ]
    thresholds = [
        np.nan
        if place is None
        else pairs.close[pairs.turning[place]] * scale
        if place >= 0
        else 0.0
        for place in best
    ]
    return Calibrated(np.array(values), np.array(thresholds))


def slopes(weights: Floats, table: Floats, average: Averaged) -> Floats:
    """Derivative of the accuracy by the weight of each segment. Where several
    thresholds are the best it is the mean of the slopes up and down."""
    cells = Cells(table)
    one = _One(_Pairs.of(cells, average), cells, weights)
    if not len(one.best):
        return np.full(len(weights), np.nan)
    each = np.array([one.slopes(place) for place in one.best[:MOST_BEST]])
    return np.asarray((each.max(axis=0) + each.min(axis=0)) / 2)


class _One:
    """Pairs under one row of weights (segments,)."""

    def __init__(self, pairs: _Pairs, cells: Cells, weights: Floats) -> None:
        self.pairs, self.cells, self.weights = pairs, cells, weights

    def of_pairs(self, places: Integers | slice = slice(None)) -> Floats:
        """Weights of pairs at these places."""
        first = self.weights[self.pairs.first[places]]
        if self.pairs.of_segments:
            return first
        return np.asarray(first * self.weights[self.pairs.second[places]])

    @cached_property
    def of_cells(self) -> tuple[Integers, Floats]:
        """Group and weight of every score."""
        segment, system = self.cells.rows
        group = system if self.pairs.groups > 1 else np.zeros_like(system)
        return group, self.weights[segment]

    @cached_property
    def twins(self) -> Floats:
        """Weights of pairs of copies of one score, which tie, by group."""
        if self.pairs.of_segments or not self.pairs.whole:
            return np.zeros(self.pairs.groups)
        group, weights = self.of_cells
        return self._by_group(group, weights * (weights - 1) / 2)

    def _by_group(self, group: Integers, values: Floats) -> Floats:
        sums = np.bincount(group, weights=values, minlength=self.pairs.groups)
        return np.asarray(sums, dtype=np.float64)

    @cached_property
    def wholes(self) -> Floats:
        """Weights of all pairs by group; in a segment all pairs count alike."""
        pairs = self.pairs
        if pairs.of_segments:
            return pairs.sizes.astype(np.float64)
        if not pairs.whole:
            return self._by_group(pairs.group, self.of_pairs())
        sums = self._by_group(*self.of_cells)
        return np.asarray((sums * sums - sums) / 2)

    @cached_property
    def shares(self) -> Floats:
        """One over the weight of a group's pairs, 0 of a group without any."""
        wholes = self.wholes
        return np.divide(1.0, wholes, out=np.zeros(len(wholes)), where=wholes > 0)

    @cached_property
    def size(self) -> float:
        """How many groups, or how much weight of segments, the mean is over."""
        compared = self.wholes > 0
        if self.pairs.of_segments:
            return float(self.weights[compared].sum())
        return float(compared.sum())

    @cached_property
    def gains(self) -> Floats:
        """What each pair that turns adds to its group."""
        return np.asarray(self.of_pairs(self.pairs.turning) * self.pairs.turned)

    @cached_property
    def best(self) -> list[int]:
        """Places of thresholds among the pairs that turn, the smallest first, -1 where
        only equal scores tie; none where nothing is compared."""
        if self.size <= 0:
            return []
        gains = self.gains
        if self.pairs.groups > 1:
            gains = gains * self.shares[self.pairs.group[self.pairs.turning]]
        sums = np.cumsum(gains)[self.pairs.lasts]
        if self.pairs.groups == 1:
            sums = sums * self.shares[0]
        most = max(0.0, float(sums.max(initial=0.0)))
        edge = most - ROUNDING * self.size
        found = [-1] if edge <= 0 else []
        return [*found, *self.pairs.lasts[sums >= edge].tolist()]

    def _right(self, place: int) -> Floats:
        """Weights of the pairs that are right, by group."""
        pairs, upto = self.pairs, place + 1
        right = np.flatnonzero(pairs.right)
        found = self._by_group(pairs.group[right], self.of_pairs(right)) + self.twins
        turned = pairs.group[pairs.turning[:upto]]
        return np.asarray(found + self._by_group(turned, self.gains[:upto]))

    def value(self, place: int) -> float:
        """The accuracy at a threshold; whole numbers until the last divisions."""
        right, wholes = self._right(place), self.wholes
        sizes, codes = np.unique(wholes, return_inverse=True)
        sums = np.bincount(codes.reshape(-1), weights=right)
        shares = [
            float(part) / float(size)
            for part, size in zip(sums, sizes, strict=True)
            if size > 0
        ]
        return float(np.sum(shares)) / self.size

    def slopes(self, place: int) -> Floats:
        """Derivative by the weight of each segment at a threshold."""
        pairs, right = self.pairs, self._right(place) * self.shares
        if pairs.of_segments:
            own = np.divide(
                right,
                self.weights,
                out=np.zeros(len(right)),
                where=self.weights > 0,
            )
            value = right.sum() / self.size
            return np.where(pairs.sizes > 0, own - value, 0.0) / self.size
        correct = pairs.right.astype(np.float64)
        turned = pairs.turning[: place + 1]
        correct[turned] += pairs.turned[: place + 1]
        worth = (correct - right[pairs.group]) * self.shares[pairs.group]
        found = np.zeros(len(self.weights))
        for own, other in ((pairs.first, pairs.second), (pairs.second, pairs.first)):
            moved = worth * self.weights[other]
            found += np.bincount(own, weights=moved, minlength=len(found))
        if pairs.whole:
            group, weights = self.of_cells
            moved = (1 - right[group]) * self.shares[group] * (weights - 0.5)
            segment = self.cells.rows[0]
            found += np.bincount(segment, weights=moved, minlength=len(found))
        return np.asarray(found / self.size)
