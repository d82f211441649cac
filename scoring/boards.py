"""The numbers of many systems at once, as a board prints them.

They are those of `scoring.bootstrap.mean_estimates`, system by system.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.bootstrap import Plan, Stratum, mean_of, totals_of
from scoring.counts import Floats, Integers
from scoring.intervals import LEAST_UNITS, MeasureSpread, shown, spread, variance_of
from scoring.measures import Flags, Measure
from scoring.runs import apart, between, mean_of_sets, varied
from scoring.samples import stacked

NUMBERS = ("value", "low", "high", "stddev", "informative_units", "between_runs")


@dataclass(frozen=True)
class _TestSet:
    """`tables` (units, rows, columns) and `drawn` totals (resamples, ...) of each run
    of the systems that `answered` (systems,); `sizes` are their numbers of runs."""

    tables: Floats
    drawn: Floats
    columns: tuple[str, ...]
    answered: Flags
    plan: Plan
    sizes: Integers

    def spread(self, measure: Measure) -> MeasureSpread:
        found = spread(self.tables, self.columns, measure, self.drawn, self.sizes)
        return found.placed(self.answered)


def board_numbers(
    systems: Sequence[Sequence[Stratum | None]], measures: Sequence[Measure]
) -> list[Floats]:
    """For each measure (systems, numbers) in the order of NUMBERS, nan for n/a.

    Each system brings one entry per test set, in one order; None counts 0, and
    leaves no interval. Raises ValueError when they differ in units or plans.
    """
    columns = list(zip(*systems, strict=True))
    sets = [found for column in columns if (found := _test_set(column, measures))]
    return [_numbers(sets, len(columns), len(systems), measure) for measure in measures]


def _test_set(
    column: Sequence[Stratum | None], measures: Sequence[Measure]
) -> _TestSet | None:
    """None where nobody sent it."""
    given = [stratum for stratum in column if stratum is not None]
    if not given:
        return None
    plan = given[0][1]
    if any(other != plan for _, other in given):
        raise ValueError("the systems of a test set must share its plan")
    singles, sizes = apart([counts for counts, _ in given])
    tables, names = stacked(singles, *measures)
    flat = tables.reshape(len(tables), tables.shape[1] * tables.shape[2])
    drawn = totals_of(flat, plan).reshape(plan.resamples, *tables.shape[1:])
    answered = np.array([stratum is not None for stratum in column])
    return _TestSet(tables, drawn, names, answered, plan, sizes)


def _numbers(
    sets: Sequence[_TestSet], size: int, systems: int, measure: Measure
) -> Floats:
    if not sets:
        return np.tile([0.0, np.nan, np.nan, np.nan, 0.0, np.nan], (systems, 1))
    spreads = [one.spread(measure) for one in sets]
    columns = np.stack([one.values for one in spreads])
    values = np.array([math.fsum(row) / size for row in columns.T.tolist()])
    runs = mean_of_sets([one.runs for one in spreads], size)
    resampled = varied(mean_of([one.resampled for one in spreads], size), runs)
    found = shown(values, resampled, spreads, sets[0].plan.level, runs)
    units = found.units if len(sets) == size else np.zeros(systems, dtype=np.int64)
    certain = units >= LEAST_UNITS
    low, high = (np.where(certain, end, np.nan) for end in (found.low, found.high))
    error = np.where(certain, np.sqrt(variance_of(resampled)), np.nan)
    apart_by = np.where(np.isnan(values), np.nan, between(runs, systems))
    return np.stack([values, low, high, error, units, apart_by], axis=1)
