"""Several systems in one measure over the same resamples: what a board is made of."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.bootstrap import Plan, Stratum, mean_of, totals_of, unit_order
from scoring.counts import LOW, Counts, Floats
from scoring.measures import Measure
from scoring.runs import apart, common_multiple, means, side_by_side, varied


@dataclass(frozen=True)
class Sample:
    """`values` (systems,) and `resampled` (systems, resamples), nan where undefined.

    `units` is the number of units resampled, over all test sets.
    """

    values: Floats
    resampled: Floats
    units: int


def samples_of(
    systems: Sequence[Counts], measures: Sequence[Measure], plan: Plan
) -> list[Sample]:
    """Resample systems counted on the same units, all measures from one product.

    Of a system of several runs, the mean over these, drawn anew as well. Raises
    ValueError when the systems were counted on different units.
    """
    singles, sizes = apart(systems)
    tables, names = stacked(singles, *measures)
    whole = tables.sum(axis=0)
    flat = tables.reshape(len(tables), tables.shape[1] * tables.shape[2])
    drawn = totals_of(flat, plan).reshape(plan.resamples, *tables.shape[1:])
    found = []
    for measure in measures:
        values = measure.of(whole, names)
        resampled = np.ascontiguousarray(measure.resampled(drawn, names).T)
        runs = side_by_side(values, sizes)
        resampled = varied(means(resampled, sizes), runs)
        found.append(Sample(means(values, sizes), resampled, len(tables)))
    return found


def stacked(
    systems: Sequence[Counts], *measures: Measure
) -> tuple[Floats, tuple[str, ...]]:
    """What measures need of each system, (units, systems, columns), and their names.

    A column that a system lacks counts 0: a tag it never used. Units are in the order
    that draws refer to. Counts are whole: those of one run times the common multiple
    of the systems' numbers of runs. Raises ValueError when the systems' units differ.
    """
    common = common_multiple(systems)
    known = {name for counts in systems for name in counts.columns}
    needed = [c for m in measures for c in (*m.columns, *m.present)]
    halves = (name + LOW for name in needed if name + LOW in known)
    names = tuple(dict.fromkeys((*needed, *halves)))
    first = systems[0].units if systems else ()
    order = unit_order(first)
    table = np.zeros((len(first), len(systems), len(names)))
    for i, counts in enumerate(systems):
        if counts.units != first:
            order = unit_order(counts.units)
            if sorted(counts.units) != sorted(first):
                raise ValueError("the systems were not counted on the same units")
        held = [k for k, name in enumerate(names) if name in counts.columns]
        places = [counts.columns.index(names[k]) for k in held]
        table[:, i, held] = counts.table[order][:, places] * (common // counts.size)
        first = counts.units
    return table, names


def mean_sample_of(
    systems: Sequence[Sequence[Stratum | None]], measure: Measure
) -> Sample:
    """The unweighted mean over test sets, each resampled by itself.

    Each system brings one entry per test set, in one order; None counts 0. Plans
    belong to the test set; each should have a seed of its own. Raises ValueError
    when the systems differ in test sets, their units or their plans.
    """
    return mean_samples_of(systems, (measure,))[0]


def mean_samples_of(
    systems: Sequence[Sequence[Stratum | None]], measures: Sequence[Measure]
) -> list[Sample]:
    """The same in several measures, from one product per test set."""
    columns = list(zip(*systems, strict=True))
    parts = [_stratum(column, measures) for column in columns]
    given = [part for part in parts if part is not None]
    if not given:
        zeros = Sample(np.zeros(len(systems)), np.zeros((len(systems), 1)), 0)
        return [zeros for _ in measures]
    return [_mean([p[i] for p in given], len(parts)) for i in range(len(measures))]


def _mean(given: Sequence[Sample], size: int) -> Sample:
    values = [math.fsum(row) / size for row in np.stack([p.values for p in given]).T]
    resampled = mean_of([part.resampled for part in given], size)
    return Sample(np.array(values), resampled, sum(part.units for part in given))


def _stratum(
    column: Sequence[Stratum | None], measures: Sequence[Measure]
) -> list[Sample] | None:
    """One test set, 0 for the systems without it; None where nobody has it."""
    answered = [i for i, stratum in enumerate(column) if stratum is not None]
    given = [stratum for stratum in column if stratum is not None]
    if not given:
        return None
    plan = given[0][1]
    if any(other != plan for _, other in given):
        raise ValueError("the systems of a test set must share its plan")
    found = samples_of([counts for counts, _ in given], measures, plan)
    if len(given) == len(column):
        return found
    return [_with_zeros(sample, answered, len(column)) for sample in found]


def _with_zeros(found: Sample, answered: list[int], size: int) -> Sample:
    values = np.zeros(size)
    resampled = np.zeros((size, found.resampled.shape[1]))
    values[answered], resampled[answered] = found.values, found.resampled
    return Sample(values, resampled, found.units)
