"""Stored counts as the engine takes them, the last ones kept in memory."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from threading import Lock

from leaderboard.submissions.models import Evaluation, StoredCounts
from leaderboard.tasks.models import TestSet
from scoring import Counts

MOST_KEPT = 600

# A submission's id is never used again, so what is kept cannot grow stale.
Key = tuple[object, ...]
_kept: OrderedDict[Key, Counts] = OrderedDict()
_lock = Lock()


def key_of(evaluation: Evaluation, test_set_id: int) -> Key:
    submission = evaluation.submission_id
    return submission, evaluation.gold_revision_id, evaluation.engine, test_set_id


def counts_of(
    evaluations: Sequence[Evaluation], test_sets: Sequence[TestSet]
) -> list[list[Counts | None]]:
    """Counts per evaluation and test set, None where nothing was sent.

    One query, however many are asked for; none when all are kept.
    """
    keys = {(e.pk, t.pk): key_of(e, t.pk) for e in evaluations for t in test_sets}
    found = _recall(keys.values())
    missing = [pk for (pk, _), key in keys.items() if key not in found]
    for evaluation, test_set, data in _rows(missing, test_sets) if missing else ():
        key = keys[evaluation, test_set]
        found[key] = Counts.load(bytes(data))
        _remember(key, found[key])
    return [[found.get(keys[e.pk, t.pk]) for t in test_sets] for e in evaluations]


def _rows(
    evaluations: Sequence[int], test_sets: Sequence[TestSet]
) -> Iterable[tuple[int, int, bytes]]:
    rows = StoredCounts.objects.filter(
        evaluation__in=evaluations, test_set__in=test_sets
    )
    return rows.values_list("evaluation", "test_set", "data")


def _recall(keys: Iterable[Key]) -> dict[Key, Counts]:
    with _lock:
        found = {key: _kept[key] for key in keys if key in _kept}
        for key in found:
            _kept.move_to_end(key)
        return found


def _remember(key: Key, counts: Counts) -> None:
    with _lock:
        _kept[key] = counts
        while len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)
