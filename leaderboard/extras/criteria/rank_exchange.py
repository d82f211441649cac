"""The test of pairs of systems in the mean of their ranks: units change sides.

If two systems behave alike on every unit, in all measures, it is chance which of them
gave which answer. So their units are exchanged at random, both are ranked anew among
the others in every measure, and p is the share of draws in which their mean ranks lie
as far apart as they do. All pairs of a board are corrected together (Holm).

Two systems between which nobody stands change places at once, whatever lies between
their scores: of them the tests of single measures know more, as far as every order that
those leave possible agrees. They get half of the error rate. (Where one measure tells
much less than another they find a third of what the exchange finds, where all tell
much a third more.)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from leaderboard.extras.criteria.combination import (
    shares_of,
    surely_better_by_ranks,
)
from scoring.counts import Counts, Flags, Floats
from scoring.measures import Measure
from scoring.statistics.bootstrap import stack_planes, sums
from scoring.statistics.exchange import basis_of, holm_of
from scoring.statistics.intervals import TIE
from scoring.statistics.randomization import swaps
from scoring.statistics.runs import common_multiple

# Draws at a time, and in all, those of 22 systems (seconds): p-values have to get below
# what Holm's correction asks of the first pair. What was reached so often is settled.
DRAWS, MOST_DRAWS, SETTLED = 2000, 12_000, 20
ENOUGH = 1.2
EXCHANGED = 0.5  # of the error rate, the rest being that of single measures


@dataclass(frozen=True)
class _TestSet:
    """Counts `table` (units, systems, columns) of all measures, and their weight."""

    table: Floats
    names: tuple[str, ...]
    weight: float

    @classmethod
    def of(cls, systems: Sequence[Counts], measures: Sequence[Measure]) -> "_TestSet":
        table, names = stack_planes(systems, *measures)
        return cls(table / common_multiple(systems), names, systems[0].weight)

    @property
    def totals(self) -> Floats:
        """Sums over units (systems, columns)."""
        return np.asarray(self.table.sum(axis=0))

    def swapped_sums(self, draws: int, seed: Sequence[int]) -> Floats:
        """Sums over the units that change sides, (systems, draws, columns)."""
        units, systems, columns = self.table.shape
        flat = self.table.reshape(units, systems * columns)
        totals = sums(swaps(units, draws, seed), flat)
        return totals.reshape(draws, systems, columns).transpose(1, 0, 2)


@dataclass(frozen=True)
class _Ranked:
    """Systems in several measures; `signs` make the greatest value the best."""

    sets: Sequence[_TestSet]
    measures: Sequence[Measure]
    signs: Sequence[float]
    shares: Floats

    def values(self, totals: Sequence[Floats]) -> list[Floats]:
        """Means over test sets by measure, (...), of sums (..., columns) of each."""
        return [
            np.asarray(
                sign
                * sum(
                    test_set.weight * measure.of(own, test_set.names)
                    for test_set, own in zip(self.sets, totals, strict=True)
                )
            )
            for measure, sign in zip(self.measures, self.signs, strict=True)
        ]

    def gaps(
        self, mine: Sequence[Floats], theirs: Sequence[Floats], others: Sequence[Floats]
    ) -> Floats:
        """The mean rank of one system less that of another (draws,), among `others`,
        ascending values of each measure; infinite where a value is undefined."""
        gaps = np.zeros(mine[0].shape)
        for share, one, other, field in zip(
            self.shares, mine, theirs, others, strict=True
        ):
            apart = other - one
            tied = np.abs(apart) <= TIE * np.abs(one)
            gap = (_above(one, field) - _above(other, field)) / 2
            gaps += share * (gap + np.where(tied, 0, np.sign(apart)))
        return np.where(np.isnan(gaps), np.inf, gaps)


def _above(values: Floats, others: Floats) -> Floats:
    """How many of the others (ascending) are better, less how many are worse."""
    slack = TIE * np.abs(values)
    better = len(others) - np.searchsorted(others, values + slack, side="right")
    worse = np.searchsorted(others, values - slack, side="left")
    apart = (better - worse).astype(np.float64)
    return np.asarray(np.where(np.isnan(values), np.nan, apart))


def better_by_ranks(
    systems: Sequence[Sequence[Counts]],
    measures: Sequence[Measure],
    weights: Sequence[float],
    level: float,
    sure: Callable[[float], Flags],
) -> Flags:
    """[i, j]: the mean rank of i is significantly better than that of j.

    Each system brings its counts for each test set. `sure` gives who is better in each
    measure (measures, systems, systems) at a level; where units cannot be exchanged
    these tests decide alone.
    """
    alpha = 1 - level
    exchanged = apart_by_ranks(systems, measures, weights, 1 - alpha * EXCHANGED)
    left = alpha if exchanged is None else alpha * (1 - EXCHANGED)
    better = surely_better_by_ranks(sure(1 - left / len(measures)), weights)
    return better if exchanged is None else better | exchanged


def apart_by_ranks(
    systems: Sequence[Sequence[Counts]],
    measures: Sequence[Measure],
    weights: Sequence[float],
    level: float,
) -> Flags | None:
    """[i, j]: the mean rank of i is better than that of j by an exchange of units.

    None where runs or judges vary, for
    measures that are no functions of sums, and for so many systems that draws cannot
    tell any two apart.
    """
    size = len(systems)
    pairs, alpha = size * (size - 1) // 2, round(1 - level, 9)
    draws = max(DRAWS, round(ENOUGH * pairs / alpha))
    by_rows = any(measure.weighted is not None for measure in measures)
    if draws > MOST_DRAWS or by_rows or basis_of(systems) is None:
        return None
    signs = [1.0 if measure.higher_is_better else -1.0 for measure in measures]
    sets = [_TestSet.of(column, measures) for column in zip(*systems, strict=True)]
    ranked = _Ranked(sets, measures, signs, shares_of(weights))
    p_value, better = _p_values(ranked, size, draws)
    better_than = np.zeros((size, size), dtype=np.bool_)
    first, second = np.triu_indices(size, 1)
    differ = holm_of(p_value) < alpha
    better_than[first, second] = differ & better
    better_than[second, first] = differ & ~better
    return better_than


def _p_values(ranked: _Ranked, size: int, draws: int) -> tuple[Floats, Flags]:
    """p-values of all pairs, and whether the first is better, each (pairs,)."""
    first, second = np.triu_indices(size, 1)
    totals = [test_set.totals for test_set in ranked.sets]
    values = ranked.values(totals)
    others = {
        pair: [np.sort(np.delete(own, pair)) for own in values]
        for pair in zip(first.tolist(), second.tolist(), strict=True)
    }
    observed = np.array(
        [
            float(ranked.gaps([v[i] for v in values], [v[j] for v in values], field))
            for (i, j), field in others.items()
        ]
    )
    reached, drawn = np.zeros(len(first)), np.zeros(len(first))
    for block, top in enumerate(range(0, draws, DRAWS)):
        count = min(DRAWS, draws - top)
        moved = [
            test_set.swapped_sums(count, (number, block))
            for number, test_set in enumerate(ranked.sets)
        ]
        for place, ((i, j), field) in enumerate(others.items()):
            if reached[place] >= SETTLED:
                continue
            gains = [own[j] - own[i] for own in moved]
            mine, theirs = (
                ranked.values(
                    [
                        whole[k] + sign * gain
                        for whole, gain in zip(totals, gains, strict=True)
                    ]
                )
                for k, sign in ((i, 1), (j, -1))
            )
            gaps = np.abs(ranked.gaps(mine, theirs, field))
            reached[place] += int((gaps >= abs(observed[place]) - TIE).sum())
            drawn[place] += count
    return (1 + reached) / (1 + drawn), observed < 0
