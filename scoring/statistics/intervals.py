"""Estimates and the interval that is shown with a score (docs/decisions/0011).

The interval covers two: the percentile interval of the bootstrap at a level that makes
up for few units (Hesterberg 2015), and for shares Wilson's with the effective number
of independent answers (Korn and Graubard 1998), which keeps its width where a score is
near 0 or 1. A score that fewer than two units bear on has none. Where resamples show
that a measure is biased, the interval reaches as far as the bias may have moved it.

Intervals are computed over systems, so that a system alone and a board of a thousand
come from the same lines; sums run along units in name order, one system by itself.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from scoring.counts import Flags, Floats, Integers, pick
from scoring.measures import Measure
from scoring.statistics.areas import Areas
from scoring.statistics.averages import Averages
from scoring.statistics.judges import FactorVariance
from scoring.statistics.runs import between, means, side_by_side, sums_over_runs
from scoring.statistics.shares import (
    ENOUGH_BETWEEN,
    OfSystems,
    Shares,
    even_units,
    rows_among_all,
    wilson,
)
from scoring.statistics.shares import TIE as TIE
from scoring.statistics.unseen import (
    Failures,
    UnitMoves,
    furthest,
    rule_of_three,
    unseen_variance,
)
from scoring.statistics.unseen import means_of as means_of
from scoring.statistics.unseen import variance_of as variance_of

if TYPE_CHECKING:
    from statistics import NormalDist

# Libraries of elementary functions differ in their last bits; twelve digits agree.
DIGITS = 12
# From here on the expansion in 1 / degrees is exact to more digits than that.
MANY = 1000
MOST_STEPS = 200


@cache
def normal() -> "NormalDist":
    """The standard normal distribution."""
    from statistics import NormalDist  # Slow to import, and for intervals alone.

    return NormalDist()


def round_digits(number: float) -> float:
    return float(f"{number:.{DIGITS}g}")


# All measures of a file ask for the same one.
@lru_cache(maxsize=1024)
def t_quantile(probability: float, degrees: int) -> float:
    """The quantile of Student's t, for probabilities above a half."""
    z = normal().inv_cdf(probability)
    if degrees >= MANY:
        return round_digits(_cornish_fisher(z, degrees))
    wanted, t = 2 * probability - 1, z
    # The distribution function bends down, so from below every step stays below.
    for _step in range(MOST_STEPS):
        step = (wanted - _between(t, degrees)) / (2 * _density(t, degrees))
        t += step
        if abs(step) <= 1e-14 * t:
            break
    return round_digits(t)


def sum_variance(terms: Sequence[float], units: int) -> float:
    """The variance of a sum of what each of so many units adds to it; units that add
    nothing may be left out."""
    total = math.fsum(terms)
    squares = math.fsum(term * term for term in terms) - total * total / units
    return max(squares, 0.0) * units / (units - 1)


def satterthwaite(
    variances: Sequence[float], degrees: Sequence[int], excess: float, squares: float
) -> tuple[float, int]:
    """The sum of variances, and its degrees of freedom by Welch and Satterthwaite, as a
    whole number. What else varies adds `excess`, and `squares` to the terms of both."""
    variance = math.fsum(variances) + excess
    if not variance > 0:
        return variance, sum(degrees)
    shares = zip(variances, degrees, strict=True)
    whole = math.fsum(v * v / n for v, n in shares) + squares
    return variance, max(1, int(round_digits(variance * variance / whole)))


def _cornish_fisher(z: float, degrees: int) -> float:
    """The expansion of Cornish and Fisher (Abramowitz and Stegun 26.7.5)."""
    s = z * z
    terms = (
        (s + 1) / 4,
        ((5 * s + 16) * s + 3) / 96,
        (((3 * s + 19) * s + 17) * s - 15) / 384,
        ((((79 * s + 776) * s + 1482) * s - 1920) * s - 945) / 92160,
    )
    powers = (degrees**-i for i in range(1, 5))
    return z * (1 + math.fsum(a * b for a, b in zip(terms, powers, strict=True)))


def _between(t: float, degrees: int) -> float:
    """P(-t < T < t), by the finite series (Abramowitz and Stegun 26.7.3, 26.7.4)."""
    square = degrees / (degrees + t * t)  # of the cosine
    sine = t / math.sqrt(degrees + t * t)
    odd = degrees % 2
    if degrees == 1:
        return 2 / math.pi * math.atan(t)
    term = math.sqrt(square) if odd else 1.0
    terms = [term]
    for k in range(3 if odd else 2, degrees - 1, 2):
        term *= square * (k - 1) / k
        terms.append(term)
    inner = sine * math.fsum(terms)
    if not odd:
        return inner
    return 2 / math.pi * (math.atan(t / math.sqrt(degrees)) + inner)


def _density(t: float, degrees: int) -> float:
    half = degrees / 2
    size = (
        math.lgamma(half + 0.5)
        - math.lgamma(half)
        - (half + 0.5) * math.log1p(t * t / degrees)
    )
    return math.exp(size) / math.sqrt(degrees * math.pi)


# The library's erf may differ in its last bit from one machine to the next; places
# that are rounded to this many decimals do not.
DECIMALS = 12


@dataclass(frozen=True, slots=True)
class Estimate:
    """One measure of one system. None stands for "n/a".

    `low, high` is the interval that is shown, `percentile_low,
    percentile_high` that of the resamples as they are, `bca_low, bca_high` the BCa
    interval; `mean, variance, stddev` describe the resamples (population variance);
    `left_out` counts the resamples in which the measure was undefined,
    `informative_units` the units that bear on it: with fewer than two there is no
    interval. Of several test sets it is that of the one with the fewest. Where they
    differ in size, they tell as much as `effective_units` of one size, else it is None.
    `between_runs` is the standard deviation between the runs of an entry of several,
    which a result of one run does not mention.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    percentile_low: float | None = None
    percentile_high: float | None = None
    bca_low: float | None = None
    bca_high: float | None = None
    mean: float | None = None
    variance: float | None = None
    stddev: float | None = None
    left_out: int = 0
    informative_units: int = 0
    between_runs: float | None = None
    effective_units: float | None = None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends of the interval that is shown; None where there is none."""
        if self.low is None or self.high is None:
            return None
        return self.low, self.high

    def as_dict(self) -> dict[str, float | int | None]:
        # `dataclasses.asdict` copies each number, which takes ten times as long.
        numbers = {name: getattr(self, name) for name in ESTIMATED}
        for name in ("between_runs", "effective_units"):
            if numbers[name] is None:
                del numbers[name]
        return numbers


ESTIMATED = tuple(field.name for field in fields(Estimate))


def estimate(
    value: float, resampled: Floats, jackknives: Sequence[Floats], level: float
) -> Estimate:
    """Put an estimate together from a value, its replicates and its jackknives.

    One jackknife array per stratum (test set); undefined entries are left out. The
    shown interval is not of these alone: it is left to the caller.
    """
    if not math.isfinite(value):
        return Estimate(None)
    defined = np.sort(resampled[np.isfinite(resampled)])
    left_out = len(resampled) - len(defined)
    if not len(defined):
        return Estimate(value, left_out=left_out)
    tail = (1 - level) / 2
    low, high = quantile(defined, tail), quantile(defined, 1 - tail)
    mean, variance = moments(defined)
    bca_low, bca_high = _bca(value, defined, jackknives, tail)
    return Estimate(
        value=value,
        percentile_low=low,
        percentile_high=high,
        bca_low=bca_low,
        bca_high=bca_high,
        mean=mean,
        variance=variance,
        stddev=math.sqrt(variance),
        left_out=left_out,
    )


def moments(ordered: Floats) -> tuple[float, float]:
    """Mean and population variance; exactly 0 where all are the same."""
    if ordered[0] == ordered[-1]:
        return float(ordered[0]), 0.0
    mean = math.fsum(ordered.tolist()) / len(ordered)
    off = ordered - mean
    return mean, math.fsum((off * off).tolist()) / len(ordered)


def quantile(ordered: Floats, share: float) -> float:
    """Linear interpolation between order statistics of (n,) sorted numbers."""
    sizes = np.array([len(ordered)])
    return float(quantiles(ordered[None, :], sizes, share)[0])


def quantiles(ordered: Floats, sizes: Integers, share: float | Floats) -> Floats:
    """`quantile` of every row of `ordered` (rows, n), nan last; shape (rows,).

    `sizes` (rows,) says how many numbers each row holds; nan where it holds none.
    `share` is one for all, or (rows,).
    """
    if not ordered.shape[1]:
        return np.full(len(ordered), np.nan)
    last = np.maximum(sizes - 1, 0)
    place = share * last
    below = np.floor(place).astype(np.int64)
    rows = np.arange(len(ordered))
    low = ordered[rows, below]
    high = ordered[rows, np.minimum(below + 1, last)]
    return np.asarray(low + (high - low) * (place - below))


def _bca(
    value: float, ordered: Floats, jackknives: Sequence[Floats], tail: float
) -> tuple[float | None, float | None]:
    """Bias-corrected and accelerated interval (Efron 1987); None where undefined."""
    margin = TIE * abs(value)
    below = np.searchsorted(ordered, value - margin, side="left")
    below += np.searchsorted(ordered, value + margin, side="right")
    share = below / (2 * len(ordered))
    if not 0 < share < 1:
        return None, None
    bias = normal().inv_cdf(share)
    slope = acceleration(jackknives)
    ends = []
    for probability in (tail, 1 - tail):
        z = bias + normal().inv_cdf(probability)
        if slope * z >= 1:
            return None, None
        adjusted = normal().cdf(bias + z / (1 - slope * z))
        ends.append(quantile(ordered, round(adjusted, DECIMALS)))
    return ends[0], ends[1]


def acceleration(jackknives: Sequence[Floats]) -> float:
    """A sixth of the skewness of the jackknife influence over all strata."""
    cubes = squares = 0.0
    for values in jackknives:
        defined = values[np.isfinite(values)]
        size = len(defined)
        if size < 2:
            continue
        mean = math.fsum(defined.tolist()) / size
        influence = (size - 1) * (mean - defined) / size
        squared = influence * influence
        cubes += math.fsum((squared * influence).tolist())
        squares += math.fsum(squared.tolist())
    return cubes / (6 * squares * math.sqrt(squares)) if squares else 0.0


LEAST_UNITS = 2  # for an interval at all
FEW_UNITS = 10  # below, as many of one size, it means little
Ends = tuple[float, float]
# Of the interval's width: how far the mean of resamples may leave the value. A tenth
# leaves half of the cases that need it as they are (decision 16).
BIASED = 0.05


@dataclass(frozen=True)
class MeasureSpread(OfSystems):
    """One measure of systems in one test set.

    `values` and `units`, those that bear on the measure, are (systems,), `resampled`
    is (systems, resamples), nan where undefined. Systems without an answer count 0
    with 0 units. `shares`, `averages`, `areas` and `moves` are what the interval needs
    beside resamples for a share, for an average over classes, for areas under curves,
    and for all measures that are functions of units but the first two. `doubtful` are
    further resamples that the interval has to cover, None where there are none.
    `runs` are the values of single runs (systems, most runs), nan behind the last; None
    where nobody has several. They move neither resamples nor what stands beside them,
    which are of the units alone.
    `bounds` are the lowest and highest value that there can be, None if that is not
    known. `effective` (systems,) are numbers of units of one size that would tell as
    much, None where nothing says how large units are. `weight` is that of the test set
    in the mean; nothing here is multiplied by it yet. `ranked` says that the measure
    orders rows: those drawn twice are tied, and so the mean of resamples leaves the
    value without any bias.
    """

    values: Floats
    resampled: Floats
    units: Integers
    shares: Shares | None = None
    averages: Averages | None = None
    areas: Areas | None = None
    moves: UnitMoves | None = None
    doubtful: Floats | None = None
    runs: Floats | None = None
    bounds: tuple[float, float] | None = None
    effective: Floats | None = None
    weight: float = 1.0
    ranked: bool = False

    def among_all(self, answered: Flags) -> Self:
        runs = self.runs
        if runs is not None:
            runs = rows_among_all(runs, answered, np.nan)
        return replace(super().among_all(answered), runs=runs)


@dataclass(frozen=True)
class ShownIntervals:
    """Ends of the interval and the units behind it, each (systems,); nan is n/a.

    Of several test sets the units are those of the one with the fewest. `effective` are
    units of one size that tell as much, nan where all are of one.
    """

    low: Floats
    high: Floats
    units: Integers
    effective: Floats


class Replicates(NamedTuple):
    """One measure of rows: `values` (rows,) and `resampled` (rows, resamples)."""

    values: Floats
    resampled: Floats


@dataclass(frozen=True)
class TestSetRows:
    """Rows of one test set: `tables` (units, rows, columns). A system has as many rows
    as runs, `sizes` (systems,), and `prompts` name those of its runs."""

    tables: Floats
    columns: tuple[str, ...]
    sizes: Integers
    prompts: Sequence[Sequence[str]] = ()

    @cached_property
    def together(self) -> Floats:
        """Sums over the runs of a system, (units, systems, columns)."""
        return sums_over_runs(self.tables, self.sizes)

    def spread(
        self,
        measure: Measure,
        replicates: Replicates,
        doubtful: Floats | None = None,
        moves: Floats | None = None,
        sides: Integers | None = None,
    ) -> MeasureSpread:
        """Spread of one measure: its replicates, and where they are needed further ones
        with doubts (rows, resamples), what each unit adds, (rows, units), and on which
        side of a curve it is (units,)."""
        values, resampled = (means(some, self.sizes) for some in replicates)
        units = measure.informed(self.together, self.columns).sum(axis=0)
        effective = self._effective(measure)
        fractions = measure.part_and_whole(self.together, self.columns)
        shares = averages = areas = unit_moves = None
        if fractions is not None:
            shares = Shares.of(*fractions, units, self.sizes, measure.fractions)
            effective = shares.even
        elif measure.classes is not None:
            runs = self.sizes[:, None]
            mean_run = self.together / runs if (runs > 1).any() else self.together
            averages = Averages.of(mean_run, self.columns, measure, units)
            effective = averages.units
        elif moves is not None:
            reach = furthest(measure, self.together, self.columns)
            least = np.abs(reach) / np.maximum(units, 1)
            unit_moves = UnitMoves.of(means(moves, self.sizes), values, least)
            unit_moves = unit_moves.or_of(resampled, least)
            if sides is not None:
                areas = Areas.of(sides, means(moves, self.sizes), values)
            failures = Failures.of(self.together, self.columns, measure)
            unit_moves = unit_moves.with_failures(measure, failures)
            if measure.unseen is not None:
                more = unseen_variance(measure, self.tables, self.columns)
                unit_moves = unit_moves.and_more(means(more[:, None], self.sizes)[:, 0])
        return MeasureSpread(
            values,
            resampled,
            units,
            shares,
            averages,
            areas,
            unit_moves,
            None if doubtful is None else means(doubtful, self.sizes),
            side_by_side(replicates.values, self.sizes, self.prompts),
            self._bounds(measure, replicates),
            effective,
            ranked=measure.ranks_rows,
        )

    def _effective(self, measure: Measure) -> Floats | None:
        """The number of units of one size that tell as much of errors, (systems,)."""
        if measure.sizes is None:
            return None
        columns = (pick(self.together, self.columns, n) for n in measure.columns)
        return even_units(np.ascontiguousarray(np.transpose(measure.sizes(*columns))))

    def _bounds(
        self, measure: Measure, replicates: Replicates
    ) -> tuple[float, float] | None:
        if measure.bounds is not None:
            return measure.bounds
        if measure.classes is not None:
            return 0.0, 1.0
        if not (measure.percent or measure.share is not None):
            return None
        outside = any(((some < 0) | (some > 1)).any() for some in replicates)
        return None if outside else (0.0, 1.0)


def shown_intervals(
    values: Floats,
    resampled: Sequence[Floats],
    sets: Sequence[MeasureSpread],
    level: float,
    runs: Floats | None = None,
    judges: FactorVariance | None = None,
) -> ShownIntervals:
    """Intervals of the mean over `sets`, each of its weight, of values. `resampled` are
    the same means of all resamples that they have to cover, `runs` those of single
    runs, where a system has several; `judges` (systems,) say how these vary."""
    units = np.min([spread.units for spread in sets], axis=0)
    defined = [(~np.isnan(some)).sum(axis=1) for some in resampled]
    has_interval = (
        (units >= LEAST_UNITS) & (np.min(defined, axis=0) > 0) & ~np.isnan(values)
    )
    low, high = np.full((2, len(values)), np.nan)
    rows = np.flatnonzero(has_interval)
    if len(rows):
        degrees, widening = _degrees(sets, rows)
        beyond = _Beyond.of(runs, judges, rows)
        if beyond is not None:
            own = _degrees(sets, rows, beyond)
            # To know that judges vary makes no interval narrower.
            free = own[0] if judges is None else np.minimum(own[0], degrees)
            degrees = np.where(beyond.squares > 0, free, degrees)
            widening = np.where(beyond.squares > 0, own[1], widening)
        student = [t_quantile((1 + level) / 2, free) for free in degrees.tolist()]
        tails = _tails(student, widening)
        lows, highs = [], []
        for some, many in zip(resampled, defined, strict=True):
            ordered = np.sort(some[rows], axis=1)
            lows.append(quantiles(ordered, many[rows], tails))
            highs.append(quantiles(ordered, many[rows], 1 - tails))
        t = np.array(student)
        beside = _Beside(values[rows], sets, rows, t, beyond)
        for ends in (
            beside.wilson(),
            beside.class_interval(),
            beside.area_interval(level),
            beside.unseen_interval(level),
        ):
            if ends is not None:
                lows.append(ends[0])
                highs.append(ends[1])
        bounds = _within(np.fmin.reduce(lows), np.fmax.reduce(highs), sets)
        if not any(spread.ranked for spread in sets):
            average = means_of(resampled[0][rows])
            moved = _over_biases(*bounds, average, values[rows])
            bounds = _within(*moved, sets)
        low[rows], high[rows] = bounds
    return ShownIntervals(low, high, units, _effective(sets, units))


def _effective(sets: Sequence[MeasureSpread], units: Integers) -> Floats:
    """Units of one size that tell as much as those of the test set with the fewest of
    them, nan where these are of one size."""
    each = [np.asarray(s.units if s.effective is None else s.effective) for s in sets]
    least = np.nan_to_num(np.min(each, axis=0))
    return np.where(least >= units * (1 - TIE), np.nan, _round_all(least))


def few(units: float, effective: float | None) -> bool:
    """Whether an interval by so many units means little."""
    return (units if effective is None else min(units, effective)) < FEW_UNITS


def over_bias(low: float, high: float, mean: float, value: float) -> Ends:
    """Ends that also cover the interval moved by -2 (mean of resamples - value), where
    that is more than a twentieth of its width.

    A value is off the truth by about as much as its resamples are off the value, and
    their interval is off by both.
    """
    bias = mean - value
    if not abs(bias) > max(BIASED * (high - low), TIE * abs(value)):
        return low, high
    return min(low, round_digits(low - 2 * bias)), max(
        high, round_digits(high - 2 * bias)
    )


def _over_biases(*of_rows: Floats) -> tuple[Floats, Floats]:
    """`over_bias` of rows, each (rows,)."""
    ends = [over_bias(*row) for row in np.stack(of_rows, axis=1).tolist()]
    low, high = np.array(ends).T
    return low, high


def _degrees(
    sets: Sequence[MeasureSpread], rows: Integers, beyond: "_Beyond | None" = None
) -> tuple[Integers, Floats]:
    """Degrees of freedom, and how much larger a variance is than the resamples say. Of
    several test sets, and where runs or judges vary, too, those of Welch and
    Satterthwaite."""
    free = np.array([spread.units[rows] - 1 for spread in sets], dtype=np.float64)
    if len(sets) == 1 and beyond is None:
        return free[0].astype(np.int64), (free[0] + 1) / free[0]
    variances = _variances(sets, rows) / len(sets) ** 2
    real = variances * (free + 1) / free
    whole, drawn = real.sum(axis=0), variances.sum(axis=0)
    squares = (real**2 / free).sum(axis=0)
    if beyond is not None:
        whole, drawn = whole + beyond.variance, drawn + beyond.drawn
        squares = squares + beyond.squares
    with np.errstate(divide="ignore", invalid="ignore"):
        widening = np.where(whole == 0, 1.0, whole / drawn)
    return _welch_satterthwaite(whole, squares, free.sum(axis=0)), widening


def _welch_satterthwaite(
    variance: Floats, squares: Floats, otherwise: Floats
) -> Integers:
    """Degrees of freedom of sums of variances as whole numbers, (rows,), from the sums
    of their squares over those of each; `otherwise` where nothing varies."""
    with np.errstate(divide="ignore", invalid="ignore"):
        degrees = np.where(variance > 0, variance**2 / squares, otherwise)
    return np.maximum(np.floor(np.round(degrees, 6)), 1).astype(np.int64)


def _variances(sets: Sequence[MeasureSpread], rows: Integers) -> Floats:
    """Variances of what each test set adds to the mean, before it is divided."""
    return np.nan_to_num(
        [variance_of(spread.resampled[rows]) * spread.weight**2 for spread in sets]
    )


def _within(
    low: Floats, high: Floats, sets: Sequence[MeasureSpread]
) -> tuple[Floats, Floats]:
    """Ends without what the measure cannot be: below its lowest value, or above its
    highest."""
    limits = [spread.bounds for spread in sets if spread.bounds is not None]
    if len(limits) < len(sets):
        return low, high
    weights = [spread.weight for spread in sets]
    lowest, highest = (
        sum(w * end for w, end in zip(weights, ends, strict=True)) / len(sets)
        for ends in zip(*limits, strict=True)
    )
    return np.maximum(low, lowest), np.minimum(high, highest)


@dataclass(frozen=True)
class _Beyond:
    """Variance (systems,) beyond that of the units, of which `drawn` is in resamples,
    too, and its `squares` in the degrees of freedom of Satterthwaite."""

    variance: Floats
    drawn: Floats
    squares: Floats

    @classmethod
    def of(
        cls, runs: Floats | None, judges: FactorVariance | None, rows: Integers
    ) -> "_Beyond | None":
        """The variance beyond units; None where no system has several runs or
        judges."""
        if runs is None and judges is None:
            return None
        drawn, variance, squares = np.zeros((3, len(rows)))
        if runs is not None:
            own = runs[rows]
            sizes = (~np.isnan(own)).sum(axis=1)
            off = np.nan_to_num(between(own, len(own)))
            drawn = off * off / np.maximum(sizes, 1)
            squares = drawn**2 / np.maximum(sizes - 1, 1)
        if judges is not None:
            variance = judges.excess[rows]
            squares = squares + judges.squares[rows]
        return cls(drawn + variance, drawn, squares)


def _tails(student: Sequence[float], widening: Floats) -> Floats:
    """Share of resamples beyond each end: of a normal where Student's t begins."""
    tails = np.empty(len(student))
    for i, (t, wide) in enumerate(
        zip(student, np.sqrt(widening).tolist(), strict=True)
    ):
        tails[i] = round(normal().cdf(-t * wide), DECIMALS)
    return tails


@dataclass(frozen=True)
class _Beside:
    """Ends that the intervals of some rows have to cover beside the resamples: ends of
    (rows,), None where they do not belong to the measure. `t` are Student's."""

    values: Floats
    sets: Sequence[MeasureSpread]
    rows: Integers
    t: Floats
    beyond: _Beyond | None

    @property
    def _squares(self) -> list[float]:
        """Factors of variances of test sets in that of the mean over them."""
        return [(spread.weight / len(self.sets)) ** 2 for spread in self.sets]

    def _and_beyond(self, variance: Floats) -> Floats:
        return variance if self.beyond is None else variance + self.beyond.variance

    def wilson(self) -> tuple[Floats, Floats] | None:
        """Ends of Wilson's interval, nan where a mean of fractions needs none."""
        shares = [spread.shares for spread in self.sets if spread.shares is not None]
        if len(shares) < len(self.sets):
            return None
        rows, values = self.rows, self.values
        weighed = list(zip(shares, self._squares, strict=True))
        terms = [square * share.variance[rows] for share, square in weighed]
        variance = self._and_beyond(np.asarray(sum(terms)))
        with np.errstate(divide="ignore", invalid="ignore"):
            most, even = (
                1 / sum(square / getattr(s, name)[rows] for s, square in weighed)
                for name in ("whole", "even")
            )
            real = np.fmin(values * (1 - values) / variance, most)
        low, high = wilson(values, np.where(variance > 0, real, even), self.t)
        between = np.asarray(sum(share.between[rows] for share in shares))
        apart = between >= ENOUGH_BETWEEN
        return np.where(apart, np.nan, low), np.where(apart, np.nan, high)

    def class_interval(self) -> tuple[Floats, Floats] | None:
        """Ends of an average by those of its classes (Zou and Donner 2008)."""
        averages_by_set = [
            some.averages for some in self.sets if some.averages is not None
        ]
        if len(averages_by_set) < len(self.sets):
            return None
        squares = np.zeros((2, len(self.rows)))
        for averages, square in zip(averages_by_set, self._squares, strict=True):
            squares += square * np.stack(averages.distances(self.rows, self.t))
        if self.beyond is not None:
            squares += self.t * self.t * self.beyond.variance
        below, above = np.sqrt(squares)
        return self.values - below, self.values + above

    def area_interval(self, level: float) -> tuple[Floats, Floats] | None:
        """Ends of areas under curves by the items on each side of them."""
        areas = [spread.areas for spread in self.sets if spread.areas is not None]
        if len(areas) < len(self.sets):
            return None
        rows, values = self.rows, self.values
        weighed = list(zip(areas, self._squares, strict=True))
        parts = np.array([square * area.variance[rows] for area, square in weighed])
        degrees = np.array([area.degrees[rows] for area in areas])
        variance = self._and_beyond(parts.sum(axis=0))
        squares = (parts * parts / degrees).sum(axis=0)
        if self.beyond is not None:
            squares += self.beyond.squares
        whole = _welch_satterthwaite(variance, squares, degrees.sum(axis=0))
        with np.errstate(divide="ignore", invalid="ignore"):
            most, least = (
                1 / sum(square / getattr(area, name)[rows] for area, square in weighed)
                for name in ("pairs", "least")
            )
            real = np.fmin(values * (1 - values) / variance, most)
        t = np.array([t_quantile((1 + level) / 2, n) for n in whole.tolist()])
        low, high = wilson(values, np.where(variance > 0, real, least), t)
        return _round_all(low), _round_all(high)

    def unseen_interval(self, level: float) -> tuple[Floats, Floats] | None:
        """Ends by what single units add, and by what they may not have shown."""
        moves_by_set = [
            spread.moves for spread in self.sets if spread.moves is not None
        ]
        if len(moves_by_set) < len(self.sets):
            return None
        rows, three = self.rows, rule_of_three(level)
        weighed = list(zip(moves_by_set, self._squares, strict=True))
        terms = [square * moves.variance[rows] for moves, square in weighed]
        variance = self.t * self.t * self._and_beyond(np.asarray(sum(terms)))
        reaches = []
        for side in ("down", "up"):
            moved = [
                math.sqrt(square) * getattr(moves, side)[rows]
                for moves, square in weighed
            ]
            reaches.append(np.sqrt(variance + (three * np.max(moved, axis=0)) ** 2))
        low, high = self.values - reaches[0], self.values + reaches[1]
        return _round_all(low), _round_all(high)


def _round_all(values: Floats) -> Floats:
    return np.array([round_digits(value) for value in values.tolist()])
