"""Accuracy of pairs where a metric's ties are calibrated (Deutsch, Foster and Freitag
2023).

People give two texts the same score, and a metric hardly ever does: its scores count as
tied up to a threshold, the one that makes the accuracy the highest. A pair is right
where both tie, or both have the same order. A change of the threshold turns pairs of
one difference around, so that all thresholds are tried by one running sum.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from scoring.counts import Flags, Floats, Integers
from scoring.measures import ratio, ratio_or_zero
from scoring.scorers.metrics.cells import CONSTANT, EXPONENT, HUMAN_RANK, Cells

# Of more pairs of all segments so many are taken, the same for every metric.
MOST_PAIRS = 250_000
# Sums of fractions are the same up to one over this.
FINE = 2.0**30
# Rows of weights and pairs that stay in the processor's cache.
AT_ONCE, PAIRS_AT_ONCE = 32, 2048
# Ranges of differences, so many that each has few pairs.
RANGES = 2**12
# Pairs that are counted together: larger arrays are slow to get from the system.
COUNTED_AT_ONCE = 2**14
# Thresholds that are as good as the best one, of which slopes are taken.
MOST_BEST = 16


class Averaged(Enum):
    """The pairs that are compared: all, or those of one segment or of one system, the
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
    order (1), human scores tie (0) or the orders are opposite (-1). `sizes` (groups,)
    say how many pairs each group has; `whole` that all of them are here. Groups are
    `of_segments` or not.
    """

    first: Integers
    second: Integers
    group: Integers
    close: Floats
    order: Integers
    sizes: Integers
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
            np.bincount(group[first], minlength=groups),
            whole,
            False,
        )

    @classmethod
    def _within_segments(cls, cells: Cells) -> "_Pairs":
        # By system, then segment: rows that are subtracted lie side by side.
        given = np.ascontiguousarray(cells.given.T)
        scores = np.ascontiguousarray(cells.scores.T)
        ranks = np.ascontiguousarray(cells.block(HUMAN_RANK).T)
        first, second = np.triu_indices(cells.systems, 1)
        close: Floats = np.empty((len(first), scores.shape[1]))
        order: npt.NDArray[Any] = np.empty(close.shape, dtype=np.int8)
        end = 0
        # One system with all later ones: what stays in the processor's cache.
        for place in range(cells.systems - 1):
            own = slice(end, end := end + cells.systems - 1 - place)
            np.subtract(scores[place], scores[place + 1 :], out=close[own])
            order[own] = _order(ranks[place] - ranks[place + 1 :], close[own])
            np.abs(close[own], out=close[own])
        # Half as wide: large arrays are slow to get from the system.
        segment: npt.NDArray[Any] = np.arange(scores.shape[1], dtype=np.int32)
        segment = np.tile(segment, len(first))
        close, order = close.reshape(-1), order.reshape(-1)
        if not given.all():
            both = (given[first] & given[second]).reshape(-1)
            close, order, segment = close[both], order[both], segment[both]
        scored = given.sum(axis=0)
        sizes = scored * (scored - 1) // 2
        return cls(segment, segment, segment, close, order, sizes, True, True)

    @property
    def groups(self) -> int:
        return len(self.sizes)

    @cached_property
    def turning(self) -> "_Turning":
        """Pairs that a threshold turns around, by rising differences."""
        places = np.flatnonzero((self.close > 0) & (self.order >= 0))
        places = places[np.argsort(self.close[places])]
        close = self.close[places]
        return _Turning(
            self.first[places],
            self.second[places],
            self.group[places],
            close,
            np.where(self.order[places] == 0, 1.0, -1.0),
            np.append(close[1:] != close[:-1], [True][: len(close)]),
        )

    @cached_property
    def plain(self) -> tuple[float, int, int]:
        """The smallest of the best thresholds where every pair counts once, what it
        adds, and what a threshold above all differences adds.

        Sorting all pairs takes long. They are counted in narrow ranges of differences,
        and only ranges that could hold the best one are looked at in full.
        """
        more = self.close[self.tied]
        more = more[more > 0]
        if not len(more):
            return 0.0, 0, -sum(len(some) for some in self._right(np.inf))
        most = float(more.max())
        step = RANGES / most
        gained = np.bincount(_ranges(more, step), minlength=RANGES + 1)
        lost, beyond = np.zeros_like(gained), 0
        for some in self._right(np.inf):
            near = some[some <= most]
            lost += np.bincount(_ranges(near, step), minlength=RANGES + 1)
            beyond += len(some) - len(near)
        end = len(more) - int(lost.sum()) - beyond
        ends = np.cumsum(gained - lost)
        begins = ends - (gained - lost)
        open_ = begins + gained >= max(0, int(ends.max()))
        mine = more[open_[_ranges(more, step)]]
        parts = [some[open_[_ranges(some, step)]] for some in self._right(most)]
        theirs = np.concatenate([mine[:0], *parts])
        mine.sort()
        theirs.sort()
        closed = np.cumsum(np.where(open_, 0, gained - lost))
        sums = closed[_ranges(mine, step)]
        sums += np.searchsorted(mine, mine, side="right")
        sums -= np.searchsorted(theirs, mine, side="right")
        best = int(sums.argmax()) if len(sums) else 0
        adds = int(sums[best]) if len(sums) else 0
        return (float(mine[best]), adds, end) if adds > 0 else (0.0, 0, end)

    def _right(self, most: float) -> Iterator[Floats]:
        """Differences up to `most`, in parts, of pairs in the same order."""
        for top in range(0, len(self.close), COUNTED_AT_ONCE):
            close = self.close[top : top + COUNTED_AT_ONCE]
            right = self.order[top : top + COUNTED_AT_ONCE] > 0
            right &= close > 0
            if most < np.inf:
                right &= close <= most
            yield close[right]

    @cached_property
    def tied(self) -> Integers:
        """Places of pairs that people take for ties."""
        return np.flatnonzero(self.order == 0)


@dataclass(frozen=True)
class _Turning:
    """Pairs (t,) as `_Pairs` has them, and what each is worth more when it is a tie, 1
    or -1; `last` where the next difference is another one."""

    first: Integers
    second: Integers
    group: Integers
    close: Floats
    turned: Floats
    last: Flags


def _ranges(values: Floats, step: float) -> Integers:
    """The range of each value, from 0 to RANGES, however steps are rounded."""
    places: Integers = np.minimum(values * step, RANGES).astype(np.int64)
    return places


def _order(human: Floats, metric: Floats) -> Integers:
    order = ((human > 0) == (metric > 0)).astype(np.int8)
    order *= 2
    order -= 1
    order[human == 0] = 0
    return np.asarray(order)


def calibrate(
    weights: Floats, table: Floats, average: Averaged
) -> tuple[Floats, Floats]:
    """Accuracies for weights (k, segments) of a table of cells, and the thresholds
    that they were reached at, nan for none; each (k,)."""
    nothing = np.full(len(weights), np.nan)
    if not len(table) or not len(weights):
        return nothing, nothing
    if len(weights) == 1:
        cells = Cells(table)
        pairs = _Pairs.of(cells, average)
    else:
        cells, pairs = _prepare(table, average)
    parts = [
        _Weighed(pairs, cells, weights[top : top + AT_ONCE])
        for top in range(0, len(weights), AT_ONCE)
    ]
    scale = np.ldexp(1.0, int(table[0, CONSTANT.index(EXPONENT)]))
    return (
        np.concatenate([some.values for some in parts]),
        np.concatenate([some.thresholds for some in parts]) * scale,
    )


# The pairs that were sorted last: resamples of one metric come in many calls.
_kept: dict[Averaged, tuple[bytes, Cells, _Pairs]] = {}


def forget() -> None:
    """Drop the pairs that are kept."""
    _kept.clear()


def _prepare(table: Floats, average: Averaged) -> tuple[Cells, _Pairs]:
    from hashlib import blake2b  # OpenSSL takes long to load.

    key = blake2b(table.tobytes()).digest() + bytes(str(table.shape), "ascii")
    entry = _kept.get(average)
    if entry is None or entry[0] != key:
        cells = Cells(table)
        entry = key, cells, _Pairs.of(cells, average)
        _kept[average] = entry
    return entry[1], entry[2]


def slopes(weights: Floats, table: Floats, average: Averaged) -> Floats:
    """Derivative of the accuracy by the weight of each segment. Where several
    thresholds are the best it is the mean of the slopes up and down."""
    cells = Cells(table)
    weighed = _Weighed(_Pairs.of(cells, average), cells, weights[None])
    if weighed.sizes[0] <= 0:
        return np.full(len(weights), np.nan)
    each = np.array([weighed.slopes(upto) for upto in weighed.all_best()])
    return np.asarray((each.max(axis=0) + each.min(axis=0)) / 2)


class _Weighed:
    """Pairs under some rows of weights (k, segments).

    `wholes` (groups, k) are weights of all pairs of a group, one of them where a
    segment's pairs all count alike; `sizes` (k,) say how many groups, or how much
    weight of segments, the mean is over. A threshold is told by how many of the turning
    pairs it makes ties.
    """

    def __init__(self, pairs: _Pairs, cells: Cells, weights: Floats) -> None:
        self.pairs, self.cells, self.weights = pairs, cells, weights
        self.by_row = np.ascontiguousarray(weights.T)
        self.wholes = self._wholes()
        compared = self.wholes > 0
        if pairs.of_segments:
            self.sizes = np.asarray(weights @ compared[:, 0])
        else:
            self.sizes = compared.sum(axis=0).astype(np.float64)
        shares = np.zeros(self.wholes.shape)
        np.divide(1.0, self.wholes, out=shares, where=compared)
        self.shares = shares

    def _of_pairs(self, first: Integers, second: Integers) -> Floats:
        """Weights of pairs (pairs, k)."""
        weights = self.by_row[first]
        return weights if self.pairs.of_segments else weights * self.by_row[second]

    @cached_property
    def of_cells(self) -> tuple[Integers, Floats]:
        """Group (scores,) and weights (scores, k) of every score."""
        segment, system = self.cells.rows
        group = system if self.pairs.groups > 1 else np.zeros_like(system)
        return group, self.by_row[segment]

    def _by_group(self, group: Integers, values: Floats) -> Floats:
        """Sums of values (n, k) by group, (groups, k)."""
        sums = np.zeros((self.pairs.groups, values.shape[1]))
        for column, own in zip(sums.T, values.T, strict=True):
            column += np.bincount(group, weights=own, minlength=len(sums))
        return sums

    def _of_places(self, places: Integers) -> Floats:
        """Weights of the pairs at these places by group, (groups, k)."""
        pairs, sums = self.pairs, np.zeros((self.pairs.groups, len(self.weights)))
        for top in range(0, len(places), PAIRS_AT_ONCE):
            some = places[top : top + PAIRS_AT_ONCE]
            values = self._of_pairs(pairs.first[some], pairs.second[some])
            if pairs.groups == 1:
                sums += values.sum(axis=0)
            else:
                sums += self._by_group(pairs.group[some], values)
        return sums

    def _wholes(self) -> Floats:
        pairs = self.pairs
        if pairs.of_segments:
            return pairs.sizes.astype(np.float64)[:, None]
        if not pairs.whole:
            return self._of_places(np.arange(len(pairs.first)))
        sums = self._by_group(*self.of_cells)
        return np.asarray((sums * sums - sums) / 2)

    @cached_property
    def ties(self) -> Floats:
        """Weights of pairs that people take for ties by group, copies of one score
        among them."""
        pairs = self.pairs
        ties = self._of_places(pairs.tied)
        if pairs.whole and not pairs.of_segments:
            group, weights = self.of_cells
            ties += self._by_group(group, weights * (weights - 1) / 2)
        return ties

    @cached_property
    def alike(self) -> bool:
        """Whether a pair counts alike in all groups, so that sums are whole."""
        wholes = self.wholes
        most = wholes.max(axis=0)
        return bool(((wholes == most) | (wholes == 0)).all())

    @property
    def plain(self) -> bool:
        """Whether there is one row of weights, and every pair counts once in it."""
        return len(self.weights) == 1 and self.alike and bool((self.weights == 1).all())

    def _sums(self) -> Iterator[tuple[int, Floats]]:
        """Running sums of what turning pairs add (some, k), and how many are before."""
        turning, before = self.pairs.turning, np.zeros(len(self.weights))
        for top in range(0, len(turning.first), PAIRS_AT_ONCE):
            some = slice(top, top + PAIRS_AT_ONCE)
            gains = self._of_pairs(turning.first[some], turning.second[some])
            gains *= turning.turned[some, None]
            if not self.alike:
                shares = self.shares[turning.group[some]]
                gains *= shares if shares.shape[1] > 1 else shares[:, :1]
            sums = np.cumsum(gains, axis=0)
            sums += before
            before = sums[-1].copy()
            # Of fractions those that differ by rounding are the same.
            yield top, sums if self.alike else np.rint(sums * FINE) / FINE

    @cached_property
    def best(self) -> tuple[Integers, Floats, Floats]:
        """How many pairs the smallest of the best thresholds turns, the running sum
        there, and that of all pairs, each (k,)."""
        size = len(self.weights)
        upto, most = np.zeros(size, dtype=np.int64), np.zeros(size)
        end = np.zeros(size)
        for top, sums in self._sums():
            places = np.flatnonzero(self.pairs.turning.last[top : top + len(sums)])
            end = sums[-1]
            if not len(places):
                continue
            own = sums[places]
            first = own.argmax(axis=0)
            highest = own[first, np.arange(size)]
            better = highest > most
            most = np.where(better, highest, most)
            upto = np.where(better, top + places[first] + 1, upto)
        return upto, most, end

    @property
    def thresholds(self) -> Floats:
        """The largest difference that is a tie, nan where nothing is compared."""
        if self.plain:
            return np.where(self.sizes > 0, self.pairs.plain[0], np.nan)
        close = np.append(0.0, self.pairs.turning.close)
        return np.where(self.sizes > 0, close[self.best[0]], np.nan)

    @property
    def values(self) -> Floats:
        """Accuracies (k,); whole numbers until the last divisions."""
        if self.plain:
            most, end = (np.array([float(value)]) for value in self.pairs.plain[1:])
        else:
            upto, most, end = self.best
        if self.alike:
            right = self.ties.sum(axis=0) - end + most
            return ratio(ratio_or_zero(right, self.wholes.max(axis=0)), self.sizes)
        taus = [self._value(k, int(place)) for k, place in enumerate(upto)]
        return ratio(np.array(taus), self.sizes)

    def _right(self, k: int, upto: int) -> Floats:
        """Weights of the pairs that are right, by group, for one row of weights."""
        turning = self.pairs.turning
        first, second = turning.first[upto:], turning.second[upto:]
        gains = self.weights[k][first] * -turning.turned[upto:]
        if not self.pairs.of_segments:
            gains = gains * self.weights[k][second]
        size = self.pairs.groups
        gained = np.bincount(turning.group[upto:], weights=gains, minlength=size)
        return np.asarray(self.ties[:, k] + gained)

    def _whole(self, k: int) -> Floats:
        return self.wholes[:, k if self.wholes.shape[1] > 1 else 0]

    def _value(self, k: int, upto: int) -> float:
        sizes, codes = np.unique(self._whole(k), return_inverse=True)
        right = np.bincount(codes.reshape(-1), weights=self._right(k, upto))
        sums = np.asarray(right, dtype=np.float64)
        return float(ratio_or_zero(sums, np.maximum(sizes, 0)).sum())

    def all_best(self) -> list[int]:
        """The best thresholds for the first row of weights, MOST_BEST at most."""
        most = self.best[1][0]
        edge = most - 1 / FINE * (1 if not self.alike else 0)
        places = [0] if edge <= 0 else []
        for top, sums in self._sums():
            last = self.pairs.turning.last[top : top + len(sums)]
            reached = np.flatnonzero(last & (sums[:, 0] >= edge))
            places += (reached + top + 1).tolist()
        return places[:MOST_BEST]

    def slopes(self, upto: int) -> Floats:
        """Derivative by the weight of each segment at a threshold."""
        pairs, weights = self.pairs, self.weights[0]
        share = self.shares[:, 0]
        right = self._right(0, upto) * share
        size = float(self.sizes[0])
        if pairs.of_segments:
            each = ratio_or_zero(right, weights)
            return np.where(pairs.sizes > 0, each - right.sum() / size, 0.0) / size
        edge = pairs.turning.close[upto - 1] if upto else 0.0
        tie = pairs.close <= edge
        correct = np.where(tie, pairs.order == 0, pairs.order > 0)
        worth = (correct - right[pairs.group]) * share[pairs.group]
        slopes = np.zeros(len(weights))
        for own, other in ((pairs.first, pairs.second), (pairs.second, pairs.first)):
            moved = worth * weights[other]
            slopes += np.bincount(own, weights=moved, minlength=len(slopes))
        if pairs.whole:
            group, of_cells = self.of_cells
            moved = (1 - right[group]) * share[group] * (of_cells[:, 0] - 0.5)
            segment = self.cells.rows[0]
            slopes += np.bincount(segment, weights=moved, minlength=len(slopes))
        return np.asarray(slopes / size)
