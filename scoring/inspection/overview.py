"""Overview of a system: units with errors, confusions of labels, scores of slices."""

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scoring.counts import Counts, Floats, Integers
from scoring.formats.codes import Flags, shared_codes
from scoring.inspection import Inspection
from scoring.measures import Measure

PAGE = 25
ORDERS = ("worst", "most", "file")
DIFFERENCE = "difference"
Label = tuple[str, str]


@dataclass(frozen=True)
class UnitQuery:
    """Conditions on the units of a list.

    An item with an error of this `kind`, with these labels of gold and system (layer
    and label; None for any); a label of a grouping; a length; other counts than
    another system has.
    """

    kind: str = ""
    gold: Label | None = None
    system: Label | None = None
    slice: Label | None = None
    shortest: int = 0
    longest: int = 0
    differing: bool = False
    order: str = ""
    page: int = 1

    @property
    def of_items(self) -> bool:
        return bool(self.kind or self.gold or self.system)


@dataclass(frozen=True)
class ListedUnit:
    """A unit of the list: its place among all units, its score, its errors by kind."""

    unit: int
    name: str
    size: int | None
    value: float | None
    other: float | None
    errors: dict[str, int]


@dataclass(frozen=True)
class UnitList:
    """One page of the list; `chosen` of `units` fit. `errors` are of all units."""

    units: int
    chosen: int
    page: int
    pages: int
    lines: list[ListedUnit]
    errors: dict[str, int] = field(default_factory=dict)
    labels: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class CountedSystem:
    """A system's counts in their own order, and what was wrong where that is known."""

    counts: Counts
    inspection: Inspection | None = None


def listing(
    side: CountedSystem,
    measure: Measure,
    query: UnitQuery,
    other: CountedSystem | None = None,
) -> UnitList:
    """The page of the list that is asked for, the last one if there are not so many."""
    values = _values(side.counts, measure)
    others = _values(other.counts, measure) if other else None
    units = np.flatnonzero(_fitting(side, query, other))
    units = units[_order(side, units, (values, others), (measure, query))]
    pages = max(1, -(-len(units) // PAGE))
    page = min(max(query.page, 1), pages)
    shown = units[(page - 1) * PAGE : page * PAGE]
    found = side.inspection
    return UnitList(
        units=len(side.counts.units),
        chosen=len(units),
        page=page,
        pages=pages,
        lines=_lines(side, shown, values, others),
        errors={k: int(f.sum()) for k, f in found.wrong.items()} if found else {},
        labels=_labels(found) if found else {},
    )


def _values(counts: Counts, measure: Measure) -> Floats:
    return np.asarray(measure.of(counts.table, counts.columns), dtype=np.float64)


def _fitting(
    side: CountedSystem, query: UnitQuery, other: CountedSystem | None
) -> Flags:
    fits = np.ones(len(side.counts.units), dtype=np.bool_)
    found = side.inspection
    if query.slice is not None:
        labels = side.counts.groups.get(query.slice[0], ("",) * len(fits))
        fits &= np.array([label == query.slice[1] for label in labels], dtype=np.bool_)
    if found is not None:
        fits &= found.sizes >= query.shortest
        if query.longest:
            fits &= found.sizes <= query.longest
        if query.of_items:
            fits &= found.per_unit(_items(found, query)) > 0
    if query.differing and other is not None:
        fits &= _differing(side.counts, other.counts)
    return fits


def _items(found: Inspection, query: UnitQuery) -> Flags:
    nothing = np.zeros(len(found.unit_of), dtype=np.bool_)
    fits = ~nothing
    if query.kind:
        fits &= found.wrong.get(query.kind, nothing)
    for place, asked in enumerate((query.gold, query.system)):
        if asked is None:
            continue
        layer, label = asked
        sides = found.layers.get(layer)
        fits &= nothing if sides is None else sides[place].flags(label.__eq__)
    return fits


def _differing(one: Counts, other: Counts) -> Flags:
    """Where any count differs; a column that one of them lacks is 0 there."""
    names = list(dict.fromkeys((*one.columns, *other.columns)))
    left, right = (_columns(counts, names) for counts in (one, other))
    found: Flags = np.any(left != right, axis=1)
    return found


def _columns(counts: Counts, names: list[str]) -> Floats:
    place = {name: i for i, name in enumerate(counts.columns)}
    table = np.zeros((len(counts.units), len(names)))
    for i, name in enumerate(names):
        if name in place:
            table[:, i] = counts.table[:, place[name]]
    return table


def _order(
    side: CountedSystem,
    units: Integers,
    values: tuple[Floats, Floats | None],
    asked: tuple[Measure, UnitQuery],
) -> Integers:
    """Places in `units`, as the query orders them; the file's order decides ties."""
    own, others = values
    measure, query = asked
    sign = 1 if measure.higher_is_better else -1
    found = side.inspection
    if query.order == "file":
        return np.arange(len(units))
    if query.order == DIFFERENCE and others is not None:
        gains = np.abs(own - others)[units]
        return np.argsort(-np.nan_to_num(gains), kind="stable")
    wrong = np.zeros(len(units))
    if found is not None:
        wrong = found.per_unit(found.any_wrong)[units].astype(np.float64)
    # A unit in which the measure is not defined comes last.
    score = np.nan_to_num(sign * own[units], nan=np.inf)
    keys = (score, -wrong) if query.order == "most" else (-wrong, score)
    return np.lexsort(keys)


def _lines(
    side: CountedSystem, units: Integers, values: Floats, others: Floats | None
) -> list[ListedUnit]:
    found = side.inspection
    errors = {}
    if found is not None:
        errors = {k: found.per_unit(flags) for k, flags in found.wrong.items()}
    return [
        ListedUnit(
            unit=unit,
            name=side.counts.units[unit],
            size=None if found is None else int(found.sizes[unit]),
            value=number(values[unit]),
            other=None if others is None else number(others[unit]),
            errors={k: int(n[unit]) for k, n in errors.items() if n[unit]},
        )
        for unit in units.tolist()
    ]


def number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _labels(found: Inspection) -> dict[str, list[str]]:
    return {
        layer: sorted({*sides[0].values, *sides[1].values} - {""})
        for layer, sides in found.layers.items()
    }


def counted(counts: Counts, measure: Measure, unit: int) -> dict[str, Any]:
    """The counts of a unit, zeros of single tags left out, and the measure there."""
    found = counts.where(np.array([unit])).as_numbers()
    value = np.float64(measure.of(counts.table[unit], counts.columns))
    kept = {name: n for name, n in found.items() if n or not name.endswith("]")}
    return {"counts": kept, "value": number(value)}


LEADING = re.compile(r"[0-9]{1,9}")
MOST_LABELS = 15
MOST_SLICES, MOST_SHOWN = 1000, 40


@dataclass(frozen=True)
class Matrix:
    """How often gold says `labels[i]` (row) and the system `labels[j]` (column).

    The label "" stands for nothing on that side. `left_out` items have other labels.
    """

    layer: str
    labels: list[str]
    cells: list[list[int]]
    left_out: int


@dataclass(frozen=True)
class UnitSlice:
    """A slice of the units: how many, and what the measure is there.

    `large` are the largest of each grouping: as many as a table has room for.
    """

    group: str
    label: str
    units: int
    value: float | None
    large: bool


def matrices(found: Inspection) -> list[Matrix]:
    """One per layer, of the labels that are confused most often, then most frequent."""
    return [_matrix(found, layer) for layer in found.layers]


def _matrix(found: Inspection, layer: str) -> Matrix:
    first, second = found.layers[layer]
    # Codes of both sides count distinct labels in the order in which they are met.
    known = list(dict.fromkeys((*first.values, *second.values)))
    gold, system = shared_codes(first, second)
    size = len(known)
    table = np.bincount(gold * size + system, minlength=size * size)
    table = table.reshape(size, size)
    if "" in known:  # an item that has no such label at all
        table[known.index(""), known.index("")] = 0
    both = table.sum(axis=0) + table.sum(axis=1)
    confused = both - 2 * np.diag(table)
    order = np.lexsort((np.arange(size), -both, -confused))
    kept = [int(i) for i in order if both[i]][:MOST_LABELS]
    kept.sort(key=lambda i: -int(both[i]))
    cells: list[list[int]] = table[np.ix_(kept, kept)].tolist()
    shown = int(table[np.ix_(kept, kept)].sum())
    return Matrix(layer, [known[i] for i in kept], cells, int(table.sum()) - shown)


def slices(counts: Counts, measure: Measure) -> list[UnitSlice]:
    """Every grouping of the units, its largest slices in the order of their names."""
    found = []
    for group in counts.groups:
        whole = counts.by(group)
        values = measure.of(whole.table, whole.columns)
        labels, sizes = np.unique(np.array(counts.groups[group]), return_counts=True)
        units = dict(zip(labels.tolist(), sizes.tolist(), strict=True))
        scores = dict(zip(whole.units, np.asarray(values).tolist(), strict=True))
        largest = sorted(units, key=lambda label: (-units[label], label))[:MOST_SLICES]
        large = set(largest[:MOST_SHOWN])
        found += [
            UnitSlice(group, label, units[label], number(scores[label]), label in large)
            for label in sorted(largest, key=_natural)
        ]
    return found


def _natural(label: str) -> tuple[int, str]:
    """Labels that begin with a number in its order, after all others."""
    digits = LEADING.match(label)
    return (int(digits[0]) if digits else -1, label)
