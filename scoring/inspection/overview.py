"""Overview of a system: units with errors, confusions of labels."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from scoring.counts import Counts, Flags, Floats, Integers
from scoring.formats.codes import Coded, shared_codes
from scoring.inspection import Inspection, number_or_none
from scoring.inspection.own import excerpt
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
    excerpt: str = ""


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

    def values(self, measure: Measure) -> Floats:
        """The measure in each unit."""
        values = measure.of(self.counts.table, self.counts.columns)
        return np.asarray(values, dtype=np.float64)

    def unit(self, measure: Measure, unit: int) -> dict[str, Any]:
        """Counts of a unit, without zeros of single tags, the measure, its picture."""
        numbers = self.counts.where(np.array([unit])).as_numbers()
        value = np.float64(measure.of(self.counts.table[unit], self.counts.columns))
        page: dict[str, Any] = {
            "counts": {k: n for k, n in numbers.items() if n or not k.endswith("]")},
            "value": number_or_none(value),
        }
        if self.inspection is not None:
            errors = self.inspection.errors_of_units
            page["picture"] = asdict(self.inspection.picture(unit))
            page["errors"] = {k: int(n[unit]) for k, n in errors.items() if n[unit]}
        return page


def overview(
    systems: Sequence[CountedSystem], measure: Measure, query: UnitQuery
) -> dict[str, Any]:
    """A page of the list and the confusions beside it, as plain values.

    The first system is the page's own, a second one stands beside it.
    """
    own, other = systems[0], systems[1] if len(systems) > 1 else None
    tables = matrices(own.inspection) if own.inspection else []
    return {
        "listing": asdict(listing(own, measure, query, other)),
        "matrices": [asdict(matrix) for matrix in tables],
    }


def unit_page(
    systems: Sequence[CountedSystem], measure: Measure, unit: int
) -> dict[str, Any]:
    """A unit of each system as plain values; {} where there is no such unit."""
    names = systems[0].counts.units
    if not 0 <= unit < len(names):
        return {}
    pages = [system.unit(measure, unit) for system in systems]
    return {"name": names[unit], "units": len(names), "systems": pages}


def listing(
    system: CountedSystem,
    measure: Measure,
    query: UnitQuery,
    other: CountedSystem | None = None,
) -> UnitList:
    """The page of the list that is asked for, the last one if there are not so many."""
    inspection = system.inspection
    values = system.values(measure)
    others = other.values(measure) if other else None
    errors = inspection.errors_of_units if inspection else {}
    units = np.flatnonzero(_fitting(system, query, other))
    units = _units_in_order(system, units, (values, others), (measure, query))
    pages = max(1, -(-len(units) // PAGE))
    page = min(max(query.page, 1), pages)
    lines = [
        ListedUnit(
            unit=unit,
            name=system.counts.units[unit],
            size=int(inspection.sizes[unit]) if inspection else None,
            value=number_or_none(values[unit]),
            other=None if others is None else number_or_none(others[unit]),
            errors={kind: int(n[unit]) for kind, n in errors.items() if n[unit]},
            excerpt=excerpt(inspection.picture(unit)) if inspection else "",
        )
        for unit in units[(page - 1) * PAGE : page * PAGE].tolist()
    ]
    return UnitList(
        units=len(system.counts.units),
        chosen=len(units),
        page=page,
        pages=pages,
        lines=lines,
        errors={kind: int(n.sum()) for kind, n in errors.items()},
        labels=_labels(inspection) if inspection else {},
    )


def _fitting(
    system: CountedSystem, query: UnitQuery, other: CountedSystem | None
) -> Flags:
    fits = np.ones(len(system.counts.units), dtype=np.bool_)
    inspection = system.inspection
    if query.slice is not None:
        labels = system.counts.groups.get(query.slice[0], ("",) * len(fits))
        fits &= np.array([label == query.slice[1] for label in labels], dtype=np.bool_)
    if inspection is not None:
        fits &= inspection.sizes >= query.shortest
        if query.longest:
            fits &= inspection.sizes <= query.longest
        if query.of_items:
            fits &= inspection.per_unit(_items(inspection, query)) > 0
    if query.differing and other is not None:
        fits &= _differing(system.counts, other.counts)
    return fits


def _items(inspection: Inspection, query: UnitQuery) -> Flags:
    nothing = np.zeros(len(inspection.unit_of), dtype=np.bool_)
    fits = ~nothing
    if query.kind:
        fits &= inspection.wrong.get(query.kind, nothing)
    for side, wanted in enumerate((query.gold, query.system)):
        if wanted is not None:
            layer, label = wanted
            labels = inspection.layers.get(layer)
            fits &= nothing if labels is None else labels[side].flags(label.__eq__)
    return fits


def _differing(counts: Counts, others: Counts) -> Flags:
    """Flags of units in which any count differs; a column that one of them lacks is 0
    there."""
    own, other = (
        dict(zip(side.columns, side.table.T, strict=True)) for side in (counts, others)
    )
    names = dict.fromkeys((*own, *other))
    differ: Flags = np.any([own.get(k, 0) != other.get(k, 0) for k in names], axis=0)
    return differ


def _units_in_order(
    system: CountedSystem,
    units: Integers,
    values: tuple[Floats, Floats | None],
    question: tuple[Measure, UnitQuery],
) -> Integers:
    """These units as the query orders them; the file's order decides ties."""
    own, others = values
    measure, query = question
    if query.order == "file":
        return units
    if query.order == DIFFERENCE and others is not None:
        keys: tuple[Floats, ...] = (-np.nan_to_num(np.abs(own - others)),)
    else:
        # A unit in which the measure is not defined comes last.
        sign = 1 if measure.higher_is_better else -1
        score = np.nan_to_num(sign * own, nan=np.inf)
        wrong = np.zeros(len(own))
        if system.inspection is not None:
            wrong -= system.inspection.per_unit(system.inspection.any_wrong)
        keys = (score, wrong) if query.order == "most" else (wrong, score)
    return units[np.lexsort([key[units] for key in keys])]


def _labels(inspection: Inspection) -> dict[str, list[str]]:
    return {
        layer: sorted({*gold.values, *system.values} - {""})
        for layer, (gold, system) in inspection.layers.items()
    }


MOST_LABELS = 15


@dataclass(frozen=True)
class Matrix:
    """How often gold says `labels[i]` (row) and the system `labels[j]` (column).

    The label "" stands for nothing on that side. `left_out` items have other labels.
    """

    layer: str
    labels: list[str]
    cells: list[list[int]]
    left_out: int


def matrices(inspection: Inspection) -> list[Matrix]:
    """One per layer, of the labels that are confused most often, then most frequent."""
    return [_matrix(layer, *sides) for layer, sides in inspection.layers.items()]


def _matrix(layer: str, first: Coded, second: Coded) -> Matrix:
    # Codes of both sides count distinct labels in the order in which they are met.
    labels = list(dict.fromkeys((*first.values, *second.values)))
    gold, system = shared_codes(first, second)
    size = len(labels)
    table = np.bincount(gold * size + system, minlength=size * size)
    table = table.reshape(size, size)
    if "" in labels:  # an item that has no such label at all
        table[labels.index(""), labels.index("")] = 0
    both = table.sum(axis=0) + table.sum(axis=1)
    confused = both - 2 * np.diag(table)
    order = np.lexsort((np.arange(size), -both, -confused))
    chosen = [int(i) for i in order if both[i]][:MOST_LABELS]
    chosen.sort(key=lambda i: -int(both[i]))
    cells = table[np.ix_(chosen, chosen)]
    left_out = int(table.sum() - cells.sum())
    return Matrix(layer, [labels[i] for i in chosen], cells.tolist(), left_out)
