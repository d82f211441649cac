"""Measures of weighed rows: values, resamples, units left out, influence of rows.

Such a measure is no function of sums (`scoring.measures`). A resample is a weight for
each unit, and all rows of a unit have it; so have slices, parts and units left out.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from threading import Lock

import numpy as np
import numpy.typing as npt

from scoring.counts import Counts, Floats, Integers, pick
from scoring.measures import Measure

# Weights and what a measure makes of them stay in the processor's cache.
CELLS_AT_ONCE = 250_000
# Units times rows: up to here each unit is left out in fact, where slopes would do
# and where they would not.
FEW_LEFT_OUT, MOST_LEFT_OUT = 4_000_000, 25_000_000
# Values of resamples: those of a thousand systems, a thousand each.
MOST_KEPT = 1_000_000
# A weight moves by this share of itself where slopes are worked out by steps. The
# error of a step falls with its square over that of all weights, that of rounding
# rises with one over it.
STEP = 2.0**-10
# What slopes are good to, those of the measure itself and those by steps: a share of
# the largest.
ROUNDING, ROUGH = 1e-9, 1e-7

Weights = npt.NDArray[np.number]


@dataclass(frozen=True)
class Rows:
    """Rows of systems as one measure sees them: `tables` (systems, rows, columns).

    `unit_of` (rows,) has the place of each row's unit among the `units` in the order
    that draws refer to, by name. Rows are in the order of their own names, so that the
    order of a file changes no sum.
    """

    tables: Floats
    unit_of: Integers
    units: int

    @classmethod
    def of(cls, systems: Sequence[Counts], measure: Measure) -> "Rows":
        """Rows of systems of one run each. Raises ValueError when they were counted on
        different units, or on other rows of these."""
        used = {name for counts in systems for name in counts.columns}
        names = [*chain.from_iterable(measure.written_out(sorted(used)))]
        tables = []
        before: tuple[tuple[str, ...], tuple[str, ...]] | None = None
        row_names, order, unit_of = None, list[int](), np.zeros(0, dtype=np.int64)
        for counts in systems:
            rows, labels = counts, counts.units
            # Columns that were joined to coarser units are of these alone.
            if counts.finer and not set(names).isdisjoint(counts.finer.counts.columns):
                rows, labels = counts.finer.counts, counts.finer.unit_of
            if before != (rows.units, labels):
                order = sorted(range(len(rows.units)), key=rows.units.__getitem__)
                named = [(rows.units[i], labels[i]) for i in order]
                if row_names is None:
                    row_names = named
                    place = {name: i for i, name in enumerate(sorted(counts.units))}
                    own = [place[label] for _, label in named]
                    unit_of = np.array(own, dtype=np.int64)
                if named != row_names:
                    raise ValueError("the systems were not counted on the same units")
            before = rows.units, labels
            tables.append(_table(rows, names)[order])
        empty = np.zeros((0, 0, len(names)))
        units = len(systems[0].units) if systems else 0
        return cls(np.stack(tables) if tables else empty, unit_of, units)

    def weights(self, of_units: Weights) -> Weights:
        """Weights of rows (k, rows) from those of their units (k, units)."""
        if self.units == len(self.unit_of) and (np.diff(self.unit_of) == 1).all():
            return of_units
        return np.asarray(of_units[:, self.unit_of])

    def values(self, measure: Measure) -> Floats:
        """Values of all rows, (systems,)."""
        return self.weigh_blocks(measure, [np.ones((1, self.units))])[:, 0]

    def weigh_blocks(self, measure: Measure, blocks: Iterable[Weights]) -> Floats:
        """Values (systems, k) for weights of units, blocks of (some of k, units)."""
        parts = [np.zeros((len(self.tables), 0))]
        for block in blocks:
            for some in in_pieces(block, len(self.unit_of)):
                weights = self.weights(some).astype(np.float64)
                scores = [weigh(measure, weights, table) for table in self.tables]
                parts.append(np.array(scores).reshape(len(self.tables), len(weights)))
        return np.concatenate(parts, axis=1)

    def resample(
        self, measure: Measure, plan: Hashable, blocks: Callable[[], Iterable[Weights]]
    ) -> Floats:
        """Values (systems, resamples) for weights of units that follow from the plan.

        Those of a system are kept: a board asks for them again whenever another system
        joins it.
        """
        if not len(self.tables):
            return np.zeros((0, 0))
        from hashlib import blake2b  # OpenSSL takes long to load.

        order = blake2b(self.unit_of.tobytes())
        rows = []
        for i, table in enumerate(self.tables):
            own = order.copy()
            own.update(table.tobytes())
            key = (measure.weighted, plan, self.units, table.shape, own.digest())
            values = _recall(key)
            if values is None:
                alone = replace(self, tables=self.tables[i : i + 1])
                values = alone.weigh_blocks(measure, blocks())[0]
                _remember(key, values)
            rows.append(values)
        return np.stack(rows)

    def left_out(self, measure: Measure) -> Floats:
        """Values with each unit left out, (systems, units).

        Of very many units the value less the unit's influence, where the measure knows
        its slopes, and else nan.
        """
        most = FEW_LEFT_OUT if measure.slopes else MOST_LEFT_OUT
        if self.units * len(self.unit_of) <= most:
            return self.weigh_blocks(measure, self._each_left_out())
        left_out = np.full((len(self.tables), self.units), np.nan)
        if measure.slopes is None:
            return left_out
        ones = np.ones(len(self.unit_of))
        values = self.values(measure)
        for i, table in enumerate(self.tables):
            left_out[i] = values[i] - self.by_unit(measure.slopes(ones, table))
        return left_out

    def moves(self, measure: Measure) -> Floats:
        """Each unit's part of the value, (systems, units); nan where the measure
        does not know its slopes."""
        if measure.slopes is None:
            return np.full((len(self.tables), self.units), np.nan)
        ones = np.ones(len(self.unit_of))
        slopes = [self.by_unit(slopes_of(measure, ones, t)) for t in self.tables]
        return np.array(slopes).reshape(len(self.tables), self.units)

    def _each_left_out(self) -> Iterator[Weights]:
        step = max(1, CELLS_AT_ONCE // max(1, self.units))
        for top in range(0, self.units, step):
            places = np.arange(top, min(top + step, self.units))
            weights = np.ones((len(places), self.units))
            weights[np.arange(len(places)), places] = 0
            yield weights

    def by_unit(self, rows: Floats) -> Floats:
        """Sums of numbers of rows (rows,) in their units, (units,)."""
        sums = np.bincount(self.unit_of, weights=rows, minlength=self.units)
        return np.asarray(sums, dtype=np.float64)


_kept: OrderedDict[Hashable, Floats] = OrderedDict()
_lock = Lock()


def _recall(key: Hashable) -> Floats | None:
    with _lock:
        if key not in _kept:
            return None
        _kept.move_to_end(key)
        return _kept[key]


def _remember(key: Hashable, values: Floats) -> None:
    with _lock:
        _kept[key] = values
        while sum(map(len, _kept.values())) > MOST_KEPT:
            _kept.popitem(last=False)


def forget() -> None:
    """Drop the resamples that are kept."""
    with _lock:
        _kept.clear()


def _table(counts: Counts, names: Sequence[str]) -> Floats:
    """Columns of these names, (rows, columns); one that is not there is 0."""
    columns = counts.columns
    table = np.zeros((len(counts.units), len(names)))
    for k, name in enumerate(names):
        if name in columns:
            table[:, k] = pick(counts.table, columns, name)
    return table


def in_pieces(weights: Weights, rows: int) -> Iterator[Weights]:
    """Weights (k, units) of so many rows in pieces that are fit for the cache."""
    step = max(1, CELLS_AT_ONCE // max(1, rows))
    for top in range(0, len(weights), step):
        yield weights[top : top + step]


def weigh(measure: Measure, weights: Floats, table: Floats) -> Floats:
    """Values (k,) of weights (k, rows) of `table` (rows, columns of the measure). What
    counts sums is the special case of their products."""
    if measure.weighted is None:
        return np.asarray(measure.score(*(weights @ table).T))
    return np.asarray(measure.weighted(weights, table), dtype=np.float64)


def slopes_of(measure: Measure, weights: Floats, table: Floats) -> Floats:
    """Derivative of the value by the weight of each row, (rows,); 0 where it is only
    rounding."""
    if measure.slopes is not None:
        slopes = np.asarray(measure.slopes(weights, table), dtype=np.float64)
        return _without_rounding(slopes, ROUNDING)
    slopes = np.zeros(len(weights))
    step = max(1, CELLS_AT_ONCE // max(1, len(weights)))
    for top in range(0, len(weights), step):
        places = np.arange(top, min(top + step, len(weights)))
        moved = np.tile(weights, (len(places), 1))
        cells = np.arange(len(places)), places
        steps = weights[places] * STEP
        moved[cells] += steps
        above = weigh(measure, moved, table)
        moved[cells] -= 2 * steps
        slopes[places] = (above - weigh(measure, moved, table)) / (2 * steps)
    return _without_rounding(slopes, ROUGH)


def _without_rounding(slopes: Floats, share: float) -> Floats:
    most = np.abs(slopes).max(initial=0.0)
    return np.where(np.abs(slopes) <= share * most, 0.0, slopes)
