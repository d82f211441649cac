"""Scoring a claimed evaluation: the only caller of the engine."""

import json
import logging
import random
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from leaderboard.sandbox.client import run_in_child
from leaderboard.sandbox.codec import encode, problem_rows
from leaderboard.sandbox.fork import LimitExceeded, Limits, Watch
from leaderboard.submissions import answers, leases
from leaderboard.submissions.answers import Answer, digest
from leaderboard.submissions.leases import Lease, Working
from leaderboard.submissions.models import (
    Evaluation,
    State,
    StoredCounts,
    SubmittedFile,
)
from leaderboard.tasks import blobs
from leaderboard.tasks.models import GoldFile, Phase, Task, TestSet, raw_options
from scoring import VERSION, Counts, Problem, Refused, Source
from scoring.engine import Job, count_file, summarise
from scoring.options import parse
from scoring.scorers import get
from scoring.statistics.resampling import mean_estimates

log = logging.getLogger(__name__)
GOLD_KEPT = 16

# Parsed gold and the files of all runs, per test set of the phase that was sent.
Pairs = Mapping[TestSet, tuple[Any, Sequence[Source]]]


def run(evaluation_id: int) -> bool:
    """Claim, score, finish; False when there was nothing to claim, or no files.

    Whatever goes wrong ends in a state, not in an exception. While the store is away
    nothing is begun: that would use up attempts, and wait for it again each time.
    """
    if not blobs.answers():
        return False
    lease = leases.claim(evaluation_id)
    if lease is None:
        return False
    with Working(lease):
        evaluation = Evaluation.objects.select_related(
            "submission__phase__task", "gold_revision"
        ).get(pk=evaluation_id)
        _score(evaluation, lease)
    return True


def _score(evaluation: Evaluation, lease: Lease) -> None:
    limits = score_limits(evaluation.submission.runs)
    watch = Watch(*leases.renewing(lease))
    try:
        answer = scored(evaluation, limits, watch)
    except LimitExceeded as limit:
        state = State.TIMEOUT if limit.what == "cpu" else State.INVALID
        finish_refused(lease, list(limit.problems), state)
        return
    if answer.problems:
        finish_refused(lease, answer.problems)
    else:
        finish_scored(evaluation, lease, answer)


def score_limits(runs: int = 1) -> Limits:
    """Each run of a system may take the time that a system of one may."""
    return Limits(
        cpu_seconds=settings.SCORE_CPU_SECONDS * runs,
        wall_seconds=settings.SCORE_WALL_SECONDS * runs,
        memory_bytes=settings.SCORE_MEMORY_MB << 20,
    )


def scored(evaluation: Evaluation, limits: Limits, watch: Watch | None) -> Answer:
    """Counts and results, or problems, as the child found them.

    Files are read and gold is parsed here, once per worker; the child gets both by
    the fork. Raises LimitExceeded, JobFailed, Abandoned, and whatever reading raises.
    """
    phase = evaluation.submission.phase
    test_sets = list(phase.test_sets.all())
    pairs = _pairs(evaluation, test_sets)
    # Read before the fork: the child has neither database nor files.
    phase.task.parsed_options  # noqa: B018

    def work() -> bytes:
        try:
            counts = {t: count_runs(phase.task, pair) for t, pair in pairs.items()}
            return answers.packed(counts, summarised(phase, test_sets, counts))
        except Refused as refusal:
            return encode({"problems": problem_rows(refusal.problems)})

    names = {test_set.pk: test_set.name for test_set in test_sets}
    return answers.unpacked(run_in_child(work, limits, watch), names)


def _pairs(evaluation: Evaluation, test_sets: list[TestSet]) -> Pairs:
    sent = SubmittedFile.objects.filter(submission=evaluation.submission)
    gold = GoldFile.objects.filter(revision=evaluation.gold_revision)
    files: dict[int, list[SubmittedFile]] = {}
    for file in sent.order_by("run"):
        files.setdefault(file.test_set_id, []).append(file)
    golds = {file.test_set_id: file for file in gold}
    task = evaluation.submission.phase.task
    return {
        t: (gold_of(task, golds[t.pk]), [file.source() for file in files[t.pk]])
        for t in test_sets
        if t.pk in files
    }


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


def count_runs(task: Task, pair: tuple[Any, Sequence[Source]]) -> Counts:
    """Counts of the files of all runs. Raises Refused."""
    gold, sources = pair
    job = Job(task.scorer, task.parsed_options, task.unit)
    return Counts.of_runs([count_file(job, gold, source) for source in sources])


def summarised(
    phase: Phase, test_sets: list[TestSet], counts: Mapping[TestSet, Counts]
) -> dict[str, Any]:
    """Estimates per test set and overall (mean over test sets, a missing one 0)."""
    task = phase.task
    per_test_set = {}
    for test_set, found in counts.items():
        result = summarise(
            task.scorer,
            found,
            task.parsed_options,
            task.unit,
            task.plan(test_set.position),
        )
        per_test_set[test_set.name] = {
            "measures": {name: e.as_dict() for name, e in result.measures.items()},
            "signature": result.signature,
            "units": result.units,
            "remarks": result.remarks,
        }
    if len(test_sets) == 1:
        overall = per_test_set[test_sets[0].name]["measures"]
    else:
        strata = [
            (counts[t], task.plan(t.position)) if t in counts else None
            for t in test_sets
        ]
        measures = dict.fromkeys((*task.scorer.measures(()), *task.measures))
        means = mean_estimates(strata, tuple(measures))
        overall = {name: found.as_dict() for name, found in means.items()}
    return {"overall": overall, "test_sets": per_test_set}


def finish_scored(evaluation: Evaluation, lease: Lease, answer: Answer) -> bool:
    """Write the result once (T6); False when the lease was given to another."""
    phase = evaluation.submission.phase
    with transaction.atomic():
        # A board does not change by what is prepared for another revision. Its phase
        # is locked before the evaluation, see `holding`.
        shown = Phase.objects.filter(
            pk=phase.pk, gold_revision=evaluation.gold_revision_id
        )
        shown.touch_boards()
        if not lease.finish(
            State.SCORED,
            results=answer.results,
            result_sha256=answer.sha256,
            complete=len(answer.counts) == phase.test_sets.count(),
        ):
            transaction.set_rollback(True)
            return False
        StoredCounts.objects.bulk_create(
            StoredCounts(evaluation=evaluation, test_set_id=test_set, data=data)
            for test_set, data in answer.counts.items()
        )
    log.info("evaluation %s scored", evaluation.pk)
    return True


def finish_refused(
    lease: Lease, problems: list[Problem], state: State = State.INVALID
) -> bool:
    shown = [problem.as_dict() for problem in problems]
    return lease.finish(state, problems[0].code, problems=shown)


SUMMARY_SECONDS = 1.0  # of one sweep: others wait behind it
SUMMARIES_AT_ONCE = (
    100  # processes that sweep at the same time mostly take different ones
)
LOOK_AGAIN_SECONDS = 60.0  # seconds after none was found

_failed: set[int] = set()
_next_look = 0.0


def outdated() -> QuerySet[Evaluation]:
    """Scored with counts by another engine, and not by this one, too."""
    counts = StoredCounts.objects.filter(evaluation=OuterRef("pk"))
    same = Evaluation.objects.filter(
        submission=OuterRef("submission"),
        gold_revision=OuterRef("gold_revision"),
        engine=VERSION,
    )
    scored = Evaluation.objects.filter(state=State.SCORED).exclude(engine=VERSION)
    return scored.filter(Exists(counts), ~Exists(same))


def summarise_outdated() -> int:
    """Part of each sweep: a second's worth of them; how many were done."""
    global _next_look
    if time.monotonic() < _next_look:
        return 0
    waiting = outdated().exclude(pk__in=_failed).order_by("-pk")
    found = list(waiting.values_list("pk", flat=True)[:SUMMARIES_AT_ONCE])
    if not found:
        _next_look = time.monotonic() + LOOK_AGAIN_SECONDS
        return 0
    random.shuffle(found)
    until, done = time.monotonic() + SUMMARY_SECONDS, 0
    for pk in found:
        done += _try_to_summarise(pk)
        if time.monotonic() >= until:
            break
    return done


def _try_to_summarise(pk: int) -> bool:
    try:
        return summarise_again(pk)
    except Exception:  # one that cannot be read must not keep all others waiting
        log.exception("evaluation %s: its counts cannot be summarised", pk)
        _failed.add(pk)
        return False


def summarise_again(pk: int) -> bool:
    """Whether this call did it: not where another was first."""
    related = Evaluation.objects.select_related("submission__phase__task")
    evaluation = related.defer("results").filter(pk=pk).first()
    if evaluation is None:
        return False
    phase = evaluation.submission.phase
    stored = StoredCounts.objects.filter(evaluation=pk).select_related("test_set")
    counts = {one.test_set: Counts.load(bytes(one.data)) for one in stored}
    results = summarised(phase, list(phase.test_sets.all()), counts)
    old = Evaluation.objects.filter(pk=pk, engine=evaluation.engine, state=State.SCORED)
    with transaction.atomic():
        done = old.update(
            engine=VERSION, results=results, result_sha256=digest(counts, results)
        )
        shown = Phase.objects.filter(
            pk=phase.pk, gold_revision=evaluation.gold_revision_id
        )
        if done:
            shown.touch_boards()
    if done:
        log.info("evaluation %s summarised by engine %s", pk, VERSION)
    return bool(done)
