"""Scoring a claimed evaluation: the only caller of the engine."""

import json
import logging
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import timedelta
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Now

from leaderboard.submissions.models import (
    Evaluation,
    QuotaEntry,
    State,
    StoredCounts,
    SubmittedFile,
)
from leaderboard.tasks import blobs
from leaderboard.tasks.models import GoldFile, Phase, Task, TestSet, raw_options
from scoring import Counts, Problem, Refused, Source
from scoring.bootstrap import mean_estimates
from scoring.engine import count, summarise
from scoring.options import parse
from scoring.scorers import get

log = logging.getLogger(__name__)
GOLD_KEPT = 16


def run(evaluation_id: int) -> bool:
    """Claim, score, finish; False when there was nothing to claim."""
    token = claim(evaluation_id)
    if token is None:
        return False
    evaluation = Evaluation.objects.select_related(
        "submission__phase__task", "gold_revision"
    ).get(pk=evaluation_id)
    with heartbeat(evaluation_id, token):
        try:
            counts, results = score(evaluation)
        except Refused as refusal:
            finish_refused(evaluation_id, token, list(refusal.problems))
            return True
    finish_scored(evaluation, token, counts, results)
    return True


def claim(evaluation_id: int) -> uuid.UUID | None:
    """Take a waiting evaluation (T4): its new lease token, or None if it is gone."""
    token = uuid.uuid4()
    waiting = Evaluation.objects.ready().filter(pk=evaluation_id)
    moved = waiting.advance(
        State.QUEUED,
        State.RUNNING,
        attempt=F("attempt") + 1,
        lease_token=token,
        lease_until=Now() + timedelta(seconds=settings.LEASE_SECONDS),
    )
    return token if moved else None


@contextmanager
def heartbeat(evaluation_id: int, token: uuid.UUID) -> Iterator[None]:
    """Renew the lease while the block runs (T5)."""
    done = threading.Event()

    def beat() -> None:
        while not done.wait(settings.LEASE_SECONDS / 3):
            until = Now() + timedelta(seconds=settings.LEASE_SECONDS)
            mine = Evaluation.objects.filter(pk=evaluation_id, lease_token=token)
            mine.update(lease_until=until)
        connection.close()

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


@lru_cache(maxsize=GOLD_KEPT)
def _gold(scorer: str, options: str, name: str, sha256: str) -> Any:
    """Gold, read once per worker and kept under what it is made of."""
    declared = get(scorer)
    source = Source.of_bytes(name, blobs.read(sha256))
    raw = raw_options(json.loads(options))
    return declared.read_gold(source, parse(declared.options, raw))


def gold_of(task: Task, gold_file: GoldFile) -> Any:
    options = json.dumps(task.options, sort_keys=True)
    return _gold(task.scorer_name, options, gold_file.name, gold_file.sha256)


def score(
    evaluation: Evaluation,
) -> tuple[dict[TestSet, Counts], dict[str, Any]]:
    """Counts per test set, and results as they are stored.

    Raises Refused when a file cannot be scored.
    """
    phase = evaluation.submission.phase
    test_sets = list(phase.test_sets.all())
    sent = {
        file.test_set_id: file
        for file in SubmittedFile.objects.filter(submission=evaluation.submission)
    }
    gold = {
        file.test_set_id: file
        for file in GoldFile.objects.filter(revision=evaluation.gold_revision)
    }
    counts = {
        test_set: count_file(phase.task, gold[test_set.pk], sent[test_set.pk])
        for test_set in test_sets
        if test_set.pk in sent
    }
    return counts, summarised(phase, test_sets, counts)


def count_file(task: Task, gold_file: GoldFile, sent: SubmittedFile) -> Counts:
    options = task.parsed_options
    gold = gold_of(task, gold_file)
    system = task.scorer.read_system(sent.source(), options, gold)
    return count(task.scorer, (gold, system), options, task.unit)


def summarised(
    phase: Phase, test_sets: list[TestSet], counts: dict[TestSet, Counts]
) -> dict[str, Any]:
    """Estimates per test set and overall (mean over test sets, a missing one 0)."""
    task = phase.task
    per_test_set = {}
    for test_set, found in counts.items():
        result = summarise(
            task.scorer, found, task.parsed_options, task.unit,
            task.plan(test_set.position),
        )  # fmt: skip
        kept = asdict(result)
        per_test_set[test_set.name] = {
            key: kept[key] for key in ("measures", "signature", "units", "remarks")
        }
    if len(test_sets) == 1:
        overall = per_test_set[test_sets[0].name]["measures"]
    else:
        strata = [
            (counts[t], task.plan(t.position)) if t in counts else None
            for t in test_sets
        ]
        means = mean_estimates(strata, task.scorer.measures(()))
        overall = {name: found.as_dict() for name, found in means.items()}
    return {"overall": overall, "test_sets": per_test_set}


def finish_scored(
    evaluation: Evaluation,
    token: uuid.UUID,
    counts: dict[TestSet, Counts],
    results: dict[str, Any],
) -> bool:
    """Write the result once (T6); False when the lease was given to another."""
    phase = evaluation.submission.phase
    with transaction.atomic():
        mine = Evaluation.objects.filter(pk=evaluation.pk, lease_token=token)
        if not mine.advance(
            State.RUNNING,
            State.SCORED,
            results=results,
            complete=len(counts) == phase.test_sets.count(),
            finished_at=Now(),
            lease_token=None,
        ):
            log.warning("evaluation %s: stale result discarded", evaluation.pk)
            return False
        StoredCounts.objects.bulk_create(
            StoredCounts(evaluation=evaluation, test_set=test_set, data=found.save())
            for test_set, found in counts.items()
        )
        Phase.objects.filter(pk=phase.pk).update(board_version=F("board_version") + 1)
    return True


def finish_refused(
    evaluation_id: int, token: uuid.UUID, problems: list[Problem]
) -> bool:
    mine = Evaluation.objects.filter(pk=evaluation_id, lease_token=token)
    moved = mine.advance(
        State.RUNNING,
        State.INVALID,
        why=problems[0].code,
        problems=[problem.as_dict() for problem in problems],
        finished_at=Now(),
        lease_token=None,
    )
    return bool(moved)


def reap() -> int:
    """Free evaluations whose worker is gone (T7); how many were freed.

    After the last attempt the fault is ours: final, and the attempt is given back.
    """
    freed = 0
    for evaluation in Evaluation.objects.expired():
        same = Evaluation.objects.filter(pk=evaluation.pk).expired()
        if evaluation.attempt >= settings.MOST_ATTEMPTS:
            freed += _give_up(evaluation)
            continue
        pause = timedelta(seconds=5 * 4 ** (evaluation.attempt - 1))
        freed += same.advance(
            State.RUNNING,
            State.QUEUED,
            why="the worker stopped answering",
            not_before=Now() + pause,
            published_at=None,
            lease_token=None,
        )
    return freed


def _give_up(evaluation: Evaluation) -> int:
    with transaction.atomic():
        moved = (
            Evaluation.objects.filter(pk=evaluation.pk)
            .expired()
            .advance(
                State.RUNNING,
                State.FAILED_SYSTEM,
                why=f"{evaluation.attempt} attempts failed",
                finished_at=Now(),
                lease_token=None,
            )
        )
        entry = QuotaEntry.objects.filter(submission=evaluation.submission_id).first()
        if moved and entry is not None:
            entry.refund()
    return moved
