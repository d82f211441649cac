"""Intervals of the difference of two systems, from what each unit adds to it.

Such an interval covers the percentile interval of paired resamples, at a level that
makes up for few units, and the difference plus and minus Student's t times the standard
error of the units' d (`scoring.statistics.exchange`). To that error a rule of three is
added (`scoring.statistics.unseen`): as many units as may differ though none was seen
to, each by as much as the most that one did. Where hardly any unit differs it is as
much as one can. So two systems that answer alike differ by 0, and by how much at most
is said as well. Where resamples show a bias, the interval reaches as far as that may
have moved it, as that of a score does. The test of the two is another matter: it
supposes them to be equal, and may find a difference where the interval holds 0, or none
where it does not.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from scoring.counts import Counts, Flags, Floats, Integers, whole_systems
from scoring.measures import Measure
from scoring.statistics.areas import sides_of
from scoring.statistics.bootstrap import Sample, ordered_table, stack_planes
from scoring.statistics.exchange import Exchange, p_values, tables_of, without_slope
from scoring.statistics.intervals import (
    DECIMALS,
    LEAST_UNITS,
    means_of,
    normal,
    over_bias,
    quantile,
    round_digits,
    satterthwaite,
    sum_variance,
    t_quantile,
)
from scoring.statistics.unseen import (
    Failures,
    furthest,
    hardly_any,
    rule_of_three,
)

System = Sequence[Counts | None]


@dataclass(frozen=True)
class _TestSet:
    """Units of one test set that bear on a measure, for each system (systems, units),
    the share of one of them in the mean, how far it can move it, and how far a unit as
    bad as is declared would, each (systems,). `sides` are those of the units (units,)
    in areas under curves, each of two units or more, else None."""

    bearing: Flags
    share: float
    reach: Floats
    failed: Floats
    sides: Integers | None = None

    @classmethod
    def of(cls, column: Sequence[Counts], measure: Measure, sets: int) -> "_TestSet":
        tables = [ordered_table(counts) for counts in column]
        both = list(zip(tables, column, strict=True))
        bearing = [measure.informed(table, c.columns) for table, c in both]
        reach = [furthest(measure, table[:, None], c.columns)[0] for table, c in both]
        weight = column[0].weight / sets if column else 1.0
        failed = np.zeros(len(column))
        if measure.worst is not None:
            failed = Failures.of(*stack_planes(column, measure), measure).most
        sides = sides_of(column, measure)
        if sides is not None and np.bincount(sides).min() < LEAST_UNITS:
            sides = None
        return cls(np.array(bearing), weight, np.abs(reach), failed, sides)

    def split(self, terms: Floats, one: int, other: int) -> list[tuple[Floats, int]]:
        """Terms (units,) of a pair, and how many units bear on it, of each side by
        itself: of areas under curves those of the rarer class vary most."""
        if self.sides is None:
            return [(terms, int((self.bearing[one] | self.bearing[other]).sum()))]
        sides = (self.sides == side for side in range(int(self.sides.max()) + 1))
        return [(terms[own], int(own.sum())) for own in sides]


def difference_intervals(
    systems: Sequence[System], measure: Measure, sample: Sample, level: float
) -> tuple[Floats, Floats]:
    """Low and high of each pair, first before second, (pairs,).

    `sample` has the values and resamples of these systems. nan where one of the two
    has no answer for some test set, or no value, and where fewer than two units of a
    test set bear on the measure.
    """
    return _numbers(systems, measure, sample, level)[:2]


def first_against_others(
    systems: Sequence[System], measure: Measure, sample: Sample, level: float
) -> tuple[Floats, Floats, Floats]:
    """The ends of `difference_intervals` and the p-value of the pairs that the first
    system is in, (systems - 1,)."""
    if not systems or None in systems[0]:
        return (*np.full((3, max(0, len(systems) - 1)), np.nan),)
    low, high, p_value = _numbers(systems, measure, sample, level, 1)
    p_value[np.isnan(sample.values[:1] - sample.values[1:])] = np.nan
    return low, high, p_value


def _numbers(
    systems: Sequence[System],
    measure: Measure,
    sample: Sample,
    level: float,
    of: int | None = None,
) -> tuple[Floats, Floats, Floats]:
    """Low and high of the pairs of the first so many systems, by default of all, and
    their p-values where only some are asked for."""
    last = len(systems) if of is None else of
    pairs = [pair for pair in combinations(range(len(systems)), 2) if pair[0] < last]
    ends, p_value = np.full((2, len(pairs)), np.nan), np.full(len(pairs), np.nan)
    whole, given = whole_systems(systems)
    if len(given) < 2 or not given[0]:
        return ends[0], ends[1], p_value
    sets = [
        _TestSet.of(column, measure, len(given[0]))
        for column in zip(*given, strict=True)
    ]
    exchange = Exchange(tables_of(given, (measure,)), measure)
    sums = exchange.pairs(of)
    excess, squares = exchange.beside_units(sums)
    places = {pair: i for i, pair in enumerate(pairs)}
    for i, own in enumerate(sums.each):
        one, other = int(own.first[0]), int(own.second[0])
        terms = exchange.terms_by_test_set(own)
        parts = [
            (*part, s.share * max(s.reach[one], s.reach[other]))
            for s, t in zip(sets, terms, strict=True)
            for part in s.split(t[0], one, other)
        ]
        pair = _Pair(
            [of_units for of_units, _units, _reach in parts],
            [units for _terms, units, _reach in parts],
            [reach for _terms, _units, reach in parts],
            max(s.share * max(s.failed[one], s.failed[other]) for s in sets),
            float(excess[i]),
            float(squares[i]),
            ranked=measure.ranks_rows,
        )
        place = whole[one], whole[other]
        drawn = sample.resampled[place[0]] - sample.resampled[place[1]]
        value = float(sample.values[place[0]] - sample.values[place[1]])
        ends[:, places[place]] = pair.ends(value, drawn, level)
    if of is not None and not measure.of_file:
        first, second = sums.first, sums.second
        here = [places[whole[i], whole[j]] for i, j in zip(first, second, strict=True)]
        p_value[here] = p_values(exchange, sums)[0]
        values = sample.values[whole]
        flat = without_slope(measure, sums.spread, values[first], values[second])
        p_value[np.array(here)[flat]] = np.nan
    if (bounds := limits(measure)) is not None:
        most = bounds[1] - bounds[0]
        ends = np.clip(ends, -most, most)
    return ends[0], ends[1], p_value


def limits(measure: Measure) -> tuple[float, float] | None:
    """The lowest and the highest value that the measure can have, if they are known."""
    if measure.bounds is not None:
        return measure.bounds if all(map(math.isfinite, measure.bounds)) else None
    return (0.0, 1.0) if measure.share or measure.classes else None


@dataclass(frozen=True)
class _Pair:
    """The parts of the units of each test set, or side of a curve, in a difference, how
    many bear on it, how far all of them together could move it, and one that is as bad
    as is declared (`failed`). Runs and judges add `excess` to its variance, and
    `squares` to the terms of Satterthwaite. A measure that is `ranked`
    has resamples that say nothing of a bias (`MeasureSpread`)."""

    terms: Sequence[Floats]
    units: Sequence[int]
    reach: Sequence[float]
    failed: float = 0.0
    excess: float = 0.0
    squares: float = 0.0
    ranked: bool = False

    def ends(self, value: float, apart: Floats, level: float) -> tuple[float, float]:
        """Ends for a difference of this value, whose resamples are `apart`."""
        defined = np.sort(apart[np.isfinite(apart)])
        if min(self.units) < LEAST_UNITS or value != value or not len(defined):
            return math.nan, math.nan
        variance, free = self._variance()
        t = t_quantile((1 + level) / 2, free)
        tail = round(normal().cdf(-t * math.sqrt((free + 1) / free)), DECIMALS)
        low, high = quantile(defined, tail), quantile(defined, 1 - tail)
        if variance == variance:
            most = rule_of_three(level) * self._most()
            half = math.sqrt(t * t * variance + most * most)
            low, high = min(low, value - half), max(high, value + half)
        if not self.ranked:
            low, high = over_bias(low, high, float(means_of(apart)), value)
        return round_digits(low), round_digits(high)

    def _variance(self) -> tuple[float, int]:
        """Variance of the difference, nan if it is not known, and the degrees of
        freedom of Welch and Satterthwaite, as a whole number."""
        variances = [
            sum_variance(terms.tolist(), units)
            for terms, units in zip(self.terms, self.units, strict=True)
        ]
        degrees = [units - 1 for units in self.units]
        return satterthwaite(variances, degrees, self.excess, self.squares)

    def _most(self) -> float:
        """The most that one unit adds; where hardly any adds something, the most that
        one can."""
        moves = np.concatenate(self.terms)
        most = max(self.failed, float(np.abs(moves).max(initial=0.0)))
        if not hardly_any(moves):
            return most
        reach = zip(self.reach, self.units, strict=True)
        return max(most, *(whole / units for whole, units in reach))
