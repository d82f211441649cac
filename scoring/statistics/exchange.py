"""The test of two systems: within each unit they could be exchanged.

Every unit adds d = gradient . (counts of the one - counts of the other) to the
difference of two systems, the gradient of the measure taken at the middle of their
totals. If the two can be exchanged within units, each d could as well have the other
sign, and the p-value is the tail of that distribution. It is that of
z = sum(d) / sqrt(sum(d * d)), close to a normal one, never much heavier (Efron 1969),
and much lighter far out where units weigh unequally (`scoring.statistics.sign_flips`).
Where at most twelve units differ, all signs are tried.
For measures that are no functions of totals, `scoring.statistics.influence` has the d.
One that moves in steps has none: there whole units are swapped at random
(`scoring.statistics.randomization`), or there is no test.
Where systems have several runs or judges, those are a sample, too: the p-value becomes
larger by what they vary (`scoring.statistics.variance_components`).

The sums come from products of whole numbers that stay below 2**53: they are exact, the
same bytes on every machine and whoever else is compared. One matrix product gives
those of all pairs.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from scoring.counts import (
    HIGH_STEP,
    LOW,
    LOW_STEP,
    Counts,
    Flags,
    Floats,
    Integers,
    whole_systems,
)
from scoring.measures import Measure
from scoring.statistics import sign_flips, variance_components
from scoring.statistics.bootstrap import planes_of, stack_planes
from scoring.statistics.influence import InfluencePart
from scoring.statistics.intervals import TIE
from scoring.statistics.randomization import SwappedSystems, SwapTest
from scoring.statistics.runs import common_multiple
from scoring.statistics.runs import value_of as value_of_one
from scoring.statistics.unseen import UNSEEN, Failures
from scoring.statistics.variance_components import Planned, RandomFactors

# With so many differing units or fewer all 2**units signs are tried.
FEW = sign_flips.FEW
# Sums of so many pairs at once are close by.
SIGNS_OF_PAIR = 2 ** (FEW // 2 + 7)
# Between these values of z the tail is that of the signs. Below, a normal one tells
# that p is large; above, that it is smaller than any board asks for.
NEAR, FAR = 1.5, 7.0
# Fewer effective units than these, and a few units decide who is better.
FEW_DECIDE = 20
# Of a normal distribution, two-sided at 5 %.
SIGNIFICANT = 1.959964
# Slopes are good to ten digits; a sum below this share of its terms is rounding.
ROUNDING = 1e-9
# A slope is taken over 2**-10 of the spread of the pair's differences in that column.
FINER = 10
CELLS_AT_ONCE = 4_000_000
# Of units in which many systems differ the first ones mostly tell that enough do.
UNITS_FIRST, UNITS_THEN = 32, 256

Place = TypeVar("Place", int, Integers)


@dataclass(frozen=True)
class ExchangeColumn:
    """One column of a test set: `cells` (systems, units) and their sums (systems,).

    `digits` are whole numbers (systems, units) whose products are exact, with what one
    of them is worth; none where no two systems differ.
    """

    cells: Floats
    totals: Floats
    digits: Sequence[tuple[Floats, float]]


@dataclass(frozen=True)
class ExchangePart:
    """One test set as a measure sees it.

    `varying` are the places of those of its columns in which any two systems differ;
    `digits` (systems, d, units) are those of these columns, each worth `worth` (d,) of
    the column `column_of` (d,), an index into `varying`. `units` are those in which any
    two differ, most often differing first.
    """

    measure: Measure
    totals: Sequence[Floats]
    varying: Sequence[int]
    cells: Sequence[Floats]
    digits: Floats
    worth: Floats
    column_of: Integers
    units: Integers
    over: float
    too_many = False

    @property
    def size(self) -> int:
        """The number of units, differing or not."""
        return int(self.digits.shape[2])

    @property
    def width(self) -> int:
        """The number of digits whose products are taken."""
        return len(self.worth)

    @cached_property
    def own_products(self) -> Floats:
        """Sums over units of products of each system's digits, (systems, d, d)."""
        return np.asarray(np.einsum("sku,slu->skl", self.digits, self.digits))

    @cached_property
    def ranges(self) -> Floats:
        """The largest gap between systems in one unit, for each varying column."""
        apart = [cells.max(axis=0) - cells.min(axis=0) for cells in self.cells]
        return np.array([values.max(initial=0.0) for values in apart])

    @cached_property
    def fourth_norms(self) -> Floats:
        """Fourth roots of sums of fourth powers of what a system is off the mean of
        all in each unit, (varying columns, systems)."""
        norms = np.zeros((len(self.cells), len(self.digits)))
        step = max(1, CELLS_AT_ONCE // max(self.size, 1))
        for k, cells in enumerate(self.cells):
            middle = cells.mean(axis=0)
            for top in range(0, len(cells), step):
                squares = (cells[top : top + step] - middle) ** 2
                norms[k, top : top + step] = (squares * squares).sum(axis=1) ** 0.25
        return norms

    @property
    def is_whole(self) -> bool:
        """Whether systems differ in one column only, by whole numbers."""
        return len(self.worth) == 1 and bool(self.worth[0] == 1)

    def slopes(
        self, block: tuple[int, int], first: Integers, second: Integers
    ) -> tuple[Floats, Floats]:
        """Gradients of the mean over test sets, (pairs, varying columns), and
        sum(d * d) of each pair: one of the `block` of systems and a later one. `over`
        is the number of test sets by the weight of this one."""
        products = _products(self, block, first, second)
        slopes = _slopes(self, self.measure, products, first, second)
        slopes /= self.over
        return slopes, _squares(self, slopes, products)

    def column_sums(
        self, first: Integers, second: Integers, slopes: Floats
    ) -> Iterator[Floats]:
        """Each column's part of sum(d) of the pairs."""
        for k, place in enumerate(self.varying):
            totals = self.totals[place]
            yield slopes[:, k] * (totals[first] - totals[second])

    def terms(
        self, first: Integers, second: Integers, slopes: Floats, units: Integers | slice
    ) -> Floats:
        """The d of these units, (pairs, units)."""
        if not self.cells:
            return np.zeros((len(first), len(np.arange(self.size)[units])))
        several = len(self.cells) > 1
        terms, size = np.zeros(0), np.zeros(0)
        for k, cells in enumerate(self.cells):
            chosen = np.ascontiguousarray(cells[:, units])
            moved = chosen[first]
            moved -= chosen[second]
            moved *= slopes[:, k, None]
            terms = moved if k == 0 else terms + moved
            if several:
                size = np.abs(moved) if k == 0 else size + np.abs(moved)
        if several:
            terms[np.abs(terms) <= ROUNDING * size] = 0.0
        return terms

    def sizes(self, first: Integers, second: Integers, slopes: Floats) -> Floats:
        """Sizes of units for the measure in both systems, (pairs, units)."""
        sizes = np.zeros((len(first), self.size))
        for k, cells in enumerate(self.cells):
            both = np.abs(cells[first]) + np.abs(cells[second])
            sizes += np.abs(slopes[:, k, None]) * both
        return sizes


Part = ExchangePart | InfluencePart


@dataclass(frozen=True)
class Sums:
    """Sums of pairs of systems, `first` < `second` (pairs,): sum(d), sqrt(sum(d * d)),
    and the gradient in each test set."""

    first: Integers
    second: Integers
    shift: Floats
    spread: Floats
    gradients: Sequence[Floats]

    def __len__(self) -> int:
        return len(self.first)

    def at(self, places: Integers | slice) -> "Sums":
        """The sums of some pairs."""
        pairs = self.first[places], self.second[places]
        slopes = [of_part[places] for of_part in self.gradients]
        return Sums(*pairs, self.shift[places], self.spread[places], slopes)

    @property
    def each(self) -> Iterator["Sums"]:
        """Every pair by itself."""
        return (self.at(slice(i, i + 1)) for i in range(len(self)))

    @property
    def z(self) -> Floats:
        """How many standard errors each pair is apart, (pairs,)."""
        errors = np.where(self.spread > 0, self.spread, 1.0)
        return np.asarray(np.abs(self.shift) / errors)


class Exchange:
    """Systems with an answer for each test set, in one measure: all their pairs."""

    def __init__(self, tables: Sequence["ExchangeTable"], measure: Measure) -> None:
        self.measure = measure
        self.size = tables[0].size if tables else 0
        self.units = sum(table.units for table in tables)
        self.parts = [table.part(measure, len(tables)) for table in tables]
        self._systems = [*zip(*(table.systems for table in tables), strict=True)]
        self._swaps: dict[tuple[int, int], SwapTest] = {}

    @cached_property
    def random_factors(self) -> RandomFactors | None:
        """Runs and judges, as samples beside the units; None without several."""
        return RandomFactors.of(self._systems, self.measure)

    def beside_units(
        self, sums: Sums, planned: Planned | None = None
    ) -> tuple[Floats, Floats]:
        """The variance of differences that runs and judges add, and the terms of
        both in the degrees of freedom of Satterthwaite, (pairs,) each; of as many as
        are planned."""
        if self.random_factors is None:
            return np.zeros(len(sums)), np.zeros(len(sums))
        factors = replace(self.random_factors, planned=planned)
        return factors.of_pairs(sums.first, sums.second)

    @cached_property
    def failures(self) -> Failures:
        """The part of a failed unit in a difference in errors without upper limit."""
        most = np.zeros(self.size)
        if self.measure.sizes is not None:
            for column in zip(*self._systems, strict=True):
                own = Failures.of(
                    *stack_planes(column, self.measure), self.measure
                ).most
                share = column[0].weight / len(self.parts)
                most = np.maximum(most, share * own)
        return Failures(most)

    @cached_property
    def _swapped_systems(self) -> SwappedSystems | None:
        return SwappedSystems.in_steps(self._systems, self.measure)

    def swap_test(self, first: int, second: int) -> SwapTest:
        """The test of a pair in a measure that moves in steps; nan without a test."""
        if self._swapped_systems is None:
            return SwapTest(math.nan, math.nan, math.nan)
        pair = first, second
        if pair not in self._swaps:
            self._swaps[pair] = self._swapped_systems.test(pair)
        return self._swaps[pair]

    @property
    def too_many(self) -> bool:
        """Whether there are too many pairs and units for a test."""
        if self.measure.stepwise:
            return self._swapped_systems is None
        return any(part.too_many for part in self.parts)

    def pairs(self, leading: int | None = None) -> Sums:
        """The sums of all pairs, or of those of the `leading` systems with one another
        and with all later ones."""
        last = self.size - 1 if leading is None else min(leading, self.size - 1)
        first, second = _pairs_from(0, last, self.size)
        blocks = [*self.blocks(last)]
        shift = np.concatenate([np.zeros(0), *(block.shift for block in blocks)])
        spread = np.concatenate([np.zeros(0), *(block.spread for block in blocks)])
        gradients = [
            np.concatenate(
                [np.zeros((0, len(part.varying)))]
                + [block.gradients[i] for block in blocks]
            )
            for i, part in enumerate(self.parts)
        ]
        return Sums(first, second, shift, spread, gradients)

    def pair(self, first: int, second: int) -> Sums:
        """One pair, first < second, as `pairs` has it."""
        return self.row(first).at(slice(second - first - 1, second - first))

    def blocks(self, last: int, at_once: int = CELLS_AT_ONCE) -> Iterator[Sums]:
        """The sums of the pairs of some systems with all later ones, in order, so many
        products at once."""
        rows = max(1, at_once // max(1, self.size * self.width**2))
        for top in range(0, last, rows):
            yield self._sums(top, min(top + rows, last))

    @property
    def width(self) -> int:
        """The largest number of digits whose products are taken."""
        return max((part.width for part in self.parts), default=0)

    def row(self, system: int) -> Sums:
        """The sums of the pairs of one system with all later ones."""
        return self._sums(system, system + 1)

    def _sums(self, top: int, end: int) -> Sums:
        first, second = _pairs_from(top, end, self.size)
        if self.measure.stepwise:
            return self._sums_by_swaps(first, second)
        shift, size, squares = (np.zeros(len(first)) for _ in range(3))
        gradients = []
        for part in self.parts:
            slopes, own = part.slopes((top, end), first, second)
            gradients.append(slopes)
            for column in part.column_sums(first, second, slopes):
                shift += column
                size += np.abs(column)
            squares += own
        shift[np.abs(shift) <= ROUNDING * size] = 0.0
        spread = np.sqrt(np.maximum(squares, 0.0))
        return Sums(first, second, shift, spread, gradients)

    def _sums_by_swaps(self, first: Integers, second: Integers) -> Sums:
        both = zip(first.tolist(), second.tolist(), strict=True)
        tests = [self.swap_test(*pair) for pair in both]
        shift = np.array([test.difference for test in tests], dtype=np.float64)
        spread = np.array([test.spread for test in tests], dtype=np.float64)
        flat = [np.zeros((len(first), len(part.varying))) for part in self.parts]
        return Sums(first, second, shift, spread, flat)

    def terms(self, sums: Sums) -> Floats:
        """Each unit's d, (pairs, units); units in which no two systems differ left out.
        What is only rounding is 0."""
        by_test_set = self.terms_by_test_set(sums)
        return np.concatenate([np.zeros((len(sums), 0)), *by_test_set], axis=1)

    def terms_in_order(self, sums: Sums) -> Floats:
        """The terms of all units in their own order, whoever else is there."""
        every = slice(None)
        terms = [
            part.terms(sums.first, sums.second, slopes, every)
            for part, slopes in zip(self.parts, sums.gradients, strict=True)
        ]
        return np.concatenate([np.zeros((len(sums), 0)), *terms], axis=1)

    def shares(self, sums: Sums) -> Floats:
        """The share of each unit in the measure, (pairs, units), of all units in their
        own order: of what adds to it in either system, by its gradient. They add
        up to 1."""
        sizes = [
            part.sizes(sums.first, sums.second, slopes)
            for part, slopes in zip(self.parts, sums.gradients, strict=True)
        ]
        whole = np.concatenate([np.zeros((len(sums), 0)), *sizes], axis=1)
        return np.asarray(whole / np.maximum(whole.sum(axis=1, keepdims=True), 1e-300))

    def grid(self, sums: Sums) -> Floats:
        """The step that a pair's terms are multiples of, (pairs,); 0 for not known.
        Known where all are one column's whole numbers times its slope."""
        if len(self.parts) == 1 and self.parts[0].is_whole:
            return np.abs(sums.gradients[0][:, 0])
        return np.zeros(len(sums))

    def terms_by_test_set(self, sums: Sums) -> list[Floats]:
        """The terms of `terms`, (pairs, units) of each test set."""
        return [
            part.terms(sums.first, sums.second, slopes, part.units)
            for part, slopes in zip(self.parts, sums.gradients, strict=True)
        ]

    def favours(self, sums: Sums) -> tuple[Integers, Integers]:
        """Numbers of units with d above 0 and with d below 0, each (pairs,)."""
        above, below = (np.zeros(len(sums), dtype=np.int64) for _ in range(2))
        for some in in_blocks(np.arange(len(sums)), max(1, self.units)):
            terms = self.terms(sums.at(some))
            above[some] = np.count_nonzero(terms > 0, axis=1)
            below[some] = np.count_nonzero(terms < 0, axis=1)
        return above, below

    def informative(self, sums: Sums, enough: float = math.inf) -> Integers:
        """Number of units in which each pair differs, counted until `enough` do."""
        differing = np.zeros(len(sums), dtype=np.int64)
        for part, slopes in zip(self.parts, sums.gradients, strict=True):
            top, size = 0, UNITS_FIRST
            while top < len(part.units):
                units = part.units[top : top + size]
                for open_ in in_blocks(np.flatnonzero(differing < enough), size):
                    pair = sums.first[open_], sums.second[open_]
                    moved = part.terms(*pair, slopes[open_], units)
                    differing[open_] += np.count_nonzero(moved, axis=1)
                top, size = top + size, UNITS_THEN
        return differing


def _pairs_from(top: int, end: int, size: int) -> tuple[Integers, Integers]:
    """First and second of the pairs of the systems from `top` to before `end` with all
    later ones of `size`, in the order of `triu_indices`."""
    rows = np.arange(top, end)
    later = size - 1 - rows
    first = np.repeat(rows, later)
    begins = np.cumsum(later) - later
    second = np.arange(len(first)) - np.repeat(begins, later) + first + 1
    return first, second


def _places_of(systems: Integers, others: Integers, size: int) -> Integers:
    """The places of pairs of systems among all pairs of `size` systems."""
    first, second = np.minimum(systems, others), np.maximum(systems, others)
    return np.asarray(place_of(first, second, size))


def place_of(first: Place, second: Place, size: int) -> Place:
    """The place of a pair, `first` < `second`, among all pairs of `size` systems."""
    return first * size - first * (first + 1) // 2 + second - first - 1


def in_blocks(places: Integers, units: int) -> Iterator[Integers]:
    """The places in turn, so many at once that CELLS_AT_ONCE hold all their units."""
    step = max(1, CELLS_AT_ONCE // units)
    for start in range(0, len(places), step):
        yield places[start : start + step]


class ExchangeTable:
    """Systems' counts on one test set, as whole numbers fit for exact products.

    Of a system of several runs they are those of its mean run: each whole number is
    worth one over the common multiple of the numbers of runs.
    """

    def __init__(self, systems: Sequence[Counts], measures: Sequence[Measure]) -> None:
        """Raises ValueError when the systems were counted on different units."""
        self.systems = systems
        sums = [measure for measure in measures if measure.weighted is None]
        self.planes, self.names = planes_of(systems, *sums)
        self.size, self.units = self.planes.shape[1:]
        self.worth = 1 / common_multiple(systems)
        # Sums of so many products of two digits, four times, stay below 2**53.
        self.bits = (51 - math.ceil(math.log2(self.units + 1))) // 2
        self.columns: dict[str, ExchangeColumn] = {}
        self.weight = systems[0].weight if systems else 1.0

    def column(self, name: str) -> ExchangeColumn:
        if name not in self.columns:
            self.columns[name] = self._column(name)
        return self.columns[name]

    def _column(self, name: str) -> ExchangeColumn:
        plane = self.planes[self.names.index(name)]
        cells, totals = plane, plane.sum(axis=1)
        halves = [(plane, self.worth)]
        if name + LOW in self.names:
            low = self.planes[self.names.index(name + LOW)]
            cells = plane * HIGH_STEP + low * LOW_STEP
            totals = totals * HIGH_STEP + low.sum(axis=1) * LOW_STEP
            halves = [(plane, HIGH_STEP * self.worth), (low, LOW_STEP * self.worth)]
        digits = [
            (digit, worth * step)
            for whole, step in halves
            if (whole != whole[:1]).any()
            for digit, worth in _digits(whole, self.bits)
        ]
        if self.worth != 1:
            cells, totals = cells * self.worth, totals * self.worth
        return ExchangeColumn(cells, totals, digits)

    def part(self, measure: Measure, sets: int = 1) -> Part:
        if measure.weighted is not None:
            return InfluencePart(self.systems, measure, sets / self.weight)
        measure = measure.over(self.names)
        columns = [self.column(name) for name in measure.columns]
        varying = [k for k, column in enumerate(columns) if column.digits]
        chosen = [columns[k] for k in varying]
        digits = [digit for column in chosen for digit, _ in column.digits]
        worth = [worth for column in chosen for _, worth in column.digits]
        column_of = [k for k, column in enumerate(chosen) for _ in column.digits]
        often = np.zeros(self.planes.shape[2], dtype=np.int64)
        for column in chosen:
            often += (column.cells != column.cells[:1]).sum(axis=0)
        order = np.argsort(-often, kind="stable")
        shape = (self.size, len(digits), len(often))
        return ExchangePart(
            measure=measure,
            totals=[column.totals for column in columns],
            varying=varying,
            cells=[column.cells for column in chosen],
            digits=np.stack(digits, axis=1) if digits else np.zeros(shape),
            worth=np.array(worth),
            column_of=np.array(column_of, dtype=np.int64),
            units=order[: np.count_nonzero(often)],
            over=sets / self.weight,
        )


def tables_of(
    systems: Sequence[Sequence[Counts]], measures: Sequence[Measure]
) -> list[ExchangeTable]:
    """A table for each test set. Raises ValueError when systems differ in them."""
    return [ExchangeTable(column, measures) for column in zip(*systems, strict=True)]


def _digits(whole: Floats, bits: int) -> Iterator[tuple[Floats, float]]:
    """Digits of at most 2**bits in size, and their worth, until nothing is left.
    Numbers that small are their own only digit."""
    worth, base = 1.0, 2.0 ** (bits + 1)
    if -base / 2 <= whole.min(initial=0.0) and whole.max(initial=0.0) <= base / 2:
        yield whole, worth
        return
    rest = whole
    while rest.any():
        above = np.rint(rest / base)
        yield rest - above * base, worth
        rest, worth = above, worth * base


def _products(
    part: ExchangePart, block: tuple[int, int], first: Integers, second: Integers
) -> Floats:
    """Sums over units of products of differences, (pairs, d, d), exactly."""
    top, end = block
    systems, size, units = part.digits.shape
    if not size:
        return np.zeros((len(first), 0, 0))
    own = part.own_products
    flat = part.digits.reshape(systems * size, units)
    cross = flat[top * size : end * size] @ flat[top * size :].T
    grid = cross.reshape(end - top, size, systems - top, size)
    across = grid[first - top, :, second - top, :]
    return np.asarray(own[first] + own[second] - across - across.transpose(0, 2, 1))


def _slopes(
    part: ExchangePart,
    measure: Measure,
    products: Floats,
    first: Integers,
    second: Integers,
) -> Floats:
    """The measure's gradient in the middle of each pair's totals, (pairs, columns).

    Central differences with steps that are powers of two; 0 for a column in which the
    two do not differ, nan where the measure is not defined around there.
    """
    middle = [(totals[first] + totals[second]) / 2 for totals in part.totals]
    slopes = np.zeros((len(first), len(part.varying)))
    for k, place in enumerate(part.varying):
        (own,) = np.nonzero(part.column_of == k)
        alone = products[:, own[:, None], own]
        step = np.sqrt(np.maximum(_quadratic_form(alone, part.worth[None, own]), 0.0))
        moves = step > 0
        step = np.ldexp(1.0, np.frexp(step)[1] - FINER)
        ends = []
        for moved in (middle[place] + step, middle[place] - step):
            totals = [*middle[:place], moved, *middle[place + 1 :]]
            with np.errstate(invalid="ignore"):
                ends.append(measure.score(*totals))
        slopes[:, k] = np.where(moves, (ends[0] - ends[1]) / (2 * step), 0.0)
    return slopes


def _squares(part: ExchangePart, slopes: Floats, products: Floats) -> Floats:
    """sum(d * d) of each pair."""
    if not len(part.worth):
        return np.zeros(len(slopes))
    return _quadratic_form(products, slopes[:, part.column_of] * part.worth)


def _quadratic_form(products: Floats, weights: Floats) -> Floats:
    """The quadratic form of `products` in `weights`, by pair, added up in one order."""
    values = np.zeros(len(products))
    size = products.shape[1]
    for k in range(size):
        row = np.zeros(len(products))
        for m in range(size):
            row += products[:, k, m] * weights[:, m]
        values += row * weights[:, k]
    return values


def tails(z: Floats) -> Floats:
    """P(|Z| >= z) of a normal Z, to twelve digits, where machines agree."""
    far = (z / math.sqrt(2)).tolist()
    return np.array([float(f"{math.erfc(value):.12g}") for value in far])


def p_values(exchange: Exchange, sums: Sums) -> tuple[Floats, Floats]:
    """Two-sided p-values of pairs, and the effective units of their differences, which
    are known where z is between NEAR and FAR; nan where the measure has no gradient.
    They are UNSEEN at most where so many failures that were not drawn would undo a
    difference."""
    if exchange.measure.stepwise:
        both = zip(sums.first.tolist(), sums.second.tolist(), strict=True)
        tests = [exchange.swap_test(*pair).p_value for pair in both]
        return np.array(tests, dtype=np.float64), np.full(len(sums), np.nan)
    z = sums.z
    p_value, effective = np.full((2, len(z)), np.nan)
    signs_tell = (z > NEAR) & (z <= FAR)
    (close,) = np.nonzero(signs_tell)
    p_value[~signs_tell] = tails(z[~signs_tell])

    def terms_of(places: Integers) -> tuple[Floats, Floats]:
        some = sums.at(close[places])
        return exchange.terms_in_order(some), exchange.grid(some)

    # |z| is at most the root of the number of units that differ.
    near = np.flatnonzero(z * z <= FEW * (1 + ROUNDING))
    counted = exchange.informative(sums.at(near), FEW + 1)
    by_tails = np.ones(len(z), dtype=np.bool_)
    by_tails[near] = counted > FEW
    if len(close):
        totals, spread = sums.shift[close], sums.spread[close]
        flips = sign_flips.tails(
            terms_of, exchange.units, totals, spread, by_tails[close]
        )
        p_value[close], effective[close] = flips.p_value, flips.effective_units
    pair = sums.first, sums.second
    undone = exchange.failures.undo(pair, sums.shift, sums.spread, SIGNIFICANT)
    effective[undone] = np.fmin(effective[undone], UNSEEN)
    for some in in_blocks(np.flatnonzero(counted <= FEW), SIGNS_OF_PAIR):
        terms = exchange.terms(sums.at(near[some]))
        p_value[near[some]] = _all_signs(terms, int(counted[some].max(initial=0)))
    if exchange.random_factors is not None:
        beside = exchange.beside_units(sums)
        p_value = variance_components.p_values(p_value, z, sums.spread**2, *beside)
    return p_value, effective


def without_slope(
    measure: Measure, spread: Floats, first: Floats, second: Floats
) -> Flags:
    """Flags of pairs whose values differ though no unit moves their difference,
    (pairs,): the exchange of units tells nothing of them."""
    if measure.stepwise:
        return np.zeros(len(spread), dtype=np.bool_)
    apart = np.abs(first - second) > TIE * np.maximum(np.abs(first), np.abs(second))
    return np.asarray((spread == 0) & apart)


def _all_signs(terms: Floats, most: int) -> Floats:
    """Share of all signs whose sum reaches that of `terms` (pairs, units), in size.

    At most `most` terms of a pair are not 0. Turning all signs round turns the sum
    round: as many reach it from below as from above, which are counted.
    """
    if not most:
        return np.ones(len(terms))
    order = np.argsort(terms == 0, axis=1, kind="stable")[:, :most]
    chosen = np.take_along_axis(terms, order, axis=1)
    edge = ROUNDING * np.abs(chosen).sum(axis=1)
    least = np.abs(chosen.sum(axis=1)) - edge
    half = (most + 1) // 2
    first = np.sort(_sums_of_signs(chosen[:, :half]), axis=1)
    second = np.sort(_sums_of_signs(chosen[:, half:]), axis=1)
    reached = _reaching(first, second, least)
    return np.asarray(np.minimum(reached / 2 ** (most - 1), 1.0))


def _sums_of_signs(terms: Floats) -> Floats:
    """Sums of terms (pairs, n) with all their signs, (pairs, 2**n)."""
    sums = np.zeros((len(terms), 1))
    for k in range(terms.shape[1]):
        sums = np.concatenate([sums + terms[:, [k]], sums - terms[:, [k]]], axis=1)
    return sums


def _reaching(first: Floats, second: Floats, least: Floats) -> Integers:
    """The number of sums of one of `first` (pairs, n) and one of `second` (pairs, m)
    that are at least `least` (pairs,). Both ascend."""
    wanted = least[:, None] - first[:, ::-1]
    order = np.argsort(np.concatenate([wanted, second], axis=1), axis=1, kind="stable")
    of_second = order >= first.shape[1]
    after = np.cumsum(of_second[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(np.where(of_second, 0, after).sum(axis=1))


@dataclass(frozen=True)
class Pairs:
    """Arrays over systems, and over their pairs, `first` < `second`; nan for n/a.

    `values` (systems,) are means over the test sets, a missing one counting 0;
    `complete` (systems,) says who has none missing. `p_value` is the exchange test's,
    two-sided, `adjusted` Holm's over all pairs here, and `spread` the standard error
    of the difference if the two behaved alike. They are nan for a pair of which
    one is not complete, or has no value. `effective` is how many units of one weight
    would vary as much as the pair's differences, (sum d^2)^2 / sum d^4, nan also where
    the difference is far from significant, or so large that no few units can make it,
    and in a measure that moves in steps;
    3 at most where three failures that were not drawn would undo it (`Failures`).
    `units` is how many there are; `typical` has the terms of the pair of the median
    spread, (units,), and each unit's share of the measure. `too_many` says that
    there was no test, since it would take too long for so many pairs and units, or no
    unit moves a difference; `basis`
    is what a test depends on beside the two systems (`TestedPairs`). `typical_beside`
    is what `Exchange.beside_units` says of the typical pair.
    """

    values: Floats
    complete: Flags
    first: Integers
    second: Integers
    difference: Floats
    p_value: Floats
    adjusted: Floats
    spread: Floats
    effective: Floats
    units: int
    typical: tuple[Floats, Floats]
    too_many: bool = False
    basis: tuple[int, int] | None = (0, 1)
    typical_beside: tuple[float, float] = (0.0, 0.0)

    @property
    def tested(self) -> Flags:
        """Flags (systems,) of those that take part in the tests."""
        return np.asarray(self.complete & ~np.isnan(self.values))

    @property
    def few_decide(self) -> Flags:
        """Flags (pairs,) of those whose difference rests on a few units."""
        return np.asarray(self.effective < FEW_DECIDE)


@dataclass(frozen=True)
class TestedPairs:
    """Pairs that were tested before, of systems that are tested again among others.

    `p_value`, `spread` and `effective` are (pairs,) as those of `Pairs`, of `values`
    and `complete` (systems,) as they stood; `basis` is what else a pair depends on. A
    pair's test is the same whoever else is there, unless runs or judges vary.
    """

    p_value: Floats
    spread: Floats
    effective: Floats
    values: Floats
    complete: Flags
    basis: tuple[int, int] | None

    @classmethod
    def of(cls, pairs: Pairs) -> "TestedPairs":
        values, complete = pairs.values, pairs.complete
        tests = pairs.p_value, pairs.spread, pairs.effective
        return cls(*tests, values, complete, pairs.basis)


def all_pairs(
    systems: Sequence[Sequence[Counts | None]],
    measure: Measure,
    before: tuple[TestedPairs, Integers] | None = None,
) -> Pairs:
    """Test every system against every later one.

    Each system brings its counts per test set, None for one that it did not send.
    `before` are pairs that were tested already, on the same units in the same measure,
    and for each system (systems,) its place there, -1 for a new one: only the pairs of
    the new ones are then tested. Raises ValueError when systems differ in test sets, or
    in the units of one.
    """
    return pairs_of(systems, (measure,), before)[0]


def pairs_of(
    systems: Sequence[Sequence[Counts | None]],
    measures: Sequence[Measure],
    before: tuple[TestedPairs, Integers] | None = None,
) -> list[Pairs]:
    """`all_pairs` in several measures; with `before` of one."""
    whole, given = whole_systems(systems)
    complete = np.isin(np.arange(len(systems)), whole)
    basis = basis_of(given)
    places = np.full(len(systems), -1)
    same = basis and before and before[0].basis == basis
    if same and before and measures[0].weighted is None:
        places = np.where(_same_standing(before, complete), before[1], -1)
    # New ones first: each is tested against all later ones.
    order = np.argsort(places[whole] >= 0, kind="stable")
    tables = tables_of([given[i] for i in order], measures)
    tested_before = places >= 0
    return [
        _pairs(
            np.array(
                [
                    before[0].values[places[i]]
                    if before and tested_before[i]
                    else value_of(system, measure)
                    for i, system in enumerate(systems)
                ]
            ),
            complete,
            basis,
            whole[order],
            before and (before[0], places),
            Exchange(tables, measure),
        )
        for measure in measures
    ]


def basis_of(systems: Sequence[Sequence[Counts]]) -> tuple[int, int] | None:
    """The number of test sets that the mean is over, and the runs' common multiple.
    None where runs or judges vary: what is usual of them depends on all systems."""
    counts = [counts for system in systems for counts in system]
    if any(part.size > 1 or part.judged is not None for part in counts):
        return None
    return len(systems[0]) if systems else 0, common_multiple(counts)


def _same_standing(before: tuple[TestedPairs, Integers], complete: Flags) -> Flags:
    """Flags of the systems (systems,) that stood there and took part as they do now."""
    pairs, places = before
    took_part = np.append(pairs.complete, False)
    return np.asarray(complete & took_part[places])


def _pairs(
    values: Floats,
    complete: Flags,
    basis: tuple[int, int] | None,
    tested: Integers,
    before: tuple[TestedPairs, Integers] | None,
    exchange: Exchange,
) -> Pairs:
    """The tests of all pairs; `tested` are the places of the systems of `exchange`, new
    ones first. `before` has the place in it of each system that is not new, else -1."""
    first, second = _pairs_from(0, len(values) - 1, len(values))
    difference = values[first] - values[second]
    new = len(tested)
    p_value, spread, effective = np.full((3, len(first)), np.nan)
    if before is not None:
        earlier, places = before
        new -= int(np.count_nonzero(places >= 0))
        old = np.flatnonzero((places[first] >= 0) & (places[second] >= 0))
        there = _places_of(places[first[old]], places[second[old]], len(earlier.values))
        p_value[old], spread[old] = earlier.p_value[there], earlier.spread[there]
        effective[old] = earlier.effective[there]
    sums = exchange.pairs(new)
    here = _places_of(tested[sums.first], tested[sums.second], len(values))
    p_value[here], effective[here] = p_values(exchange, sums)
    spread[here] = sums.spread
    for numbers in (p_value, spread, effective):
        numbers[np.isnan(difference)] = np.nan
    flat = without_slope(exchange.measure, spread, values[first], values[second])
    p_value[flat] = np.nan
    no_test = bool(flat.any()) and not (spread > 0).any()
    of_file = exchange.measure.of_file  # one value of each system, nothing to swap
    if of_file:
        p_value[:] = np.nan
    *typical, beside = _typical(exchange, tested, (first, second), spread)
    return Pairs(
        values,
        complete,
        first,
        second,
        difference,
        p_value,
        holm_of(p_value),
        spread,
        effective,
        exchange.units,
        (typical[0], typical[1]),
        exchange.too_many or of_file or no_test,
        basis,
        beside,
    )


def _typical(
    exchange: Exchange,
    tested: Integers,
    pairs: tuple[Integers, Integers],
    spread: Floats,
) -> tuple[Floats, Floats, tuple[float, float]]:
    """Terms and shares (units,) of the pair of the median spread, and what runs and
    judges add to its variance; of none where no two systems differ, and in a measure
    that moves in steps, whose units have no terms."""
    (apart,) = np.nonzero(spread > 0)
    if not len(apart) or exchange.measure.stepwise:
        return np.zeros(0), np.zeros(0), (0.0, 0.0)
    spreads, middle = spread[apart], len(apart) // 2
    median = np.partition(spreads, middle)[middle]
    equal = apart[spreads == median]
    chosen = equal[middle - np.count_nonzero(spreads < median)]
    place = {system: i for i, system in enumerate(tested.tolist())}
    first, second = (place[int(side[chosen])] for side in pairs)
    terms, shares, beside = terms_of_pair(exchange, *sorted((first, second)))
    return terms if first < second else -terms, shares, beside


def terms_of_pair(
    exchange: Exchange, first: int, second: int
) -> tuple[Floats, Floats, tuple[float, float]]:
    """Terms and shares (units,) of a pair, first < second, and what runs and judges add
    to its variance."""
    pair = exchange.pair(first, second)
    excess, squares = (float(x[0]) for x in exchange.beside_units(pair))
    terms, shares = exchange.terms_in_order(pair), exchange.shares(pair)
    return terms[0], shares[0], (excess, squares)


def value_of(system: Sequence[Counts | None], measure: Measure) -> float:
    """The mean over test sets; nan where the measure is undefined on one."""
    given = [counts for counts in system if counts is not None]
    values = [counts.weight * value_of_one(counts, measure) for counts in given]
    return math.fsum(values) / max(len(system), 1)


def holm_of(p_values: Floats) -> Floats:
    """Holm's step-down adjustment of (pairs,) p-values; nan stays nan, uncounted."""
    adjusted = np.full(len(p_values), np.nan)
    defined = np.flatnonzero(~np.isnan(p_values))
    # In any order of equal ones: the first has the largest factor, and the rest follow.
    order = defined[np.argsort(p_values[defined])]
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.maximum.accumulate(np.minimum(1.0, p_values[order] * factors))
    return adjusted


def holm_beside(family: Floats, p_value: float) -> float:
    """Holm's adjustment of a pair that joins a family of other pairs."""
    return float(holm_of(np.append(family, p_value))[-1])
