"""The Pareto front of score and cost, and how probable it is that a system is on it.

A system is on the front where none that costs as little or less is better. What a
system costs is known; its true score is not. Resamples of the units say how uncertain
scores are, all systems together, but the scores that stand high are partly lucky: as
shares of resamples the probabilities would be too sure. So the truth is drawn as
far as the systems' spread lets one believe it (a normal prior along the logarithm of
the cost, its spread integrated out over a grid, weighed by itself so that it is not
taken for 0), with errors as the resamples have them (Matheron's rule: a truth and data
of the prior, moved by what the data say).

That the trend along the logarithm of the cost is a straight line, and that systems lie
around it normally, is assumed. Where scores level off with the cost, and hardly lie off
that curve, the line is wrong, and the cheaper systems have too small a probability.
"""

import math
from enum import Enum, auto

import numpy as np

from scoring.counts import Flags, Floats
from scoring.statistics.intervals import TIE

LEAST_SYSTEMS = 4  # of fewer nothing is known of the spread between systems
LEAST_FOR_TREND = 6
SPREADS = 24  # tried of the prior
DRAWS = 4000


def on_front(scores: Floats, costs: Floats) -> Flags:
    """Flags of systems (..., systems) on the front: more score is better, less cost.
    Of two that are equal in both, both are."""
    order = np.argsort(costs, kind="stable")
    numbers, groups = np.unique(costs[order], return_inverse=True)
    best = np.full((*scores.shape[:-1], len(numbers)), -np.inf)
    for place, group in zip(order.tolist(), groups.tolist(), strict=True):
        best[..., group] = np.maximum(best[..., group], scores[..., place])
    before = np.maximum.accumulate(best, axis=-1)
    cheaper = np.concatenate(
        [np.full((*scores.shape[:-1], 1), -np.inf), before[..., :-1]], axis=-1
    )
    flags = np.empty(scores.shape, dtype=np.bool_)
    own = scores[..., order]
    slack = TIE * np.abs(own)
    flags[..., order] = (own > cheaper[..., groups] + slack) & (
        own >= best[..., groups] - slack
    )
    return flags


def chances(truth: Floats, costs: Floats) -> Floats:
    """The probability of each system to be on the front, of draws (draws, systems)."""
    return np.asarray(on_front(truth, costs).mean(axis=0))


class _RawDraws:
    """Numbers from the raw bits of one stream, which no version of numpy changes."""

    def __init__(self, seed: int) -> None:
        self._bits = np.random.PCG64(seed)

    def uniform(self, size: int) -> Floats:
        """Numbers (size,) from 0, below 1."""
        raw = self._bits.random_raw(size)
        return np.asarray((raw >> np.uint64(11)) * 2.0**-53)

    def normal(self, rows: int, columns: int) -> Floats:
        """Standard normal numbers (rows, columns), by Box and Muller."""
        half = -(-rows * columns // 2)
        far = np.sqrt(-2 * np.log1p(-self.uniform(half)))
        angle = 2 * math.pi * self.uniform(half)
        both = np.concatenate([far * np.cos(angle), far * np.sin(angle)])
        return both[: rows * columns].reshape(rows, columns)


def truths(
    values: Floats, resampled: Floats, costs: Floats, seed: int, draws: int = DRAWS
) -> Floats | None:
    """Draws of the truth (draws, systems), given scores (systems,), their resamples
    (systems, resamples) over draws shared by all, and costs. None for too few
    systems."""
    systems = len(values)
    if systems < LEAST_SYSTEMS or not np.isfinite(resampled).all():
        return None
    errors = resampled - resampled.mean(axis=1, keepdims=True)
    # What moves all systems alike decides nothing between them.
    errors = errors - errors.mean(axis=0)
    noise = errors @ errors.T / errors.shape[1]
    trend = _trend(costs)
    centred = values - values.mean()
    whole = float(np.abs(centred).max()) or 1.0
    least = max(float(np.sqrt(np.diag(noise).mean())), 1e-9 * whole)
    spreads = least * np.geomspace(0.05, 20 * whole / least + 1, SPREADS)
    weights, fits = _spread_weights(centred, noise, trend, spreads)
    raw = _RawDraws(seed)
    ends = np.cumsum(weights)[:-1]
    chosen = np.searchsorted(ends, raw.uniform(draws), side="right")
    drawn = np.empty((draws, systems))
    for i in np.unique(chosen).tolist():
        rows = np.flatnonzero(chosen == i)
        inverse, spread, line, root = fits[i]
        prior = raw.normal(len(rows), systems) * spread
        places = (raw.uniform(len(rows)) * errors.shape[1]).astype(np.int64)
        moved = errors[:, places].T
        along = (raw.normal(len(rows), trend.shape[1]) @ root.T) @ trend.T
        # The line is as uncertain as it is; given it, the rest is Matheron's.
        around = trend @ line + along
        off = centred - around - prior - moved
        drawn[rows] = around + prior + (off @ inverse) * spread**2
    return drawn


class Trend(Enum):
    """The straight line that scores are taken to follow: along the logarithm of the
    cost, along the cost where one is not above 0, or none, where few tell of it."""

    LOGARITHM = auto()
    COST = auto()
    NONE = auto()


def trend_of(costs: Floats) -> Trend:
    positive = bool((costs > 0).all())
    along = np.log(costs) if positive else costs
    least = TIE * max(float(np.abs(along).max()), 1.0)
    if len(costs) < LEAST_FOR_TREND or along.std() <= least:
        return Trend.NONE
    return Trend.LOGARITHM if positive else Trend.COST


def _trend(costs: Floats) -> Floats:
    """The columns of the trend: a level, and a line where there is one."""
    trend, level = trend_of(costs), np.ones(len(costs))
    if trend is Trend.NONE:
        return level[:, None]
    logarithm = trend is Trend.LOGARITHM
    along = np.log(costs) if logarithm else costs.astype(np.float64)
    return np.stack([level, (along - along.mean()) / along.std()], axis=1)


def _spread_weights(
    values: Floats, noise: Floats, trend: Floats, spreads: Floats
) -> tuple[Floats, list[tuple[Floats, float, Floats, Floats]]]:
    """The share of each spread of the prior, weighed by itself, and for each the
    inverse covariance, the spread, the line, and the root of its covariance."""
    steps = np.gradient(spreads)
    logs, fits = [], []
    for spread in spreads.tolist():
        covariance = noise + spread**2 * np.eye(len(values))
        inverse = np.linalg.inv(covariance)
        precision = trend.T @ inverse @ trend
        of_line = np.linalg.inv(precision)
        line = of_line @ trend.T @ inverse @ values
        off = values - trend @ line
        size = np.linalg.slogdet(covariance)[1] + np.linalg.slogdet(precision)[1]
        logs.append(-0.5 * (size + off @ inverse @ off))
        fits.append((inverse, spread, line, np.linalg.cholesky(of_line)))
    shares = np.exp(np.array(logs) - max(logs)) * steps * spreads
    return shares / shares.sum(), fits
