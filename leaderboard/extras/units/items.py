"""Items: what each unit of a test set tells of the systems, and what all do together.

The words are those of test theory (Lord and Novick 1968): systems take the place of
persons, units that of items. The difficulty of a unit is the mean value that systems
reach on it; its discrimination the item-rest correlation, that of the systems' values
on the unit with their means over all other units. Where better systems do worse, the
gold is to be looked at. What other units show is the measure of that: their
correlations, at their own spread between systems, are taken as a normal sample (median
and median deviation, which a few wrong units do not move), and a unit is marked where
it is below 0 and so far below what is usual that of ten marked units one or two are
expected to be so by chance (Benjamini and Hochberg 1995).

The reliability of a ranking is Cronbach's alpha: the share of the variance between
means of systems that other units of this kind would show again.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.counts import Counts, Flags, Floats
from scoring.measures import Measure
from scoring.statistics.intervals import DECIMALS, TIE, normal, t_quantile

# With fewer systems a correlation says next to nothing, and no unit is marked: of marks
# by ten systems half are right.
LEAST_SYSTEMS = 20
LEAST_FOR_RELIABILITY = 3
# Of the units that are marked about this share is so by chance.
CHANCE = 0.1
# A normal deviation over the median absolute one.
NORMAL = 1.4826
GOOD = 0.95  # a reliability to plan for


def unit_values(systems: Sequence[Counts], measure: Measure) -> Floats:
    """The value of each system on each unit, (systems, units), nan where undefined, of
    several runs their mean; units in the order of the first system. Raises ValueError
    where units differ."""
    rows = []
    order = systems[0].units if systems else ()
    for counts in systems:
        values = np.mean(
            [measure.of(run.table, run.columns) for run in counts.each_run()], axis=0
        )
        if counts.units != order:
            if sorted(counts.units) != sorted(order):
                raise ValueError("the systems were not counted on the same units")
            place = {unit: i for i, unit in enumerate(counts.units)}
            values = values[[place[unit] for unit in order]]
        rows.append(np.asarray(values, dtype=np.float64))
    return np.stack(rows) if rows else np.zeros((0, 0))


@dataclass(frozen=True)
class Items:
    """Figures of each unit, all (units,), nan where one is not known.

    `mean` is the mean value of the systems (the difficulty), `rest` the item-rest
    correlation, each with its standard error; `suspect` marks units that behave as if
    their gold were wrong. `systems` says how many have a value.
    """

    mean: Floats
    mean_error: Floats
    rest: Floats
    rest_error: Floats
    suspect: Flags
    systems: Floats


def items_of(values: Floats) -> Items:
    """Items of values (systems, units); a system without a value on a unit is left out
    of that unit."""
    answered = ~np.isnan(values)
    filled = np.where(answered, values, 0.0)
    size = answered.sum(axis=0).astype(np.float64)
    others = answered.sum(axis=1, keepdims=True) - answered
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = filled.sum(axis=0) / size
        rest = (filled.sum(axis=1, keepdims=True) - filled) / others
    usable = answered & (others > 0)
    own = _less_their_mean(values, usable)
    of_rest = _less_their_mean(rest, usable)
    spread = (own * own).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        products = (own * of_rest).sum(axis=0)
        r = products / np.sqrt(spread * (of_rest * of_rest).sum(axis=0))
        r = np.where((size > 2) & (spread > TIE), np.clip(r, -1.0, 1.0), np.nan)
        mean_error = np.sqrt(spread / (size - 1) / size)
        rest_error = np.sqrt((1 - r * r) / (size - 2))
    return Items(
        mean,
        np.where(size > 1, mean_error, np.nan),
        r,
        np.where(size > 2, rest_error, np.nan),
        _suspect(r, spread, size),
        size,
    )


def _less_their_mean(values: Floats, answered: Flags) -> Floats:
    """Values less their mean over the systems that are known, 0 for others."""
    filled = np.where(answered, values, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = filled.sum(axis=0) / answered.sum(axis=0)
    return np.where(answered, filled - mean, 0.0)


def _suspect(r: Floats, spread: Floats, size: Floats) -> Flags:
    suspect = np.zeros(len(r), dtype=np.bool_)
    enough = np.flatnonzero(~np.isnan(r) & (size >= LEAST_SYSTEMS))
    if not len(enough):
        return suspect
    z = r[enough] * np.sqrt(size[enough] - 1)
    # What units tell grows with their spread between systems.
    scale = np.sqrt(spread[enough])
    usual = float(np.median(z / scale))
    off = z - usual * scale
    deviation = NORMAL * float(np.median(np.abs(off - np.median(off))))
    if usual <= 0 or not deviation > 0:
        return suspect
    tails = np.array(
        [round(normal().cdf(x), DECIMALS) for x in (off / deviation).tolist()]
    )
    order = np.argsort(tails, kind="stable")
    steps = CHANCE * np.arange(1, len(tails) + 1) / len(tails)
    below = np.flatnonzero(tails[order] <= steps)
    chosen = order[: below[-1] + 1] if len(below) else order[:0]
    suspect[enough[chosen[z[chosen] < 0]]] = True
    return suspect


@dataclass(frozen=True)
class Reliability:
    """Cronbach's alpha of a ranking, with its interval, from so many units."""

    alpha: float
    low: float
    high: float
    units: int

    def units_for(self, wanted: float = GOOD) -> int | None:
        """How many units of this kind would be as reliable as that (Spearman and
        Brown); None where these show no difference between systems at all."""
        if not self.alpha > 0:
            return None
        if self.alpha >= 1:
            return 2
        odds = wanted / (1 - wanted) * (1 - self.alpha) / self.alpha
        return max(2, math.ceil(round(self.units * odds, 6)))


def reliability(values: Floats, level: float = 0.95) -> Reliability | None:
    """The reliability of means of values (systems, units), over the units on which all
    systems have one; None for fewer than three systems or two units, and where all
    systems are equal. The interval is that of the jackknife over systems."""
    whole = values[:, ~np.isnan(values).any(axis=0)]
    systems, units = whole.shape
    if systems < LEAST_FOR_RELIABILITY or units < 2:
        return None
    alpha = _alpha(whole)
    if math.isnan(alpha):
        return None
    each = [_alpha(np.delete(whole, i, axis=0)) for i in range(systems)]
    left_out = [math.log(max(1 - value, TIE)) for value in each if value == value]
    centre = math.log(max(1 - alpha, TIE))
    n = len(left_out)
    if n < 2:
        return Reliability(alpha, math.nan, math.nan, units)
    pseudo = [n * centre - (n - 1) * value for value in left_out]
    mean = math.fsum(pseudo) / n
    squares = math.fsum((value - mean) ** 2 for value in pseudo)
    half = t_quantile((1 + level) / 2, n - 1) * math.sqrt(squares / (n - 1) / n)
    low, high = (1 - math.exp(centre + sign * half) for sign in (1, -1))
    return Reliability(alpha, low, high, units)


def _alpha(values: Floats) -> float:
    units = values.shape[1]
    of_units = float(values.var(axis=0, ddof=1).sum())
    of_sums = float(values.sum(axis=1).var(ddof=1))
    if not of_sums > TIE:
        return math.nan
    return float(units / (units - 1) * (1 - of_units / of_sums))
