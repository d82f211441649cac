"""Runs of the scoring programs of tasks, and what is kept of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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
    Task,
    TestSet,
)
from leaderboard.extension.programs import (
    NoResult,
    OutcomeUnusable,
    SubmissionKind,
    may_run_programs,
    run_program,
)
from leaderboard.extension.submissions import give_back
from leaderboard.extension.upkeep import Lease
from leaderboard.extras.programs.models import ProgramRun
from leaderboard.extras.programs.rights import NOT_ALLOWED
from scoring import Counts
from scoring.engine import count
from scoring.errors import Problem, Refused, UsageError
from scoring.messages import Messages
from scoring.options import TRUE
from scoring.sandbox.fork import Supervision
from scoring.sandbox.program import SandboxIncomplete
from scoring.sandbox.scoring_program import FinishedRun
from scoring.scorers.program import NAME, PROGRAM, RUN_CODE, SHOW_OUTPUT
from scoring.scorers.program.conventions import REF, ProgramResult
from scoring.source import Source

MESSAGES = Messages(
    lacking=gettext_noop(
        "units.csv names other units than for other files: it lacks "
        "%(lacking)s of them (%(some_lacking)s)"
    ),
    added=gettext_noop(
        "units.csv names other units than for other files: it adds "
        "%(added)s of them (%(some_added)s)"
    ),
    both_ways=gettext_noop(
        "units.csv names other units than for other files: it lacks "
        "%(lacking)s of them (%(some_lacking)s), adds %(added)s of them "
        "(%(some_added)s)"
    ),
    no_sandbox=gettext_noop(
        "This site cannot run programs: its kernel lacks a part of the sandbox."
    ),
    every_unit=gettext_noop(
        "Name every unit of the reference each time, with an empty value if need be."
    ),
    failed=gettext_noop("The task's scoring program failed; the organizers are told."),
    given_back=gettext_noop("Your attempt was given back."),
)

NO_SANDBOX = MESSAGES("no_sandbox")
Outcomes = Mapping[TestSet, tuple["Expected", Sequence[ProgramResult]]]


@dataclass(frozen=True)
class Expected:
    """The units that outcomes for one test set have to fit: those of earlier ones."""

    test_set: int
    units: frozenset[str] = frozenset()


def pairs(
    evaluation: Evaluation, test_sets: Sequence[TestSet], watch: Supervision | None
) -> Outcomes:
    """Outcomes of the task's program for each file to score, by test set.

    Raises NoResult, and Refused for files that no program can be given.
    """
    ProgramRun.objects.filter(evaluation=evaluation).delete()
    task = evaluation.submission.phase.task
    golds = {
        gold.test_set_id: gold
        for gold in GoldFile.objects.filter(revision=evaluation.gold_revision)
    }
    allowed = may_run_programs(task)
    kind = SubmissionKind.of(evaluation.submission.phase)
    files = kind.outputs(evaluation, test_sets, watch) if allowed else {}
    outcomes: dict[TestSet, list[ProgramResult]] = {}
    for test_set, sources in files.items():
        for number, source in enumerate(sources, 1):
            gold = golds[test_set.pk].source()
            finished = _run(evaluation, (gold, source), watch)
            _keep(evaluation, test_set, number, finished)
            if finished.refused:
                raise Refused(kind.for_team(evaluation, finished.refused))
            if finished.faults:
                raise NoResult
            outcomes.setdefault(test_set, []).append(finished.outcome)
    if not allowed:
        fault = FinishedRun(faults=(Problem("program_rights", str(NOT_ALLOWED)),))
        _keep(evaluation, test_sets[0], 1, fault)
        raise NoResult
    return {t: (_expected_units(evaluation, t), runs) for t, runs in outcomes.items()}


def _expected_units(evaluation: Evaluation, test_set: TestSet) -> Expected:
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
    phase = submission.phase
    task = phase.task
    shows_output = TRUE.intersection(task.options.get(SHOW_OUTPUT, ()))
    if not shows_output or not task.scorer.runs_program or phase.hides_input:
        return []
    if not policy.disclosure(user, phase).own:
        return []
    runs = ProgramRun.objects.filter(
        evaluation__submission=submission,
        evaluation__gold_revision=phase.gold_revision_id,
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
    evaluation: Evaluation, files: tuple[Source, Source], watch: Supervision | None
) -> FinishedRun:
    """A run on gold and a file to score."""
    options = evaluation.submission.phase.task.parsed_options
    if options[PROGRAM] is None:
        return FinishedRun(faults=(Problem("program", _("The task has no program.")),))
    try:
        sources = options[PROGRAM], *files
        name, folder = options[NAME] or "", REF if options[RUN_CODE] else ""
        shows = bool(options[SHOW_OUTPUT])
        return run_program(sources, name, watch, shows, folder)
    except SandboxIncomplete:
        return FinishedRun(faults=(Problem("program_sandbox", NO_SANDBOX),))


def _keep(
    evaluation: Evaluation, test_set: TestSet, number: int, finished: FinishedRun
) -> None:
    """Store a run at once, as the next one may end the worker."""
    program = evaluation.submission.phase.task.parsed_options[PROGRAM]
    ProgramRun.objects.create(
        evaluation=evaluation,
        test_set=test_set,
        run=number,
        program_hash=program.sha256 if program else "",
        seconds=finished.seconds,
        output=finished.output,
        public_output=finished.public_output,
        problems=[
            problem.as_row() for problem in (*finished.faults, *finished.refused)
        ],
    )


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
            Evaluation.PROGRAM_GAVE_NOTHING,
            last_error=Evaluation.PROGRAM_GAVE_NOTHING,
            problems=[Problem(Evaluation.PROGRAM_FAILED, message, hint=hint).as_row()],
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


RUNNER = SandboxRunner()
