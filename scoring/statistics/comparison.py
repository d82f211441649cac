"""Comparison of systems on the same units: difference, interval, tests, equivalence.

Two systems are equivalent within a margin, at alpha, where the 1 - 2 alpha interval of
their difference lies inside plus and minus the margin (Schuirmann 1987). It is the
difference plus and minus Student's t times the standard error that the units' d give,
each test set around its own mean (see `scoring.statistics.exchange`). Units that never
differed are no proof that others never will. So each test set counts as if a few more
of its units differed, as many as make the interval of a pair without any difference
reach log(1 / alpha) / units, the rule of three; each by as much as the most that one
did, and in a share by no less than a unit's part of the whole.

Where there are several test sets, each is tested by itself, and Holm's correction over
the test sets of a pair makes it unlikely that any of those counted is a mistake (Dror
et al. 2017). The interval for a new test set takes the differences on those that there
are as a normal sample of their kind: it is wider than that of the mean over them.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations

import numpy as np

from scoring.counts import Counts, Floats, whole_systems
from scoring.measures import Measure
from scoring.statistics.bootstrap import Plan, Sample, Stratum, mean_sample_of
from scoring.statistics.differences import difference_intervals
from scoring.statistics.exchange import Exchange, Pairs, all_pairs, holm_of, tables_of
from scoring.statistics.groups import by_group, grouping_to_exchange
from scoring.statistics.intervals import (
    TIE,
    normal,
    quantiles,
    satterthwaite,
    sum_variance,
    t_quantile,
)
from scoring.statistics.randomization import randomization


@dataclass(frozen=True, slots=True)
class Comparison:
    """Comparison of two systems, `first` against `second`, in one measure.

    `p_value` is the exchange test's, two-sided; `adjusted` is Holm's over the family
    it belongs to: all pairs of a board, or all systems compared; `randomization` is
    approximate randomization's, the second opinion. `low`, `high` and `probability`,
    the share of resamples in which the first is better (ties count half), come from
    the paired bootstrap, for which a test set of one unit is too few. `won`, `lost` and
    `tied` count the units of all test sets that speak for the first, for the second and
    for neither. `effective_units` is how many units of one weight would vary as
    much as the difference does (see `Pairs`), and `few_units_decide` says that they are
    so few that the test rests on them. Of several test sets there are `test_sets`; on
    `better_on` of them the first is significantly better, on `worse_on` the second, and
    `new_low`, `new_high` is the interval of the difference on a new one.
    `equivalence_low`, `equivalence_high` is the interval of the two one-sided tests, of
    this pair alone, and `equivalent` says whether it lies
    within the `margin`, if one was stated. `compared_by` is the grouping whose groups
    take the place of units in all of it, None where single units are compared
    (`scoring.statistics.groups`). None where a system has no value, and for
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
    effective_units: float | None = None
    few_units_decide: bool | None = None
    test_sets: int | None = None
    better_on: int | None = None
    worse_on: int | None = None
    new_low: float | None = None
    new_high: float | None = None
    equivalence_low: float | None = None
    equivalence_high: float | None = None
    margin: float | None = None
    equivalent: bool | None = None
    compared_by: str | None = None

    @property
    def without_units(self) -> "Comparison":
        """This comparison for readers to whom single units are closed."""
        return replace(self, won=None, lost=None, tied=None)

    @property
    def reversed(self) -> "Comparison":
        """The same comparison, of the second system against the first."""

        def minus(number: float | None) -> float | None:
            return None if number is None else -number

        share = self.probability
        return replace(
            self,
            first=self.second,
            second=self.first,
            difference=minus(self.difference),
            low=minus(self.high),
            high=minus(self.low),
            probability=None if share is None else 1 - share,
            won=self.lost,
            lost=self.won,
            better_on=self.worse_on,
            worse_on=self.better_on,
            new_low=minus(self.new_high),
            new_high=minus(self.new_low),
            equivalence_low=minus(self.equivalence_high),
            equivalence_high=minus(self.equivalence_low),
        )

    def at(self, margin: float | None) -> "Comparison":
        """This comparison with the verdict on equivalence within a margin, if any."""
        low, high = self.equivalence_low, self.equivalence_high
        if margin is None or low is None or high is None:
            return replace(self, margin=margin)
        return replace(self, margin=margin, equivalent=-margin < low and high < margin)

    def as_dict(self) -> dict[str, str | float | None]:
        return asdict(self)


def compare(
    names: tuple[str, str], pair: tuple[Counts, Counts], measure: Measure, plan: Plan
) -> Comparison:
    """Compare two systems counted on the same units, alone: `adjusted` is None. Raises
    ValueError when their units differ."""
    rows = [[(counts, plan)] for counts in pair]
    return replace(_comparisons(names, rows, measure)[0], adjusted=None)


def compare_all(
    systems: Mapping[str, Counts],
    measure: Measure,
    plan: Plan,
    groups: Sequence[str] = (),
) -> list[Comparison]:
    """Compare every pair of systems, Holm's correction over all; by one of the `groups`
    where their differences are alike inside it. Raises ValueError when their units
    differ."""
    rows = {name: [(counts, plan)] for name, counts in systems.items()}
    group = grouping_to_exchange(
        [[counts] for counts in systems.values()], measure, groups
    )
    return compare_means(rows, measure, group)


def compare_means(
    systems: Mapping[str, Sequence[Stratum | None]], measure: Measure, group: str = ""
) -> list[Comparison]:
    """Compare every pair of systems in the mean over test sets (`mean_sample_of`), the
    groups of a grouping in place of units if one is named."""
    rows = strata_by_group(list(systems.values()), measure, group)
    pairs = _comparisons(tuple(systems), rows, measure)
    return [replace(pair, compared_by=group or None) for pair in pairs]


def strata_by_group(
    rows: Sequence[Sequence[Stratum | None]], measure: Measure, group: str
) -> list[list[Stratum | None]]:
    """`by_group` of counts that have their plans beside them."""
    counts = by_group([counts_of(row) for row in rows], measure, group)
    return [
        [
            (coarse, stratum[1]) if coarse and stratum else None
            for coarse, stratum in zip(of, row, strict=True)
        ]
        for of, row in zip(counts, rows, strict=True)
    ]


def _comparisons(
    names: Sequence[str], rows: Sequence[Sequence[Stratum | None]], measure: Measure
) -> list[Comparison]:
    given = [stratum for row in rows for stratum in row if stratum is not None]
    level = given[0][1].level if given else Plan().level
    sample = mean_sample_of(rows, measure)
    _low, _high, probability = all_intervals(sample, measure.higher_is_better, level)
    counts = [counts_of(row) for row in rows]
    low, high = difference_intervals(counts, measure, sample, level)
    pairs = all_pairs(counts, measure)
    tested = ~np.isnan(pairs.p_value)
    both = pairs.complete[pairs.first] & pairs.complete[pairs.second]
    # Resamples of one unit are all alike: they say nothing.
    both &= min((len(counts.units) for counts, _ in given), default=0) > 1
    drawn = (low, high, probability)
    numbers = (
        pairs.difference,
        *(np.where(both, column, np.nan) for column in drawn),
        pairs.p_value,
        pairs.adjusted,
        randomization(rows, measure),
    )
    again = replications(counts, measure, level)
    units = (np.where(tested, column, np.nan) for column in units_won(counts, measure))
    columns = [
        *map(numbers_or_none, numbers),
        *map(_whole_or_none, units),
        numbers_or_none(pairs.effective),
        [
            few if is_tested and not measure.stepwise else None
            for few, is_tested in zip(
                pairs.few_decide.tolist(), tested.tolist(), strict=True
            )
        ],
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
    """Counts of each test set, without the plan of resampling."""
    return [stratum and stratum[0] for stratum in row]


def numbers_or_none(values: Floats) -> list[float | None]:
    """Plain numbers, None for nan."""
    return [None if v != v else v for v in np.asarray(values).tolist()]


def _whole_or_none(values: Floats) -> list[int | None]:
    return [None if v is None else int(v) for v in numbers_or_none(values)]


def all_intervals(
    sample: Sample, higher_is_better: bool, level: float
) -> tuple[Floats, Floats, Floats]:
    """Percentile intervals of the differences, low and high ends, and the share of
    resamples in which the first is better (ties count half): arrays of shape (pairs,),
    the first system of each before the second."""
    tail = (1 - level) / 2
    whole = not np.isnan(sample.resampled).any()
    sizes = np.abs(sample.values)
    blocks = [(np.zeros(0),) * 3]
    # One system against all later ones at a time.
    for i in range(len(sample.values) - 1):
        observed = sample.values[i] - sample.values[i + 1 :]
        resampled = sample.resampled[i] - sample.resampled[i + 1 :]
        resampled[np.isnan(observed)] = np.nan
        defined = np.where(np.isnan(observed), 0, resampled.shape[1])
        if not whole:
            defined = resampled.shape[1] - np.isnan(resampled).sum(axis=1)
        ordered = np.sort(resampled, axis=1)
        ends = (quantiles(ordered, defined, share) for share in (tail, 1 - tail))
        edge = TIE * np.maximum(sizes[i], sizes[i + 1 :])[:, None]
        signed = resampled if higher_is_better else -resampled
        won = (signed > edge).sum(axis=1) + (np.abs(signed) <= edge).sum(axis=1) / 2
        shares = np.where(defined > 0, won / np.maximum(defined, 1), np.nan)
        low, high = ends
        blocks.append((low, high, shares))
    low, high, probability = map(np.concatenate, zip(*blocks, strict=True))
    return low, high, probability


def units_won(systems: Sequence[Sequence[Counts | None]], measure: Measure) -> Floats:
    """Units won, lost and tied by the first of each pair, (3, pairs).

    Over all test sets, by the sign of what the unit adds to the difference that is
    tested. nan for a pair of which one lacks a test set, and for all pairs in a measure
    that moves in steps.
    """
    by_pair = np.full((3, len(systems), len(systems)), np.nan)
    if measure.stepwise:
        return by_pair[(slice(None), *np.triu_indices(len(systems), 1))]
    places, given = whole_systems(systems)
    exchange = Exchange(tables_of(given, (measure,)), measure)
    sums = exchange.pairs()
    above, below = exchange.favours(sums)
    won, lost = (above, below) if measure.higher_is_better else (below, above)
    counts = np.stack([won, lost, exchange.units - won - lost])
    by_pair[:, places[sums.first], places[sums.second]] = counts
    return by_pair[(slice(None), *np.triu_indices(len(systems), 1))]


def equivalence(
    systems: Sequence[Sequence[Counts | None]],
    measure: Measure,
    pairs: Pairs,
    level: float,
) -> tuple[Floats, Floats]:
    """Low and high of each of the `pairs` of these systems, alpha being 1 - level. nan
    for a pair that is not tested, where a test set has a single unit, and in a measure
    that moves in steps, whose units have no d."""
    alpha = round(1 - level, 9)
    if measure.stepwise:
        return (np.full(len(pairs.first), np.nan),) * 2
    exchange = Exchange(tables_of(whole_systems(systems)[1], (measure,)), measure)
    sums = exchange.pairs()
    reach = np.full(len(pairs.first), np.nan)
    both = pairs.complete[pairs.first] & pairs.complete[pairs.second]
    tested = ~np.isnan(pairs.p_value[both])
    half_widths = np.full(len(sums), np.nan)
    excess, squares = exchange.beside_units(sums)
    for i in np.flatnonzero(tested):
        terms = exchange.terms_by_test_set(sums.at(slice(i, i + 1)))
        beside = float(excess[i]), float(squares[i])
        half_widths[i] = _reach([t[0].tolist() for t in terms], exchange, alpha, beside)
    reach[both] = half_widths
    return pairs.difference - reach, pairs.difference + reach


def _reach(
    terms: Sequence[Sequence[float]],
    exchange: Exchange,
    alpha: float,
    beside: tuple[float, float],
) -> float:
    """Half the width of one pair's interval, from its d in each test set, and from what
    varies `beside` units (`Exchange.beside_units`)."""
    if alpha >= 0.5:  # An interval of no width.
        return math.nan
    more = (math.log(alpha) / normal().inv_cdf(1 - alpha)) ** 2
    variances, degrees = [], []
    for part, d in zip(exchange.parts, terms, strict=True):
        units = part.size
        if units < 2:
            return math.nan
        least = 1 / (units * len(terms)) if exchange.measure.percent else 0.0
        most = max([least, *map(abs, d)])
        variances.append(sum_variance(d, units) + more * most * most)
        degrees.append(units - 1)
    variance, free = satterthwaite(variances, degrees, *beside)
    return t_quantile(1 - alpha, free) * math.sqrt(variance) if variance else 0.0


LEAST = 3  # test sets for an interval


@dataclass(frozen=True)
class Replications:
    """Test sets of each pair (pairs,), in all and with a significant difference.

    `low` and `high` are the interval of its difference on one more test set. nan for a
    pair of which one lacks a test set or has no value there, and for all pairs where
    there is only one test set.
    """

    test_sets: Floats
    better: Floats
    worse: Floats
    low: Floats
    high: Floats


def replications(
    systems: Sequence[Sequence[Counts | None]], measure: Measure, level: float
) -> Replications:
    """Test every pair of systems on each test set by itself, at 1 - level."""
    columns = list(zip(*systems, strict=True))
    size = len(systems) * (len(systems) - 1) // 2
    if len(columns) < 2:
        return Replications(*(np.full(size, np.nan) for _ in range(5)))
    # By itself a test set has no weight.
    alone = [
        all_pairs([[counts and counts.with_weight(1.0)] for counts in column], measure)
        for column in columns
    ]
    p_values = np.stack([pairs.p_value for pairs in alone], axis=1)
    differences = np.stack([pairs.difference for pairs in alone], axis=1)
    tested = ~np.isnan(p_values).any(axis=1)
    adjusted = np.array([holm_of(row) for row in p_values]).reshape(p_values.shape)
    clear = adjusted < round(1 - level, 9)
    higher = differences > 0 if measure.higher_is_better else differences < 0
    better, worse = (clear & higher).sum(axis=1), (clear & ~higher).sum(axis=1)
    ends = [_new_test_set_interval(row, level) for row in differences.tolist()]
    low, high = np.array(ends).reshape(size, 2).T
    everything = (np.full(size, len(columns)), better, worse, low, high)
    return Replications(*(np.where(tested, value, np.nan) for value in everything))


def _new_test_set_interval(
    differences: Sequence[float], level: float
) -> tuple[float, float]:
    """Interval of the next of a normal sample: Student's t, its own spread included."""
    size = len(differences)
    if size < LEAST or any(value != value for value in differences):
        return math.nan, math.nan
    mean = math.fsum(differences) / size
    squares = math.fsum((value - mean) * (value - mean) for value in differences)
    spread = math.sqrt(squares / (size - 1) * (1 + 1 / size))
    half = t_quantile((1 + level) / 2, size - 1) * spread
    return mean - half, mean + half
