"""Every pair of a sample at once: differences, p-values, Holm, intervals."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from scoring.counts import Floats, Integers
from scoring.estimates import TIE, quantiles
from scoring.samples import Sample

# With fewer extreme resamples than this the share of extreme ones says little, and
# with none it says nothing below 1 / resamples, while Holm over a board of fifty asks
# for 0.00004: there the tail is extrapolated.
FEW = 10
DIGITS = 12


@dataclass(frozen=True)
class Pairs:
    """Arrays of shape (pairs,) over `first` < `second`; nan where undefined.

    `p_value` is the two-sided paired bootstrap's, `adjusted` Holm's over all pairs
    here, `spread` the standard deviation of the resampled difference.
    """

    first: Integers
    second: Integers
    difference: Floats
    p_value: Floats
    adjusted: Floats
    spread: Floats


@dataclass(frozen=True)
class Intervals:
    """Of the differences of all pairs, in the same order.

    `probability` is the share of resamples in which the first is better (ties count
    half).
    """

    low: Floats
    high: Floats
    probability: Floats


@dataclass(frozen=True)
class Block:
    """One system against all later ones, `n` of them.

    `observed` and `margin` (what counts as a tie) are (n,), `resampled` differences
    (n, resamples), `defined` (n,) how many of them there are.
    """

    observed: Floats
    margin: Floats
    resampled: Floats
    defined: Integers


def all_pairs(sample: Sample) -> Pairs:
    """Test every system against every later one; one vectorised pass per system.

    The p-value is the share of resampled differences, centred on the observed one,
    at least as far from zero as it, with one added to both sides; see `p_values`.
    """
    found = [(np.zeros(0),) * 3]
    for block in _blocks(sample):
        spread = _spread(block)
        found.append((block.observed, p_values(block, spread, sample.units), spread))
    difference, p_value, spread = map(np.concatenate, zip(*found, strict=True))
    first, second = np.triu_indices(len(sample.values), 1)
    return Pairs(first, second, difference, p_value, holm_of(p_value), spread)


def all_intervals(sample: Sample, higher_is_better: bool, level: float) -> Intervals:
    """Percentile intervals of the differences, and who is better how often."""
    tail = (1 - level) / 2
    found = [(np.zeros(0),) * 3]
    for block in _blocks(sample):
        ordered = np.sort(block.resampled, axis=1)
        low = quantiles(ordered, block.defined, tail)
        high = quantiles(ordered, block.defined, 1 - tail)
        found.append((low, high, _wins(block, higher_is_better)))
    return Intervals(*map(np.concatenate, zip(*found, strict=True)))


def _blocks(sample: Sample) -> Iterator[Block]:
    whole = not np.isnan(sample.resampled).any()
    sizes = np.abs(sample.values)
    for i in range(len(sample.values) - 1):
        observed = sample.values[i] - sample.values[i + 1 :]
        resampled = sample.resampled[i] - sample.resampled[i + 1 :]
        resampled[np.isnan(observed)] = np.nan
        defined = np.where(np.isnan(observed), 0, resampled.shape[1])
        if not whole:
            defined = resampled.shape[1] - np.isnan(resampled).sum(axis=1)
        margin = TIE * np.maximum(sizes[i], sizes[i + 1 :])
        yield Block(observed, margin, resampled, defined)


def _wins(block: Block, higher_is_better: bool) -> Floats:
    """Share of the defined resamples in which the first is better."""
    edge = block.margin[:, None]
    signed = block.resampled if higher_is_better else -block.resampled
    won = (signed > edge).sum(axis=1) + (np.abs(signed) <= edge).sum(axis=1) / 2
    return np.where(block.defined > 0, won / np.maximum(block.defined, 1), np.nan)


def _spread(block: Block) -> Floats:
    """Standard deviation of each row's numbers, nan without any, 0 if all are one."""
    size = np.maximum(block.defined, 1)
    numbers = block.resampled
    if (block.defined < numbers.shape[1]).any():
        numbers = np.where(np.isnan(numbers), 0.0, numbers)
    mean = numbers.sum(axis=1) / size
    off = block.resampled - mean[:, None]
    off[np.isnan(off)] = 0.0
    spread = np.sqrt((off * off).sum(axis=1) / size)
    same = np.abs(off).max(axis=1, initial=0) <= block.margin
    return np.where(block.defined > 0, np.where(same, 0.0, spread), np.nan)


def p_values(block: Block, spread: Floats, units: int) -> Floats:
    """Two-sided p-values of one system against later ones, (n,).

    Where fewer than ten resamples are extreme, the value is what Student's t gives for
    the observed difference over its spread (units - 1 degrees of freedom), never below
    the share counted. No value is below 2 / 2**units, which the best of all ways to
    swap the two systems' units can reach: one unit proves nothing.
    """
    reach, defined = np.abs(block.observed), block.defined
    centred = np.abs(block.resampled - block.observed[:, None])
    extreme = (centred >= (reach - block.margin)[:, None]).sum(axis=1)
    found = np.minimum(1.0, (1 + extreme) / (1 + defined))
    for i in np.flatnonzero((extreme < FEW) & (defined > 0)):
        tail = student_tail(float(reach[i]), float(spread[i]), units - 1)
        found[i] = max(tail, extreme[i] / (1 + defined[i]))
    least = 2.0 ** (1 - max(units, 1))
    return np.where(defined > 0, np.maximum(found, least), np.nan)


def student_tail(distance: float, spread: float, degrees: int) -> float:
    """P(|T| >= distance / spread), by Wallace's (1959) normal approximation.

    For tails between 0.05 and 2e-7 at most 4 % too large from 20 degrees of freedom
    on, more with fewer, never too small; twelve digits, where machines agree.
    """
    if degrees < 1 or distance == 0:
        return 1.0
    if spread == 0:
        return 0.0
    t = distance / spread
    shrunk = math.sqrt(degrees * math.log1p(t * t / degrees))
    z = shrunk * (8 * degrees + 1) / (8 * degrees + 3)
    return float(f"{math.erfc(z / math.sqrt(2)):.{DIGITS}g}")


def holm_of(p_values: Floats) -> Floats:
    """Holm's step-down adjustment of (pairs,) p-values; nan stays nan, uncounted."""
    adjusted = np.full(len(p_values), np.nan)
    known = np.flatnonzero(~np.isnan(p_values))
    order = known[np.argsort(p_values[known], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.maximum.accumulate(np.minimum(1.0, p_values[order] * factors))
    return adjusted
