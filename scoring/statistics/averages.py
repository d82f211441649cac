"""Intervals of averages over classes, from those of the single classes.

Resamples of a rare class vary too little, or lack it. Each class has Wilson's interval
of its own, as wide as its few items make it, and the distances to their ends add up as
squares (MOVER: Zou and Donner 2008).
"""

from dataclasses import dataclass, fields

import numpy as np

from scoring.counts import Floats, Integers, pick
from scoring.measures import ClassShares, Measure
from scoring.statistics.shares import OfSystems, even_units, linearise, wilson

CELLS_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class Averages(OfSystems):
    """Classes of every system in one test set, each (systems, classes).

    `weights` are those in the average, and add up to 1. `variance` and `even` are as
    those of `Shares`; `units` (systems,) is what `even` is, of all classes together.
    """

    values: Floats
    variance: Floats
    whole: Floats
    even: Floats
    weights: Floats
    units: Floats

    @classmethod
    def of(
        cls, tables: Floats, columns: tuple[str, ...], measure: Measure, units: Integers
    ) -> "Averages":
        """The classes behind a measure over `tables` (units, systems, columns); `units`
        (systems,) bear on it."""
        cells = max(1, tables.shape[0] * tables.shape[2])
        step = max(1, CELLS_AT_ONCE // cells)
        blocks = [
            cls._from_block(tables[:, top : top + step], columns, measure, units[some])
            for top in range(0, tables.shape[1], step)
            for some in [slice(top, top + step)]
        ]
        joined = (
            np.concatenate([getattr(block, f.name) for block in blocks])
            for f in fields(cls)
        )
        return cls(*joined)

    @classmethod
    def _from_block(
        cls, tables: Floats, columns: tuple[str, ...], measure: Measure, units: Integers
    ) -> "Averages":
        classes = classes_of(measure, tables, columns)
        part, whole, held = (
            np.ascontiguousarray(side.transpose(1, 2, 0)) for side in classes[:3]
        )
        # A class that the measure has no answers of counts 0 by agreement; how little
        # is known of it, the items of the other side say.
        unknown = whole.sum(axis=-1, keepdims=True) == 0
        whole = np.where(unknown, held, whole)
        answers = whole.sum(axis=-1)
        of_units = np.repeat(units[:, None], part.shape[1], axis=1)
        variance, even = linearise(part, whole, of_units)
        weights = classes_of(measure, tables.sum(axis=0), columns).weight
        with np.errstate(divide="ignore", invalid="ignore"):
            values = part.sum(axis=-1) / answers
            weights = weights / in_order(weights)[:, None]
        together = even_units(in_order(np.moveaxis(whole, 1, -1)))
        return cls(values, variance, answers, even, weights, together)

    def distances(self, rows: Integers, t: Floats) -> tuple[Floats, Floats]:
        """Squares of the distances of some averages to their ends, each (rows,)."""
        values, variance, weights = (
            side[rows] for side in (self.values, self.variance, self.weights)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            real = np.fmin(values * (1 - values) / variance, self.whole[rows])
        answers = np.where(variance > 0, real, self.even[rows])
        low, high = wilson(values, answers, t[:, None])
        below, above = (np.nan_to_num(weights * (end - values)) for end in (low, high))
        return in_order(below * below), in_order(above * above)


def classes_of(
    measure: Measure, table: Floats, columns: tuple[str, ...]
) -> ClassShares:
    """Part, whole and weight of each class behind rows of `table` (..., columns)."""
    assert measure.classes is not None
    return measure.classes(*(pick(table, columns, name) for name in measure.columns))


def in_order(values: Floats) -> Floats:
    """Sums over the last axis, one after the other: zeros change no bit of them."""
    if not values.shape[-1]:
        return np.zeros(values.shape[:-1])
    return np.asarray(np.cumsum(values, axis=-1)[..., -1])
