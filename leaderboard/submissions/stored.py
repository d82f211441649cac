"""Stored counts as the engine takes them, the last ones kept in memory."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, Generic, TypeVar

from leaderboard.submissions.models import Evaluation, StoredCounts
from leaderboard.tasks.models import TestSet
from scoring import Counts

MOST_KEPT = 600
# Numbers of one evaluation take a few kilobytes.
MOST_NUMBERS = 2000
NUMBERS = ("value", "low", "high", "stddev")

Kept = TypeVar("Kept")
# A submission's id is never used again, so what is kept cannot grow stale.
Key = tuple[object, ...]
Numbers = Mapping[str, Mapping[str, float | None]]


@dataclass(frozen=True)
class Printed:
    """Numbers by measure, overall and by name of test set."""

    overall: Numbers
    test_sets: Mapping[str, Numbers]


def key_of(evaluation: Evaluation, test_set_id: int | None) -> Key:
    # Hashing an UUID takes far longer than hashing its number.
    submission = evaluation.submission_id.int
    return submission, evaluation.gold_revision_id, evaluation.engine, test_set_id


class Recent(Generic[Kept]):
    """The things used last, by key."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.things: OrderedDict[Key, Kept] = OrderedDict()
        self.lock = Lock()

    def recall(self, keys: Iterable[Key]) -> dict[Key, Kept]:
        with self.lock:
            known = ((key, self.things.get(key)) for key in keys)
            found = {key: thing for key, thing in known if thing is not None}
            for key in found:
                self.things.move_to_end(key)
            return found

    def remember(self, key: Key, thing: Kept) -> None:
        with self.lock:
            self.things[key] = thing
            while len(self.things) > self.most:
                self.things.popitem(last=False)

    def clear(self) -> None:
        with self.lock:
            self.things.clear()


_counts: Recent[Counts] = Recent(MOST_KEPT)
_printed: Recent[Printed] = Recent(MOST_NUMBERS)


def printed_of(evaluations: Sequence[Evaluation]) -> list[Printed]:
    """What the engine printed of each evaluation, in at most one query."""
    keys = {e.pk: key_of(e, None) for e in evaluations}
    found = _printed.recall(keys.values())
    missing = [pk for pk, key in keys.items() if key not in found]
    rows = Evaluation.objects.filter(pk__in=missing) if missing else None
    for pk, results in rows.values_list("pk", "results") if rows else ():
        printed = found[keys[pk]] = _trimmed(results or {})
        _printed.remember(keys[pk], printed)
    return [found[keys[e.pk]] for e in evaluations]


def _trimmed(results: Mapping[str, Any]) -> Printed:
    per_test_set = results.get("test_sets", {})
    return Printed(
        _numbers(results.get("overall", {})),
        {name: _numbers(of["measures"]) for name, of in per_test_set.items()},
    )


def _numbers(measures: Mapping[str, Mapping[str, float | None]]) -> Numbers:
    return {
        name: {key: found.get(key) for key in NUMBERS}
        for name, found in measures.items()
    }


def counts_of(
    evaluations: Sequence[Evaluation], test_sets: Sequence[TestSet]
) -> list[list[Counts | None]]:
    """Counts per evaluation and test set, None where nothing was sent.

    One query, however many are asked for; none when all are kept.
    """
    keys = {(e.pk, t.pk): key_of(e, t.pk) for e in evaluations for t in test_sets}
    found = _counts.recall(keys.values())
    missing = [pk for (pk, _), key in keys.items() if key not in found]
    for evaluation, test_set, data in _rows(missing, test_sets) if missing else ():
        key = keys[evaluation, test_set]
        found[key] = Counts.load(bytes(data))
        _counts.remember(key, found[key])
    return [[found.get(keys[e.pk, t.pk]) for t in test_sets] for e in evaluations]


def _rows(
    evaluations: Sequence[int], test_sets: Sequence[TestSet]
) -> Iterable[tuple[int, int, bytes]]:
    rows = StoredCounts.objects.filter(
        evaluation__in=evaluations, test_set__in=test_sets
    )
    return rows.values_list("evaluation", "test_set", "data")
