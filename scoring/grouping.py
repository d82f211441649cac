"""Whether units inside one group answer alike: the design effect of a grouping.

Sentences of one document, or instances of one word, are not independent; intervals
over them are too narrow by the root of the design effect (Kish 1965).
"""

from collections.abc import Iterable, Mapping
from statistics import median

import numpy as np

from scoring.bootstrap import jackknife
from scoring.counts import Counts
from scoring.measures import Measure

# From here on the group should be what is resampled.
LARGE = 1.5


def design_effects(
    counts: Counts, measure: Measure, groups: Iterable[str]
) -> dict[str, float]:
    """Variance by groups / variance by units, for those that part the units at all."""
    alone = _variance(counts, measure)
    found = {}
    for group in groups:
        labels = set(counts.groups.get(group, ()))
        if not 1 < len(labels) < len(counts.units) or not alone > 0:
            continue
        together = _variance(counts.by(group), measure)
        if together == together:
            found[group] = together / alone
    return found


def coarser(units: tuple[str, ...], unit: str) -> tuple[str, ...]:
    """The units of a scorer that are coarser than this one."""
    place = units.index(unit) if unit in units else 0
    return units[place + 1 :]


def largest(effects: Mapping[str, float]) -> tuple[str, float] | None:
    """The grouping with the largest effect, where it is large."""
    large = [(effect, group) for group, effect in effects.items() if effect > LARGE]
    return max(large)[::-1] if large else None


def typical(found: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The median effect of each grouping over systems and test sets.

    With a dozen groups the effect of one system alone may well be 1.5 by chance.
    """
    by_group: dict[str, list[float]] = {}
    for effects in found:
        for group, effect in effects.items():
            by_group.setdefault(group, []).append(effect)
    return {group: median(effects) for group, effects in by_group.items()}


def _variance(counts: Counts, measure: Measure) -> float:
    """The jackknife's; nan with fewer than two units that can be left out."""
    values = jackknife(counts, measure)
    values = values[np.isfinite(values)]
    size = len(values)
    if size < 2:
        return float("nan")
    off = values - values.mean()
    return float((off * off).sum() * (size - 1) / size)
