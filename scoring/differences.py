"""Bootstrap intervals of the differences of all pairs, and who is better how often."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from scoring.counts import Floats, Integers
from scoring.estimates import TIE, quantiles
from scoring.samples import Sample


@dataclass(frozen=True)
class Intervals:
    """Arrays of shape (pairs,), the first system of each before the second.

    `probability` is the share of resamples in which the first is better (ties count
    half).
    """

    low: Floats
    high: Floats
    probability: Floats


@dataclass(frozen=True)
class DifferenceBlock:
    """One system against all later ones, `n` of them.

    `margin` (what counts as a tie) is (n,), `resampled` differences (n, resamples),
    `defined` (n,) how many of them there are.
    """

    margin: Floats
    resampled: Floats
    defined: Integers


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


def _blocks(sample: Sample) -> Iterator[DifferenceBlock]:
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
        yield DifferenceBlock(margin, resampled, defined)


def _wins(block: DifferenceBlock, higher_is_better: bool) -> Floats:
    """Share of the defined resamples in which the first is better."""
    edge = block.margin[:, None]
    signed = block.resampled if higher_is_better else -block.resampled
    won = (signed > edge).sum(axis=1) + (np.abs(signed) <= edge).sum(axis=1) / 2
    return np.where(block.defined > 0, won / np.maximum(block.defined, 1), np.nan)
