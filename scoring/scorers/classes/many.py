"""Averages over any number of classes, from the numbers of the classes of each item.

A column for each of many thousand classes would be nearly empty. With the option `many`
an item has the numbers of its classes instead, which are added up class by class for
each resample. Figures are those of `scoring.scorers.classes.figures`; intervals are
those of measures of weighed rows, not made of Wilson's of each class.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from scoring.counts import ALL_TAGS, Flags, Floats, Integers
from scoring.measures import Measure, no_function_of_sums, ratio_or_zero
from scoring.options import TRUE, Raw
from scoring.scorers.classes.counts import (
    CLASS_SUMS,
    GOLD_CLASSES,
    LEFT_OUT,
    SYSTEM_CLASSES,
)

ITEMS, RIGHT = "items", "right"


class Slopes(NamedTuple):
    """Slopes of a value by the sums of each class, (classes,), and by two more."""

    correct: Floats
    system: Floats
    gold: Floats
    right: float = 0.0
    items: float = 0.0


@dataclass(frozen=True)
class ClassSums:
    """Sums by class of rows that have weights.

    `items` and `right` are (k,), `of_class` three times (k, classes): correct, of the
    system, of the gold. `scored` (classes,) are not left out of averages. `places` are
    the classes that a row counts in, three times (rows, some), 0 for none, and `whole`
    (rows,) says which are right.
    """

    items: Floats
    right: Floats
    of_class: tuple[Floats, ...]
    scored: Flags
    places: tuple[Integers, ...]
    whole: Flags

    @classmethod
    def of(cls, weights: Floats, table: Floats) -> "ClassSums":
        """Sums for weights (k, rows) of `table` (rows, items and classes)."""
        numbers = table[:, 1:].astype(np.int64)
        gold, system = np.split(np.abs(numbers), 2, axis=1)
        hits = (gold[:, :, None] == system[:, None, :]).any(axis=2) & (gold > 0)
        correct = np.where(hits, gold, 0)
        sizes = ((side > 0).sum(axis=1) for side in (correct, system, gold))
        shared, returned, wanted = sizes
        whole = (shared == returned) & (shared == wanted)
        classes = int(np.abs(numbers).max(initial=0)) + 1
        scored = np.ones(classes, dtype=np.bool_)
        scored[np.abs(numbers[numbers < 0])] = False
        places = correct, system, gold
        of_class = tuple(_sums_at(weights, classes, side) for side in places)
        items, right = weights @ table[:, 0], weights @ whole
        return cls(items, right, of_class, scored[1:], places, whole)

    def named(self, name: str) -> Floats:
        """The sums that a column of this name has where each class has columns."""
        if name in (ITEMS, RIGHT):
            return self.items if name == ITEMS else self.right
        kept = ~self.scored if name.startswith(LEFT_OUT) else self.scored
        part = CLASS_SUMS.index(name.removeprefix(LEFT_OUT).removesuffix(ALL_TAGS))
        return self.of_class[part][:, kept]

    def by_row(self, slopes: Slopes) -> Floats:
        """The part of each row in the value, (rows,)."""
        rows = slopes.items + np.where(self.whole, slopes.right, 0.0)
        for of_class, places in zip(slopes[:3], self.places, strict=True):
            rows += np.append(0.0, of_class)[places].sum(axis=1)
        return np.asarray(rows)


def _sums_at(weights: Floats, classes: int, places: Integers) -> Floats:
    """Sums (k, classes without 0) of weights (k, rows) at places (rows, some)."""
    sums = np.zeros(len(weights) * classes)
    starts = classes * np.arange(len(weights))[:, None]
    for column in places.T:
        cells = (starts + column).ravel()
        sums += np.bincount(cells, weights.ravel(), len(sums))
    return sums.reshape(len(weights), classes)[:, 1:]


def declaring(fixed: tuple[Measure, ...]) -> Callable[[Raw], tuple[Measure, ...]]:
    """Function that gives the measures of a task with very many classes; none, for
    `fixed` ones, where the option does not ask for them."""
    measures = tuple(_in_numbers(measure) for measure in fixed)

    def declared(raw: Raw) -> tuple[Measure, ...]:
        said = raw.get("many", ())
        return measures if said and str(said[-1]).lower() in TRUE else ()

    return declared


def _in_numbers(measure: Measure) -> Measure:
    """A measure of the sums of all classes as one of rows; others as they are."""
    if CLASS_SUMS[0] + ALL_TAGS not in measure.columns:
        return measure
    slopes = partial(_slopes, measure.name)
    return replace(
        measure,
        columns=(ITEMS, GOLD_CLASSES, SYSTEM_CLASSES),
        score=no_function_of_sums,
        weighted=partial(_weighted_mean, measure),
        slopes=slopes,
        classes=None,
        with_item=None,
        bounds=measure.bounds or (0.0, 1.0),
    )


def _weighted_mean(measure: Measure, weights: Floats, table: Floats) -> Floats:
    sums = ClassSums.of(weights, table)
    return measure.score(*map(sums.named, measure.columns))


# What is divided: so many correct ones by so many of the system and so many of gold.
PARTS = {
    "precision": (1, 1, 0),
    "recall": (1, 0, 1),
    "accuracy": (1, 0, 1),
    "f1": (2, 1, 1),
    "f05": (5, 4, 1),
    "f2": (5, 1, 4),
}


def _slopes(name: str, weights: Floats, table: Floats) -> Floats:
    sums = ClassSums.of(weights[None, :], table)
    of_class = [side[0] for side in sums.of_class]
    if name in BY_CHANCE:
        items, right = float(sums.items[0]), float(sums.right[0])
        return sums.by_row(BY_CHANCE[name](items, right, *of_class))
    average, kind = name.split("_")
    return sums.by_row(_of_average(average, PARTS[kind], of_class, sums.scored))


def _of_average(
    average: str, parts: tuple[int, int, int], sums: list[Floats], scored: Flags
) -> Slopes:
    """Slopes of a mean over classes: each counts once, or as often as in gold."""
    correct, system, gold = sums
    part, of_system, of_gold = parts
    whole = of_system * system + of_gold * gold
    values = ratio_or_zero(part * correct, whole)
    held = np.asarray((gold if average == "balanced" else system + gold) > 0)
    weight = gold if average == "weighted" else held.astype(np.float64)
    if average != "balanced":
        weight = weight * scored
    weight = ratio_or_zero(weight, weight.sum())
    by_gold = -of_gold * values
    slopes = [ratio_or_zero(side, whole) for side in (part + 0 * values, by_gold)]
    by_system = ratio_or_zero(-of_system * values, whole)
    more = np.zeros_like(values)
    if average == "weighted":
        mean = (weight * values).sum()
        more = scored * ratio_or_zero(values - mean, (scored * gold).sum())
    return Slopes(weight * slopes[0], weight * by_system, weight * slopes[1] + more)


def _of_mcc(
    items: float, right: float, _correct: Floats, system: Floats, gold: Floats
) -> Slopes:
    over = items * right - (system * gold).sum()
    sides = [items**2 - (side**2).sum() for side in (system, gold)]
    under = np.sqrt(sides[0] * sides[1])
    nothing = np.zeros_like(gold)
    if not under:
        return Slopes(nothing, nothing, nothing)
    value = over / under
    # The logarithm of what is below changes by half of that of each factor.
    by_system = (-gold + value * under * system / sides[0]) / under
    by_gold = (-system + value * under * gold / sides[1]) / under
    by_items = right / under - value * items * (1 / sides[0] + 1 / sides[1])
    return Slopes(nothing, by_system, by_gold, items / under, by_items)


def _of_kappa(
    items: float, right: float, _correct: Floats, system: Floats, gold: Floats
) -> Slopes:
    by_chance = (system * gold).sum()
    under = items**2 - by_chance
    nothing = np.zeros_like(gold)
    if not under:
        return Slopes(nothing, nothing, nothing)
    value = (items * right - by_chance) / under
    by_system, by_gold = ((value - 1) * side / under for side in (gold, system))
    by_items = (right - value * 2 * items) / under
    return Slopes(nothing, by_system, by_gold, items / under, by_items)


BY_CHANCE = {"mcc": _of_mcc, "kappa": _of_kappa}
