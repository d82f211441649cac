"""Bootstrap of stored counts: shared draws, resampled totals, estimates of systems.

Draws depend only on (number of units, resamples, seed), so all systems of a test set
meet the same resamples and every comparison is paired. The draws come from the raw
64-bit stream of PCG64, which NumPy keeps stable across versions and machines, and the
products are sums of whole numbers, so results are the same bytes everywhere.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scoring.counts import PARTS, Counts, Flags, Floats, Integers
from scoring.measures import Measure
from scoring.statistics.areas import sides_of
from scoring.statistics.intervals import (
    FEW_UNITS,
    LEAST_UNITS,
    Estimate,
    MeasureSpread,
    Replicates,
    ShownIntervals,
    TestSetRows,
    estimate,
    few,
    shown_intervals,
    variance_of,
)
from scoring.statistics.judges import Judges
from scoring.statistics.row_weights import Rows
from scoring.statistics.runs import (
    apart,
    between,
    common_multiple,
    mean_of_sets,
    means,
    resample_runs,
    side_by_side,
)
from scoring.statistics.shares import rows_among_all
from scoring.statistics.unseen import UNSEEN, Failures, with_doubts

Weights = npt.NDArray[np.uint16]
BLOCK_CELLS = 4_000_000
KEPT_CELLS = 12_000_000
COLUMNS_AT_ONCE = 16
# A column in which one of more than so many units has something is not multiplied out.
SPARSE = 8
SPARSE_CELLS_AT_ONCE = 2_000_000
UNITS_AT_ONCE = 4096
PRODUCTS_AT_ONCE = 250_000
MOST_NAMED = 5  # measures in one remark

Stratum = tuple[Counts, "Plan"]


@dataclass(frozen=True, slots=True)
class Plan:
    """Plan of resampling: `resamples` draws from `seed`, intervals of `level`. Without
    resamples there are values, and no intervals."""

    resamples: int = 1000
    seed: int = 2026
    level: float = 0.95


def _blocks(units: int, resamples: int, seed: int) -> Iterator[Weights]:
    """Weights (some resamples, units), how often each unit was drawn. The stream is
    read row by row, so the size of the blocks changes nothing."""
    stream = np.random.PCG64(seed)
    rows = max(1, min(resamples, BLOCK_CELLS // max(units, 1)))
    for start in range(0, resamples, rows):
        count = min(rows, resamples - start)
        raw = stream.random_raw(count * units)
        raw >>= np.uint64(32)
        raw *= np.uint64(units)
        raw >>= np.uint64(32)
        cells = raw.view(np.int64).reshape(count, units)
        cells += np.arange(count, dtype=np.int64)[:, None] * units
        weights = np.bincount(cells.ravel(), minlength=count * units)
        yield weights.astype(np.uint16).reshape(count, units)


@lru_cache(maxsize=8)
def _stored_weights(units: int, resamples: int, seed: int) -> tuple[Weights, ...]:
    return tuple(_blocks(units, resamples, seed))


def draws(units: int, resamples: int, seed: int) -> Iterator[Weights]:
    """Blocks of weights, shape (some resamples, units) each, in order. Kept for the
    next caller unless they are very large."""
    if units * resamples <= KEPT_CELLS:
        return iter(_stored_weights(units, resamples, seed))
    return _blocks(units, resamples, seed)


def unit_order(units: tuple[str, ...]) -> Integers:
    """Positions of `units` in the order that draws refer to: by name."""
    order = sorted(range(len(units)), key=units.__getitem__)
    return np.array(order, dtype=np.int64)


def ordered_table(counts: Counts) -> Floats:
    """Rows of `counts`, shape (units, columns), in the order that draws refer to."""
    order = unit_order(counts.units)
    if (order[1:] > order[:-1]).all():
        return counts.table
    return np.asarray(counts.table[order], dtype=np.float64)


def totals_of(table: Floats, plan: Plan) -> Floats:
    """Totals of every resample of `table` (units, columns), shape (resamples, columns).

    Whole numbers below 2**53 make every product and sum exact, so that neither the
    order of additions nor the number of threads can be seen in the result.
    """
    if not (len(table) and plan.resamples):
        return np.zeros((plan.resamples, table.shape[1]))
    weights = draws(len(table), plan.resamples, plan.seed)
    return np.concatenate([sums(block, table) for block in weights])


def sums(weights: npt.NDArray[np.number], table: Floats) -> Floats:
    """`weights` (rows, units) times `table` (units, columns)."""
    products = np.zeros((len(weights), table.shape[1]))
    filled = np.count_nonzero(table, axis=0)
    sparse = np.flatnonzero(filled * SPARSE < len(table))
    if len(sparse) >= COLUMNS_AT_ONCE:
        _put_sparse_products(products, weights, table, sparse)
        dense = np.flatnonzero(filled * SPARSE >= len(table))
        products[:, dense] = sums(weights, table[:, dense])
        return products
    for top in range(0, len(table), UNITS_AT_ONCE):
        units = slice(top, top + UNITS_AT_ONCE)
        _add_products(products, weights[:, units], table[units])
    return products


def _put_sparse_products(
    products: Floats, weights: npt.NDArray[np.number], table: Floats, columns: Integers
) -> None:
    """Products of columns that are nearly all 0, such as those of many classes: only
    the units that have something are added up."""
    filled = [np.flatnonzero(table[:, column]) for column in columns.tolist()]
    counts = [table[units, [k]] for units, k in zip(filled, columns, strict=True)]
    rows = max(1, SPARSE_CELLS_AT_ONCE // len(table))
    for top in range(0, len(weights), rows):
        block = np.ascontiguousarray(weights[top : top + rows].T, dtype=np.float64)
        for column, units, count in zip(columns.tolist(), filled, counts, strict=True):
            # No matrix product, which numpy would split among threads.
            terms = block[units]
            if (count != 1).any():
                terms *= count[:, None]
            products[top : top + rows, column] = terms.sum(axis=0)


def _add_products(
    products: Floats, weights: npt.NDArray[np.number], table: Floats
) -> None:
    """Add products in pieces that fit into the processor's cache and that numpy does
    not split among threads: on a busy machine its threads wait for each other far
    longer than one alone would take.
    """
    width = min(COLUMNS_AT_ONCE, max(table.shape[1], 1))
    edges = range(0, table.shape[1], width)
    parts = [np.ascontiguousarray(table[:, edge : edge + width]) for edge in edges]
    rows = max(1, PRODUCTS_AT_ONCE // (table.shape[0] * width))
    for i in range(0, len(weights), rows):
        floats = weights[i : i + rows].astype(np.float64)
        for edge, part in zip(edges, parts, strict=True):
            products[i : i + rows, edge : edge + width] += floats @ part


def jackknife(counts: Counts, measure: Measure) -> Floats:
    """The measure with each unit left out, shape (units,), units in name order."""
    if measure.weighted is not None:
        return np.asarray(Rows.of([counts], measure).left_out(measure)[0])
    return measure.resampled(counts.totals - ordered_table(counts), counts.columns)


def estimates(
    counts: Counts, measures: Sequence[Measure], plan: Plan
) -> dict[str, Estimate]:
    """An estimate of every measure of one test set."""
    return mean_estimates([(counts, plan)], measures)


def mean_estimates(
    strata: Sequence[Stratum | None], measures: Sequence[Measure]
) -> dict[str, Estimate]:
    """Estimates of the mean over test sets, weighed by `weigh_strata`, each resampled
    by itself.

    None stands for a test set without an answer: it counts 0 (SCORING.md, "Common").
    Every test set brings a seed of its own; two of the same size and seed would be
    resampled in step. Of several test sets there is no estimate but the value where
    one of them has fewer than two units that bear on the measure.
    """
    sets, size = _test_sets([strata], measures)
    estimates: dict[_Key, Estimate] = {}
    return {m.name: _estimate(sets, size, m, estimates) for m in measures}


_Key = tuple[float, bytes, tuple[bytes, ...]]


def _estimate(
    sets: Sequence["_TestSet"],
    size: int,
    measure: Measure,
    estimates: dict[_Key, Estimate],
) -> Estimate:
    """`estimates` are those of other measures: where a file has the tokens of the gold,
    precision, recall and F1 are one in every resample."""
    if not sets:
        return Estimate(0.0)
    values, runs, resampled, interval = _mean_numbers(sets, size, measure)
    # A test set that was not sent has none.
    units = int(interval.units[0]) if len(sets) == size else 0
    slopes = (
        [
            at_weight(test_set.jackknife(measure), test_set.weight) / size
            for test_set in sets
        ]
        if resampled.shape[1]
        else []
    )
    parts = float(values[0]), resampled[0], slopes
    key = parts[0], parts[1].tobytes(), tuple(some.tobytes() for some in slopes)
    if key not in estimates:
        estimates[key] = estimate(*parts, sets[0].plan.level)
    of_units = estimates[key]
    effective = _as_list(interval.effective)[0] if units else math.nan
    of_units = replace(
        of_units,
        informative_units=units,
        effective_units=None if effective != effective else effective,
    )
    if of_units.value is None:
        return of_units
    if measure.weighted is not None and any(np.isnan(some).all() for some in slopes):
        # Too many units to leave each out: without acceleration it is no BCa interval.
        of_units = replace(of_units, bca_low=None, bca_high=None)
    ends = (between(runs, 1), interval.low, interval.high)
    runs_apart, low, high = (
        None if end != end else end for (end,) in map(_as_list, ends)
    )
    if size > 1 and units < LEAST_UNITS:
        return Estimate(
            of_units.value,
            left_out=of_units.left_out,
            informative_units=units,
            between_runs=runs_apart,
            effective_units=of_units.effective_units,
        )
    return replace(of_units, between_runs=runs_apart, low=low, high=high)


def _as_list(values: Floats) -> list[float]:
    numbers: list[float] = values.tolist()
    return numbers


def weigh_strata(
    systems: Sequence[Sequence[Stratum | None]], weights: Sequence[float]
) -> list[list[Stratum | None]]:
    """Systems with an entry per test set, so that means over these are weighed.

    `weights` are positive numbers, one for each test set; only their ratios count.
    Equal ones change nothing, not even a bit.
    """
    whole = math.fsum(weights)
    shares = [weight * len(weights) / whole for weight in weights]
    if len(set(weights)) < 2:
        shares = [1.0] * len(weights)
    return [
        [
            stratum and (stratum[0].with_weight(share), stratum[1])
            for stratum, share in zip(row, shares, strict=True)
        ]
        for row in systems
    ]


def at_weight(values: Floats, weight: float) -> Floats:
    """Values times a weight; the same array where that is 1."""
    return values if weight == 1 else values * weight


def mean_of(rows: Sequence[Floats], size: int) -> Floats:
    """Sum of equally shaped arrays, one by one, over `size`: missing ones count 0."""
    whole = np.zeros_like(rows[0])
    for row in rows:
        whole += row
    return whole / size


def remarks(
    numbers_by_measure: Mapping[str, "Estimate | Numbers"],
    titles: Mapping[str, str] | None = None,
) -> list[str]:
    """Remarks on intervals of measures with few units, or some much larger ones.

    Measures go by their names, or by the `titles` that names have.
    """
    titles = titles or {}
    by_units: dict[tuple[int, int], list[str]] = {}
    for name, numbers in numbers_by_measure.items():
        units, effective = numbers.informative_units, numbers.effective_units
        if units is None or not few(units, effective):
            continue
        uneven = effective is not None and units >= FEW_UNITS
        alike = math.ceil(effective) if effective and uneven else units
        called = titles.get(name, name)
        by_units.setdefault((int(units), int(alike)), []).append(called)
    return [_remark(*both, by_units[both]) for both in sorted(by_units)]


def failures_of(system: Sequence[Counts | None], measure: Measure) -> float:
    """How far failures that may not have shown would move a mean over test sets; 0 of
    measures that have an upper limit."""
    if measure.sizes is None:
        return 0.0
    moved = [0.0]
    for counts in system:
        if counts is not None and len(counts.units):
            table = ordered_table(counts) / counts.size
            own = Failures.of(table[:, None], counts.columns, measure).together[0]
            moved.append(float(own) * counts.weight / len(system))
    return max(moved)


def remarks_on_failures(
    counts: Counts,
    measures: Sequence[Measure],
    numbers_by_measure: Mapping[str, "Estimate | Numbers"],
    titles: Mapping[str, str] | None = None,
) -> list[str]:
    """Remarks on intervals of errors without an upper limit, out of which failures
    would take the score that the units may not have shown; names as in `remarks`. With
    titles shares are in percent, as beside titles they are displayed."""
    out, titled = {}, titles or {}
    for measure in measures:
        numbers = numbers_by_measure[measure.name]
        value, low, high = numbers.value, numbers.low, numbers.high
        if measure.sizes is None or value is None or low is None or high is None:
            continue
        more = failures_of([counts], measure)
        outside = (
            value - more < low if measure.higher_is_better else value + more > high
        )
        if outside:
            called = titled.get(measure.name, measure.name)
            moved = more * (100 if titled and measure.percent else 1)
            out[measure.name] = f"{called} by {moved:.3g}"
    if not out:
        return []
    return [
        f"failures in fewer than {UNSEEN} of {len(counts.units)} units may not have "
        f"shown: so many would move {list_names(list(out.values()))}, out of the "
        "interval"
    ]


def list_names(names: Sequence[str]) -> str:
    """The first few of them, and how many more there are."""
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + f" and {more} more" * (more > 0)


def _remark(units: int, alike: int, names: Sequence[str]) -> str:
    """`alike` units of one size would tell as much."""
    measures = list_names(names)
    bears = "1 unit bears" if units == 1 else f"{units} units bear"
    if units < LEAST_UNITS:
        return f"{bears} on {measures}: no interval"
    if alike < units:
        return (
            f"{bears} on {measures}, some so large that they tell no more than "
            f"{alike} of one size: the interval means little"
        )
    return f"only {bears} on {measures}: the interval means little"


@dataclass(frozen=True)
class Sample:
    """One measure of systems and its resamples, nan where undefined.

    `values` are (systems,), `resampled` (systems, resamples).
    `units` is the number of units resampled, over all test sets.
    """

    values: Floats
    resampled: Floats
    units: int


def stack_planes(
    systems: Sequence[Counts], *measures: Measure
) -> tuple[Floats, tuple[str, ...]]:
    """`planes_of` as (units, systems, columns)."""
    planes, names = planes_of(systems, *measures)
    return np.ascontiguousarray(planes.transpose(2, 1, 0)), names


def columns_for(
    measures: Sequence[Measure], available: tuple[str, ...]
) -> tuple[str, ...]:
    """The columns that sums of these measures need, of a table with the `available`
    ones. Names that it lacks are among them; those of all tags are written out."""
    needed = [c for m in measures for c in (*m.over(available).columns, *m.present)]
    parts = (
        name + part for name in needed for part in PARTS if name + part in available
    )
    return tuple(dict.fromkeys((*needed, *parts)))


def planes_of(
    systems: Sequence[Counts], *measures: Measure
) -> tuple[Floats, tuple[str, ...]]:
    """Columns that measures need, (columns, systems, units), and their names.

    A column that a system lacks counts 0: a tag it never used. Units are in the order
    that draws refer to. Counts are whole: those of one run times the common multiple
    of the systems' numbers of runs. Raises ValueError when the systems' units differ.
    """
    common = common_multiple(systems)
    listed = dict.fromkeys(c.columns for c in systems)
    available = tuple(dict.fromkeys(name for names in listed for name in names))
    names = columns_for(measures, available)
    first = systems[0].units if systems else ()
    order = unit_order(first)
    planes = np.zeros((len(names), len(systems), len(first)))
    latest: tuple[str, ...] = ()
    held, places = list[int](), list[int]()
    for i, counts in enumerate(systems):
        if counts.units != first:
            order = unit_order(counts.units)
            if sorted(counts.units) != sorted(first):
                raise ValueError("the systems were not counted on the same units")
        if counts.columns != latest:
            latest = counts.columns
            held = [k for k, name in enumerate(names) if name in latest]
            places = [latest.index(names[k]) for k in held]
        for k, place in zip(held, places, strict=True):
            planes[k, i] = counts.table[:, place][order]
        if counts.size != common:
            planes[held, i] *= common // counts.size
        first = counts.units
    return planes, names


def mean_sample_of(
    systems: Sequence[Sequence[Stratum | None]], measure: Measure
) -> Sample:
    """The mean over test sets, weighed by `weigh_strata`, each resampled by itself.

    Each system brings one entry per test set, in one order; None counts 0. Plans
    belong to the test set; each should have a seed of its own. Raises ValueError
    when the systems differ in test sets, their units or their plans.
    """
    return mean_samples_of(systems, (measure,))[0]


def mean_samples_of(
    systems: Sequence[Sequence[Stratum | None]], measures: Sequence[Measure]
) -> list[Sample]:
    """`mean_sample_of` in several measures, from one product per test set."""
    sets, size = _test_sets(systems, measures)
    if not sets:
        zeros = Sample(np.zeros(len(systems)), np.zeros((len(systems), 1)), 0)
        return [zeros for _ in measures]
    samples = ([test_set.share(measure) for test_set in sets] for measure in measures)
    return [_mean_sample(given, size) for given in samples]


def _mean_sample(given: Sequence[Sample], size: int) -> Sample:
    values = [math.fsum(row) / size for row in np.stack([p.values for p in given]).T]
    resampled = mean_of([part.resampled for part in given], size)
    return Sample(np.array(values), resampled, sum(part.units for part in given))


class Numbers(NamedTuple):
    """One measure of one system as a board has it; None is n/a.

    Arrays of such numbers have them in this order, and nan for n/a.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    stddev: float | None = None
    informative_units: float | None = None
    between_runs: float | None = None
    effective_units: float | None = None

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "Numbers":
        """The numbers among the members of an estimate that was written as JSON."""
        return cls(*map(values.get, cls._fields))


@dataclass(frozen=True)
class _TestSet:
    """Counts and resampled totals of the systems on one test set.

    `tables` are (units, rows, columns) and `drawn` (resamples, rows, columns), a row
    for each run of the systems that `answered` (systems,); `sizes` are their numbers
    of runs. `singles` are the counts of those rows: measures of weighed rows, which
    have no part in `tables`, are computed from them. `systems` are those of the board.
    """

    tables: Floats
    drawn: Floats
    columns: tuple[str, ...]
    answered: Flags
    plan: Plan
    sizes: Integers
    singles: Sequence[Counts]
    systems: Sequence[Counts | None]
    weight: float = 1.0

    @classmethod
    def of(
        cls, column: Sequence[Stratum | None], measures: Sequence[Measure]
    ) -> "_TestSet | None":
        """The answers to one test set; None where nobody sent it."""
        given = [stratum for stratum in column if stratum is not None]
        if not given:
            return None
        plan = given[0][1]
        if any(other != plan for _, other in given):
            raise ValueError("the systems of a test set must share its plan")
        weight = given[0][0].weight
        if any(counts.weight != weight for counts, _ in given):
            raise ValueError("the systems of a test set must share its weight")
        singles, sizes = apart([counts for counts, _ in given])
        tables, names = stack_planes(singles, *measures)
        flat = tables.reshape(len(tables), tables.shape[1] * tables.shape[2])
        drawn = totals_of(flat, plan).reshape(plan.resamples, *tables.shape[1:])
        answered = np.array([stratum is not None for stratum in column])
        systems = [stratum and stratum[0] for stratum in column]
        own = tables, drawn, names, answered, plan, sizes, singles
        return cls(*own, systems, weight)

    def replicates(self, measure: Measure) -> Replicates:
        """Values and resamples of all rows."""
        if measure.weighted is None:
            return Replicates(
                np.asarray(measure.of(self._totals, self.columns)),
                np.ascontiguousarray(measure.resampled(self.drawn, self.columns).T),
            )
        rows = Rows.of(self.singles, measure)
        plan, units = self.plan, len(self.tables)

        def blocks() -> Iterator[Weights]:
            drawn = plan.resamples, plan.seed
            return draws(units, *drawn) if units else _none(plan)

        drawn = rows.resample(measure, (plan.resamples, plan.seed), blocks)
        return Replicates(rows.values(measure), drawn)

    def spread(self, measure: Measure) -> MeasureSpread:
        replicates = self.replicates(measure)
        own = self._rows.spread(
            measure,
            replicates,
            self._doubtful(measure),
            self._moves(measure, replicates),
            sides_of(self.singles, measure),
        )
        return replace(own.among_all(self.answered), weight=self.weight)

    @cached_property
    def _rows(self) -> TestSetRows:
        return TestSetRows(self.tables, self.columns, self.sizes, self._prompts)

    @property
    def _prompts(self) -> list[tuple[str, ...]]:
        """The prompts of the runs of each system that answered."""
        return [counts.prompts for counts in self.systems if counts is not None]

    def _doubtful(self, measure: Measure) -> Floats | None:
        """Replicates with an item of a random kind in each, of measures of a confusion
        matrix."""
        if measure.with_item is None or not len(self.drawn):
            return None
        of_file = self._totals, self.drawn, self.columns
        more = with_doubts(measure, *of_file, self.plan.seed)
        return np.ascontiguousarray(more.T)

    def _moves(self, measure: Measure, replicates: Replicates) -> Floats | None:
        """The part of each unit in the value of each row (rows, units); None where the
        interval needs something else. Where that would take too long they are nan."""
        if measure.share or measure.classes or measure.with_item or measure.of_file:
            return None
        if measure.weighted is None:
            each = measure.resampled(self._left_out, self.columns)
            return np.ascontiguousarray((replicates.values - each).T)
        return Rows.of(self.singles, measure).moves(measure)

    def share(self, measure: Measure) -> Sample:
        """Values and resamples times the weight, 0 for systems without an answer."""
        single, drawn = self.replicates(measure)
        runs = side_by_side(single, self.sizes, self._prompts)
        own = means(single, self.sizes), resample_runs(means(drawn, self.sizes), runs)
        values, resampled = (
            at_weight(rows_among_all(numbers, self.answered), self.weight)
            for numbers in own
        )
        return Sample(values, resampled, len(self.tables))

    def jackknife(self, measure: Measure) -> Floats:
        """The measure of one system with each unit left out, (units,)."""
        if measure.weighted is not None:
            each = Rows.of(self.singles, measure).left_out(measure)
            return np.asarray(means(each, self.sizes)[0])
        each = measure.resampled(self._left_out, self.columns).T
        return np.asarray(means(each, self.sizes)[0])

    @cached_property
    def _totals(self) -> Floats:
        return np.asarray(self.tables.sum(axis=0))

    @cached_property
    def _left_out(self) -> Floats:
        """Totals without each unit, the same for all measures."""
        # Column by column in memory, as measures read them.
        columns = self._totals.T[:, None] - self.tables.transpose(2, 0, 1)
        return np.asarray(np.moveaxis(columns, 0, -1))


def _none(plan: Plan) -> Iterator[Weights]:
    """Resamples without any unit."""
    yield np.zeros((plan.resamples, 0), dtype=np.uint16)


def _test_sets(
    systems: Sequence[Sequence[Stratum | None]], measures: Sequence[Measure]
) -> tuple[list[_TestSet], int]:
    """Test sets that anybody sent, and how many there are in all."""
    columns = list(zip(*systems, strict=True))
    test_sets = (_TestSet.of(column, measures) for column in columns)
    return [test_set for test_set in test_sets if test_set is not None], len(columns)


def _mean_numbers(
    sets: Sequence[_TestSet], size: int, measure: Measure
) -> tuple[Floats, Floats | None, Floats, ShownIntervals]:
    """Means over `size` test sets: values, single runs, resamples, intervals."""
    spreads = [spread.spread(measure) for spread in sets]
    columns = np.stack([at_weight(spread.values, spread.weight) for spread in spreads])
    values = np.array([math.fsum(row) / size for row in columns.T.tolist()])
    of_runs = [
        None if spread.runs is None else at_weight(spread.runs, spread.weight)
        for spread in spreads
    ]
    runs = mean_of_sets(of_runs, size)
    rows = [[spread.resampled for spread in spreads]]
    more = [some.doubtful for some in spreads if some.doubtful is not None]
    if len(more) == len(spreads):
        rows.append(more)
    weights = [spread.weight for spread in spreads]
    covered = [
        resample_runs(mean_of([*map(at_weight, drawn, weights)], size), runs)
        for drawn in rows
    ]
    resampled = covered[0]
    systems = [*zip(*(test_set.systems for test_set in sets), strict=True)]
    if len(sets) < size:  # One that nobody sent counts 0.
        systems = [(*system, *[None] * (size - len(sets))) for system in systems]
    judges = Judges.of(systems, measure)
    interval = shown_intervals(
        values,
        covered,
        spreads,
        sets[0].plan.level,
        runs,
        None if judges is None else judges.of_systems(),
    )
    return values, runs, resampled, interval


def board_numbers(
    systems: Sequence[Sequence[Stratum | None]], measures: Sequence[Measure]
) -> list[Floats]:
    """Tables (systems, numbers) of each measure, in the order of Numbers, nan for n/a.

    Each system brings one entry per test set, in one order; None counts 0, and
    leaves no interval. Raises ValueError when they differ in units or plans.
    """
    sets, size = _test_sets(systems, measures)
    return [_numbers(sets, size, len(systems), measure) for measure in measures]


def _numbers(
    sets: Sequence[_TestSet], size: int, systems: int, measure: Measure
) -> Floats:
    if not sets:
        nothing = Numbers(value=0.0, informative_units=0.0)
        return np.tile(np.array(nothing, dtype=np.float64), (systems, 1))
    values, runs, resampled, interval = _mean_numbers(sets, size, measure)
    units = interval.units if len(sets) == size else np.zeros(systems, dtype=np.int64)
    certain = units >= LEAST_UNITS
    low, high = (
        np.where(certain, end, np.nan) for end in (interval.low, interval.high)
    )
    error = np.where(certain, np.sqrt(variance_of(resampled)), np.nan)
    apart_by = np.where(np.isnan(values), np.nan, between(runs, systems))
    effective = np.where(units > 0, interval.effective, np.nan)
    return np.stack([values, low, high, error, units, apart_by, effective], axis=1)
