"""Krippendorff's alpha: how far judges agree; 1 is wholly, 0 is no more than chance.

K. Krippendorff, Content Analysis, chapter on reliability. Any number of judges, and any
of them may be missing anywhere. The level of the values says how far two of them are
apart: `nominal`, equal or not; `ordinal`, how many values lie between; `interval`, the
square of their difference.
"""

import math
from typing import Literal

import numpy as np

from scoring.counts import Flags, Floats, Integers
from scoring.statistics.intervals import t_quantile

Level = Literal["nominal", "ordinal", "interval"]
# Groups of units that are left out in turn, and the fewest with which that is done.
GROUPS, FEWEST = 40, 10
# Values of so many kinds at most, as grades, are answers of which one may be rare.
MOST_KINDS = 10
# Apart from the streams of other draws.
SEED = 0x616C706861


def alpha(unit_of: Integers, values: Floats, level: Level = "interval") -> float | None:
    """Krippendorff's alpha of values (n,), nan for none, and the units that they are
    of; None where no unit has two values, or all values are equal."""
    present = ~np.isnan(values)
    unit_of, values = unit_of[present], values[present]
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


def interval(
    unit_of: Integers, values: Floats, level: Level = "interval"
) -> tuple[float, float] | None:
    """Ends of an interval of 95 % for alpha, for other units of the same judges; None
    of fewer than ten units with two values. Units are left out in groups by chance (a
    jackknife), with Student's t.

    Where one answer is rare, units of it decide, and there are few. So the interval
    covers the one with two units more, too: one of which all judges give the rarest
    answer, and one of which one judge does and the others the most common one.
    """
    present = ~np.isnan(values)
    unit_of, values = unit_of[present], values[present]
    several = np.unique(unit_of, return_counts=True)[1] > 1
    whole = alpha(unit_of, values, level)
    if several.sum() < FEWEST or whole is None:
        return None
    tables = (unit_of, values), _two_more(unit_of, values, level)
    intervals = [_left_out(*table, level) for table in tables if table is not None]
    ends = [both for both in intervals if both is not None]
    if not ends:
        return None
    lows, highs = zip(*ends, strict=True)
    return min(whole, *lows), max(whole, *highs)


def _two_more(
    unit_of: Integers, values: Floats, level: Level
) -> tuple[Integers, Floats] | None:
    """Units and values with two units of a rare answer more; None where values are of
    more kinds than a few."""
    kinds, counts = np.unique(values, return_counts=True)
    if level != "nominal" and len(kinds) > MOST_KINDS:
        return None
    by_count = kinds[np.argsort(counts, kind="stable")]
    rare, common = by_count[0], by_count[-1]
    sizes = np.bincount(unit_of)
    judges = int(np.sort(sizes[sizes > 1])[(sizes > 1).sum() // 2])
    new = int(unit_of.max()) + np.repeat([1, 2], judges)
    answers = [rare] * judges + [rare] + [common] * (judges - 1)
    return np.concatenate([unit_of, new]), np.concatenate([values, answers])


def _left_out(
    unit_of: Integers, values: Floats, level: Level
) -> tuple[float, float] | None:
    """The interval by units that are left out in groups, at most 1; None where those
    that are left say the same of all."""
    _names, place, sizes = np.unique(unit_of, return_inverse=True, return_counts=True)
    whole = alpha(place, values, level)
    units = np.flatnonzero(sizes > 1)
    groups = min(GROUPS, len(units))
    assert whole is not None
    group_of = np.zeros(len(sizes), dtype=np.int64)
    raw = np.random.PCG64([SEED, len(units)]).random_raw(len(units))
    group_of[units[np.argsort(raw, kind="stable")]] = np.arange(len(units)) % groups
    without = [alpha(place[x], values[x], level) for x in _others(group_of[place])]
    left = [value for value in without if value is not None]
    if len(left) < groups:
        return None
    spread = float(np.var(left)) * (groups - 1)
    reach = t_quantile(0.975, groups - 1) * math.sqrt(spread)
    return whole - reach, min(whole + reach, 1.0)


def _others(group_of: Integers) -> list[Flags]:
    """Flags, by group, of all that is not of it."""
    return [np.asarray(group_of != group) for group in range(int(group_of.max()) + 1)]


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
