"""Stored counts of evaluations; a process keeps those that it used last in memory."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol, cast
from uuid import UUID

import numpy as np

from leaderboard.submissions.models import StoredCounts
from leaderboard.tasks.models import TestSet
from leaderboard.web.cache import LruBySize
from scoring import Counts
from scoring.counts import Finer, narrow
from scoring.measures import Measure
from scoring.statistics.bootstrap import columns_for

MEGABYTE = 1 << 20
MOST_COUNTS = 96 * MEGABYTE

# A submission's id is never used again, so what is kept cannot grow stale.
Key = tuple[object, ...]


class Scored(Protocol):
    """An evaluation, or a row of a board, as a key of stored counts."""

    @property
    def pk(self) -> int: ...
    @property
    def submission_id(self) -> UUID: ...
    @property
    def gold_revision_id(self) -> int: ...
    @property
    def engine(self) -> str: ...


def key_of(evaluation: Scored, test_set_id: int | None) -> Key:
    """The key of the stored counts of an evaluation on a test set, or on all."""
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
        """Names are mostly the same for all systems: `like` lends its own if equal."""
        names = len(counts.units) * (1 + len(counts.groups)) + len(counts.columns)
        if like is not None and counts.columns == like.columns:
            counts = replace(counts, columns=like.columns)
            names -= len(counts.columns)
        if like is not None and counts.units == like.units:
            counts = replace(counts, units=like.units)
            if counts.groups == like.groups:
                counts = replace(counts, groups=like.groups)
                names -= len(counts.units) * (1 + len(counts.groups))
        small = replace(
            counts,
            table=narrow(counts.table),
            runs=None if counts.runs is None else narrow(counts.runs),
        )
        size = small.table.nbytes + (0 if small.runs is None else small.runs.nbytes)
        if counts.finer is not None:
            rows, unit_of = counts.finer.counts, counts.finer.unit_of
            before = like.finer if like is not None else None
            packed = cls.of(rows, before.counts if before else None)
            if before is not None and before.unit_of == unit_of:
                unit_of = before.unit_of
            small = replace(small, finer=Finer(packed.counts, unit_of))
            size += packed.size
        if counts.judged is not None:
            size += counts.judged.table.nbytes + 2 * counts.judged.unit_of.nbytes
        return cls(small, size + 64 * names + 1000)


def unpack_counts(counts: Counts, measures: Sequence[Measure] | None = None) -> Counts:
    """Counts as the engine takes them, from those of `counts_of_each`; for a few
    measures only with the columns that they ask for, of one a tenth of all."""
    if measures is not None and all(measure.weighted is None for measure in measures):
        counts = counts.of_columns(columns_for(measures, counts.columns))
    runs, finer = counts.runs, counts.finer
    return replace(
        counts,
        table=counts.table.astype(np.float64),
        runs=None if runs is None else runs.astype(np.float64),
        finer=finer and Finer(unpack_counts(finer.counts), finer.unit_of),
    )


_counts: LruBySize[PackedCounts] = LruBySize(MOST_COUNTS, lambda packed: packed.size)


def sent_test_sets(evaluations: Sequence[Scored]) -> Mapping[int, set[int]]:
    """Ids of the test sets that each evaluation has counts on, by its id. One query."""
    sent: dict[int, set[int]] = {evaluation.pk: set() for evaluation in evaluations}
    counted = StoredCounts.objects.filter(evaluation__in=list(sent))
    for evaluation, test_set in counted.values_list("evaluation", "test_set"):
        sent[evaluation].add(test_set)
    return sent


def counts_of_each(
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
    values: Any = rows.values_list("evaluation", "test_set", "data")
    return cast(Iterable[tuple[int, int, bytes]], values)
