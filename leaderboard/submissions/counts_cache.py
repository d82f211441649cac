"""Stored counts and numbers, the last ones kept in memory."""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any, NamedTuple, Protocol
from uuid import UUID

import numpy as np

from leaderboard.submissions.models import Evaluation, StoredCounts
from leaderboard.tasks.models import TestSet
from leaderboard.web.cache import LruBySize
from scoring import Counts
from scoring.counts import Finer, narrowed
from scoring.measures import Measure
from scoring.statistics.bootstrap import Numbers, columns_for

MEGABYTE = 1 << 20
MOST_COUNTS = 96 * MEGABYTE
MOST_NUMBERS = 32 * MEGABYTE  # two kilobytes of an evaluation with forty measures
AT_A_TIME = 100  # results that are read: twenty kilobytes each, as text

# A submission's id is never used again, so what is kept cannot grow stale.
Key = tuple[object, ...]
SIZE = len(Numbers._fields)


class Scored(Protocol):
    """An evaluation, or a row of a board, as a key of stored counts and numbers."""

    @property
    def pk(self) -> int: ...
    @property
    def submission_id(self) -> UUID: ...
    @property
    def gold_revision_id(self) -> int: ...
    @property
    def engine(self) -> str: ...


class Packed(Mapping[str, Numbers]):
    """Numbers by measure in a tenth of the memory that objects take.

    `places` says where those of a measure begin, and is one for all that have the same
    measures; n/a is nan. They stand in the order of Numbers.
    """

    __slots__ = ("places", "table")

    def __init__(self, places: Mapping[str, int], table: "array[float]") -> None:
        self.places, self.table = places, table

    def __getitem__(self, name: str) -> Numbers:
        place = self.places[name]
        numbers = self.table[place : place + SIZE]
        return Numbers(*[None if number != number else number for number in numbers])

    def ends(self, name: str) -> Sequence[float | None]:
        """Value, low and high alone. Raises KeyError where the measure is not known."""
        place = self.places[name]
        return [None if n != n else n for n in self.table[place : place + 3]]

    def value(self, name: str) -> float | None:
        """The value alone; None too where that measure is not known."""
        place = self.places.get(name)
        value = nan if place is None else self.table[place]
        return None if value != value else value

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


NOTHING = Packed({}, array("d"))


def places_of(names: Iterable[str]) -> Mapping[str, int]:
    """Where the numbers of each measure begin."""
    return {name: SIZE * i for i, name in enumerate(names)}


@dataclass(frozen=True, slots=True)
class Printed:
    """Numbers by measure, overall and by name of test set."""

    overall: Packed
    test_sets: Mapping[str, Packed]

    @property
    def size(self) -> int:
        """About how many bytes it takes, with what is kept around it."""
        rows = {id(row): row for row in (self.overall, *self.test_sets.values())}
        return 600 + sum(8 * len(row.table) + 200 for row in rows.values())


def key_of(evaluation: Scored, test_set_id: int | None) -> Key:
    # Hashing an UUID takes far longer than hashing its number.
    submission = evaluation.submission_id.int
    revision, engine = evaluation.gold_revision_id, evaluation.engine
    # Other judgements make another evaluation of the same submission.
    return submission, revision, engine, evaluation.pk, test_set_id


class PackedCounts(NamedTuple):
    """Counts whose tables take one to eight bytes a number, and their size in bytes."""

    counts: Counts
    size: int

    @classmethod
    def of(cls, counts: Counts, like: Counts | None) -> "PackedCounts":
        """Names and groups are those of the gold: `like` lends its own if equal."""
        lent = like is not None and counts.units == like.units
        names = len(counts.units) * (1 + len(counts.groups))
        if like is not None and lent:
            counts = replace(counts, units=like.units)
            if counts.groups == like.groups:
                counts, names = replace(counts, groups=like.groups), 0
        small = replace(
            counts,
            table=narrowed(counts.table),
            runs=None if counts.runs is None else narrowed(counts.runs),
        )
        size = small.table.nbytes + (0 if small.runs is None else small.runs.nbytes)
        if counts.finer is not None:
            rows, unit_of = counts.finer.counts, counts.finer.unit_of
            before = like.finer if like is not None else None
            packed = cls.of(rows, before and before.counts)
            if before is not None and before.unit_of == unit_of:
                unit_of = before.unit_of
            small = replace(small, finer=Finer(packed.counts, unit_of))
            size += packed.size
        if counts.judged is not None:
            size += counts.judged.table.nbytes + 2 * counts.judged.unit_of.nbytes
        return cls(small, size + 64 * names + 1000)


def unpacked(counts: Counts, measures: Sequence[Measure] | None = None) -> Counts:
    """Counts as the engine takes them, from those of `counts_of`; for a few measures
    only with the columns that they ask for, of one a tenth of all."""
    if measures is not None and all(one.weighted is None for one in measures):
        counts = counts.of_columns(columns_for(measures, counts.columns))
    runs, finer = counts.runs, counts.finer
    return replace(
        counts,
        table=counts.table.astype(np.float64),
        runs=None if runs is None else runs.astype(np.float64),
        finer=finer and Finer(unpacked(finer.counts), finer.unit_of),
    )


_counts: LruBySize[PackedCounts] = LruBySize(MOST_COUNTS, lambda packed: packed.size)
_printed: LruBySize[Printed] = LruBySize(MOST_NUMBERS, lambda printed: printed.size)
# There are as many as scorers have sets of measures.
_places: dict[tuple[str, ...], Mapping[str, int]] = {}


def printed_of(evaluations: Sequence[Scored]) -> list[Printed]:
    """Numbers of each evaluation as the engine printed them, in at most one query."""
    keys = [key_of(e, None) for e in evaluations]
    known = _printed.recall(keys)
    if len(known) == len(keys):
        return list(known.values())
    missing = {
        e.pk: k for e, k in zip(evaluations, keys, strict=True) if k not in known
    }
    for pk, results in _results(list(missing)):
        printed = known[missing[pk]] = _trimmed(results or {})
        _printed.remember(missing[pk], printed)
    return [known[key] for key in keys]


def forget() -> None:
    """Make room where results of many evaluations were asked for that nobody reads."""
    _printed.clear()


def _results(evaluations: Sequence[int]) -> Iterator[tuple[int, Any]]:
    rows = Evaluation.objects.filter(pk__in=evaluations)
    return rows.values_list("pk", "results").iterator(AT_A_TIME)


def _trimmed(results: Mapping[str, Any]) -> Printed:
    of_each = results.get("test_sets", {})
    test_sets = {name: packed(of["measures"]) for name, of in of_each.items()}
    overall = packed(results.get("overall", {}))
    for same in test_sets.values():
        # Compared as bytes, in which nan is nan.
        tables = same.table.tobytes(), overall.table.tobytes()
        if same.places == overall.places and tables[0] == tables[1]:
            overall = same
    return Printed(overall, test_sets)


def packed(measures: Mapping[str, Mapping[str, float | None]]) -> Packed:
    return _packed({name: Numbers.of(values) for name, values in measures.items()})


def _packed(measures: Mapping[str, Numbers]) -> Packed:
    names = tuple(measures)
    places = _places.setdefault(names, places_of(names))
    row: list[float] = []
    for numbers in measures.values():
        if numbers.low is None:  # one unit has no spread, though its resamples agree
            numbers = numbers._replace(stddev=None)
        row += (nan if number is None else number for number in numbers)
    return Packed(places, array("d", row))


def joined(row: Packed, more: Packed) -> Packed:
    """Numbers of both; the first counts where both have a measure."""
    return _packed({**more, **row})


def counts_of(
    evaluations: Sequence[Scored], test_sets: Sequence[TestSet], keep: bool = True
) -> list[list[Counts | None]]:
    """Counts per evaluation and test set, None where nothing was sent; still packed.

    One query, however many are asked for; none when all are kept. Without `keep` those
    that are read stay as little as they would among too many others.
    """
    keys = {(e.pk, t.pk): key_of(e, t.pk) for e in evaluations for t in test_sets}
    known = _counts.recall(keys.values())
    like = {
        test_set: known[key].counts
        for (_, test_set), key in keys.items()
        if key in known
    }
    missing = [pk for (pk, _), key in keys.items() if key not in known]
    for evaluation, test_set, data in _rows(missing, test_sets) if missing else ():
        packed = PackedCounts.of(Counts.load(bytes(data)), like.get(test_set))
        like.setdefault(test_set, packed.counts)
        key = keys[evaluation, test_set]
        known[key] = packed
        if keep:
            _counts.remember(key, packed)
    return [
        [
            packed and packed.counts
            for packed in (known.get(keys[e.pk, t.pk]) for t in test_sets)
        ]
        for e in evaluations
    ]


def _rows(
    evaluations: Sequence[int], test_sets: Sequence[TestSet]
) -> Iterable[tuple[int, int, bytes]]:
    rows = StoredCounts.objects.filter(
        evaluation__in=evaluations, test_set__in=test_sets
    )
    return rows.values_list("evaluation", "test_set", "data")
