"""Columns of every item, and what stands beside the scores: details, inspection."""

import json
from typing import NamedTuple

import numpy as np

from scoring.answered import SHIFTED, Answered
from scoring.counts import Counts, Floats, fixed_point
from scoring.errors import Problem
from scoring.formats.records import Number
from scoring.inspection import Inspection, ItemTable, Picture
from scoring.messages import Messages, _
from scoring.oddities import fit_the_next
from scoring.options import Options
from scoring.scorer import DetailRows, details_of
from scoring.scorers.tuples import figures
from scoring.scorers.tuples.credit import (
    CreditRules,
    Tuple,
    equal_ones,
    overlapping,
    pair_records,
)
from scoring.scorers.tuples.sets import Record, Sets
from scoring.source import brief
from scoring.spellings import Kinds

MESSAGES = Messages(
    null=_(
        "%(count)s of %(all)s records have no value (null) in the field '%(field)s'"
    ),
    twice=_(
        "%(count)s of %(all)s items have one record twice, first '%(id)s': the "
        "second counts as a wrong one."
    ),
    once=_("Write each record once."),
)
COLUMNS = ("verdict", "gold_text", "system_text", "credit")


class _Item(NamedTuple):
    """Records of one item as they are compared."""

    gold: list[Tuple]
    system: list[Tuple]


def _items(
    gold: Sets, system: Sets, options: Options
) -> tuple[CreditRules, list[_Item]]:
    rules = CreditRules.of(gold, options)
    return rules, [
        _Item(
            [rules.read(record) for record in own],
            [rules.read(record) for record in other],
        )
        for own, other in zip(gold.items, system.items, strict=True)
    ]


def count(gold: Sets, system: Sets, options: Options) -> Counts:
    """One row per item."""
    rules, items = _items(gold, system, options)
    size = len(items)
    columns: dict[str, Floats] = {
        name: np.zeros(size)
        for name in (figures.CORRECT, figures.SYSTEM, figures.GOLD, *figures.PARTS)
    }
    credit = np.zeros(size)
    for row, item in enumerate(items):
        right = equal_ones(item.gold, item.system)
        columns[figures.CORRECT][row] = right.total()
        columns[figures.SYSTEM][row] = len(item.system)
        columns[figures.GOLD][row] = len(item.gold)
        if rules.overlap or rules.numbers:
            pairs = pair_records(item.gold, item.system, rules.span)
            credit[row] = sum(value for _, _, value in pairs)
        else:
            credit[row] = right.total()
        if rules.overlap:
            parts = overlapping(item.gold, item.system)
            sides = (
                sum(record.size for record in side) for side in (item.system, item.gold)
            )
            for name, value in zip(figures.PARTS, (parts, *sides), strict=True):
                columns[name][row] = value
        if rules.by:
            _count_kinds(columns, row, item, size)
    columns |= fixed_point(figures.CREDIT, credit)
    return Counts.of_rows(gold.ids, columns, gold.groups)


def _count_kinds(columns: dict[str, Floats], row: int, item: _Item, size: int) -> None:
    """Equal records of one kind each, and all of that kind."""
    for kind in dict.fromkeys(record.kind for side in item for record in side):
        mine, theirs = (
            [record for record in side if record.kind == kind] for side in item
        )
        right = equal_ones(mine, theirs).total()
        for name, value in (
            (figures.CORRECT, right),
            (figures.SYSTEM, len(theirs)),
            (figures.GOLD, len(mine)),
        ):
            columns.setdefault(f"{name}[{kind}]", np.zeros(size))[row] = value


class _Row(NamedTuple):
    """A pair of records, or one without a partner."""

    verdict: str
    gold: Record | None
    system: Record | None
    credit: float


def _rows(
    gold: Sets, system: Sets, place: int, item: _Item, rules: CreditRules
) -> list[_Row]:
    own, other = gold.items[place], system.items[place]
    rows, used = [], (set[int](), set[int]())
    for first, second, credit in pair_records(item.gold, item.system, rules.span):
        verdict = "match" if credit == 1 else "partial"
        rows.append(_Row(verdict, own[first], other[second], credit))
        used[0].add(first)
        used[1].add(second)
    for first, record in enumerate(own):
        if first not in used[0]:
            rows.append(_Row("missing", record, None, 0.0))
    for second, record in enumerate(other):
        if second not in used[1]:
            rows.append(_Row("spurious", None, record, 0.0))
    return rows


def _record_text(record: Record | None) -> str:
    if record is None:
        return ""
    cells = (
        f"{name}: {value if isinstance(value, str) else json.dumps(value)}"
        for name, value in record.items()
    )
    return ", ".join(cells)


# Numbers of JSON are read as texts.
KINDS = {str: "texts", Number: "texts", list: "lists", dict: "objects", bool: "flags"}
MOST_KINDS = 50  # of the values of a field that holds labels


def count_answers(asked: Sets, system: Sets, _options: Options) -> Answered:
    """How the items are answered; one may well have no record."""
    size, first = len(system), system.items[0] if len(system) else ()
    same = all(own == first for own in system.items)
    single = "; ".join(map(_record_text, first)) if same else None
    return Answered(size, size, size if same and not first else 0, single)


def labels(read: Sets, options: Options) -> Kinds:
    """The values of each field that holds labels: a few that come again and again."""
    texts = set(options["overlap"]) | set(options["numbers"])
    kinds: dict[str, dict[str, None]] = {}
    for own in read.items:
        for record in own:
            for name, value in record.items():
                if name not in texts and isinstance(value, str):
                    text = value.lower() if options["lowercase"] else value
                    kinds.setdefault(name, {})[text] = None
    return {n: [*values] for n, values in kinds.items() if len(values) <= MOST_KINDS}


def remarks(gold: Sets, system: Sets, options: Options) -> list[str]:
    """Fields that no record of the system has, or some have not. Those that only the
    gold has are not named."""
    names = system.fields
    chosen = (*options["fields"], *options["overlap"])
    absent = [name for name in chosen if names and name not in names]
    remarks = [f"no record has the field '{name}'" for name in absent]
    if names and not chosen and (more := len(gold.fields - names)):
        remarks.append(
            f"no record has {more} of the fields that records of the answer key have"
        )
    records = [record for own in system.items for record in own]
    for name in sorted(names):
        given = _kind_of_values(system, name)
        if given and (asked := _kind_of_values(gold, name)) and given != asked:
            remarks.append(
                f"the field '{brief(name)}' holds {given}, and in the answer key "
                f"{asked}"
            )
        lacking = sum(name not in record for record in records)
        if lacking and all(name in record for own in gold.items for record in own):
            remarks.append(
                f"{lacking} of {len(records)} records have no field '{brief(name)}'"
            )
    sides = [
        ["".join(map(_record_key, own)) for own in s.items] for s in (system, gold)
    ]
    return remarks + [SHIFTED] * fit_the_next(*sides)


def _kind_of_values(sets: Sets, name: str) -> str:
    """The kind of all values of a field, in words; empty where they differ."""
    kinds = {
        KINDS.get(type(record[name]), "")
        for own in sets.items
        for record in own
        if record.get(name) is not None
    }
    return kinds.pop() if len(kinds) == 1 else ""


def notes(system: Sets, options: Options) -> list[Problem]:
    """Remarks on fields without a value, and on records that an item has twice."""
    chosen = {*options["fields"], *options["overlap"]}
    records = [record for own in system.items for record in own]
    problems = []
    for name in sorted(system.fields & chosen or system.fields):
        count = sum(name in record and record[name] is None for record in records)
        if count:
            about = {"count": count, "all": len(records), "field": brief(name)}
            problems.append(Problem("null", MESSAGES("null", **about), ""))
    twice = [
        name
        for name, own in zip(system.ids, system.items, strict=True)
        if len({*map(_record_key, own)}) < len(own)
    ]
    if twice:
        about = {"count": len(twice), "all": len(system), "id": brief(twice[0])}
        hint = MESSAGES("once")
        problems.append(Problem("twice", MESSAGES("twice", **about), "", hint=hint))
    return problems


def _record_key(record: Record) -> str:
    return json.dumps(record, sort_keys=True)


@details_of("id", "verdict", "gold", "system", "credit")
def details(gold: Sets, system: Sets, options: Options) -> DetailRows:
    """One row per pair of records, or record without a partner."""
    rules, items = _items(gold, system, options)
    for place, item in enumerate(items):
        for row in _rows(gold, system, place, item, rules):
            sides = _record_text(row.gold), _record_text(row.system)
            yield gold.ids[place], row.verdict, *sides, row.credit


def inspect(gold: Sets, system: Sets, options: Options) -> Inspection:
    """Items are pairs of records and records without a partner."""
    rules, items = _items(gold, system, options)
    each = [_rows(gold, system, place, item, rules) for place, item in enumerate(items)]
    sizes = np.array([len(rows) for rows in each], dtype=np.int64)
    verdicts = np.array([row.verdict for rows in each for row in rows], dtype=np.str_)
    wrong = {name: verdicts == name for name in ("partial", "missing", "spurious")}

    def picture(unit: int) -> Picture:
        cells = (
            (row.verdict, _record_text(row.gold), _record_text(row.system), row.credit)
            for row in each[unit]
        )
        asked = tuple(own[unit] for own in gold.inputs.values())
        table = ItemTable.by_verdict(COLUMNS, cells, judged=("verdict", "credit"))
        return Picture(table, text=" ".join(asked))

    return Inspection(sizes, np.repeat(np.arange(len(each)), sizes), wrong, picture)
