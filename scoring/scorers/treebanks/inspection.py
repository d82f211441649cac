"""Dependency trees of gold and system, word against word."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from scoring.counts import Flags, Integers
from scoring.inspection import (
    NOBODY,
    OUTSIDE,
    ROOT,
    Inspection,
    ItemTable,
    Layers,
    Picture,
    TreeWord,
    kinds_at,
    pick_labels,
)
from scoring.scorers.treebanks.conllu import FORM, UPOS
from scoring.scorers.treebanks.trees import NOWHERE, Trees

Sides = tuple[Trees, Trees]
COLUMNS = (
    "gold_place",
    "gold_form",
    "gold_head",
    "gold_relation",
    "system_place",
    "system_form",
    "system_head",
    "system_relation",
)


@dataclass(frozen=True)
class TreeComparison:
    """Words of both sides, item by item (n,): their rows, NOBODY where one is alone.

    `unit_of` (n,) is the gold sentence where an item counts.
    """

    sides: Sides
    rows: tuple[Integers, Integers]
    unit_of: Integers
    wrong: Mapping[str, Flags]

    def inspection(self, tags: bool = False) -> Inspection:
        """`tags`: parts of speech are compared too."""
        sizes = self.sides[0].sizes
        return Inspection(
            sizes, self.unit_of, self.wrong, self.picture, lambda: self._layers(tags)
        )

    def _layers(self, tags: bool) -> Layers:
        pairs = list(zip(self.sides, self.rows, strict=True))
        gold, system = (pick_labels(side.relations, rows) for side, rows in pairs)
        layers = {"relation": (gold, system)}
        if tags:
            gold, system = (
                pick_labels(side.table.coded(UPOS, side.table.some_words), rows)
                for side, rows in pairs
            )
            layers["upos"] = gold, system
        return layers

    def picture(self, unit: int) -> Picture:
        items = np.flatnonzero(self.unit_of == unit)
        kinds = [kinds_at(self.wrong, item) for item in items.tolist()]
        first, second = (self._words(side, items, kinds) for side in (0, 1))
        return Picture(self._sheet(items, kinds, (first, second)), (first, second))

    def _words(
        self, side: int, items: Integers, kinds: list[tuple[str, ...]]
    ) -> tuple[TreeWord, ...]:
        """The words of one side in the order of its file."""
        trees, rows = self.sides[side], self.rows[side][items]
        here = {row: i for i, row in enumerate(sorted(set(rows.tolist()) - {NOBODY}))}
        marks = dict(zip(rows.tolist(), kinds, strict=True))
        ordered = np.array(list(here), dtype=np.int64)
        parents = trees.parents[ordered].tolist()
        forms = trees.field(FORM, ordered).texts()
        relations = trees.relations
        return tuple(
            TreeWord(form, _place(parent, here), relation, marks[row])
            for row, form, parent, relation in zip(
                here,
                forms,
                parents,
                (relations.values[code] for code in relations.codes[ordered].tolist()),
                strict=True,
            )
        )

    def _sheet(
        self,
        items: Integers,
        kinds: list[tuple[str, ...]],
        words: tuple[tuple[TreeWord, ...], tuple[TreeWord, ...]],
    ) -> ItemTable:
        sheet = []
        orders = [np.sort(rows[items][rows[items] != NOBODY]) for rows in self.rows]
        for item in items.tolist():
            cells: list[str | int | None] = []
            for rows, order, side in zip(self.rows, orders, words, strict=True):
                row = int(rows[item])
                place = int(np.searchsorted(order, row))
                cells += _cells(side, None if row == NOBODY else place)
            sheet.append(tuple(cells))
        return ItemTable(COLUMNS, tuple(sheet), tuple(kinds))


def _cells(words: tuple[TreeWord, ...], place: int | None) -> list[str | int | None]:
    """Place, form, head and relation of a word; nothing of none."""
    if place is None:
        return [None, "", None, ""]
    word = words[place]
    return [place + 1, word.form, word.head, word.relation]


def _place(parent: int, here: Mapping[int, int]) -> int:
    if parent == NOWHERE:
        return ROOT
    return here[parent] + 1 if parent in here else OUTSIDE
