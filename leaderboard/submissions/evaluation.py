"""Scoring of a claimed evaluation: the only caller of the engine.

The child that scores has read a stranger's file: its answer is taken only in the form
that the engine gives it.
"""

import io
import json
import logging
import random
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from hashlib import sha256
from math import isfinite
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import BigAutoField, Exists, OuterRef, Q, QuerySet, UUIDField

from leaderboard.sandbox.client import run_in_child
from leaderboard.submissions import leases, outside_counts, runners
from leaderboard.submissions.leases import Lease, attempt_guard
from leaderboard.submissions.models import (
    Evaluation,
    EvaluationState,
    StoredCounts,
)
from leaderboard.submissions.submission_kinds import SubmissionKind
from leaderboard.tasks import blobs
from leaderboard.tasks.access import note_test_sets
from leaderboard.tasks.models import GoldFile, Phase, Task, TestSet, raw_options
from leaderboard.tasks.models.plugins import remember
from leaderboard.web.cache import LruBySize
from leaderboard.web.statements import statement
from scoring import VERSION, Counts, Estimate, Problem, Refused, Source
from scoring.elsewhere import with_table
from scoring.engine import Job, count_file, counted_as, summarise
from scoring.measures import Measure
from scoring.options import parse
from scoring.sandbox.codec import decode, encode, problem_rows, problems_of
from scoring.sandbox.fork import JobFailed, LimitExceeded, Limits, Supervision
from scoring.scorer import Scorer
from scoring.scorers import get
from scoring.statistics.bootstrap import draws, mean_estimates, weigh_strata

ESTIMATE = {field.name for field in fields(Estimate)}
NUMBERS = (int, float)  # and no class made of one
MOST_TABLE = 1 << 30  # bytes of the counts of one test set, as arrays
STORED = {
    "measures",
    "signature",
    "signatures",
    "units",
    "remarks",
    "scorer_remarks",
}
NOT_INSTALLED_SECONDS = 60.0  # until a scorer that is gone is looked for again
LONGEST_TEXT = 10_000  # characters of a signature or remark
MOST_REMARKS, LONGEST_REMARK = 20, 1_000
log = logging.getLogger(__name__)
MOST_GOLD = 48 << 20  # bytes of files; parsed they take about three times that
MOST_DRAWN = 4_000_000  # weights of two bytes; draws of eight tasks are kept
SUMMARY_SECONDS = 1.0  # of one sweep: others wait behind it
# Processes that sweep at the same time mostly take different ones.
SUMMARIES_AT_ONCE = 100
LOOK_AGAIN_SECONDS = 60.0  # seconds after none was found


# Remarks of the scorer on the files of each test set.
Said = Mapping[TestSet, list[str]]


@dataclass(frozen=True)
class EngineAnswer:
    """Either problems, or results with saved counts by the id of their test set."""

    problems: list[Problem] = field(default_factory=list)
    results: dict[str, Any] = field(default_factory=dict)
    counts: dict[int, bytes] = field(default_factory=dict)
    sha256: str = ""
    faults: list[Problem] = field(default_factory=list)  # of the task's program
    of_run: tuple[int, int] = (0, 0)  # test set and number of the run that they are of


def packed_answer(counts: Mapping[TestSet, Counts], results: dict[str, Any]) -> bytes:
    """Raises ValueError for a score that is no finite number: never a stored result."""
    saved = {test_set.pk: table.save() for test_set, table in counts.items()}
    head = {
        "results": results,
        "sha256": digest(counts, results),
        "test_sets": list(saved),
    }
    return encode(head, list(saved.values()))


def digest(counts: Mapping[TestSet, Counts], results: dict[str, Any]) -> str:
    """SHA-256 of results and counts. Raises ValueError for numbers that are none."""
    text = json.dumps(results, allow_nan=False, sort_keys=True)
    whole = sha256(text.encode())
    # The tables, not their compressed form, which depends on the library's version.
    for test_set in sorted(counts, key=lambda t: t.name):
        table = counts[test_set]
        whole.update(f"{test_set.name} {table.columns} {table.units}".encode())
        for run in table.each_run():
            whole.update(run.table.tobytes())
    return whole.hexdigest()


def unpacked_answer(data: bytes, test_sets: Mapping[int, str]) -> EngineAnswer:
    """Answers of the child about these test sets, their names by id.

    Raises JobFailed for what the engine does not say.
    """
    head, tables = decode(data)
    try:
        if "faults" in head:
            test_set, run = head["of_run"]
            _require(test_set in test_sets and type(run) is int)
            faults = problems_of(head["faults"])
            return EngineAnswer(faults=faults, of_run=(test_set, run))
        if "problems" in head:
            _require(bool(head["problems"]))
            return EngineAnswer(problems=problems_of(head["problems"]))
        _check_results(head["results"], set(test_sets.values()))
        counts = dict(zip(head["test_sets"], tables, strict=True))
        _require(len(counts) == len(tables) and set(counts) <= set(test_sets))
        for table in tables:
            _check_table(table)
        _require(len(bytes.fromhex(head["sha256"])) == 32)
    except (KeyError, TypeError, ValueError, AttributeError, zipfile.BadZipFile):
        raise JobFailed("an answer that the engine does not give") from None
    return EngineAnswer(results=head["results"], counts=counts, sha256=head["sha256"])


def _require(fine: bool) -> None:
    if not fine:
        raise ValueError


def _check_results(results: Any, names: set[str]) -> None:
    """Raises ValueError, KeyError, TypeError or AttributeError."""
    _require(set(results) == {"overall", "test_sets"})
    _check_measures(results["overall"])
    _require(set(results["test_sets"]) <= names)
    for stored in results["test_sets"].values():
        _require(set(stored) == STORED)
        _check_measures(stored["measures"])
        texts = [stored["signature"], *stored["signatures"], *stored["remarks"]]
        texts += stored["scorer_remarks"]
        _require(all(type(t) is str and len(t) <= LONGEST_TEXT for t in texts))
        _require(type(stored["units"]) is int)


def _check_measures(measures: Mapping[str, Mapping[str, Any]]) -> None:
    for name, estimate in measures.items():
        _require(len(name) <= LONGEST_TEXT and set(estimate) <= ESTIMATE)
        for value in estimate.values():
            _require(value is None or (type(value) in NUMBERS and isfinite(value)))


def _check_table(data: bytes) -> None:
    """Arrays of a size that memory has room for; they are read when they are needed."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        _require(sum(member.file_size for member in archive.infolist()) <= MOST_TABLE)


# Parsed gold and the files of all runs, per test set of the phase that was sent; where
# a program ran, what it left, and what that has to fit.
Pairs = Mapping[TestSet, tuple[Any, Sequence[Any]]]


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
    with attempt_guard(lease):
        (evaluation,) = _evaluations(pk=evaluation_id)
        phase = evaluation.submission.phase
        note_test_sets(phase)
        lacking = SubmissionKind.of(phase).lacking
        if phase.task.scorer_is_gone or runners.lacks_runner(phase.task):
            lacking = f"the scorer {phase.task.scorer_name}"
        if lacking:
            why = f"{lacking} is not installed"
            log.error("evaluation %s waits: %s", evaluation_id, why)
            lease.postpone(why, NOT_INSTALLED_SECONDS)
            return False
        _score(evaluation, lease)
    return True


@statement(pk=BigAutoField())
def _evaluations(pk: int) -> QuerySet[Evaluation]:
    related = ("submission__phase__task", "gold_revision")
    return Evaluation.objects.select_related(*related).filter(pk=pk)


def _score(evaluation: Evaluation, lease: Lease) -> None:
    limits = score_limits(evaluation.submission.runs)
    watch = Supervision(lease.renew, settings.LEASE_SECONDS / 3)
    try:
        answer = score_in_child(evaluation, limits, watch)
    except runners.NoResult:
        _runner().finish_failed(evaluation, lease)
        return
    except LimitExceeded as limit:
        state = (
            EvaluationState.TIMEOUT if limit.what == "cpu" else EvaluationState.INVALID
        )
        finish_refused(lease, list(limit.problems), state)
        return
    except Refused as refusal:  # before the file could be scored
        finish_refused(lease, list(refusal.problems))
        return
    if answer.faults:
        _runner().note(evaluation, *answer.of_run, answer.faults)
        _runner().finish_failed(evaluation, lease)
    elif answer.problems:
        kind = SubmissionKind.of(evaluation.submission.phase)
        finish_refused(lease, kind.for_team(evaluation, answer.problems))
    else:
        finish_scored(evaluation, lease, answer)


def _runner() -> runners.Runner:
    """The runner of a task that a program scores; `run` saw that there is one."""
    runner = runners.runner()
    if runner is None:
        raise JobFailed("no extra runs programs")
    return runner


def score_limits(runs: int = 1) -> Limits:
    """Each run of a system may take the time that a system of one may."""
    return Limits(
        cpu_seconds=settings.SCORE_CPU_SECONDS * runs,
        wall_seconds=settings.SCORE_WALL_SECONDS * runs,
        memory_bytes=settings.SCORE_MEMORY_MB << 20,
    )


def score_in_child(
    evaluation: Evaluation, limits: Limits, watch: Supervision | None
) -> EngineAnswer:
    """Counts and results, or problems, as the child found them.

    Files are read and gold is parsed here, once per worker; the child gets both by
    the fork. Raises LimitExceeded, JobFailed, Abandoned, and whatever reading raises.
    """
    phase = evaluation.submission.phase
    test_sets = list(phase.test_sets.all())
    count: Callable[[Task, Any, list[str]], Any] = count_runs
    pairs: Any
    if phase.task.scorer.runs_program:
        runner = _runner()
        pairs, count = runner.pairs(evaluation, test_sets, watch), runner.count_runs
    elif phase.task.takes_judgements:
        pairs, count = _with_judgements(evaluation, test_sets, watch), count_judged
    else:
        pairs = _pairs(evaluation, test_sets, watch)
    # Read before the fork: the child has neither database nor files.
    phase.task.parsed_options  # noqa: B018
    prompts = evaluation.submission.prompts

    def work() -> bytes:
        try:
            said: Said = {t: [] for t in pairs}
            counts = {
                t: count(phase.task, pair, said[t]).under(prompts)
                for t, pair in pairs.items()
            }
            return packed_answer(counts, estimates_of(phase, test_sets, counts, said))
        except Refused as refusal:
            return encode({"problems": problem_rows(refusal.problems)})
        except runners.OutcomeUnusable as fault:
            rows = problem_rows(fault.problems)
            return encode({"faults": rows, "of_run": fault.of_run})

    names = {test_set.pk: test_set.name for test_set in test_sets}
    answer = unpacked_answer(run_in_child(work, limits, watch), names)
    _keep_draws(phase, test_sets, answer.results.get("test_sets", {}))
    return answer


def _keep_draws(
    phase: Phase, test_sets: list[TestSet], results: Mapping[str, Any]
) -> None:
    """Draw here what the next child would draw, and lose, by itself."""
    for test_set in test_sets:
        units = results.get(test_set.name, {}).get("units", 0)
        plan = phase.task.plan(test_set.position)
        if 0 < units * plan.resamples <= MOST_DRAWN:
            draws(units, plan.resamples, plan.seed)


def _pairs(
    evaluation: Evaluation, test_sets: list[TestSet], watch: Supervision | None
) -> Pairs:
    kind = SubmissionKind.of(evaluation.submission.phase)
    files = kind.outputs(evaluation, test_sets, watch)
    gold = _gold_files(revision=evaluation.gold_revision_id)
    golds = {file.test_set_id: file for file in gold}
    task = evaluation.submission.phase.task
    return {t: (gold_of(task, golds[t.pk]), files[t]) for t in test_sets if t in files}


@statement(revision=BigAutoField())
def _gold_files(revision: int) -> QuerySet[GoldFile]:
    return GoldFile.objects.filter(revision=revision)


def _with_judgements(
    evaluation: Evaluation, test_sets: list[TestSet], watch: Supervision | None
) -> Pairs:
    """Pairs whose files have their tables beside them, None where there is none."""
    tables = outside_counts.sources_of(evaluation, test_sets)
    alone = evaluation.submission.phase.task.scorer.counted_elsewhere
    pairs = {}
    for test_set, (gold, sources) in _pairs(evaluation, test_sets, watch).items():
        own = tables.get(test_set, {})
        sides = [(source, own.get(run)) for run, source in enumerate(sources, 1)]
        if alone:
            # Their files were for the organizers.
            sides = [(table, None) for _, table in sides if table is not None]
        if sides:
            pairs[test_set] = gold, sides
    return pairs


class ParsedGold(NamedTuple):
    """Gold as its scorer takes it, and the size of its file in bytes."""

    gold: Any
    size: int


# One that is larger than all may be together still stays until another is read.
_gold: LruBySize[ParsedGold] = LruBySize(
    MOST_GOLD, lambda parsed: min(parsed.size, MOST_GOLD)
)


def gold_of(task: Task, gold_file: GoldFile) -> Any:
    """Parsed gold, read once per worker and kept under what it is made of."""
    options = json.dumps(task.options, sort_keys=True)
    key = task.scorer_name, options, gold_file.name, gold_file.sha256
    known = _gold.recall([key])
    if not known:
        declared, data = get(task.scorer_name), blobs.read(gold_file.sha256)
        raw = raw_options(json.loads(options))
        source = Source.of_bytes(gold_file.name, data)
        gold = declared.read_gold(source, parse(declared.options, raw))
        known[key] = ParsedGold(gold, len(data))
        _gold.remember(key, known[key])
    return known[key].gold


def count_runs(
    task: Task, pair: tuple[Any, Sequence[Source]], remarks: list[str]
) -> Counts:
    """Counts of the files of all runs; the scorer's remarks on them are added. Raises
    Refused."""
    gold, sources = pair
    job = Job(task.scorer, task.parsed_options, task.unit)
    counts = [count_file(job, gold, source, remarks) for source in sources]
    return Counts.of_runs(counts)


def count_judged(
    task: Task,
    pair: tuple[Any, Sequence[tuple[Source, Source | None]]],
    remarks: list[str],
) -> Counts:
    """Counts of the files of all runs, with what was counted elsewhere beside them.

    Raises Refused.
    """
    gold, sides = pair
    counts = []
    for source, table in sides:
        plain = count_runs(task, (gold, [source]), remarks)
        counts.append(with_table(plain, table, task.judgements) if table else plain)
    return Counts.of_runs(counts)


def estimates_of(
    phase: Phase,
    test_sets: list[TestSet],
    counts: Mapping[TestSet, Counts],
    said: Said,
) -> dict[str, Any]:
    """Estimates per test set and overall (mean over test sets, a missing one 0), with
    what the scorer said of the files."""
    task = phase.task
    scorer = _without_labels(task) if phase.hides_input else task.scorer
    per_test_set = {}
    for test_set, table in counts.items():
        result = summarise(
            scorer,
            table,
            task.parsed_options,
            task.unit,
            task.plan(test_set.position),
        )
        per_test_set[test_set.name] = {
            "measures": {name: e.as_dict() for name, e in result.measures.items()},
            "signature": result.signature,
            "signatures": result.signatures,
            "units": result.units,
            "remarks": result.remarks,
            # They quote the files, and what code wrote may hold hidden input.
            "scorer_remarks": []
            if phase.hides_input
            else _distinct_remarks(said.get(test_set, ())),
        }
    if len(test_sets) == 1:
        overall = per_test_set[test_sets[0].name]["measures"]
    else:
        strata = [
            (counts[t], task.plan(t.position)) if t in counts else None
            for t in test_sets
        ]
        measures = dict.fromkeys((*task.scorer.measures(()), *task.measures))
        (weighed,) = weigh_strata([strata], TestSet.weights_of(test_sets))
        means = mean_estimates(weighed, tuple(measures))
        overall = {name: mean.as_dict() for name, mean in means.items()}
    return {"overall": overall, "test_sets": per_test_set}


def _without_labels(task: Task) -> Scorer:
    """The scorer without measures of single labels but those that the task shows: what
    code writes may have pieces of the hidden input for labels."""
    shown = {measure.name for measure in task.measures}
    scorer, of_labels = task.scorer, task.scorer.tag_measures
    if of_labels is None:
        return scorer

    def measures_of_labels(columns: tuple[str, ...]) -> tuple[Measure, ...]:
        return tuple(m for m in of_labels(columns) if m.name in shown)

    return replace(scorer, tag_measures=measures_of_labels)


def _distinct_remarks(remarks: Sequence[str]) -> list[str]:
    """Each remark once, in order, as many and as long as anybody reads."""
    distinct = list(dict.fromkeys(remarks))[:MOST_REMARKS]
    return [remark[:LONGEST_REMARK] for remark in distinct]


def finish_scored(evaluation: Evaluation, lease: Lease, answer: EngineAnswer) -> bool:
    """Write the result once (T6); False when the lease was given to another."""
    phase = evaluation.submission.phase
    with transaction.atomic():
        # A board does not change by what is prepared for another revision. Its phase
        # is locked before the evaluation, see `tasks.lock`.
        shown = Phase.objects.filter(
            pk=phase.pk, gold_revision=evaluation.gold_revision_id
        )
        shown.touch_boards(more_results=_first_result(evaluation))
        if not lease.finish(
            EvaluationState.SCORED,
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
        remember(phase.task.scorer)
        if phase.task.scorer.runs_program:
            _runner().note_units(evaluation, answer.results["test_sets"])
    log.info("evaluation %s scored", evaluation.pk)
    return True


def _first_result(evaluation: Evaluation) -> bool:
    """Whether the submission had none under this gold revision, which would go now."""
    names = evaluation.submission_id, evaluation.gold_revision_id
    return not _scored_before(submission=names[0], revision=names[1])


@statement(submission=UUIDField(), revision=BigAutoField())
def _scored_before(submission: UUID, revision: int) -> QuerySet:
    of_submission = Evaluation.objects.filter(submission=submission)
    scored = of_submission.filter(gold_revision=revision, state=EvaluationState.SCORED)
    return scored.values_list("pk", flat=True)[:1]


def finish_refused(
    lease: Lease,
    problems: list[Problem],
    state: EvaluationState = EvaluationState.INVALID,
) -> bool:
    rows = [problem.as_row() for problem in problems]
    return lease.finish(state, problems[0].code, problems=rows)


_failed: set[int] = set()
_next_look = 0.0


def outdated_evaluations() -> QuerySet[Evaluation]:
    """Scored with counts by another engine, and not by this one, too."""
    counts = StoredCounts.objects.filter(evaluation=OuterRef("pk"))
    same = Evaluation.objects.filter(
        submission=OuterRef("submission"),
        gold_revision=OuterRef("gold_revision"),
        engine=VERSION,
    )
    # An index finds what is less or greater, not what is unequal.
    other = Q(engine__lt=VERSION) | Q(engine__gt=VERSION)
    scored = Evaluation.objects.filter(other, state=EvaluationState.SCORED)
    return scored.filter(Exists(counts), ~Exists(same))


def summarise_outdated() -> int:
    """Part of each sweep: a second's worth of them; how many were done."""
    global _next_look
    if time.monotonic() < _next_look:
        return 0
    waiting = outdated_evaluations().exclude(pk__in=_failed).order_by("-pk")
    keys = list(waiting.values_list("pk", flat=True)[:SUMMARIES_AT_ONCE])
    if not keys:
        _next_look = time.monotonic() + LOOK_AGAIN_SECONDS
        return 0
    random.shuffle(keys)
    until, done = time.monotonic() + SUMMARY_SECONDS, 0
    for pk in keys:
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
    evaluation = related.filter(pk=pk).first()
    if evaluation is None:
        return False
    phase = evaluation.submission.phase
    if phase.task.scorer_is_gone:
        return False
    stored = StoredCounts.objects.filter(evaluation=pk).select_related("test_set")
    counts = {row.test_set: Counts.load(bytes(row.data)) for row in stored}
    results = estimates_of(phase, list(phase.test_sets.all()), counts, {})
    for name, result in results["test_sets"].items():
        before = evaluation.by_test_set[name]
        result["signature"] = counted_as(result["signature"], before["signature"])
        result["scorer_remarks"] = before.get("scorer_remarks", [])
    old = Evaluation.objects.filter(
        pk=pk, engine=evaluation.engine, state=EvaluationState.SCORED
    )
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
