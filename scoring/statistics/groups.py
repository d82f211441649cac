"""Groups of units and of test sets: design effects, correlations, spread.

Sentences of one document, or instances of one word, are not independent; intervals
over them are too narrow by the root of the design effect (Kish 1965). Test sets are
languages, treebanks or domains of one task (seed 003).
"""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from scoring.counts import Counts
from scoring.measures import Measure
from scoring.statistics.bootstrap import jackknife
from scoring.statistics.intervals import TIE

# From here on the group should be what is resampled.
LARGE = 1.5


def design_effects(
    counts: Counts, measure: Measure, groups: Iterable[str]
) -> dict[str, float]:
    """Variance by groups / variance by units, for those that part the units at all."""
    alone = _variance(counts, measure)
    effects = {}
    for group in groups:
        labels = set(counts.groups.get(group, ()))
        if not 1 < len(labels) < len(counts.units) or not alone > 0:
            continue
        coarse = counts.by(group, keep_rows=measure.weighted is not None)
        together = _variance(coarse, measure)
        if together == together:
            effects[group] = together / alone
    return effects


def coarser(units: tuple[str, ...], unit: str) -> tuple[str, ...]:
    """The units of a scorer that are coarser than this one."""
    place = units.index(unit) if unit in units else 0
    return units[place + 1 :]


def largest(effects: Mapping[str, float]) -> tuple[str, float] | None:
    """The grouping with the largest effect, where it is large."""
    large = [(effect, group) for group, effect in effects.items() if effect > LARGE]
    return max(large)[::-1] if large else None


def typical(effects_of_each: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The median effect of each grouping over systems and test sets. With a dozen
    groups the effect of one system alone may well be 1.5 by chance."""
    by_group: dict[str, list[float]] = {}
    for effects in effects_of_each:
        for group, effect in effects.items():
            by_group.setdefault(group, []).append(effect)
    return {group: float(np.median(effects)) for group, effects in by_group.items()}


def _variance(counts: Counts, measure: Measure) -> float:
    """The jackknife's; nan with fewer than two units that can be left out."""
    values = jackknife(counts, measure)
    values = values[np.isfinite(values)]
    size = len(values)
    if size < 2:
        return float("nan")
    off = values - values.mean()
    return float((off * off).sum() * (size - 1) / size)


Values = Mapping[str, float | None]
LEAST = 3


def correlations(testsets: Mapping[str, Values]) -> dict[str, dict[str, float | None]]:
    """Pearson correlation between measures over the test sets, a square of names.

    `testsets` gives each test set's value per measure, None where undefined. Each pair
    of measures uses the test sets that have both; None below three of them, or where
    one measure does not vary (SCORING.md, `attachment`).
    """
    names = list(dict.fromkeys(name for values in testsets.values() for name in values))
    square: dict[str, dict[str, float | None]] = {name: {} for name in names}
    for i, first in enumerate(names):
        for second in names[i:]:
            value = _pair(testsets, first, second)
            square[first][second] = square[second][first] = value
    return square


def _pair(testsets: Mapping[str, Values], first: str, second: str) -> float | None:
    both = [(of.get(first), of.get(second)) for of in testsets.values()]
    complete = [(a, b) for a, b in both if a is not None and b is not None]
    if len(complete) < LEAST:
        return None
    return pearson([a for a, _ in complete], [b for _, b in complete])


def pearson(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Pearson's r; None where one side does not vary."""
    if _level(first) or _level(second):
        return None
    left, right = _centred(first), _centred(second)
    products = math.fsum(a * b for a, b in zip(left, right, strict=True))
    squares = math.fsum(a * a for a in left) * math.fsum(b * b for b in right)
    scale = math.sqrt(squares)
    return max(-1.0, min(1.0, products / scale)) if scale else None


def _level(values: Sequence[float]) -> bool:
    return max(values) - min(values) <= TIE * max(map(abs, values))


def _centred(values: Sequence[float]) -> list[float]:
    mean = math.fsum(values) / len(values)
    return [value - mean for value in values]


def cumulative_variance(
    values: Values, higher_is_better: bool = True
) -> list[tuple[str, float, float | None]]:
    """Test sets from best to worst with the sample variance of all so far.

    Rows of (test set, value, variance); the first row's variance is None. Test sets
    without a value are left out; ties keep the order given.
    """
    known = [(name, value) for name, value in values.items() if value is not None]
    known.sort(key=lambda item: item[1], reverse=higher_is_better)
    rows: list[tuple[str, float, float | None]] = []
    for size, (name, value) in enumerate(known, 1):
        so_far = [value for _, value in known[:size]]
        spread = math.fsum(part * part for part in _centred(so_far))
        rows.append((name, value, spread / (size - 1) if size > 1 else None))
    return rows
