"""Areas under curves of one class against the others, by weighed rows.

Items (rows) stand in the order of what a system gives the class; equal ones are taken
at once. For whole weights all but the last divisions are of whole numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from scoring.counts import Floats, Integers
from scoring.measures import ratio
from scoring.statistics.averages import in_order
from scoring.statistics.correlations import one_column

# Columns of every class: ranks of what the system gives it, and which items have it.
RANK, HELD = "rank[]", "gold[]"
ITEMS = "items"
COLUMNS = (ITEMS, RANK, HELD)


@dataclass(frozen=True)
class _Curve:
    """Weights (k, groups) of items with the class and of others, those with the highest
    share first; `group` (rows,) is that of each item."""

    group: Integers
    held: Floats
    rest: Floats

    @classmethod
    def of(cls, weights: Floats, ranks: Floats, held: Floats) -> "_Curve":
        group = one_column(-ranks)
        order = np.argsort(group, kind="stable")
        starts = np.flatnonzero(np.diff(group[order], prepend=-1))
        sides = []
        for flags in (held, 1 - held):
            own = (weights * flags)[:, order]
            sides.append(np.add.reduceat(own, starts, axis=1))
        return cls(group, *sides)


OfCurve = Callable[[_Curve], Floats]
Slopes = Callable[[_Curve, Floats, float], Floats]


def _auc(curve: _Curve) -> Floats:
    """The chance that an item with the class stands before another, ties being half."""
    after = curve.rest.sum(axis=1, keepdims=True) - np.cumsum(curve.rest, axis=1)
    twice = (curve.held * (2 * after + curve.rest)).sum(axis=1)
    pairs = curve.held.sum(axis=1) * curve.rest.sum(axis=1)
    return ratio(np.asarray(twice), np.asarray(2 * pairs))


def _auc_slopes(curve: _Curve, held: Floats, value: float) -> Floats:
    mine, theirs = curve.held[0], curve.rest[0]
    size, others = mine.sum(), theirs.sum()
    after = others - np.cumsum(theirs) + theirs / 2
    before = np.cumsum(mine) - mine / 2
    with_class = (after[curve.group] - value * others) / (size * others)
    without = (before[curve.group] - value * size) / (size * others)
    return np.asarray(np.where(held > 0, with_class, without))


def _precisions(curve: _Curve) -> tuple[Floats, Floats]:
    """Share of items with the class down to each group, and how many there are."""
    hits = np.cumsum(curve.held, axis=1)
    seen = hits + np.cumsum(curve.rest, axis=1)
    return np.nan_to_num(ratio(hits, seen)), seen


def _average_precision(curve: _Curve) -> Floats:
    """Sum over thresholds of precision times what recall gains there."""
    precisions, _seen = _precisions(curve)
    return ratio(in_order(curve.held * precisions), curve.held.sum(axis=1))


def _average_precision_slopes(curve: _Curve, held: Floats, value: float) -> Floats:
    precisions, seen = (side[0] for side in _precisions(curve))
    mine = curve.held[0]
    share = np.divide(mine, seen, out=np.zeros(len(seen)), where=seen > 0)
    below = np.cumsum(share[::-1])[::-1][curve.group]
    worth = np.cumsum((share * precisions)[::-1])[::-1][curve.group]
    own = precisions[curve.group] + below - value
    return np.asarray((np.where(held > 0, own, 0.0) - worth) / mine.sum())


def _sides(table: Floats) -> tuple[Floats, Floats]:
    """Ranks and flags (rows, classes)."""
    classes = (table.shape[1] - 1) // 2
    return table[:, 1 : 1 + classes], table[:, 1 + classes :]


def _of_classes(of: OfCurve, weights: Floats, table: Floats) -> Floats:
    """Values (classes, k), nan where nobody has the class, or everybody."""
    ranks, held = _sides(table)
    if not len(table):
        return np.full((1, len(weights)), np.nan)
    areas = []
    for rank, flags in zip(ranks.T, held.T, strict=True):
        curve = _Curve.of(weights, rank, flags)
        value = of(curve)
        defined = (curve.held.sum(axis=1) > 0) & (curve.rest.sum(axis=1) > 0)
        areas.append(np.where(defined, value, np.nan))
    return np.array(areas)


def _mean(values: Floats) -> Floats:
    defined = ~np.isnan(values)
    return ratio(np.nan_to_num(values).sum(axis=0), defined.sum(axis=0))


def _mean_slopes(of: OfCurve, slopes: Slopes, weights: Floats, table: Floats) -> Floats:
    row = weights[None]
    values = _of_classes(of, row, table)[:, 0]
    ranks, held = _sides(table)
    places = np.flatnonzero(~np.isnan(values)).tolist()
    sums = np.zeros(len(weights))
    for place in places:
        curve = _Curve.of(row, ranks[:, place], held[:, place])
        sums += slopes(curve, held[:, place], float(values[place]))
    return sums / len(places) if places else np.full(len(weights), np.nan)


def auc(weights: Floats, table: Floats) -> Floats:
    """Mean over classes of the area under the ROC curve."""
    return _mean(_of_classes(_auc, weights, table))


def auc_slopes(weights: Floats, table: Floats) -> Floats:
    """The derivative by the weight of each item."""
    return _mean_slopes(_auc, _auc_slopes, weights, table)


def sides(table: Floats) -> Integers:
    """A number for each item (rows,), the same for items of the same classes."""
    held = _sides(table)[1]
    return np.asarray(np.unique(held, axis=0, return_inverse=True)[1].ravel())


def average_precision(weights: Floats, table: Floats) -> Floats:
    """Mean over classes of average precision."""
    return _mean(_of_classes(_average_precision, weights, table))


def average_precision_slopes(weights: Floats, table: Floats) -> Floats:
    """The derivative by the weight of each item."""
    slopes = _average_precision_slopes
    return _mean_slopes(_average_precision, slopes, weights, table)
