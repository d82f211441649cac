"""The terms of the exchange test for a measure that is no function of sums.

In place of a gradient of totals each row has an influence: the derivative of the
measure by the row's weight, in the pool of all rows of both systems, each counting
half. A unit's d is the influence of its rows in the one system less that of its rows in
the other. Who gave which answer changes nothing in the pool, so that under the
hypothesis each d could as well have the other sign, as with sums. (For a measure of
sums this d and that of the gradient are the same.)
"""

from collections.abc import Iterator, Sequence

import numpy as np

from scoring.counts import Counts, Floats, Integers
from scoring.measures import Measure
from scoring.statistics.row_weights import ROUGH, ROUNDING, Rows, slopes_of
from scoring.statistics.runs import apart

# What all pairs of a test set may take, in pooled rows where a measure knows its slopes
# and in squares of them where they are worked out by steps: about half a minute either
# way. Beyond there is no test: of 2,000 units in a rank correlation above 158 systems.
MOST_ROWS, MOST_CELLS = 50_000_000, 100_000_000
CELLS_KEPT = 4_000_000


class InfluencePart:
    """One test set of systems; `over` is the number of those that a mean is over, by
    the weight of this one.

    Of a system of several runs each has its share of the pool, and the influence is the
    mean of theirs. Without a test, terms are nan.
    """

    def __init__(
        self, systems: Sequence[Counts], measure: Measure, over: float
    ) -> None:
        """Raises ValueError when the systems were counted on different units."""
        singles, self.runs = apart(systems)
        self.measure, self.over = measure, over
        self.rows = Rows.of(singles, measure)
        self.size = self.rows.units
        self.units = np.arange(self.size)
        self.varying: tuple[int, ...] = ()
        self.width = 0
        self.is_whole = False
        self.ends = np.cumsum(self.runs)
        pooled = len(self.rows.unit_of) * 2 * int(self.runs.max(initial=1))
        pairs = len(systems) * (len(systems) - 1) // 2
        if measure.slopes is not None:
            self.too_many = pairs * pooled > MOST_ROWS
        else:
            self.too_many = pairs * pooled * pooled > MOST_CELLS
        # Too few of the one or too many of the other: either way there is no test.
        self.too_many |= self.size < measure.tested_from
        self._kept: dict[tuple[int, int], Floats] = {}

    def slopes(
        self, _block: tuple[int, int], first: Integers, second: Integers
    ) -> tuple[Floats, Floats]:
        """No gradients (pairs, 0), and sum(d * d) of each pair."""
        squares = [
            float(np.sum(self._pair(i, j) ** 2))
            for i, j in zip(first.tolist(), second.tolist(), strict=True)
        ]
        return np.zeros((len(first), 0)), np.array(squares)

    def column_sums(
        self, first: Integers, second: Integers, _slopes: Floats
    ) -> Iterator[Floats]:
        """sum(d) of each pair."""
        pairs = zip(first.tolist(), second.tolist(), strict=True)
        yield np.array([float(np.sum(self._pair(i, j))) for i, j in pairs])

    def terms(
        self,
        first: Integers,
        second: Integers,
        _slopes: Floats,
        units: Integers | slice,
    ) -> Floats:
        """The d of these units, (pairs, units)."""
        terms = np.zeros((len(first), len(self.units[units])))
        for k, (i, j) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
            terms[k] = self._pair(i, j)[units]
        return terms

    def sizes(self, first: Integers, _second: Integers, _slopes: Floats) -> Floats:
        """Every unit counts alike, (pairs, units)."""
        return np.ones((len(first), self.size)) / (self.over * max(self.size, 1))

    def _pair(self, first: int, second: int) -> Floats:
        """The d of each unit, (units,)."""
        pair = first, second
        if pair not in self._kept:
            if (len(self._kept) + 1) * self.size > CELLS_KEPT:
                self._kept.clear()
            self._kept[pair] = self._terms(first, second) / self.over
        return self._kept[pair]

    def _terms(self, first: int, second: int) -> Floats:
        if self.too_many:
            return np.full(self.size, np.nan)
        one, other = self._tables(first), self._tables(second)
        rows = len(self.rows.unit_of)
        pool = np.concatenate([*one, *other])
        shares = [1 / (2 * len(side)) for side in (one, other)]
        weights = np.repeat(shares, [len(one) * rows, len(other) * rows])
        slopes = slopes_of(self.measure, weights, pool).reshape(-1, rows)
        mine, theirs = slopes[: len(one)], slopes[len(one) :]
        gains = mine.mean(axis=0) - theirs.mean(axis=0)
        if len(one) == len(other) == 1:
            gains[(one[0] == other[0]).all(axis=1)] = 0.0
        terms = self.rows.by_unit(gains)
        edge = ROUGH if self.measure.slopes is None else ROUNDING
        return np.where(np.abs(terms) <= edge * np.abs(slopes).max(initial=0), 0, terms)

    def _tables(self, system: int) -> Floats:
        """The tables of its runs, (runs, rows, columns)."""
        end = int(self.ends[system])
        return self.rows.tables[end - int(self.runs[system]) : end]
