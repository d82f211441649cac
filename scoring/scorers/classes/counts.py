"""Whole numbers of every item: what is right, and the sums of each class."""

import re
from collections.abc import Mapping

import numpy as np

from scoring.counts import Counts, Flags, Floats, Integers, fixed_point
from scoring.inspection import Inspection, ItemTable, Picture
from scoring.options import Options
from scoring.scorer import DetailRows, details_of
from scoring.scorers.classes import hierarchy
from scoring.scorers.classes.items import MOST_LABELS, Labels, shared_codes

CLASS_SUMS = ("correct", "system", "gold")
# Those of classes left out of averages, of which other measures still know.
LEFT_OUT = "ignored_"
# Of grades: items above a rank in gold, and in the system.
ABOVE = "gold_above", "system_above"
# Tables that were stored before it was counted lack it, as they lack those above.
DISTANCE = "rank_distance[gold]"
NEIGHBOURS, RANKED = "neighbours[gold]", "ranked[gold]"
# Labels with all above them: on both sides, of the system, of the gold. Older tables
# lack them, too.
HIERARCHY = tuple(f"above_{side}[labels]" for side in ("both", "system", "gold"))
# Numbers of the first, second and further class of an item, in place of columns of each
# class. 0 stands for none; numbers of classes that averages leave out are below 0.
GOLD_CLASSES, SYSTEM_CLASSES = "class_gold[]", "class_system[]"
# Of the groups of the option `worst`: right items, and all.
GROUP_RIGHT, GROUP_ITEMS = "group_right", "group_items"
# Labels that are their own ranks.
GRADE = re.compile(r"0|[1-9][0-9]?")


def count(gold: Labels, system: Labels, options: Options) -> Counts:
    """One row per item with one label on each side."""
    names, first, second = shared_codes(gold, system)
    right = first == second
    of_classes = [] if options["many"] else class_columns(names, options)
    ranks = _ranks(names, options)
    above = {} if _too_many(ranks, options) else _above(ranks, first, second)
    sums = ("items", "right", *CLASS_SUMS, *RANK_SUMS)
    more = {**above, **_of_groups(gold, right, options)}
    more |= _beside_sums(gold, system, options)
    columns = (*sums, *of_classes, *more)
    table = np.zeros((len(gold), len(columns)))
    rows = np.arange(len(gold))
    if of_classes:
        block = table[:, len(sums) :]
        block[rows, 3 * second + 1] = 1
        block[rows, 3 * first + 2] = 1
        block[rows[right], 3 * first[right]] = 1
    scored = scored_classes(names, options)
    table[:, 0], table[:, 1] = 1, right
    table[:, 2] = right & scored[first]
    table[:, 3], table[:, 4] = scored[second], scored[first]
    if ranks is not None:
        one, other = ranks[first], ranks[second]
        moments = (one - other) ** 2, one, one**2, other, other**2
        table[:, 5:10] = np.stack(moments, axis=1)
    for place, cells in enumerate(more.values(), len(columns) - len(more)):
        table[:, place] = cells
    return Counts(tuple(gold.answers.ids), columns, table, groups_of(gold))


RANK_SUMS = (
    "squared_distance",
    "gold_rank",
    "gold_rank_squared",
    "system_rank",
    "system_rank_squared",
)


def groups_of(gold: Labels) -> dict[str, tuple[str, ...]]:
    return dict(gold.answers.groups)


def class_columns(names: list[str], options: Options) -> list[str]:
    """Names of the columns of the sums of each class."""
    ignored = set(options["ignore"])
    return [
        f"{LEFT_OUT * (name in ignored)}{part}[{name}]"
        for name in names
        for part in CLASS_SUMS
    ]


def scored_classes(names: list[str], options: Options) -> Flags:
    """Flags of the classes that averages are over."""
    ignored = set(options["ignore"])
    return np.array([name not in ignored for name in names], dtype=np.bool_)


def _ranks(names: list[str], options: Options) -> Integers | None:
    """The place of each label on the task's list, from 1; without a list the labels
    themselves where all of them are grades, None where one is none."""
    if options["labels"]:
        known = {name: rank for rank, name in enumerate(options["labels"], 1)}
        return np.array([known[name] for name in names], dtype=np.int64)
    if not all(map(GRADE.fullmatch, names)):
        return None
    return np.array([*map(int, names)], dtype=np.int64)


def _beside_sums(gold: Labels, system: Labels, options: Options) -> dict[str, Floats]:
    """Columns of labels with all above them, and of the numbers of the classes."""
    columns = _in_hierarchy(gold, system, options)
    if options["many"]:
        columns |= class_numbers(gold, system, options)
    return columns


def _in_hierarchy(gold: Labels, system: Labels, options: Options) -> dict[str, Floats]:
    """How many labels, with all above them, stand on both sides and on each."""
    if options["parents"] is None:
        return {name: np.zeros(len(gold)) for name in HIERARCHY}
    names, first, second = shared_codes(gold, system)
    closures = hierarchy.closures(names, options["parents"])
    own = closures.of_items(gold.item_of, first)
    other = closures.of_items(system.item_of, second)
    both = np.intersect1d(own, other, assume_unique=True)
    sizes = (
        np.bincount(pairs // max(closures.nodes, 1), minlength=len(gold))
        for pairs in (both, other, own)
    )
    counts = (size.astype(np.float64) for size in sizes)
    return dict(zip(HIERARCHY, counts, strict=True))


def class_numbers(gold: Labels, system: Labels, options: Options) -> dict[str, Floats]:
    """Columns of the numbers of the classes of items. Those of the gold are the same
    beside every system; a system's own come behind them."""
    own = sorted({*system.names} - {*gold.names})
    ignored = {*options["ignore"]}
    numbers = {
        name: -place if name in ignored else place
        for place, name in enumerate([*gold.names, *own], 1)
    }
    size = max(int(side.answers.sizes.max(initial=0)) for side in (gold, system))
    columns: dict[str, Floats] = {}
    for column, side in ((GOLD_CLASSES, gold), (SYSTEM_CLASSES, system)):
        cells = np.zeros((len(side), size))
        of_names = np.array([numbers[name] for name in side.names], dtype=np.float64)
        start = np.searchsorted(side.item_of, side.item_of)
        cells[side.item_of, np.arange(len(start)) - start] = of_names[side.codes]
        columns |= {f"{column[:-1]}{i + 1}]": cells[:, i] for i in range(size)}
    return columns


def _of_groups(gold: Labels, right: Flags, options: Options) -> dict[str, Floats]:
    """Items of each group of the option `worst`, and those that are right."""
    labels = np.array(gold.answers.groups.get(options["worst"], ()), dtype=np.str_)
    columns = {}
    for label in sorted({*labels.tolist()}):
        own = labels == label
        columns[f"{GROUP_ITEMS}[{label}]"] = own.astype(np.float64)
        columns[f"{GROUP_RIGHT}[{label}]"] = (own & right).astype(np.float64)
    return columns


def _too_many(ranks: Integers | None, options: Options) -> bool:
    """Whether ranks are more than there should be columns for."""
    return bool(options["many"] and ranks is not None and len(ranks) > MOST_LABELS)


def _above(
    ranks: Integers | None, first: Integers, second: Integers
) -> dict[str, Floats]:
    """The distance of both sides in ranks, whether it is 1 at most, and flags of items
    whose gold, and whose system, is above a rank, for each rank but the highest. Flags
    of ranks from there on, which other systems may have, are all 0."""
    if ranks is None or not len(ranks):
        return {}
    distance = np.abs(ranks[first] - ranks[second]).astype(np.float64)
    columns = {
        DISTANCE: distance,
        NEIGHBOURS: (distance <= 1).astype(np.float64),
        RANKED: np.ones(len(distance)),
    }
    for rank in range(int(ranks.max())):
        for name, codes in zip(ABOVE, (first, second), strict=True):
            columns[f"{name}[{rank}]"] = (ranks[codes] > rank).astype(np.float64)
    return columns


def count_several(gold: Labels, system: Labels, options: Options) -> Counts:
    """One row per item with any number of labels on each side."""
    names, first, second = shared_codes(gold, system)
    scored = scored_classes(names, options)
    own, other = gold.item_of * len(names) + first, system.item_of * len(names) + second
    both = np.divmod(np.intersect1d(own, other, assume_unique=True), max(len(names), 1))
    sides = dict(
        zip(
            CLASS_SUMS,
            (both, (system.item_of, second), (gold.item_of, first)),
            strict=True,
        )
    )
    correct, returned, wanted = (_sizes(*side, len(gold)) for side in sides.values())
    either = returned + wanted - correct
    columns: dict[str, Floats] = {
        "items": np.ones(len(gold)),
        "right": (either == correct).astype(np.float64),
        "errors": either - correct,
        "cells": np.full(len(gold), float(len(options["labels"]) or len(names))),
        **fixed_point("item_f1", _over(2 * correct, returned + wanted)),
        **fixed_point("item_jaccard", _over(correct, either)),
    }
    for name, (items, codes) in sides.items():
        columns[name] = _sizes(items[scored[codes]], codes, len(gold))
    of_classes = [] if options["many"] else class_columns(names, options)
    table = np.zeros((len(gold), len(columns) + len(of_classes)))
    table[:, : len(columns)] = np.stack([*columns.values()], axis=1)
    if of_classes:
        for place, (items, codes) in enumerate(sides.values(), len(columns)):
            table[items, place + 3 * codes] = 1
    more = _beside_sums(gold, system, options)
    more |= _of_groups(gold, either == correct, options)
    table = np.column_stack([table, *more.values()])
    units = tuple(gold.answers.ids)
    return Counts(units, (*columns, *of_classes, *more), table, groups_of(gold))


def _sizes(items: Integers, _codes: Integers, size: int) -> Floats:
    """How many labels each of the items has."""
    return np.bincount(items, minlength=size).astype(np.float64)


def _over(part: Floats, whole: Floats) -> Floats:
    """part / whole, 1 where neither side has anything."""
    return np.divide(part, whole, out=np.ones_like(part), where=whole > 0)


@details_of("id", "gold", "system", "right")
def details(gold: Labels, system: Labels, _options: Options) -> DetailRows:
    """One row per item, in the order of the gold; several labels separated by " | "."""
    sides = gold.coded.texts(), system.coded.texts()
    for name, one, other in zip(gold.answers.ids, *sides, strict=True):
        yield name, one, other, int(one == other)


def inspect(gold: Labels, system: Labels, _options: Options) -> Inspection:
    """One item per unit: its labels on both sides, and what was asked."""
    _, first, second = shared_codes(gold, system)
    expected, given = (
        set(zip(side.item_of.tolist(), codes.tolist(), strict=True))
        for side, codes in ((gold, first), (system, second))
    )
    wrong: Mapping[str, Flags]
    if gold.is_single and system.is_single:
        wrong = {"wrong": first != second}
    else:
        wrong = {
            "missing": _items_of(expected - given, len(gold)),
            "spurious": _items_of(given - expected, len(gold)),
        }
    inputs = gold.answers.inputs

    def picture(unit: int) -> Picture:
        own, other = sorted(gold.of_item(unit)), sorted(system.of_item(unit))
        labels = sorted({*own, *other}, key=lambda label: (label not in own, label))
        cells = (
            (
                _verdict(label in own, label in other),
                label,
                *gold.answers.inputs_of(unit),
            )
            for label in labels
        )
        sheet = ItemTable.by_verdict(("verdict", "class", *inputs), cells)
        return Picture(sheet, lines=(tuple(own), tuple(other)))

    return Inspection.of_items(
        wrong, picture, lambda: {"class": (gold.coded, system.coded)}
    )


def _items_of(pairs: set[tuple[int, int]], size: int) -> Flags:
    flags = np.zeros(size, dtype=np.bool_)
    flags[[item for item, _ in pairs]] = True
    return flags


def _verdict(expected: bool, given: bool) -> str:
    if expected and given:
        return "match"
    return "missing" if expected else "spurious"
