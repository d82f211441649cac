"""Two systems on the same units: difference, interval, P(A > B), p-value, Holm."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations

import numpy as np

from scoring.bootstrap import Plan, estimate, replicates
from scoring.counts import Counts, Floats
from scoring.measures import Measure


@dataclass(frozen=True, slots=True)
class Comparison:
    """`first` against `second` in one measure, paired over the shared resamples.

    `probability` is the share of resamples in which the first is better (ties count
    half); `p_value` is two-sided; `adjusted` is Holm's over the family compared.
    """

    first: str
    second: str
    measure: str
    difference: float | None
    low: float | None = None
    high: float | None = None
    probability: float | None = None
    p_value: float | None = None
    adjusted: float | None = None

    def as_dict(self) -> dict[str, str | float | None]:
        return asdict(self)


def compare(
    names: tuple[str, str], pair: tuple[Counts, Counts], measure: Measure, plan: Plan
) -> Comparison:
    """Compare two systems counted on the same units.

    The p-value is the paired bootstrap's: the share of resampled differences, centred
    on the observed one, at least as far from zero as it, with one added to both
    sides so that it is never 0.
    """
    values = [float(measure.of(c.totals, c.columns)) for c in pair]
    difference = values[0] - values[1]
    if not math.isfinite(difference):
        return Comparison(*names, measure.name, None)
    first, second = (replicates(c, [measure], plan)[0] for c in pair)
    resampled = first - second
    found = estimate(difference, resampled, [], plan.level)
    probability, p_value = _judge(resampled, difference, measure.higher_is_better)
    return Comparison(
        *names, measure.name, difference, found.low, found.high, probability, p_value
    )


def _judge(
    resampled: Floats, difference: float, higher_is_better: bool
) -> tuple[float | None, float | None]:
    defined = resampled[np.isfinite(resampled)]
    if not len(defined):
        return None, None
    signed = defined if higher_is_better else -defined
    wins = np.count_nonzero(signed > 0) + np.count_nonzero(signed == 0) / 2
    extreme = np.count_nonzero(np.abs(defined - difference) >= abs(difference))
    p_value = (1 + extreme) / (1 + len(defined))
    return float(wins / len(defined)), min(1.0, p_value)


def compare_all(
    systems: dict[str, Counts], measure: Measure, plan: Plan
) -> list[Comparison]:
    """Every pair of systems, Holm's correction over all of them."""
    found = [
        compare((a, b), (systems[a], systems[b]), measure, plan)
        for a, b in combinations(systems, 2)
    ]
    adjusted = holm([c.p_value for c in found])
    return [replace(c, adjusted=p) for c, p in zip(found, adjusted, strict=True)]


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down adjustment; undefined values stay undefined."""
    known = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, i) in enumerate(known):
        highest = max(highest, min(1.0, p * (len(known) - rank)))
        adjusted[i] = highest
    return adjusted
