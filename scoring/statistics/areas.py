"""Intervals of areas under curves, which the items of the rarer class decide.

With five items of a class and 95 others, an AUC or an average precision varies as a
mean of five does. Its variance is that of DeLong, DeLong and Clarke-Pearson (1988): of
the items on each side by themselves, over their number; its degrees of freedom are
those of both sides (Satterthwaite 1946). Wilson's interval takes as many answers as the
variance says, and at most as many as there are pairs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from scoring.counts import Counts, Floats, Integers
from scoring.measures import Measure
from scoring.statistics.row_weights import Rows
from scoring.statistics.shares import OfSystems

# What a unit moves a value by, times their number: less is rounding.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Areas(OfSystems):
    """Areas of every system in one test set, each (systems,).

    `degrees` are those of the `variance`; `pairs` are the most answers that there can
    be, and `least` those where nothing varied: the units of the smallest side.
    """

    variance: Floats
    degrees: Floats
    pairs: Floats
    least: Floats

    @classmethod
    def of(cls, sides: Integers, moves: Floats, values: Floats) -> "Areas":
        """The areas, from the side of each unit (units,), what it adds to each value
        (systems, units), and the values (systems,)."""
        both = zip(moves, values.tolist(), strict=True)
        areas = [_area(own, sides, value) for own, value in both]
        return cls(*np.array(areas).reshape(-1, len(fields(cls))).T)


def sides_of(systems: Sequence[Counts], measure: Measure) -> Integers | None:
    """The side of each unit, from 0, (units,), where a measure tells sides of a curve
    apart and each unit is on one. All systems were counted on the same gold."""
    if measure.sides is None or not systems or not systems[0].units:
        return None
    rows = Rows.of(systems[0].each_run()[:1], measure)
    of_rows = np.unique(measure.sides(rows.tables[0]), return_inverse=True)[1]
    of_units = np.zeros(rows.units, dtype=np.int64)
    of_units[rows.unit_of] = of_rows
    return of_units if (of_units[rows.unit_of] == of_rows).all() else None


def _area(slopes: Floats, sides: Integers, value: float) -> Sequence[float]:
    """Variance, degrees, pairs and least of one system from what each unit adds."""
    sizes = np.bincount(sides).astype(np.float64)
    slopes = np.where(np.abs(slopes) * len(slopes) > ROUNDING, slopes, 0.0)
    squares = np.bincount(sides, weights=slopes * slopes)
    # How a single item of a class varies, nothing tells: as much as any can.
    alone = value * (1 - value) / (1 if len(sizes) == 2 else len(sizes)) ** 2
    free = np.maximum(sizes - 1, 1)
    parts = np.where(sizes > 1, squares * sizes / free, alone)
    variance, terms = parts.sum(), (parts * parts / free).sum()
    degrees = variance * variance / terms if terms > 0 else free.min()
    pairs = (sizes.sum() ** 2 - (sizes * sizes).sum()) / 2
    return float(variance), float(degrees), float(pairs), float(sizes.min())
