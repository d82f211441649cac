"""From replicates to an estimate: moments, percentile and BCa interval."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import NormalDist

import numpy as np

from scoring.counts import Floats, Integers

NORMAL = NormalDist()

# Two values that differ by less than this share of their size are the same number,
# reached on two ways.
TIE = 1e-12

# The library's erf may differ in its last bit from one machine to the next; places
# that are rounded to this many decimals do not.
DECIMALS = 12


@dataclass(frozen=True, slots=True)
class Estimate:
    """One measure of one system. None stands for "n/a".

    `low, high` is the interval that is shown (`scoring.intervals`), `percentile_low,
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
        found = asdict(self)
        if self.between_runs is None:
            del found["between_runs"]
        return found


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
    bias = NORMAL.inv_cdf(share)
    slope = acceleration(jackknives)
    ends = []
    for probability in (tail, 1 - tail):
        z = bias + NORMAL.inv_cdf(probability)
        if slope * z >= 1:
            return None, None
        adjusted = NORMAL.cdf(bias + z / (1 - slope * z))
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
