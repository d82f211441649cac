"""Approximate randomization: would swapping the systems unit by unit matter?

The second method beside the paired bootstrap (Noreen 1989). Under the hypothesis that
two systems do not differ, which of them gave which answer on a unit is chance; the
p-value is the share of random swaps whose difference is at least as large as the
observed one. Where all swaps can be listed, all are taken, and it is exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.bootstrap import Plan, Stratum, sums
from scoring.counts import Counts, Floats
from scoring.estimates import TIE
from scoring.measures import Measure
from scoring.samples import stacked

STREAM = 1


@dataclass(frozen=True)
class Swapped:
    """One test set: `totals` (systems, columns) and how much of them each swap moves.

    `moved` (swaps, systems, columns) are sums over the swapped units; `every` says
    that the swaps are all there are.
    """

    totals: Floats
    moved: Floats
    names: tuple[str, ...]
    every: bool

    def differences(self, first: int, measure: Measure) -> Floats:
        """System `first` minus each later one after each swap, (swaps, later)."""
        gain = self.moved[:, first + 1 :] - self.moved[:, first : first + 1]
        ours = measure.of(self.totals[first] + gain, self.names)
        return ours - measure.of(self.totals[first + 1 :] - gain, self.names)


def swaps(units: int, count: int, seed: int) -> npt.NDArray[np.uint8]:
    """Which units change sides in each swap, 0 or 1, shape (count or fewer, units).

    All 2**units patterns where that is no more than `count`; else random bits, which
    depend on nothing but the arguments.
    """
    if units < 40 and 2**units <= count:
        patterns = np.arange(2**units, dtype=np.uint64)[:, None]
        return ((patterns >> np.arange(units, dtype=np.uint64)) & 1).astype(np.uint8)
    words = -(-units // 64)
    raw = np.random.PCG64([seed, STREAM]).random_raw(count * words)
    bits = np.unpackbits(raw.astype("<u8").view(np.uint8), bitorder="little")
    return bits.reshape(count, words * 64)[:, :units]


def swapped(systems: Sequence[Counts], measure: Measure, plan: Plan) -> Swapped:
    """Prepare one test set.

    Raises ValueError when the systems were counted on different units.
    """
    tables, names = stacked(systems, measure)
    chosen = swaps(len(tables), plan.resamples, plan.seed)
    flat = tables.reshape(len(tables), tables.shape[1] * tables.shape[2])
    moved = sums(chosen, flat)
    shape = (len(chosen), *tables.shape[1:])
    every = len(tables) < 40 and len(chosen) == 2 ** len(tables)
    return Swapped(tables.sum(axis=0), moved.reshape(shape), names, every)


def randomization(systems: Sequence[Counts], measure: Measure, plan: Plan) -> Floats:
    """Two-sided p-values of all pairs, shape (pairs,), nan where undefined."""
    return _p_values([swapped(systems, measure, plan)], len(systems), measure)


def mean_randomization(
    systems: Sequence[Sequence[Stratum | None]], measure: Measure
) -> Floats:
    """The same for means over test sets: units are swapped within each of them.

    A missing answer cannot be swapped, so a board with one has no such p-values: all
    are nan.
    """
    size = len(systems)
    columns = list(zip(*systems, strict=True))
    if any(stratum is None for column in columns for stratum in column):
        return np.full(size * (size - 1) // 2, np.nan)
    parts = []
    for column in columns:
        given = [stratum for stratum in column if stratum is not None]
        parts.append(swapped([counts for counts, _ in given], measure, given[0][1]))
    return _p_values(parts, size, measure)


def _p_values(parts: Sequence[Swapped], systems: int, measure: Measure) -> Floats:
    every = len(parts) == 1 and parts[0].every
    values = added([measure.of(part.totals, part.names) for part in parts])
    found = [np.zeros(0)]
    for first in range(systems - 1):
        observed = np.abs(values[first] - values[first + 1 :])
        margin = TIE * np.maximum(np.abs(values[first]), np.abs(values[first + 1 :]))
        after = np.abs(added([part.differences(first, measure) for part in parts]))
        found.append(_shares(observed - margin, after, every))
    return np.concatenate(found)


def _shares(least: Floats, after: Floats, every: bool) -> Floats:
    """Share of swaps that reach the least difference; of all swaps, exactly."""
    defined = len(after) - np.isnan(after).sum(axis=0)
    reached = (after >= least).sum(axis=0)
    one = 0 if every else 1
    shares = (one + reached) / np.maximum(one + defined, 1)
    undefined = np.isnan(least) | (defined == 0)
    return np.where(undefined, np.nan, np.minimum(1.0, shares))


def added(arrays: Sequence[Floats]) -> Floats:
    return np.asarray(np.sum(arrays, axis=0), dtype=np.float64)
