"""Approximate randomization: would swapping the systems unit by unit matter?

The second opinion beside the exchange test (Noreen 1989). Under the hypothesis that
two systems do not differ, which of them gave which answer on a unit is chance; the
p-value is the share of random swaps whose difference is at least as large as the
observed one. Where all swaps of the units that differ can be listed, all are taken,
and it is exact.

It is the only test of a measure that moves in steps, whose slopes are 0: there boards
and comparisons take it in place of the exchange test.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from scoring.counts import Counts, Floats, whole_systems
from scoring.measures import Measure
from scoring.statistics.bootstrap import Stratum, at_weight, stack_planes, sums
from scoring.statistics.intervals import TIE
from scoring.statistics.row_weights import Rows, in_pieces, weigh
from scoring.statistics.runs import common_multiple

SWAPS = 10_000
# Up to 13 units that differ: 2**13 swaps are no more than are drawn.
LISTED = SWAPS.bit_length() - 1
STREAM = 1
# Rows to be weighed by a measure that is no function of sums: so many of a pair, and
# then fewer swaps, and so many of all pairs.
CELLS_OF_PAIR, MOST_CELLS = 10_000_000, 200_000_000
FEWEST_SWAPS = 1000
# Of tests of measures that move in steps: what all pairs may take, about a minute, and
# the fewest swaps, of which the smallest p-value is one in 2,001.
STEPS_OF_PAIR, MOST_STEPS, FEWEST_IN_STEPS = 10_000_000, 600_000_000, 2000

Bits = npt.NDArray[np.integer]
Places = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Swapped:
    """One test set: `table` (units, systems, columns), its sums, and its swaps.

    `moved` (systems, swaps, columns) are sums over the swapped units; `values`
    (systems,) are the measure's.
    """

    measure: Measure
    table: Floats
    totals: Floats
    values: Floats
    moved: Floats
    names: tuple[str, ...]

    def differing(self, pair: tuple[int, int]) -> Places:
        """The units in which the two differ."""
        first, second = pair
        differs = self.table[:, first] != self.table[:, second]
        return np.flatnonzero(differs.any(axis=1))

    def after_swaps(
        self, pair: tuple[int, int], listed: tuple[Places, Bits] | None
    ) -> Floats:
        """First minus second after each swap: of these units as the bits (swaps, units)
        say, or as was drawn."""
        first, second = pair
        if listed is None:
            gain = self.moved[second] - self.moved[first]
        else:
            units, bits = listed
            gain = bits @ (self.table[units, second] - self.table[units, first])
        first_sums, second_sums = self.totals[list(pair)]
        ours = self.measure.of(first_sums + gain, self.names)
        return ours - self.measure.of(second_sums - gain, self.names)


@dataclass(frozen=True)
class SwappedRows:
    """One test set in a measure that is no function of sums; `chosen` (swaps, units).

    After a swap a system has the rows of one of the two in each unit: in the pool of
    the rows of both a weight of 1 for those that it has, and 0 for the others.
    """

    measure: Measure
    rows: Rows
    values: Floats
    chosen: Bits

    def differing(self, pair: tuple[int, int]) -> Places:
        """The units in which the two differ."""
        first, second = self.rows.tables[list(pair)]
        return np.unique(self.rows.unit_of[(first != second).any(axis=1)])

    def after_swaps(
        self, pair: tuple[int, int], listed: tuple[Places, Bits] | None
    ) -> Floats:
        """First minus second after each swap: of these units as the bits (swaps, units)
        say, or as was drawn."""
        units, bits = np.arange(self.rows.units), self.chosen
        if listed is not None:
            units, bits = listed
        pool = np.concatenate(self.rows.tables[list(pair)])
        after = [np.zeros(0)]
        for some in in_pieces(bits, 2 * len(pool)):
            swapped = np.zeros((len(some), self.rows.units))
            swapped[:, units] = some
            theirs = self.rows.weights(swapped)
            mine = 1 - theirs
            ours = weigh(self.measure, np.concatenate([mine, theirs], axis=1), pool)
            other = weigh(self.measure, np.concatenate([theirs, mine], axis=1), pool)
            after.append(ours - other)
        return np.concatenate(after)


def randomization(
    systems: Sequence[Sequence[Stratum | None]], measure: Measure
) -> Floats:
    """Two-sided p-values of all pairs, (pairs,), of means over test sets.

    Each system brings one entry per test set, in one order. nan for a pair where a
    value is undefined, or where an answer is missing, which cannot be swapped. In a
    measure that is no function of sums also where an entry has several runs, which
    have no mean run, and where swaps would take too long.
    """
    p_values = np.full((len(systems), len(systems)), np.nan)
    whole, given = whole_systems(systems)
    counts = [[counts for counts, _ in row] for row in given]
    count = SWAPS if measure.weighted is None else _swaps_of_rows(counts)
    if not given or not count:
        return p_values[np.triu_indices(len(systems), 1)]
    seeds = [(plan.seed, number) for number, (_, plan) in enumerate(given[0])]
    swapped = SwappedSystems.of(counts, measure, count, seeds)
    for first, second in combinations(range(len(whole)), 2):
        test = swapped.test((first, second))
        p_values[whole[first], whole[second]] = test.p_value
    return p_values[np.triu_indices(len(systems), 1)]


@dataclass(frozen=True)
class SwapTest:
    """The test of a pair: its difference, the two-sided p-value, and the standard
    deviation of the difference over the swaps."""

    difference: float
    p_value: float
    spread: float


@dataclass(frozen=True)
class SwappedSystems:
    """Systems with an answer for each test set, which are swapped in each by itself."""

    parts: Sequence[Swapped | SwappedRows]
    weights: Sequence[float]

    @classmethod
    def of(
        cls,
        systems: Sequence[Sequence[Counts]],
        measure: Measure,
        count: int,
        seeds: Sequence[Sequence[int]],
    ) -> "SwappedSystems":
        """The systems after so many swaps, with a seed for each test set. Raises
        ValueError when the systems differ in test sets, or in the units of one."""
        columns = list(zip(*systems, strict=True))
        parts = [
            _prepare_swaps(column, measure, count, seed)
            for column, seed in zip(columns, seeds, strict=True)
        ]
        return cls(parts, [column[0].weight for column in columns])

    @classmethod
    def in_steps(
        cls, systems: Sequence[Sequence[Counts]], measure: Measure
    ) -> "SwappedSystems | None":
        """Systems that are tested in a measure that moves in steps, by the same swaps
        whoever else is there. None where they have several runs, which have no mean
        run, and where it would take too long."""
        if not systems or any(counts.size > 1 for row in systems for counts in row):
            return None
        cells = 4 * sum(map(_rows, systems[0]))
        count = max(FEWEST_IN_STEPS, min(SWAPS, STEPS_OF_PAIR // max(1, cells)))
        pairs = len(systems) * (len(systems) - 1) // 2
        if pairs * count * cells > MOST_STEPS:
            return None
        seeds = [(number,) for number in range(len(systems[0]))]
        return cls.of(systems, measure, count, seeds)

    def test(self, pair: tuple[int, int]) -> SwapTest:
        """Means over test sets and their sums reach one another in the same swaps."""
        mine, theirs = (
            float(
                sum(
                    w * part.values[i]
                    for part, w in zip(self.parts, self.weights, strict=True)
                )
            )
            for i in pair
        )
        differ = [part.differing(pair) for part in self.parts]
        listed: Sequence[tuple[Places, Bits] | None] = [None] * len(self.parts)
        extra = 1
        if sum(map(len, differ)) <= LISTED:
            listed, extra = _all_swaps(differ), 0
        after = np.zeros(1)
        for part, weight, swapped in zip(self.parts, self.weights, listed, strict=True):
            after = after + at_weight(part.after_swaps(pair, swapped), weight)
        least = abs(mine - theirs) - TIE * max(abs(mine), abs(theirs))
        defined = after[~np.isnan(after)]
        if np.isnan(least) or not len(defined):
            return SwapTest(mine - theirs, math.nan, math.nan)
        reached = int((np.abs(defined) >= least).sum())
        p_value = (extra + reached) / (extra + len(defined))
        spread = math.sqrt(math.fsum((defined * defined).tolist()) / len(defined))
        return SwapTest(mine - theirs, p_value, spread)


def _swaps_of_rows(systems: Sequence[Sequence[Counts]]) -> int:
    """How often rows are swapped that have to be weighed; 0 for not at all."""
    if any(counts.size > 1 for row in systems for counts in row):
        return 0
    rows = sum(map(_rows, systems[0])) if systems else 0
    # Two systems, each with the rows of both to choose from.
    cells = max(1, 4 * rows)
    count = max(FEWEST_SWAPS, min(SWAPS, CELLS_OF_PAIR // cells))
    pairs = len(systems) * (len(systems) - 1) // 2
    return count if pairs * count * cells <= MOST_CELLS else 0


def _rows(counts: Counts) -> int:
    return len(counts.units if counts.finer is None else counts.finer.unit_of)


def swaps(units: int, count: int, seed: Sequence[int]) -> Bits:
    """Random bits (count, units): the units that change sides in each swap. They
    depend on nothing but the arguments."""
    words = -(-units // 64)
    raw = np.random.PCG64([STREAM, *seed]).random_raw(count * words)
    bits = np.unpackbits(raw.astype("<u8").view(np.uint8), bitorder="little")
    return bits.reshape(count, words * 64)[:, :units]


def _prepare_swaps(
    systems: Sequence[Counts], measure: Measure, count: int, seed: Sequence[int]
) -> Swapped | SwappedRows:
    """Prepare a test set; each draws by itself, whatever its seed. Raises ValueError
    when the systems were counted on different units."""
    chosen = swaps(len(systems[0].units), count, seed)
    if measure.weighted is not None:
        rows = Rows.of(systems, measure)
        return SwappedRows(measure, rows, rows.values(measure), chosen)
    table, names = stack_planes(systems, measure)
    flat = table.reshape(len(table), table.shape[1] * table.shape[2])
    swapped = sums(chosen, flat).reshape(count, *table.shape[1:])
    # Of several runs, the mean run.
    worth = 1 / common_multiple(systems)
    moved = np.ascontiguousarray(swapped.transpose(1, 0, 2)) * worth
    totals = table.sum(axis=0) * worth
    values = measure.of(totals, names)
    return Swapped(measure, table * worth, totals, values, moved, names)


def _all_swaps(differ: Sequence[Places]) -> Sequence[tuple[Places, Bits]]:
    """All ways to swap the units that differ, over all test sets together."""
    patterns = np.arange(2 ** sum(map(len, differ)))[:, None]
    listed, done = [], 0
    for units in differ:
        bits = (patterns >> np.arange(done, done + len(units))) & 1
        listed.append((units, bits))
        done += len(units)
    return listed
