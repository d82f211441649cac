"""Estimates and the interval that is shown with a score (docs/decisions/0011).

The interval covers two: the percentile interval of the bootstrap at a level that makes
up for few units (Hesterberg 2015), and for shares Wilson's with the effective number
of independent answers (Korn and Graubard 1998), which keeps its width where a score is
near 0 or 1. A score that fewer than two units bear on has none.

Intervals are computed over systems, so that a system alone and a board of a thousand
come from the same lines; sums run along units in name order, one system by itself.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from scoring.counts import Flags, Floats, Integers
from scoring.measures import Measure
from scoring.statistics.runs import between, means, side_by_side, summed

if TYPE_CHECKING:
    from statistics import NormalDist

Rows = TypeVar("Rows", Floats, Integers)

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


def rounded(number: float) -> float:
    return float(f"{number:.{DIGITS}g}")


@lru_cache(maxsize=4096)
def t_quantile(probability: float, degrees: int) -> float:
    """The quantile of Student's t, for probabilities above a half."""
    z = normal().inv_cdf(probability)
    if degrees >= MANY:
        return rounded(_expanded(z, degrees))
    wanted, t = 2 * probability - 1, z
    # The distribution function bends down, so from below every step stays below.
    for _step in range(MOST_STEPS):
        step = (wanted - _between(t, degrees)) / (2 * _density(t, degrees))
        t += step
        if abs(step) <= 1e-14 * t:
            break
    return rounded(t)


def _expanded(z: float, degrees: int) -> float:
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


# Two values that differ by less than this share of their size are the same number,
# reached on two ways.
TIE = 1e-12

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
    interval. Of several test sets it is that of the one with the fewest.
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

    def as_dict(self) -> dict[str, float | int | None]:
        # `dataclasses.asdict` copies each number, which takes ten times as long.
        numbers = {name: getattr(self, name) for name in ESTIMATED}
        if self.between_runs is None:
            del numbers["between_runs"]
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
FEW_UNITS = 10  # below, it means little


@dataclass(frozen=True)
class Shares:
    """Part / whole of every system in one test set, each (systems,).

    `variance` is the linearised one of the share; `whole` is the most answers that
    there can be, `even` the number where all units are as their sizes say.
    """

    variance: Floats
    whole: Floats
    even: Floats


@dataclass(frozen=True)
class MeasureSpread:
    """One measure of systems in one test set.

    `values` and `units`, those that bear on the measure, are (systems,), `resampled`
    is (systems, resamples), nan where undefined. Systems without an answer count 0
    with 0 units. `shares` is None where the measure is no share. `runs` are the values
    of single runs (systems, most runs), nan behind the last; None where nobody has
    several. They move neither `resampled` nor `shares`, which are of the units alone.
    `part` says that values are shares of something, not always between 0 and 1.
    `weight` is that of the test set in the mean; nothing here is multiplied by it yet.
    """

    values: Floats
    resampled: Floats
    units: Integers
    shares: Shares | None
    runs: Floats | None = None
    part: bool = False
    weight: float = 1.0

    def placed(self, answered: Flags) -> "MeasureSpread":
        """This spread among systems of which only those `answered` (systems,)."""
        shares, runs = self.shares, self.runs
        if shares is not None:
            columns = shares.variance, shares.whole, shares.even
            shares = Shares(*(placed(column, answered) for column in columns))
        return replace(
            self,
            values=placed(self.values, answered),
            resampled=placed(self.resampled, answered),
            units=placed(self.units, answered),
            shares=shares,
            runs=None if runs is None else placed(runs, answered, np.nan),
        )


def placed(rows: Rows, answered: Flags, empty: float = 0.0) -> Rows:
    """Rows of the systems that `answered` (systems,) among all; `empty` for others."""
    if answered.all():
        return rows
    everyone = np.full((len(answered), *rows.shape[1:]), empty, dtype=rows.dtype)
    everyone[answered] = rows
    return everyone


@dataclass(frozen=True)
class ShownIntervals:
    """Ends of the interval and the units behind it, each (systems,); nan is n/a.

    Of several test sets the units are those of the one with the fewest.
    """

    low: Floats
    high: Floats
    units: Integers


class Replicates(NamedTuple):
    """One measure of rows: `values` (rows,) and `resampled` (rows, resamples)."""

    values: Floats
    resampled: Floats


def spread(
    tables: Floats,
    columns: tuple[str, ...],
    measure: Measure,
    replicates: Replicates,
    sizes: Integers,
) -> MeasureSpread:
    """Spread of one measure over `tables` (units, rows, columns) and its replicates. A
    system has as many rows as runs, `sizes` (systems,)."""
    values, resampled = replicates
    together = summed(tables, sizes)
    units = measure.informed(together, columns).sum(axis=0)
    known = measure.part_and_whole(together, columns)
    shares = None
    if known is not None:
        part, whole = known
        shares = _shares(part / sizes, whole / sizes, units)
    return MeasureSpread(
        means(values, sizes),
        means(resampled, sizes),
        units,
        shares,
        side_by_side(values, sizes),
        measure.percent or known is not None,
    )


def _shares(part: Floats, whole: Floats, units: Integers) -> Shares:
    """Shares from parts and wholes (units, systems)."""
    # One row a system: each is then summed in an order that no other can change.
    part, whole = (np.ascontiguousarray(side.T) for side in (part, whole))
    answers = whole.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = part.sum(axis=1) / answers
        off = part - value[:, None] * whole
        off[np.abs(off) <= TIE * whole] = 0.0
        squares = answers * answers
        variance = (off * off).sum(axis=1) / squares * (units / (units - 1))
        even = squares / (whole * whole).sum(axis=1)
    return Shares(variance, answers, even)


def shown_intervals(
    values: Floats,
    resampled: Floats,
    sets: Sequence[MeasureSpread],
    level: float,
    runs: Floats | None = None,
) -> ShownIntervals:
    """Intervals of the mean over `sets`, each of its weight, of values and resamples.
    `runs` are the same means run by run, where a system has several."""
    units = np.min([spread.units for spread in sets], axis=0)
    defined = (~np.isnan(resampled)).sum(axis=1)
    known = (units >= LEAST_UNITS) & (defined > 0) & ~np.isnan(values)
    low, high = np.full((2, len(values)), np.nan)
    rows = np.flatnonzero(known)
    if len(rows):
        degrees, widening = _degrees(sets, rows)
        spread_of_runs = None if runs is None else _of_runs(runs[rows])
        if spread_of_runs is not None:
            own = _with_runs(sets, rows, spread_of_runs)
            degrees = np.where(spread_of_runs.free > 0, own[0], degrees)
            widening = np.where(spread_of_runs.free > 0, own[1], widening)
        ordered = np.sort(resampled[rows], axis=1)
        student = [t_quantile((1 + level) / 2, free) for free in degrees.tolist()]
        tails = _tails(student, widening)
        low[rows] = quantiles(ordered, defined[rows], tails)
        high[rows] = quantiles(ordered, defined[rows], 1 - tails)
        wilson = _wilson(values[rows], sets, rows, np.array(student), spread_of_runs)
        low[rows] = np.fmin(low[rows], wilson[0])
        high[rows] = np.fmax(high[rows], wilson[1])
        if spread_of_runs is not None:
            _cut(low, high, sets, rows[spread_of_runs.free > 0])
    return ShownIntervals(low, high, units)


def _degrees(sets: Sequence[MeasureSpread], rows: Integers) -> tuple[Integers, Floats]:
    """Degrees of freedom, and how much larger a variance is than the resamples say. Of
    several test sets those of Welch and Satterthwaite, as a whole number."""
    free = np.array([spread.units[rows] - 1 for spread in sets], dtype=np.float64)
    if len(sets) == 1:
        return free[0].astype(np.int64), (free[0] + 1) / free[0]
    variances = _variances(sets, rows)
    real = variances * (free + 1) / free
    whole = real.sum(axis=0)
    flat = whole == 0
    with np.errstate(divide="ignore", invalid="ignore"):
        degrees = np.where(
            flat, free.sum(axis=0), whole**2 / (real**2 / free).sum(axis=0)
        )
        widening = np.where(flat, 1.0, whole / variances.sum(axis=0))
    return np.floor(np.round(degrees, 6)).astype(np.int64), widening


def _variances(sets: Sequence[MeasureSpread], rows: Integers) -> Floats:
    """Variances of what each test set adds to the mean, before it is divided."""
    return np.nan_to_num(
        [variance_of(spread.resampled[rows]) * spread.weight**2 for spread in sets]
    )


def _cut(
    low: Floats, high: Floats, sets: Sequence[MeasureSpread], rows: Integers
) -> None:
    """Leave out of intervals what no share can be: runs are added beyond 0 and 1."""
    inside = np.ones(len(rows), dtype=np.bool_)
    for spread in sets:
        drawn = spread.resampled[rows]
        inside &= spread.part & ~((drawn < 0) | (drawn > 1)).any(axis=1)
    low[rows[inside]] = np.maximum(low[rows[inside]], 0.0)
    high[rows[inside]] = np.minimum(high[rows[inside]], 1.0)


@dataclass(frozen=True)
class _Runs:
    """Variance of the mean over runs (systems,) and its degrees of freedom."""

    variance: Floats
    free: Integers


def _of_runs(runs: Floats) -> _Runs:
    sizes = (~np.isnan(runs)).sum(axis=1)
    off = np.nan_to_num(between(runs, len(runs)))
    return _Runs(off * off / np.maximum(sizes, 1), sizes - 1)


def _with_runs(
    sets: Sequence[MeasureSpread], rows: Integers, runs: _Runs
) -> tuple[Integers, Floats]:
    """`_degrees` where runs vary, too: one more part of the variance."""
    free = np.array([spread.units[rows] - 1 for spread in sets], dtype=np.float64)
    variances = _variances(sets, rows) / len(sets) ** 2
    real = variances * (free + 1) / free
    whole = real.sum(axis=0) + runs.variance
    squares = (real**2 / free).sum(axis=0)
    squares += runs.variance**2 / np.maximum(runs.free, 1)
    flat = whole == 0
    with np.errstate(divide="ignore", invalid="ignore"):
        degrees = np.where(flat, free.sum(axis=0), whole**2 / squares)
        widening = np.where(flat, 1.0, whole / (variances.sum(axis=0) + runs.variance))
    return np.floor(np.round(degrees, 6)).astype(np.int64), widening


def _tails(student: Sequence[float], widening: Floats) -> Floats:
    """Share of resamples beyond each end: of a normal where Student's t begins."""
    tails = np.empty(len(student))
    for i, (t, wide) in enumerate(
        zip(student, np.sqrt(widening).tolist(), strict=True)
    ):
        tails[i] = round(normal().cdf(-t * wide), DECIMALS)
    return tails


def _wilson(
    values: Floats,
    sets: Sequence[MeasureSpread],
    rows: Integers,
    t: Floats,
    runs: _Runs | None = None,
) -> tuple[Floats, Floats]:
    """Ends of Wilson's interval, nan where the measure is no share."""
    shares = [spread.shares for spread in sets if spread.shares is not None]
    if len(shares) < len(sets):
        return np.full(len(rows), np.nan), np.full(len(rows), np.nan)
    size = len(sets) ** 2
    squares = [spread.weight**2 for spread in sets]
    weighed = list(zip(shares, squares, strict=True))
    variance = sum(square * share.variance[rows] for share, square in weighed) / size
    if runs is not None:
        variance = variance + runs.variance
    with np.errstate(divide="ignore", invalid="ignore"):
        most, even = (
            size / sum(square / getattr(share, name)[rows] for share, square in weighed)
            for name in ("whole", "even")
        )
        real = np.fmin(values * (1 - values) / variance, most)
    # Wilson's interval knows z and n as z * z / n only, so that t in the place of z is
    # the same as n * (z / t) ** 2 in the place of n.
    answers = np.where(variance > 0, real, even)
    with np.errstate(divide="ignore", invalid="ignore"):
        part = t * t / answers
        middle = values + part / 2
        reach = np.sqrt(part * (values * (1 - values) + part / 4))
        below, above = (middle - reach) / (1 + part), (middle + reach) / (1 + part)
    fits = (values >= 0) & (values <= 1) & (answers > 0)
    below, above = np.maximum(below, 0.0), np.minimum(above, 1.0)
    return np.where(fits, below, np.nan), np.where(fits, above, np.nan)


def variance_of(resampled: Floats) -> Floats:
    """Population variance of each row's numbers; nan without any."""
    known = ~np.isnan(resampled)
    size = known.sum(axis=-1)
    divisor = np.maximum(size, 1)
    mean = np.where(known, resampled, 0.0).sum(axis=-1) / divisor
    off = np.where(known, resampled - mean[..., None], 0.0)
    return np.where(size > 0, (off * off).sum(axis=-1) / divisor, np.nan)
