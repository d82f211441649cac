"""Systems on the same units: difference, interval, P(A > B), p-values, Holm."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations

import numpy as np

from scoring.bootstrap import Plan, Stratum
from scoring.counts import Counts, Floats
from scoring.measures import Measure
from scoring.pairs import all_intervals, all_pairs, holm_of
from scoring.randomization import mean_randomization, randomization
from scoring.samples import Sample, mean_sample_of, sample_of


@dataclass(frozen=True, slots=True)
class Comparison:
    """`first` against `second` in one measure, paired over the shared resamples.

    `probability` is the share of resamples in which the first is better (ties count
    half); `p_value` is the two-sided paired bootstrap's; `adjusted` is Holm's over
    the family compared; `randomization` is approximate randomization's two-sided
    p-value, the second method.
    """

    first: str
    second: str
    measure: str
    difference: float | None
    low: float | None = None
    high: float | None = None
    probability: float | None = None
    p_value: float | None = None
    adjusted: float | None = None
    randomization: float | None = None

    def as_dict(self) -> dict[str, str | float | None]:
        return asdict(self)


def compare(
    names: tuple[str, str], pair: tuple[Counts, Counts], measure: Measure, plan: Plan
) -> Comparison:
    """Compare two systems counted on the same units, alone: `adjusted` is None.

    Raises ValueError when their units differ.
    """
    sample = sample_of(pair, measure, plan)
    swapped = randomization(pair, measure, plan)
    alone = _comparisons(names, measure, sample, swapped, plan.level)[0]
    return replace(alone, adjusted=None)


def compare_all(
    systems: Mapping[str, Counts], measure: Measure, plan: Plan
) -> list[Comparison]:
    """Every pair of systems, Holm's correction over all of them.

    Raises ValueError when their units differ.
    """
    counted = list(systems.values())
    sample = sample_of(counted, measure, plan)
    swapped = randomization(counted, measure, plan)
    return _comparisons(tuple(systems), measure, sample, swapped, plan.level)


def compare_means(
    systems: Mapping[str, Sequence[Stratum | None]], measure: Measure
) -> list[Comparison]:
    """Every pair of systems in the mean over test sets (see `mean_sample_of`)."""
    rows = list(systems.values())
    given = [stratum for row in rows for stratum in row if stratum is not None]
    level = given[0][1].level if given else Plan().level
    sample = mean_sample_of(rows, measure)
    swapped = mean_randomization(rows, measure)
    return _comparisons(tuple(systems), measure, sample, swapped, level)


def _comparisons(
    names: Sequence[str],
    measure: Measure,
    sample: Sample,
    swapped: Floats,
    level: float,
) -> list[Comparison]:
    pairs = all_pairs(sample)
    around = all_intervals(sample, measure.higher_is_better, level)
    interval = (pairs.difference, around.low, around.high, around.probability)
    tests = (pairs.p_value, pairs.adjusted, swapped)
    rows = zip(*map(numbers_or_none, (*interval, *tests)), strict=True)
    return [
        Comparison(first, second, measure.name, *row)
        for (first, second), row in zip(combinations(names, 2), rows, strict=True)
    ]


def numbers_or_none(values: Floats) -> list[float | None]:
    """Plain numbers, None for nan."""
    return [None if v != v else v for v in np.asarray(values).tolist()]


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down adjustment; undefined values stay undefined."""
    numbers = [np.nan if p is None else p for p in p_values]
    return numbers_or_none(holm_of(np.array(numbers, dtype=np.float64)))
