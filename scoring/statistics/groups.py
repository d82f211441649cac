"""Groups of units and of test sets: design effects, correlations, spread.

Sentences of one document, or instances of one word, are not independent; intervals
over them are too narrow by the root of the design effect (Kish 1965). A test of two
systems suffers from what their differences share inside a group, not from what both
find hard there: where that is much, whole groups are exchanged in place of units, with
the same formulas, each d summed within its group. Test sets are languages, treebanks
or domains of one task (seed 003).
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from scoring.counts import Counts, Integers, whole_systems
from scoring.measures import Measure
from scoring.statistics.bootstrap import jackknife, unit_order
from scoring.statistics.exchange import Exchange, tables_of
from scoring.statistics.intervals import TIE

# From here on the group should be what is resampled.
LARGE = 1.5
# From here on groups are exchanged. Where only difficulty is shared few boards have so
# much, and with less few tests are wrong.
ALIKE = 1.25
# Systems whose pairs tell by how much differences are alike, and those in a measure
# that has to be computed for each pair.
MOST_SYSTEMS, MOST_WEIGHED = 32, 12


def design_effects(
    counts: Counts, measure: Measure, groups: Iterable[str]
) -> dict[str, float]:
    """Variance by groups / variance by units, for those that part the units at all."""
    alone = _variance(counts, measure)
    effects = {}
    for group in groups:
        if not parts(counts, group) or not alone > 0:
            continue
        coarse = counts.by(group, keep_rows=measure.weighted is not None)
        together = _variance(coarse, measure)
        if together == together:
            effects[group] = together / alone
    return effects


def grouping_to_exchange(
    systems: Sequence[Sequence[Counts | None]],
    measure: Measure,
    groups: Iterable[str],
) -> str:
    """The grouping whose groups are exchanged whole when these systems are compared;
    empty where single units are.

    It is that of the largest design effect of differences, the median over pairs of
    systems that sent every test set, where that is large. Of more than MOST_SYSTEMS the
    first are looked at. Raises ValueError when systems differ in test sets, or in the
    units of one.
    """
    most = MOST_SYSTEMS if measure.weighted is None else MOST_WEIGHED
    whole = whole_systems(systems)[1][:most]
    if measure.of_file or len(whole) < 2:
        return ""
    if measure.weighted is not None and any(c.judged for row in whole for c in row):
        return ""  # what judges add to weighed rows is known of single units only
    candidates = [name for name in groups if any(parts(c, name) for c in whole[0])]
    if not candidates:
        return ""
    exchange = Exchange(tables_of(whole, [measure]), measure)
    if exchange.too_many:
        return ""
    names = largest(
        typical(_effects_of_differences(exchange, whole[0], candidates)), ALIKE
    )
    return names[0] if names else ""


def parts(counts: Counts, group: str) -> bool:
    """Whether a grouping puts some units together, and others not."""
    return 1 < len(set(counts.groups.get(group, ()))) < len(counts.units)


def by_group(
    systems: Sequence[Sequence[Counts | None]], measure: Measure, group: str
) -> list[list[Counts | None]]:
    """The counts with groups in the place of units, in the test sets that it `parts`;
    unchanged where `group` is empty."""
    if not group:
        return [list(row) for row in systems]
    rows = measure.weighted is not None
    return [
        [c.by(group, rows) if c and parts(c, group) else c for c in row]
        for row in systems
    ]


def _effects_of_differences(
    exchange: Exchange, sets: Sequence[Counts], groups: Sequence[str]
) -> Iterator[dict[str, float]]:
    """The variance of each pair's difference by groups / that by units, both around
    each unit's share of the difference: what a better system is better by everywhere
    is no likeness inside groups."""
    members = {group: _members(sets, group) for group in groups}
    for pair in exchange.pairs().each:
        terms = exchange.terms_in_order(pair)[0]
        off = terms - terms.sum() * exchange.shares(pair)[0]
        alone = _spread(off)
        if alone > 0:  # else the two differ nowhere
            sums_of = {g: np.bincount(of, weights=off) for g, of in members.items()}
            yield {group: _spread(own) / alone for group, own in sums_of.items()}


def _members(sets: Sequence[Counts], group: str) -> Integers:
    """The group of each unit of the test sets, (units,), as `terms_in_order` has them;
    a unit is its own where the grouping does not part its test set."""
    members, groups = [np.zeros(0, dtype=np.int64)], 0
    for counts in sets:
        labels = counts.groups[group] if parts(counts, group) else counts.units
        place = {label: groups + i for i, label in enumerate(dict.fromkeys(labels))}
        order = unit_order(counts.units).tolist()
        members.append(np.array([place[labels[i]] for i in order], dtype=np.int64))
        groups += len(place)
    return np.concatenate(members)


def _spread(values: npt.NDArray[Any]) -> float:
    size = len(values)
    return float((values * values).sum()) * size / (size - 1)


def coarser(units: tuple[str, ...], unit: str) -> tuple[str, ...]:
    """The units of a scorer that are coarser than this one."""
    place = units.index(unit) if unit in units else 0
    return units[place + 1 :]


def largest(
    effects: Mapping[str, float], least: float = LARGE
) -> tuple[str, float] | None:
    """The grouping with the largest effect, where it is above the least."""
    large = [(effect, group) for group, effect in effects.items() if effect > least]
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
    left, right = _less_their_median(first), _less_their_median(second)
    products = math.fsum(a * b for a, b in zip(left, right, strict=True))
    squares = math.fsum(a * a for a in left) * math.fsum(b * b for b in right)
    scale = math.sqrt(squares)
    return max(-1.0, min(1.0, products / scale)) if scale else None


def _level(values: Sequence[float]) -> bool:
    return max(values) - min(values) <= TIE * max(map(abs, values))


def _less_their_median(values: Sequence[float]) -> list[float]:
    mean = math.fsum(values) / len(values)
    return [value - mean for value in values]


def cumulative_variance(
    values: Values, higher_is_better: bool = True
) -> list[tuple[str, float, float | None]]:
    """Test sets from best to worst with the sample variance of all so far.

    Rows of (test set, value, variance); the first row's variance is None. Test sets
    without a value are left out; ties keep the order given.
    """
    scored = [(name, value) for name, value in values.items() if value is not None]
    scored.sort(key=lambda item: item[1], reverse=higher_is_better)
    rows: list[tuple[str, float, float | None]] = []
    for size, (name, value) in enumerate(scored, 1):
        so_far = [value for _, value in scored[:size]]
        spread = math.fsum(part * part for part in _less_their_median(so_far))
        rows.append((name, value, spread / (size - 1) if size > 1 else None))
    return rows
