"""Krippendorff's alpha: how far judges agree; 1 is wholly, 0 is no more than chance.

K. Krippendorff, Content Analysis, chapter on reliability. Any number of judges, and any
of them may be missing anywhere. The level of the values says how far two of them are
apart: `nominal`, equal or not; `ordinal`, how many values lie between; `interval`, the
square of their difference.
"""

from typing import Literal

import numpy as np

from scoring.counts import Floats, Integers

Level = Literal["nominal", "ordinal", "interval"]


def alpha(unit_of: Integers, values: Floats, level: Level = "interval") -> float | None:
    """Krippendorff's alpha of values (n,), nan for none, and the units that they are
    of; None where no unit has two values, or all values are equal."""
    known = ~np.isnan(values)
    unit_of, values = unit_of[known], values[known]
    paired = np.bincount(unit_of, minlength=1)[unit_of] > 1
    unit_of, values = unit_of[paired], values[paired]
    if not len(values):
        return None
    sizes, n = np.bincount(unit_of).astype(np.float64), len(values)
    some = sizes > 1
    if level == "nominal":
        within, overall = _unequal(unit_of, values, sizes)
    else:
        places = _middles(values) if level == "ordinal" else values
        places = places - places.mean()
        sums = np.bincount(unit_of, weights=places)
        squares = np.bincount(unit_of, weights=places**2)
        # Sums of squared differences of all pairs, within units and over all.
        within = np.asarray(2 * (sizes * squares - sums**2))
        overall = 2 * float(n * squares.sum() - sums.sum() ** 2)
    observed = float((within[some] / (sizes[some] - 1)).sum())
    return 1 - observed * (n - 1) / overall if overall > 0 else None


def _middles(values: Floats) -> Floats:
    """How many values are lower, and half of those that are equal."""
    _names, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    middles = np.cumsum(counts) - counts / 2
    return np.asarray(middles[place])


def _unequal(unit_of: Integers, values: Floats, sizes: Floats) -> tuple[Floats, float]:
    """How many pairs of values are not equal, within each unit and over all."""
    names, place = np.unique(values, return_inverse=True)
    cells, counts = np.unique(unit_of * len(names) + place, return_counts=True)
    equal = np.bincount(cells // len(names), counts**2.0, minlength=len(sizes))
    totals = np.bincount(place).astype(np.float64)
    within = np.asarray(sizes**2 - equal)
    return within, len(values) ** 2 - float((totals**2).sum())
