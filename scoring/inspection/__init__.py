"""Inspection, item by item: the same comparison that the counts are sums of."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scoring.counts import Flags, Integers
from scoring.formats.codes import Coded

NOBODY = -1
ROOT, OUTSIDE = 0, -1

Cell = str | int | float | None
Layers = Mapping[str, tuple[Coded, Coded]]


@dataclass(frozen=True)
class TreeWord:
    """A word of a tree. `head` is a place among the words shown of its side, from 1.

    ROOT hangs nowhere, OUTSIDE on a word of another unit. `wrong` are kinds of errors.
    """

    form: str
    head: int
    relation: str
    wrong: tuple[str, ...] = ()


@dataclass(frozen=True)
class Piece:
    """A labelled stretch of text: characters `start` up to `end` of the unit's text."""

    start: int
    end: int
    label: str
    verdict: str


@dataclass(frozen=True)
class NetNode:
    """A node of a graph. `name` is "" for a scope, which `id` names.

    `scope` is the id of the scope it lies in. `lacking` are those of its `roles` in
    which the other side has no such node, and for each attribute those in which it has
    none.
    """

    name: str
    id: str
    scope: str
    roles: tuple[str, ...]
    lacking: tuple[str, ...]
    attributes: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class NetLink:
    """A labelled arrow between two nodes, told by their places; `wrong` as in sheets.

    "label": the other side has another label between the same two.
    """

    source: int
    target: int
    label: str
    wrong: str = ""


@dataclass(frozen=True)
class Net:
    """A graph as it was compared with that of the other side."""

    nodes: tuple[NetNode, ...]
    links: tuple[NetLink, ...]


EMPTY = Net((), ())


@dataclass(frozen=True)
class ItemTable:
    """Rows of cells; `wrong` names, row by row, what is wrong there.

    `judged` are columns that the comparison fills. They, and those named "gold_...",
    are left out where an answer is shown by itself.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    wrong: tuple[tuple[str, ...], ...]
    judged: tuple[str, ...] = ("verdict",)

    @classmethod
    def by_verdict(
        cls,
        columns: tuple[str, ...],
        rows: Iterable[tuple[Cell, ...]],
        judged: tuple[str, ...] = ("verdict",),
    ) -> "ItemTable":
        """Rows whose first cell is the verdict: wrong is what is no match."""
        cells = tuple(rows)
        wrong = (() if row[0] == "match" else (str(row[0]),) for row in cells)
        return cls(columns, cells, tuple(wrong), judged)


@dataclass(frozen=True)
class Picture:
    """One unit as it was compared. What a scorer does not know of stays empty.

    `sheet` says all of it in words; all pairs are of gold and of the system. Pieces are
    of `text`, which both sides share, or of the `texts` of each side.
    """

    sheet: ItemTable
    trees: tuple[tuple[TreeWord, ...], tuple[TreeWord, ...]] = ((), ())
    text: str = ""
    pieces: tuple[tuple[Piece, ...], tuple[Piece, ...]] = ((), ())
    lines: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    nets: tuple[Net, Net] = (EMPTY, EMPTY)
    texts: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class Inspection:
    """All items (n,) of all units (m,), which are the units of the counts, in order.

    `unit_of` (n,) says where an item counts; `sizes` (m,) are lengths; `wrong` has a
    flag (n,) per kind of error; `label` makes the layers, which one unit does not
    need. `picture(unit)` shows one of them.
    """

    sizes: Integers
    unit_of: Integers
    wrong: Mapping[str, Flags]
    picture: Callable[[int], Picture]
    label: Callable[[], Layers] = dict

    @classmethod
    def of_items(
        cls,
        wrong: Mapping[str, Flags],
        picture: Callable[[int], Picture],
        label: Callable[[], Layers] = dict,
    ) -> "Inspection":
        """The inspection where each unit is one item."""
        rows = np.arange(len(next(iter(wrong.values()))))
        return cls(np.ones_like(rows), rows, wrong, picture, label)

    @cached_property
    def layers(self) -> Layers:
        """Labels that are compared, of gold and system; "" where a side has none."""
        return self.label()

    @property
    def any_wrong(self) -> Flags:
        wrong = np.zeros(len(self.unit_of), dtype=np.bool_)
        for flags in self.wrong.values():
            wrong |= flags
        return wrong

    def per_unit(self, flags: Flags) -> Integers:
        """How many of these items each unit has (m,)."""
        return np.bincount(self.unit_of[flags], minlength=len(self.sizes))

    @cached_property
    def errors_of_units(self) -> dict[str, Integers]:
        """Numbers of errors of each unit (m,), by kind of error."""
        return {kind: self.per_unit(flags) for kind, flags in self.wrong.items()}


def kinds_at(wrong: Mapping[str, Flags], row: int) -> tuple[str, ...]:
    return tuple(kind for kind, flags in wrong.items() if flags[row])


def number_or_none(value: float) -> float | None:
    """A plain number, None for nan."""
    return None if np.isnan(value) else float(value)


def pick_labels(labels: Coded, rows: Integers) -> Coded:
    """Labels of these rows; "" where a row is NOBODY."""
    codes = np.where(rows == NOBODY, len(labels.values), labels.codes[rows])
    return Coded(codes, [*labels.values, ""])
