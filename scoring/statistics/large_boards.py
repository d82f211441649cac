"""Differences on a large board, decided a few rows of pairs at a time.

Ten thousand systems have fifty million pairs. Ranks and lines ask of each only whether
it is told apart, and by a few units: two bits. Of the sums of a pair (`exchange`) two
bounds follow, and only between them is the test itself made:

With log cosh(x) from x**2 / 2 - x**4 / 12 to x**2 / 2 the saddlepoint t of a sum of z
standard errors (`sign_flips`) is from z to z * (1 + 0.7 u), and its w * w from z * z to
z * z * (1 + 0.35 u). Here u = k * z * z is at most 0.4, and k is the sum of the fourth
powers of the terms, their squares adding up to 1: at most the square of the largest
term. No step of a sum is larger than the root of k. Where u is larger, a tail is still
at most 3.18 times that of a normal variable (Bentkus and Dzindzalieta 2015). A p-value
surely below the smallest that Holm's correction asks for, or above the largest that can
be told apart, is not computed. The sum of fourth powers is bounded in turn by those of
both systems; of few units it is added up where that bound decides nothing. And of all
signs of n units at least two of 2**n are as far out.

The latter is not known before all pairs are: it is guessed, and guessed again where the
end of the family turns out to lie above it. The answer is that of all tests.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from scoring.counts import Counts, Flags, Floats, Integers, whole_systems
from scoring.measures import Measure
from scoring.statistics.arrivals import shares
from scoring.statistics.exchange import (
    FAR,
    FEW,
    FEW_DECIDE,
    NEAR,
    SIGNIFICANT,
    Exchange,
    ExchangePart,
    Sums,
    basis_of,
    in_blocks,
    p_values,
    tables_of,
    terms_of_pair,
    value_of,
)

PRODUCTS_AT_ONCE = 500_000
# Products of digits beyond which a board is not tested: a minute and a half of one core
# (2 * 93e9 additions and multiplications a second at best, a third of it here).
MOST_PRODUCTS = 2e12
# Counts beyond which it is not: with their digits and a board of 10,000 two gigabytes.
MOST_COUNTS = 100_000_000
ROWS_LOOKED_AT = 24  # to guess where the family ends
SLACK = 2.0
# Tails by the saddlepoint are good to a few per cent.
APPROXIMATE = 1.1
MOST_U, LEAST_Z = 0.4, 2.5
# Fourth powers of more units take longer to add up than the tests that they spare.
ADDED_UP = 128
MOST_OF_NORMAL = 3.18
# All signs of so few units give no smaller p-value.
OF_FEW = 2.0 ** (1 - FEW)


@dataclass(frozen=True)
class HolmFamily:
    """The end of Holm's correction in a family of so many `pairs`: `told_apart` of them
    are told apart, the largest adjusted p-value among them being `last`, of
    `p_value`."""

    pairs: int
    told_apart: int
    p_value: float
    last: float

    def adjust(self, p_value: float) -> float:
        """At least Holm's adjusted p-value of a pair of the family, and on the same
        side of the level."""
        if p_value <= self.p_value:
            return min(p_value * self.pairs, self.last)
        return min(1.0, max(self.last, p_value * (self.pairs - self.told_apart)))


@dataclass(frozen=True)
class ToldApart:
    """The facts that ranks and lines of a board follow from.

    `values` and `complete` (systems,) are those of `exchange.Pairs`, and so are
    `units`, `typical`, `typical_beside` and `too_many`. Of [i, j] `better` says that i
    is significantly better than j, and `few` that a few units make the two differ.
    `family` is None where differences stay (`arrivals`).
    """

    values: Floats
    complete: Flags
    better: Flags
    few: Flags
    units: int
    typical: tuple[Floats, Floats]
    family: HolmFamily | None = None
    too_many: bool = False
    typical_beside: tuple[float, float] = (0.0, 0.0)

    @property
    def tested(self) -> Flags:
        """Flags (systems,) of those that take part in the tests."""
        return np.asarray(self.complete & ~np.isnan(self.values))


def told_apart(
    systems: Sequence[Sequence[Counts | None]],
    measure: Measure,
    level: float,
    arrived: Integers | None = None,
) -> ToldApart:
    """The pairs of `exchange.all_pairs` that are told apart at that level.

    `arrived` (systems,) are the numbers of arrivals where differences stay. There is no
    test where it would take too long, nor with several runs or judges, of which every
    pair asks for a test of its own.
    """
    whole, given = whole_systems(systems)
    complete = np.isin(np.arange(len(systems)), whole)
    values = np.array([value_of(system, measure) for system in systems])
    size = len(values)
    nobody = np.zeros((0, 0), dtype=np.bool_)
    none = np.zeros(0)
    board = ToldApart(values, complete, nobody, nobody, 0, (none, none), too_many=True)
    tested = np.flatnonzero(board.tested)
    chosen = [given[i] for i in np.flatnonzero(~np.isnan(values[whole]))]
    if measure.of_file or measure.weighted is not None or basis_of(chosen) is None:
        return board
    columns = len(measure.columns) if chosen else 0
    units = sum(len(counts.units) for counts in chosen[0]) if chosen else 0
    if columns * units * len(tested) > MOST_COUNTS:
        return board
    exchange = Exchange(tables_of(chosen, [measure]), measure)
    pairs = size * size / 2
    if pairs * exchange.units * max(exchange.width, 1) ** 2 > MOST_PRODUCTS:
        return board
    search = _Search(
        exchange,
        values[tested],
        measure.higher_is_better,
        round(1 - level, 9),
        None if arrived is None else arrived[tested],
    )
    limit = search.guess()
    while not search.decide(limit):
        limit *= SLACK**2
    better, few = (_among(flags, tested, size) for flags in (search.better, search.few))
    return replace(
        board,
        better=better,
        few=few,
        units=exchange.units,
        typical=_typical(exchange, search.spread),
        family=search.family,
        too_many=False,
    )


def _among(flags: Flags, tested: Integers, size: int) -> Flags:
    """Flags of the tested systems as [i, j] of all."""
    if len(tested) == size:
        return flags
    square = np.zeros((size, size), dtype=np.bool_)
    square[np.ix_(tested, tested)] = flags
    return square


class _Search:
    """The search for all pairs that are told apart, of systems that all have a value.

    `spread` (pairs,) are their standard errors.
    """

    def __init__(
        self,
        exchange: Exchange,
        values: Floats,
        higher_is_better: bool,
        alpha: float,
        arrived: Integers | None,
    ) -> None:
        self.exchange, self.values, self.alpha = exchange, values, alpha
        self.higher_is_better, self.arrived = higher_is_better, arrived
        self.pairs = exchange.size * (exchange.size - 1) // 2
        self.family: HolmFamily | None = None
        self.spread = np.zeros(0)

    def guess(self) -> float:
        """The largest p-value that is told apart, or more, as a few rows have it by
        normal tails."""
        step = max(1, self.exchange.size // ROWS_LOOKED_AT)
        rows = range(0, self.exchange.size - 1, step)
        looked = [self.exchange.row(row).z for row in rows]
        z = np.sort(np.nan_to_num(np.concatenate([*looked, np.zeros(1)])))[::-1]
        left = 1 + self.pairs * (1 - np.arange(len(z)) / len(z))
        tails = np.array([math.erfc(value / math.sqrt(2)) for value in z.tolist()])
        short = np.flatnonzero(tails * left >= self.alpha)
        return float(SLACK * self.alpha / left[short[0] if len(short) else -1])

    def decide(self, limit: float) -> bool:
        """Tell pairs apart whose p-values are up to `limit`; whether those are all."""
        size = self.exchange.size
        self.better, self.few = np.zeros((2, size, size), dtype=np.bool_)
        self.spread = np.empty(self.pairs)
        self.defined = self.sure = place = 0
        open_: list[tuple[Integers, Integers, Floats, Flags]] = []
        for sums in self.exchange.blocks(size - 1, PRODUCTS_AT_ONCE):
            self.spread[place : place + len(sums)] = sums.spread
            place += len(sums)
            open_.append(self._block(sums, limit))
        columns = zip(*open_, strict=True) if open_ else [[np.zeros(0, int)]] * 4
        first, second, p_value, few = map(np.concatenate, columns)
        if self.arrived is not None:
            return True
        return self._correct_the_rest(first, second, p_value, few, limit)

    def _block(
        self, sums: Sums, limit: float
    ) -> tuple[Integers, Integers, Floats, Flags]:
        """Tell apart what surely is; the pairs that Holm's correction has to decide,
        with their p-values and whether a few units make them differ."""
        z, first, second = sums.z, sums.first, sums.second
        self.defined += int(np.count_nonzero(~np.isnan(z)))
        lowest: Floats | float = self.alpha / max(self.pairs, 1)
        highest: Floats | float = limit
        if self.arrived is not None:
            later = np.maximum(self.arrived[first], self.arrived[second])
            lowest = highest = self.alpha * shares(later)
        fourth = self._fourth_at_most(sums)
        undecided, sure = self._undecided_pairs(z, fourth, lowest, highest)
        if self.exchange.units <= ADDED_UP:
            some = np.flatnonzero(undecided)
            fourth[some] = self._fourth(sums.at(some))
            undecided, sure = self._undecided_pairs(z, fourth, lowest, highest)
        clear_pairs = sums.at(np.flatnonzero(sure))
        pairs = clear_pairs.first, clear_pairs.second
        undone = self.exchange.failures.undo(
            pairs, clear_pairs.shift, clear_pairs.spread, SIGNIFICANT
        )
        self._tell(*pairs, undone)
        self.sure += len(clear_pairs)
        some = np.flatnonzero(undecided)
        p_value, effective = p_values(self.exchange, sums.at(some))
        few = effective < FEW_DECIDE
        if self.arrived is not None:
            adjusted = np.minimum(1.0, p_value / shares(later[some]))
            clear = np.flatnonzero(adjusted < self.alpha)
            self._tell(first[some[clear]], second[some[clear]], few[clear])
            some, few = some[:0], few[:0]
            p_value = p_value[:0]
        keep = p_value <= limit
        some = some[keep]
        return first[some], second[some], p_value[keep], few[keep]

    def _undecided_pairs(
        self,
        z: Floats,
        fourth: Floats,
        lowest: Floats | float,
        highest: Floats | float,
    ) -> tuple[Flags, Flags]:
        """The pairs whose tests have to be made, and those surely told apart,
        by many units."""
        least, most = _between(z, fourth)
        # No other signs of all units may reach a sum, but their opposites do.
        least = np.maximum(least, 2.0 ** (1 - self.exchange.units) / APPROXIMATE)
        of_many = (z > FAR) | (fourth * FEW_DECIDE * APPROXIMATE < 1)
        sure = (most < lowest) & of_many
        return ~(least > highest) & ~sure & ~np.isnan(z), sure

    def _correct_the_rest(
        self,
        first: Integers,
        second: Integers,
        p_value: Floats,
        few: Flags,
        limit: float,
    ) -> bool:
        """Holm's correction of these after all that are sure; whether it ends here."""
        order = np.argsort(p_value)
        factors = np.arange(self.defined - self.sure, 0, -1)[: len(order)]
        adjusted = np.minimum(1.0, p_value[order] * factors)
        adjusted = np.maximum.accumulate(adjusted)
        clear = order[adjusted < self.alpha]
        told_apart, left = self.sure + len(clear), self.defined - self.sure - len(clear)
        # The next may have any p-value above the limit.
        if len(clear) == len(order) and left and limit * left < self.alpha:
            return False
        self._tell(first[clear], second[clear], few[clear])
        last = float(adjusted[len(clear) - 1]) if len(clear) else self.alpha
        largest = float(p_value[clear].max(initial=0.0))
        if not len(clear):  # All that are told apart are far below.
            largest = self.alpha / max(self.defined, 1)
        self.family = HolmFamily(self.defined, told_apart, largest, last)
        return True

    def _tell(self, first: Integers, second: Integers, few: Flags) -> None:
        ahead = (self.values[first] - self.values[second] > 0) == self.higher_is_better
        one, other = np.where(ahead, first, second), np.where(ahead, second, first)
        self.better[one, other] = True
        self.few[first[few], second[few]] = self.few[second[few], first[few]] = True

    def _fourth_at_most(self, sums: Sums) -> Floats:
        """An upper bound of the sums of fourth powers of terms whose squares add up to
        1, (pairs,)."""
        largest, powers = np.zeros((2, len(sums)))
        for part, slopes in zip(self.exchange.parts, sums.gradients, strict=True):
            assert isinstance(part, ExchangePart)
            sizes, norm = np.abs(slopes), np.zeros(len(sums))
            for k, norms in enumerate(part.fourth_norms):
                norm += sizes[:, k] * (norms[sums.first] + norms[sums.second])
                largest = np.maximum(largest, sizes @ part.ranges)
            powers += norm**4
        squares = np.where(sums.spread > 0, sums.spread, 1.0) ** 2
        return np.asarray(np.minimum(largest**2, powers / squares) / squares)

    def _fourth(self, sums: Sums) -> Floats:
        """The sums that `_fourth_at_most` bounds, of terms added up one by one."""
        fourth = np.zeros(len(sums))
        for some in in_blocks(np.arange(len(sums)), max(1, self.exchange.units)):
            own = sums.at(some)
            squares = self.exchange.terms(own) ** 2
            spread = np.where(own.spread > 0, own.spread, 1.0)
            fourth[some] = np.einsum("pu,pu->p", squares, squares) / spread**4
        return fourth


def _between(z: Floats, fourth: Floats) -> tuple[Floats, Floats]:
    """The p-values of pairs are surely from here to here, each (pairs,). Where u is too
    large nothing bounds them from below, but for what all signs of FEW units give."""
    far = np.maximum(z, LEAST_Z)
    square = far * far
    u = fourth * square
    bounded = u <= MOST_U
    u = np.where(bounded, u, 0.0)
    step = np.sqrt(u)
    density = np.exp(-square / 2) * (math.sqrt(2 / math.pi) / APPROXIMATE)
    least = 1 / (far * (1 + 1.1 * u)) - 1.4 / (square * far)
    least *= density * np.exp(-0.175 * u * square)
    least = np.where(bounded, least, 0.0)
    least[z <= NEAR] = np.maximum(least[z <= NEAR], OF_FEW / APPROXIMATE)
    factor = np.exp(step) / (np.sqrt(1 - 1.64 * u) * (1 - step / square))
    factor = np.where(bounded, np.minimum(factor, MOST_OF_NORMAL), MOST_OF_NORMAL)
    most = np.where(z < LEAST_Z, 1.0, APPROXIMATE**2 * density * factor / far)
    return least, most


def _typical(exchange: Exchange, spread: Floats) -> tuple[Floats, Floats]:
    """Terms and shares of the pair of the median spread, as `exchange.Pairs` has it."""
    short = spread.astype(np.float32)  # in the same order, but for ties
    short[~(spread > 0)] = -1.0
    none = int(np.count_nonzero(short < 0))
    apart = len(spread) - none
    if not apart:
        return np.zeros(0), np.zeros(0)
    middle = none + apart // 2
    median = np.partition(short, middle)[middle]
    close = np.flatnonzero(short == median)
    middle -= int(np.count_nonzero(short < median))
    values = spread[close]
    median = np.partition(values, middle)[middle]
    middle -= int(np.count_nonzero(values < median))
    place = int(close[values == median][middle])
    later = np.arange(exchange.size - 1, 0, -1)
    ends = np.cumsum(later)
    first = int(np.searchsorted(ends, place, side="right"))
    second = place - int(ends[first] - later[first]) + first + 1
    terms, of_units, _beside = terms_of_pair(exchange, first, second)
    return terms, of_units
