"""All pairs of systems tested at once: differences, p-values, Holm's correction."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.counts import Counts, Floats, Integers
from scoring.exchange import Exchange, Sums, p_values, tables_of
from scoring.measures import Measure
from scoring.runs import value_of as value_of_one

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Pairs:
    """Arrays over systems, and over their pairs, `first` < `second`; nan for n/a.

    `values` (systems,) are means over the test sets, a missing one counting 0;
    `complete` (systems,) says who has none missing. `p_value` is the exchange test's,
    two-sided, `adjusted` Holm's over all pairs here, and `spread` the standard error
    of the difference if the two were equally good. They are nan for a pair of which
    one is not complete, or has no value. `units` is how many there are, `differing` in
    how many a typical pair differs, that of the median spread.
    """

    values: Floats
    complete: Flags
    first: Integers
    second: Integers
    difference: Floats
    p_value: Floats
    adjusted: Floats
    spread: Floats
    units: int
    differing: int

    @property
    def tested(self) -> Flags:
        """Which systems take part in the tests, (systems,)."""
        return np.asarray(self.complete & ~np.isnan(self.values))


def all_pairs(systems: Sequence[Sequence[Counts | None]], measure: Measure) -> Pairs:
    """Test every system against every later one.

    Each system brings its counts per test set, None for one that it did not send.
    Raises ValueError when systems differ in test sets, or in the units of one.
    """
    return pairs_of(systems, (measure,))[0]


def pairs_of(
    systems: Sequence[Sequence[Counts | None]], measures: Sequence[Measure]
) -> list[Pairs]:
    """The same in several measures."""
    given = [[c for c in system if c is not None] for system in systems]
    complete = [
        len(some) == len(system) for some, system in zip(given, systems, strict=True)
    ]
    tested = [some for some, whole in zip(given, complete, strict=True) if whole]
    tables = tables_of(tested, measures)
    return [
        _pairs(
            np.array([value_of(system, measure) for system in systems]),
            np.array(complete, dtype=np.bool_),
            Exchange(tables, measure),
        )
        for measure in measures
    ]


def _pairs(values: Floats, complete: Flags, exchange: Exchange) -> Pairs:
    first, second = np.triu_indices(len(values), 1)
    difference = values[first] - values[second]
    p_value, spread = (np.full(len(first), np.nan) for _ in range(2))
    both = complete[first] & complete[second]
    one, other, sums = exchange.pairs()
    p_value[both] = p_values(exchange, one, other, sums)
    spread[both] = sums.spread
    for numbers in (p_value, spread):
        numbers[np.isnan(difference)] = np.nan
    return Pairs(
        values,
        complete,
        first,
        second,
        difference,
        p_value,
        holm_of(p_value),
        spread,
        exchange.units,
        _differing(exchange, one, other, sums),
    )


def _differing(
    exchange: Exchange, first: Integers, second: Integers, sums: Sums
) -> int:
    order = np.argsort(sums.spread, kind="stable")
    order = order[sums.spread[order] > 0]
    if not len(order):
        return 0
    typical = order[len(order) // 2 :][:1]
    slopes = [of_part[typical] for of_part in sums.gradients]
    return int(exchange.informative(first[typical], second[typical], slopes)[0])


def value_of(system: Sequence[Counts | None], measure: Measure) -> float:
    """The mean over test sets; nan where the measure is undefined on one."""
    given = [counts for counts in system if counts is not None]
    values = [value_of_one(counts, measure) for counts in given]
    return math.fsum(values) / max(len(system), 1)


def holm_of(p_values: Floats) -> Floats:
    """Holm's step-down adjustment of (pairs,) p-values; nan stays nan, uncounted."""
    adjusted = np.full(len(p_values), np.nan)
    known = np.flatnonzero(~np.isnan(p_values))
    order = known[np.argsort(p_values[known], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.maximum.accumulate(np.minimum(1.0, p_values[order] * factors))
    return adjusted


def holm_beside(family: Floats, p_value: float) -> float:
    """Holm's adjustment of a pair that joins a family of other pairs."""
    return float(holm_of(np.append(family, p_value))[-1])
