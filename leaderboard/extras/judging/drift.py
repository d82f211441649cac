"""Drift of a judge: whether they judge otherwise late than early.

What is compared is how far each vote departs from those of others (values), or whether
the first of two answers was chosen (pairs). Votes on one unit go together, so a unit
is one number, its mean; halves of the units, in the order in which the judge came to
them, are two samples (Welch 1947).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.statistics.intervals import t_quantile

ERROR = 0.05  # of all judges of a campaign together
LEAST = 5  # units of a half


@dataclass(frozen=True)
class Drift:
    """By how much the late half is above the early one, with ends of an interval."""

    change: float
    low: float
    high: float

    @property
    def is_sure(self) -> bool:
        return not self.low <= 0 <= self.high


def drift(units: Sequence[float], error: float = ERROR) -> Drift | None:
    """Of values of units in order of time; None where there are too few of them."""
    values = np.array(units, dtype=np.float64)
    half = len(values) // 2
    if half < LEAST:
        return None
    early, late = values[:half], values[-half:]
    parts = np.array([np.var(x, ddof=1) / half for x in (early, late)])
    change, whole = float(late.mean() - early.mean()), float(parts.sum())
    if whole == 0:
        return None  # nothing varied, so that nothing says how sure it is
    # Rounded down: a little wider.
    degrees = int(whole**2 * (half - 1) / float((parts**2).sum()))
    reach = t_quantile(1 - error / 2, degrees) * whole**0.5
    return Drift(change, change - reach, change + reach)


def drifts(by_judge: Mapping[int, Mapping[str, Sequence[float]]]) -> dict[int, Drift]:
    """Of departures by judge and unit, in order of time. All intervals hold at once
    (Bonferroni)."""
    means = {
        judge: [sum(own) / len(own) for own in units.values()]
        for judge, units in by_judge.items()
    }
    tested = [x for x, units in means.items() if len(units) >= 2 * LEAST]
    found = {judge: drift(means[judge], ERROR / len(tested)) for judge in tested}
    return {judge: one for judge, one in found.items() if one is not None}
