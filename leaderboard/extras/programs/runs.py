"""Runs of the scoring programs of tasks, and what is kept of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from leaderboard.extension import policy
from leaderboard.extension.models import (
    Evaluation,
    EvaluationState,
    GoldFile,
    QuotaKind,
    StoredCounts,
    Submission,
    SubmittedFile,
    Task,
    TestSet,
)
from leaderboard.extension.programs import (
    FinishedRun,
    NoResult,
    OutcomeUnusable,
    ProgramLimits,
    RunPlace,
    SandboxIncomplete,
    Supervision,
    inventory,
    python,
)
from leaderboard.extension.programs import run_program as run
from leaderboard.extension.submissions import (
    PROGRAM_FAILED,
    PROGRAM_GAVE_NOTHING,
    give_back,
)
from leaderboard.extension.upkeep import Lease
from leaderboard.extras.programs.models import CodeRule, CodeRun, ProgramRun
from leaderboard.extras.programs.rights import NOT_ALLOWED, may_have_program
from leaderboard.extras.programs.rules import rule_of, runs_code, seconds_left
from scoring import Counts
from scoring.engine import count
from scoring.errors import Problem, Refused, UsageError
from scoring.messages import Messages
from scoring.options import TRUE
from scoring.scorers.program import INGESTION, NAME, PROGRAM, SHOW_OUTPUT
from scoring.scorers.program.conventions import ProgramResult
from scoring.source import Source

MESSAGES = Messages(
    {
        "lacking": gettext_noop(
            "units.csv names other units than for other files: it lacks "
            "%(lacking)s of them (%(some_lacking)s)"
        ),
        "added": gettext_noop(
            "units.csv names other units than for other files: it adds "
            "%(added)s of them (%(some_added)s)"
        ),
        "both_ways": gettext_noop(
            "units.csv names other units than for other files: it lacks "
            "%(lacking)s of them (%(some_lacking)s), adds %(added)s of them "
            "(%(some_added)s)"
        ),
        "no_sandbox": gettext_noop(
            "This site cannot run programs: its kernel lacks a part of the sandbox."
        ),
        "every_unit": gettext_noop(
            "Name every unit of the reference each time, with an empty value "
            "if need be."
        ),
        "failed": gettext_noop(
            "The task's scoring program failed; the organizers are told."
        ),
        "given_back": gettext_noop("Your attempt was given back."),
        "seconds_used": gettext_noop(
            "the code of your team ran for all %(seconds)s s of its day before this "
            "one had its turn"
        ),
    }
)

NO_SANDBOX = MESSAGES("no_sandbox")
Outcomes = Mapping[TestSet, tuple["Expected", Sequence[ProgramResult]]]


@dataclass(frozen=True)
class Expected:
    """The units that outcomes for one test set have to fit: those of earlier ones."""

    test_set: int
    units: frozenset[str] = frozenset()


def limits() -> ProgramLimits:
    return ProgramLimits(
        cpu_seconds=settings.PROGRAM_CPU_SECONDS,
        wall_seconds=settings.PROGRAM_WALL_SECONDS,
        memory_bytes=settings.PROGRAM_MEMORY_MB << 20,
        folder_bytes=settings.PROGRAM_DISK_MB << 20,
        most_files=settings.PROGRAM_FILES,
        output_bytes=settings.PROGRAM_OUTPUT_BYTES,
    )


def trial_limits() -> ProgramLimits:
    """The limits of a run that somebody waits for."""
    usual = limits()
    return replace(
        usual,
        cpu_seconds=min(usual.cpu_seconds, settings.CHECK_WALL_SECONDS),
        wall_seconds=min(usual.wall_seconds, settings.CHECK_WALL_SECONDS),
    )


def place() -> RunPlace:
    return RunPlace(python(), str(settings.DATA / "programs"))


def pairs(
    evaluation: Evaluation, test_sets: Sequence[TestSet], watch: Supervision | None
) -> Outcomes:
    """Outcomes of the task's program for each file that was sent, by test set.

    Raises NoResult, and Refused for files that no program can be given.
    """
    ProgramRun.objects.filter(evaluation=evaluation).delete()
    task = evaluation.submission.phase.task
    sent = evaluation.submission.files.filter(test_set__in=test_sets)
    golds = {
        gold.test_set_id: gold
        for gold in GoldFile.objects.filter(revision=evaluation.gold_revision)
    }
    allowed = may_have_program(task)
    rule = rule_of(evaluation.submission.phase) if runs_code(task) else None
    outcomes: dict[TestSet, list[ProgramResult]] = {}
    for file in sent.select_related("test_set").order_by("test_set__position", "run"):
        fault = Problem("program_rights", str(NOT_ALLOWED))
        finished = FinishedRun(faults=(fault,))
        if allowed:
            gold = golds[file.test_set_id].source()
            within = _code_limits(rule, evaluation) if rule else None
            shows = rule.show_log if rule else None
            finished = _run(task, (gold, file.source()), watch, within, shows)
        _keep(evaluation, file, finished)
        if finished.refused:
            raise Refused(finished.refused)
        if finished.faults:
            raise NoResult
        outcomes.setdefault(file.test_set, []).append(finished.outcome)
    return {t: (_expected(evaluation, t), runs) for t, runs in outcomes.items()}


def _code_limits(rule: CodeRule, evaluation: Evaluation) -> ProgramLimits:
    """Limits of the next run of a team's code: never beyond its seconds of the day.

    Raises Refused where none are left. Organizers bring their own code as they like,
    and what is scored again was paid for.
    """
    usual, sent = limits(), evaluation.submission
    if evaluation.background or sent.baseline or sent.brought_at is not None:
        return usual
    left = seconds_left(rule, sent.participation, sent.received_at)
    if left is None or left >= usual.wall_seconds:
        return usual
    if left < 1:
        message = MESSAGES("seconds_used", seconds=rule.seconds_a_day)
        raise Refused(Problem("seconds_used", message))
    return replace(
        usual, wall_seconds=left, cpu_seconds=min(usual.cpu_seconds, ceil(left))
    )


def _expected(evaluation: Evaluation, test_set: TestSet) -> Expected:
    """Units of the first system that was scored: all systems need the same."""
    stored = StoredCounts.objects.filter(
        test_set=test_set,
        evaluation__gold_revision=evaluation.gold_revision,
        evaluation__state=EvaluationState.SCORED,
    )
    first = stored.exclude(evaluation=evaluation).order_by("pk").first()
    units = Counts.load(bytes(first.data)).units if first else ()
    return Expected(test_set.pk, frozenset(units))


def count_runs(
    task: Task, pair: tuple[Expected, Sequence[ProgramResult]], _remarks: list[str]
) -> Counts:
    """Counts of what all runs left. Raises Refused and OutcomeUnusable."""
    expected, outcomes = pair
    counts = []
    for number, outcome in enumerate(outcomes, 1):
        try:
            own = count(task.scorer, (None, outcome), task.parsed_options, task.unit)
        except UsageError as error:
            of_run = expected.test_set, number
            raise OutcomeUnusable(error.problems, of_run) from None
        units = expected.units or frozenset(own.units)
        if problem := _other_units(units, own):
            raise OutcomeUnusable([problem], (expected.test_set, number))
        expected = Expected(expected.test_set, units)
        counts.append(own)
    return Counts.of_runs([run.in_order() for run in counts])


def _other_units(expected: frozenset[str], counts: Counts) -> Problem | None:
    units = frozenset(counts.units)
    if units == expected:
        return None
    lacking, added = sorted(expected - units), sorted(units - expected)
    message = MESSAGES(
        "both_ways" if lacking and added else "lacking" if lacking else "added",
        lacking=len(lacking),
        some_lacking=", ".join(lacking[:3])[:200],
        added=len(added),
        some_added=", ".join(added[:3])[:200],
    )
    hint = MESSAGES("every_unit")
    return Problem("program_units", message, hint=hint)


def shown_runs(submission: Submission, user: object) -> list[ProgramRun]:
    """Runs whose output the task shows to the submission's team, if it may see any."""
    task = submission.phase.task
    said = TRUE.intersection(task.options.get(SHOW_OUTPUT, ()))
    if not said or not task.scorer.runs_program or runs_code(task):
        return []
    return _public(submission, user)


def shown_logs(submission: Submission, user: object) -> list[ProgramRun]:
    """Runs of a team's code where organizers show the team what it printed."""
    task = submission.phase.task
    if not task.scorer.runs_program or not runs_code(task):
        return []
    shows = rule_of(submission.phase).show_log
    return _public(submission, user) if shows else []


def _public(submission: Submission, user: object) -> list[ProgramRun]:
    if not policy.disclosure(user, submission.phase).own:
        return []
    runs = ProgramRun.objects.filter(
        evaluation__submission=submission,
        evaluation__gold_revision=submission.phase.gold_revision_id,
    )
    return list(runs.exclude(public_output="").select_related("test_set"))


def note_units(evaluation: Evaluation, results: Mapping[str, Any]) -> None:
    """Say how many units the gold has where only the program could tell."""
    for name, stored in results.items():
        gold = GoldFile.objects.filter(
            revision=evaluation.gold_revision, test_set__name=name, units=0
        )
        gold.update(units=stored["units"])


def _run(
    task: Task,
    files: tuple[Source, Source],
    watch: Supervision | None,
    code_limits: ProgramLimits | None,
    shows: bool | None,
) -> FinishedRun:
    """A run on gold and submission; `shows` of code is the rule's, else the task's."""
    options = task.parsed_options
    if options[PROGRAM] is None:
        return FinishedRun(faults=(Problem("program", _("The task has no program.")),))
    try:
        sources = options[PROGRAM], *files
        name = options[NAME] or ""
        shows = bool(options[SHOW_OUTPUT]) if shows is None else shows
        also = code_limits, options[INGESTION]
        return run(sources, name, limits(), place(), watch, shows, *also)
    except SandboxIncomplete:
        return FinishedRun(faults=(Problem("program_sandbox", NO_SANDBOX),))


def _keep(evaluation: Evaluation, file: SubmittedFile, finished: FinishedRun) -> None:
    """Written at once: the next run may end the worker."""
    program = evaluation.submission.phase.task.parsed_options[PROGRAM]
    kept = ProgramRun.objects.create(
        evaluation=evaluation,
        test_set=file.test_set,
        run=file.run,
        program_hash=program.sha256 if program else "",
        seconds=finished.seconds,
        output=finished.output,
        public_output=finished.public_output,
        problems=[
            problem.as_row() for problem in (*finished.faults, *finished.refused)
        ],
    )
    if finished.code is not None:
        here = inventory()
        facts = finished.code.facts(limits(), here.version, here.listed)
        CodeRun.objects.create(run=kept, seconds=finished.code.seconds, facts=facts)


def code_facts(
    evaluation: Evaluation, test_set: TestSet, run: int
) -> dict[str, object]:
    """Facts on the team's code for the receipt of a run; empty where none ran."""
    rows = CodeRun.objects.filter(
        run__evaluation=evaluation, run__test_set=test_set, run__run=run
    )
    return next((row.facts for row in rows), {})


def note(
    evaluation: Evaluation, test_set: int, run: int, problems: Sequence[Problem]
) -> None:
    """Add what is wrong with what a run left, found when it was counted."""
    rows = ProgramRun.objects.filter(evaluation=evaluation, test_set=test_set, run=run)
    rows.update(problems=[problem.as_row() for problem in problems])


def finish_failed(evaluation: Evaluation, lease: Lease) -> bool:
    """End in a state that says so; the attempt is given back, within bounds.

    Giving back without end would let a file that breaks the program be sent without
    end: it counts among uploads that are refused.
    """
    submission = evaluation.submission
    with transaction.atomic():
        given = evaluation.background or give_back(submission, QuotaKind.REFUSED)
        message = MESSAGES("failed")
        hint = MESSAGES("given_back") if given else ""
        if evaluation.background:
            hint = ""
        moved = lease.finish(
            EvaluationState.FAILED_SYSTEM,
            PROGRAM_GAVE_NOTHING,
            problems=[Problem(PROGRAM_FAILED, message, hint=hint).as_row()],
        )
        if not moved:
            transaction.set_rollback(True)
    return moved


class SandboxRunner:
    """A `submissions.runners.Runner` by the functions of this module."""

    pairs = staticmethod(pairs)
    count_runs = staticmethod(count_runs)
    note = staticmethod(note)
    note_units = staticmethod(note_units)
    finish_failed = staticmethod(finish_failed)
    code_facts = staticmethod(code_facts)


RUNNER = SandboxRunner()
