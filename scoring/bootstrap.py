"""Resampling of stored counts: shared draws, resampled totals, intervals.

Draws depend only on (number of units, resamples, seed), so all systems of a test set
meet the same resamples and every comparison is paired. The draws come from the raw
64-bit stream of PCG64, which NumPy keeps stable across versions and machines, and the
products are sums of whole numbers, so results are the same bytes everywhere.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from scoring.counts import Counts, Floats
from scoring.measures import Measure

Weights = npt.NDArray[np.uint16]
BLOCK_CELLS = 4_000_000
KEPT_CELLS = 40_000_000
NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Plan:
    """How to resample: `resamples` draws from `seed`, intervals of `level`."""

    resamples: int = 1000
    seed: int = 2026
    level: float = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """One measure of one system. None stands for "n/a".

    `low, high` is the percentile interval, `bca_low, bca_high` the BCa interval;
    `mean, variance, stddev` describe the resamples (population variance); `left_out`
    counts the resamples in which the measure was undefined.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    bca_low: float | None = None
    bca_high: float | None = None
    mean: float | None = None
    variance: float | None = None
    stddev: float | None = None
    left_out: int = 0

    def as_dict(self) -> dict[str, float | int | None]:
        return asdict(self)


def _blocks(units: int, resamples: int, seed: int) -> Iterator[Weights]:
    """Weights (some resamples, units), how often each unit was drawn.

    The stream is read row by row, so the size of the blocks changes nothing.
    """
    stream = np.random.PCG64(seed)
    rows = max(1, min(resamples, BLOCK_CELLS // max(units, 1)))
    for start in range(0, resamples, rows):
        count = min(rows, resamples - start)
        raw = stream.random_raw(count * units) >> np.uint64(32)
        drawn = (raw * np.uint64(units)) >> np.uint64(32)
        cells = drawn.astype(np.int64).reshape(count, units)
        cells += np.arange(count, dtype=np.int64)[:, None] * units
        weights = np.bincount(cells.ravel(), minlength=count * units)
        yield weights.astype(np.uint16).reshape(count, units)


@lru_cache(maxsize=8)
def _kept(units: int, resamples: int, seed: int) -> tuple[Weights, ...]:
    return tuple(_blocks(units, resamples, seed))


def draws(units: int, resamples: int, seed: int) -> Iterator[Weights]:
    """Blocks of weights, shape (some resamples, units) each, in order.

    Kept for the next caller unless they are very large.
    """
    if units * resamples <= KEPT_CELLS:
        return iter(_kept(units, resamples, seed))
    return _blocks(units, resamples, seed)


def resampled_totals(counts: Counts, plan: Plan) -> Floats:
    """Totals of every resample, shape (resamples, columns); units in name order."""
    table = counts.in_order().table
    if not len(table):
        return np.zeros((plan.resamples, len(counts.columns)))
    weights = draws(len(table), plan.resamples, plan.seed)
    return np.concatenate([block.astype(np.float64) @ table for block in weights])


def replicates(counts: Counts, measures: Sequence[Measure], plan: Plan) -> list[Floats]:
    """Each measure in every resample: arrays of shape (resamples,), nan undefined."""
    totals = resampled_totals(counts, plan)
    return [measure.of(totals, counts.columns) for measure in measures]


def jackknife(counts: Counts, measure: Measure) -> Floats:
    """The measure with each unit left out, shape (units,)."""
    return measure.of(counts.totals - counts.in_order().table, counts.columns)


def estimate(
    value: float, resampled: Floats, jackknives: Sequence[Floats], level: float
) -> Estimate:
    """Put an estimate together from a value, its replicates and its jackknives.

    One jackknife array per stratum (test set); undefined entries are left out.
    """
    if not math.isfinite(value):
        return Estimate(None)
    defined = np.sort(resampled[np.isfinite(resampled)])
    left_out = len(resampled) - len(defined)
    if not len(defined):
        return Estimate(value, left_out=left_out)
    tail = (1 - level) / 2
    mean = math.fsum(defined) / len(defined)
    variance = math.fsum((defined - mean) ** 2) / len(defined)
    bca_low, bca_high = _bca(value, defined, jackknives, tail)
    return Estimate(
        value,
        _quantile(defined, tail),
        _quantile(defined, 1 - tail),
        bca_low,
        bca_high,
        mean,
        variance,
        math.sqrt(variance),
        left_out,
    )


def _quantile(ordered: Floats, share: float) -> float:
    """Linear interpolation between order statistics."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    low, high = float(ordered[below]), float(ordered[above])
    return low + (high - low) * (place - below)


def _bca(
    value: float, ordered: Floats, jackknives: Sequence[Floats], tail: float
) -> tuple[float | None, float | None]:
    """Bias-corrected and accelerated interval (Efron 1987); None where undefined."""
    below = np.count_nonzero(ordered < value) + np.count_nonzero(ordered <= value)
    share = below / (2 * len(ordered))
    if not 0 < share < 1:
        return None, None
    bias = NORMAL.inv_cdf(share)
    acceleration = _acceleration(jackknives)
    ends = []
    for probability in (tail, 1 - tail):
        z = bias + NORMAL.inv_cdf(probability)
        adjusted = NORMAL.cdf(bias + z / (1 - acceleration * z))
        ends.append(_quantile(ordered, adjusted))
    return ends[0], ends[1]


def _acceleration(jackknives: Sequence[Floats]) -> float:
    """Skewness of the jackknife influence over all strata."""
    cubes = squares = 0.0
    for values in jackknives:
        defined = values[np.isfinite(values)]
        if len(defined) < 2:
            continue
        size = len(defined)
        mean = math.fsum(defined) / size
        influence = (size - 1) * (mean - defined) / size
        cubes += math.fsum(influence**3)
        squares += math.fsum(influence**2)
    return cubes / (6 * squares**1.5) if squares else 0.0


def estimates(
    counts: Counts, measures: Sequence[Measure], plan: Plan
) -> dict[str, Estimate]:
    """An estimate of every measure of one test set."""
    found = {}
    for measure, resampled in zip(
        measures, replicates(counts, measures, plan), strict=True
    ):
        value = float(measure.of(counts.totals, counts.columns))
        slopes = [jackknife(counts, measure)]
        found[measure.name] = estimate(value, resampled, slopes, plan.level)
    return found


def mean_estimates(
    strata: Sequence[tuple[Counts, Plan] | None], measures: Sequence[Measure]
) -> dict[str, Estimate]:
    """Estimates of the unweighted mean over test sets, each resampled by itself.

    None stands for a test set without an answer: it counts 0 (SCORING.md, "Common").
    """
    given = [stratum for stratum in strata if stratum is not None]
    size = len(strata)
    found = {}
    for measure in measures:
        values = [float(measure.of(c.totals, c.columns)) for c, _ in given]
        rows = [replicates(c, [measure], plan)[0] for c, plan in given]
        slopes = [jackknife(c, measure) / size for c, _ in given]
        resampled = np.sum(rows, axis=0) / size if rows else np.zeros(1)
        value = math.fsum(values) / size
        level = given[0][1].level if given else 0.95
        found[measure.name] = estimate(value, resampled, slopes, level)
    return found


def remarks(units: int) -> list[str]:
    """What few units mean for the interval (SCORING.md, "Bootstrap")."""
    if units == 1:
        return ["one unit only: the variance is 0 and there is no real interval"]
    if units < 10:
        return [f"only {units} units: the interval means little"]
    return []
