"""Systems on the same units: difference, interval, P(A > B), p-values, Holm."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations

import numpy as np

from scoring.bootstrap import Plan, Stratum
from scoring.counts import Counts, Floats
from scoring.differences import all_intervals
from scoring.effects import units_won
from scoring.equivalence import equivalence
from scoring.measures import Measure
from scoring.pairs import all_pairs, holm_of
from scoring.randomization import randomization
from scoring.replication import replications
from scoring.samples import mean_sample_of


@dataclass(frozen=True, slots=True)
class Comparison:
    """`first` against `second` in one measure.

    `p_value` is the exchange test's, two-sided; `adjusted` is Holm's over the family
    it belongs to: all pairs of a board, or all systems compared; `randomization` is
    approximate randomization's, the second opinion. `low`, `high` and `probability`,
    the share of resamples in which the first is better (ties count half), come from
    the paired bootstrap, for which a test set of one unit is too few. `won`, `lost` and
    `tied` count the units of all test sets that speak for the first, for the second and
    for neither. Of several test sets there are `test_sets`; on `better_on` of them the
    first is significantly better, on `worse_on` the second, and `new_low`, `new_high`
    is the interval of the difference on a new one (see `scoring.replication`).
    `equivalence_low`, `equivalence_high` is the interval of the two one-sided tests, of
    this pair alone (see `scoring.equivalence`), and `equivalent` says whether it lies
    within the `margin`, if one was stated. None where a system has no value, and for
    all but the difference where one has no answer for a test set.
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
    won: int | None = None
    lost: int | None = None
    tied: int | None = None
    test_sets: int | None = None
    better_on: int | None = None
    worse_on: int | None = None
    new_low: float | None = None
    new_high: float | None = None
    equivalence_low: float | None = None
    equivalence_high: float | None = None
    margin: float | None = None
    equivalent: bool | None = None

    @property
    def without_units(self) -> "Comparison":
        """The same for readers to whom single units are closed."""
        return replace(self, won=None, lost=None, tied=None)

    def at(self, margin: float | None) -> "Comparison":
        """With the verdict on equivalence within that margin, if there is one."""
        low, high = self.equivalence_low, self.equivalence_high
        if margin is None or low is None or high is None:
            return replace(self, margin=margin)
        return replace(self, margin=margin, equivalent=-margin < low and high < margin)

    def as_dict(self) -> dict[str, str | float | None]:
        return asdict(self)


def compare(
    names: tuple[str, str], pair: tuple[Counts, Counts], measure: Measure, plan: Plan
) -> Comparison:
    """Compare two systems counted on the same units, alone: `adjusted` is None.

    Raises ValueError when their units differ.
    """
    rows = [[(counts, plan)] for counts in pair]
    return replace(_comparisons(names, rows, measure)[0], adjusted=None)


def compare_all(
    systems: Mapping[str, Counts], measure: Measure, plan: Plan
) -> list[Comparison]:
    """Every pair of systems, Holm's correction over all of them.

    Raises ValueError when their units differ.
    """
    rows = {name: [(counts, plan)] for name, counts in systems.items()}
    return compare_means(rows, measure)


def compare_means(
    systems: Mapping[str, Sequence[Stratum | None]], measure: Measure
) -> list[Comparison]:
    """Every pair of systems in the mean over test sets (see `mean_sample_of`)."""
    return _comparisons(tuple(systems), list(systems.values()), measure)


def _comparisons(
    names: Sequence[str], rows: Sequence[Sequence[Stratum | None]], measure: Measure
) -> list[Comparison]:
    given = [stratum for row in rows for stratum in row if stratum is not None]
    level = given[0][1].level if given else Plan().level
    sample = mean_sample_of(rows, measure)
    around = all_intervals(sample, measure.higher_is_better, level)
    counts = [counts_of(row) for row in rows]
    pairs = all_pairs(counts, measure)
    tested = ~np.isnan(pairs.p_value)
    both = pairs.complete[pairs.first] & pairs.complete[pairs.second]
    # Resamples of one unit are all alike: they say nothing.
    both &= min((len(counts.units) for counts, _ in given), default=0) > 1
    drawn = (around.low, around.high, around.probability)
    numbers = (
        pairs.difference,
        *(np.where(both, one, np.nan) for one in drawn),
        pairs.p_value,
        pairs.adjusted,
        randomization(rows, measure),
    )
    again = replications(counts, measure, level)
    units = (np.where(tested, one, np.nan) for one in units_won(counts, measure))
    columns = [
        *map(numbers_or_none, numbers),
        *map(_whole_or_none, units),
        *map(_whole_or_none, (again.test_sets, again.better, again.worse)),
        *map(numbers_or_none, (again.low, again.high)),
        *map(numbers_or_none, equivalence(counts, measure, pairs, level)),
    ]
    return [
        Comparison(first, second, measure.name, *row)
        for (first, second), row in zip(
            combinations(names, 2), zip(*columns, strict=True), strict=True
        )
    ]


def counts_of(row: Sequence[Stratum | None]) -> list[Counts | None]:
    """What was counted, without the plan of resampling."""
    return [stratum and stratum[0] for stratum in row]


def numbers_or_none(values: Floats) -> list[float | None]:
    """Plain numbers, None for nan."""
    return [None if v != v else v for v in np.asarray(values).tolist()]


def _whole_or_none(values: Floats) -> list[int | None]:
    return [None if v is None else int(v) for v in numbers_or_none(values)]


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down adjustment; undefined values stay undefined."""
    numbers = [np.nan if p is None else p for p in p_values]
    return numbers_or_none(holm_of(np.array(numbers, dtype=np.float64)))
