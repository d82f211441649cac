"""Approximate randomization: would swapping the systems unit by unit matter?

The second opinion beside the exchange test (Noreen 1989). Under the hypothesis that
two systems do not differ, which of them gave which answer on a unit is chance; the
p-value is the share of random swaps whose difference is at least as large as the
observed one. Where all swaps of the units that differ can be listed, all are taken,
and it is exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from scoring.counts import Floats
from scoring.measures import Measure
from scoring.statistics.bootstrap import Stratum, stacked, sums
from scoring.statistics.intervals import TIE
from scoring.statistics.runs import common_multiple

SWAPS = 10_000
# Up to 13 units that differ: 2**13 swaps are no more than are drawn.
LISTED = SWAPS.bit_length() - 1
STREAM = 1

Bits = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Swapped:
    """One test set: `table` (units, systems, columns), its sums, and its swaps.

    `moved` (systems, swaps, columns) are sums over the swapped units; `values`
    (systems,) are the measure's.
    """

    table: Floats
    totals: Floats
    values: Floats
    moved: Floats
    names: tuple[str, ...]

    def after_swaps(
        self, pair: tuple[int, int], gain: Floats, measure: Measure
    ) -> Floats:
        """First minus second after each swap; `gain` (swaps, columns) of the first."""
        first, second = self.totals[list(pair)]
        ours = measure.of(first + gain, self.names)
        return ours - measure.of(second - gain, self.names)


def randomization(
    systems: Sequence[Sequence[Stratum | None]], measure: Measure
) -> Floats:
    """Two-sided p-values of all pairs, (pairs,), of means over test sets.

    Each system brings one entry per test set, in one order. nan for a pair where a
    value is undefined, or where an answer is missing, which cannot be swapped.
    """
    p_values = np.full((len(systems), len(systems)), np.nan)
    whole = [i for i, system in enumerate(systems) if None not in system]
    columns = zip(*(systems[i] for i in whole), strict=True)
    parts = [
        _swapped([stratum for stratum in column if stratum], measure, number)
        for number, column in enumerate(columns)
    ]
    for first, second in combinations(range(len(whole)), 2):
        p_values[whole[first], whole[second]] = _p_value(
            parts, (first, second), measure
        )
    return p_values[np.triu_indices(len(systems), 1)]


def swaps(units: int, count: int, seed: Sequence[int]) -> Bits:
    """Random bits (count, units): the units that change sides in each swap. They
    depend on nothing but the arguments."""
    words = -(-units // 64)
    raw = np.random.PCG64([STREAM, *seed]).random_raw(count * words)
    bits = np.unpackbits(raw.astype("<u8").view(np.uint8), bitorder="little")
    return bits.reshape(count, words * 64)[:, :units]


def _swapped(column: Sequence[Stratum], measure: Measure, number: int) -> Swapped:
    """Prepare a test set; each draws by itself, whatever its seed. Raises ValueError
    when the systems were counted on different units."""
    systems = [counts for counts, _ in column]
    table, names = stacked(systems, measure)
    chosen = swaps(len(table), SWAPS, (column[0][1].seed, number))
    flat = table.reshape(len(table), table.shape[1] * table.shape[2])
    swapped = sums(chosen, flat).reshape(SWAPS, *table.shape[1:])
    # Of several runs, the mean run.
    worth = 1 / common_multiple(systems)
    moved = np.ascontiguousarray(swapped.transpose(1, 0, 2)) * worth
    totals = table.sum(axis=0) * worth
    values = measure.of(totals, names)
    return Swapped(table * worth, totals, values, moved, names)


def _p_value(
    parts: Sequence[Swapped], pair: tuple[int, int], measure: Measure
) -> float:
    """Means over test sets and their sums reach one another in the same swaps."""
    mine, theirs = (float(sum(part.values[i] for part in parts)) for i in pair)
    differ = [_differing(part, pair) for part in parts]
    units = sum(map(len, differ))
    if units <= LISTED:
        gains, extra = _listed(parts, pair, differ), 0
    else:
        first, second = pair
        gains, extra = [part.moved[second] - part.moved[first] for part in parts], 1
    after = np.zeros(len(gains[0]) if gains else 1)
    for part, gain in zip(parts, gains, strict=True):
        after += part.after_swaps(pair, gain, measure)
    after = np.abs(after)
    least = abs(mine - theirs) - TIE * max(abs(mine), abs(theirs))
    defined = len(after) - int(np.isnan(after).sum())
    if np.isnan(least) or not defined:
        return float("nan")
    return (extra + int((after >= least).sum())) / (extra + defined)


def _differing(part: Swapped, pair: tuple[int, int]) -> npt.NDArray[np.intp]:
    first, second = pair
    differs = part.table[:, first] != part.table[:, second]
    return np.flatnonzero(differs.any(axis=1))


def _listed(
    parts: Sequence[Swapped],
    pair: tuple[int, int],
    differ: Sequence[npt.NDArray[np.intp]],
) -> list[Floats]:
    """Gains of all ways to swap the units that differ, over all test sets together."""
    patterns = np.arange(2 ** sum(map(len, differ)))[:, None]
    gains, done = [], 0
    for part, units in zip(parts, differ, strict=True):
        bits = (patterns >> np.arange(done, done + len(units))) & 1
        first, second = pair
        gains.append(bits @ (part.table[units, second] - part.table[units, first]))
        done += len(units)
    return gains
