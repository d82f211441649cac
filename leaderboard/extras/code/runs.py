"""Runs of teams' code: the step before the check, and what is kept of it.

`scoring.sandbox.team_code.run` is what runs code; it is called by `_ended` alone,
and for trials of organizers by the job "programs.run_code" of the sandbox.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath

from django.utils.translation import gettext_noop

from leaderboard.extension import blobs, policy
from leaderboard.extension.models import (
    Evaluation,
    EvaluationState,
    GoldFile,
    Submission,
    SubmittedFile,
    Task,
    TestSet,
)
from leaderboard.extension.programs import (
    inventory,
    may_run_programs,
    run_code,
    run_limits,
)
from leaderboard.extras.code.models import CodeRule, CodeRun, HiddenInput
from leaderboard.extras.code.rules import rule_of, seconds_left
from scoring.errors import Problem, Refused
from scoring.formats.bundle import zip_files
from scoring.messages import Messages, Wording, templates
from scoring.options import TRUE
from scoring.sandbox.fork import JobFailed, Supervision
from scoring.scorers.program import INGESTION, RUN_CODE
from scoring.scorers.program.conventions import INPUT
from scoring.source import Source

MESSAGES = Messages(
    seconds_used=gettext_noop(
        "the code of your team ran for all %(seconds)s s of its day before this "
        "one had its turn"
    ),
    wrote=gettext_noop("what your code wrote for %(test_set)s: %(problem)s"),
    unfit=gettext_noop("it cannot be scored"),
    hint=gettext_noop(
        "Values are left out (…), for they could hold the hidden input; the "
        "organizers see them. Check at home what your code writes."
    ),
)
LEFT_OUT = "…"
MOST_TOLD = 5  # problems of what code wrote


@dataclass(frozen=True)
class Given:
    """The input of code for a test set: a file, perhaps a `folder` of it."""

    source: Source
    folder: str = ""


def given_to_code(task: Task, test_set: TestSet, gold: Source | None) -> Given:
    """The hidden input of a test set: a folder of the gold's zip where the scoring
    program takes code, else what organizers gave, else the blind file."""
    if gold is not None and is_in_gold(task):
        return Given(gold, INPUT)
    own = HiddenInput.objects.filter(test_set=test_set).first()
    if own is None:
        return Given(test_set.blind())
    return Given(Source.of_bytes(own.name, blobs.read(own.sha256)))


def is_in_gold(task: Task) -> bool:
    """Whether the input is a folder of the gold, which a scoring program wants so."""
    return task.scorer.runs_program and bool(
        TRUE.intersection(task.options.get(RUN_CODE, ()))
    )


def ingestion_of(task: Task) -> Source | None:
    """The program of the organizers that runs the code, where the task has one."""
    given: Source | None = task.parsed_options.get(INGESTION)
    return given if task.scorer.runs_program else None


def outputs(
    evaluation: Evaluation,
    test_sets: Sequence[TestSet],
    watch: Supervision | None,
) -> dict[TestSet, list[Source]]:
    """Files that the code of a submission wrote, by test set; run now where they are
    not there yet. A run that ended is kept at once: whoever goes on where a worker was
    killed runs the rest.

    Raises Refused with what the team may read, and JobFailed.
    """
    task = evaluation.submission.phase.task
    golds = _golds(evaluation) if is_in_gold(task) else {}
    own, earlier = _runs_by_test_set(evaluation), _earlier(evaluation)
    sources: dict[TestSet, list[Source]] = {}
    files = evaluation.submission.files.filter(test_set__in=test_sets)
    for file in files.select_related("test_set").order_by("test_set__position", "run"):
        key = file.test_set_id, file.run
        given = given_to_code(task, file.test_set, golds.get(file.test_set_id))
        run = own.get(key)
        if not own and _is_of(earlier.get(key), given):
            run = _copy(earlier[key], evaluation)
        if run is None or not run.output_sha256:
            run = _run(evaluation, file, given, watch)
        sources.setdefault(file.test_set, []).append(source_of_run(run))
    return sources


def _golds(evaluation: Evaluation) -> dict[int, Source]:
    rows = GoldFile.objects.filter(revision=evaluation.gold_revision)
    return {row.test_set_id: row.source() for row in rows}


def _runs_by_test_set(evaluation: Evaluation) -> dict[tuple[int | None, int], CodeRun]:
    """Runs of this evaluation, those that an organizer ordered anew among them."""
    rows = CodeRun.objects.filter(evaluation=evaluation, test_set__isnull=False)
    return {(row.test_set_id, row.number): row for row in rows}


def _earlier(evaluation: Evaluation) -> dict[tuple[int | None, int], CodeRun]:
    """Runs of the last evaluation of the submission that came to a score."""
    rows = CodeRun.objects.filter(
        evaluation__submission=evaluation.submission_id,
        evaluation__state=EvaluationState.SCORED,
    ).exclude(output_sha256="")
    newest = rows.order_by("-evaluation").first()
    same = rows.filter(evaluation=newest.evaluation_id) if newest else ()
    return {(row.test_set_id, row.number): row for row in same}


def _is_of(run: CodeRun | None, given: Given) -> bool:
    """Whether the run read that input: else the code runs again."""
    return run is not None and run.input_sha256 == given.source.sha256


def _copy(run: CodeRun, evaluation: Evaluation) -> CodeRun:
    """The run as that of another evaluation, under other gold: nobody is charged."""
    run.pk, run.evaluation, run.program_run = None, evaluation, None
    run.seconds = run.output_size = 0  # counted where it ran
    run._state.adding = True
    run.save()
    return run


def source_of_run(run: CodeRun) -> Source:
    return Source.of_bytes(run.output_name, blobs.read(run.output_sha256))


def _run(
    evaluation: Evaluation,
    file: SubmittedFile,
    given: Given,
    watch: Supervision | None,
) -> CodeRun:
    """A run of the code now. Raises Refused and JobFailed."""
    submission = evaluation.submission
    task, rule = submission.phase.task, rule_of(submission.phase)
    if not may_run_programs(task):
        raise JobFailed("this site runs no code for the task")
    limits = run_limits(_seconds_left(rule, evaluation))
    program, folder = ingestion_of(task), given.folder
    finished = run_code(file.source(), given.source, limits, watch, program, folder)
    values: dict[str, object] = {
        "log": finished.output,
        "problems": [problem.as_row() for problem in finished.refused],
        "input_sha256": given.source.sha256,
        "output_sha256": "",
    }
    if finished.cost is not None:
        here = inventory(of_code=True)
        facts = finished.cost.facts(limits, here.version, here.listed)
        values |= {"seconds": finished.cost.seconds, "facts": facts}
    if finished.files:
        written = one_file(finished.files, file.test_set, task.scorer.runs_program)
        values |= {
            "output_name": written.name,
            "output_sha256": blobs.keep(written.single()),
            "output_size": len(written.single()),
        }
    run, _made = CodeRun.objects.update_or_create(
        evaluation=evaluation,
        test_set=file.test_set,
        number=file.run,
        defaults=values,
    )
    if finished.refused:
        raise Refused(finished.refused)
    return run


def one_file(
    files: Mapping[str, bytes], test_set: TestSet, for_program: bool
) -> Source:
    """The output of code as it is scored. Its names are its own and may hold the input:
    those of a zip stay in it, and one file has the name of the test set."""
    if for_program or len(files) > 1:
        return zip_files(f"{test_set.name}.zip", files)
    ending = PurePosixPath(test_set.blind_name).suffix
    return Source.of_bytes(f"{test_set.name}{ending}", next(iter(files.values())))


def _seconds_left(rule: CodeRule, evaluation: Evaluation) -> float | None:
    """Seconds that a team has left for the next run; None without a limit.

    Raises Refused where there are none. Organizers bring their own code as they like,
    and what is run again was paid for.
    """
    submission = evaluation.submission
    if (
        evaluation.background
        or submission.baseline
        or submission.brought_at is not None
    ):
        return None
    left = seconds_left(rule, submission.participation, submission.received_at)
    if left is not None and left < 1:
        message = MESSAGES("seconds_used", seconds=rule.seconds_a_day)
        raise Refused(Problem("seconds_used", message))
    return left


def for_team(evaluation: Evaluation, problems: Sequence[Problem]) -> list[Problem]:
    """Problems of what code wrote, as the scorer says them, without their values.

    A value may be a piece of the hidden input that the code copied, and a sentence that
    is in no table of ours may be made of it. The whole is kept for organizers.
    """
    test_sets = {t.name: t for t in evaluation.submission.phase.test_sets.all()}
    by_test_set: dict[str, list[Problem]] = {}
    for problem in problems:
        stem = PurePosixPath(problem.file.partition("/")[0]).stem
        name = stem if stem in test_sets else next(iter(test_sets), "")
        by_test_set.setdefault(name, []).append(problem)
    for name, own in by_test_set.items():
        rows = CodeRun.objects.filter(evaluation=evaluation, test_set=test_sets[name])
        rows.update(problems=[problem.as_row() for problem in own])
    if rule_of(evaluation.submission.phase).show_log:
        return list(problems)
    sentences = {
        (name, _without_values(problem.message)): problem.line
        for name, own in by_test_set.items()
        for problem in reversed(own)
        if problem.code != "more_problems"  # it counts what stands above
    }
    return [
        Problem(
            "code_output",
            MESSAGES("wrote", test_set=test_sets[name].title, problem=sentence),
            line=line,
            hint=MESSAGES("hint"),
        )
        for (name, sentence), line in reversed(list(sentences.items())[-MOST_TOLD:])
    ]


def _without_values(message: str) -> str:
    if not isinstance(message, Wording) or message.template not in _templates():
        return MESSAGES("unfit")
    values = {
        name: _without_values(value) if isinstance(value, Wording) else LEFT_OUT
        for name, value in message.values.items()
    }
    return Wording(message.template, values)


@cache
def _templates() -> frozenset[str]:
    """Sentences of the engine: of what else a child says nobody knows who wrote it."""
    return templates()


def facts(evaluation: Evaluation, test_set: TestSet, run: int) -> dict[str, object]:
    """Facts on the team's code for the receipt of a run; empty where none ran."""
    rows = CodeRun.objects.filter(
        evaluation=evaluation, test_set=test_set, number=run
    ) | CodeRun.objects.filter(
        evaluation=None,
        program_run__evaluation=evaluation,
        program_run__test_set=test_set,
        program_run__run=run,
    )
    return next((row.facts for row in rows), {})


def output_of(file: SubmittedFile) -> Source | None:
    """The output of the code in a file, as it was scored last; the code itself where
    the check of the scoring program runs it."""
    if is_in_gold(file.submission.phase.task):
        return file.source()
    rows = CodeRun.objects.filter(
        evaluation__submission=file.submission_id,
        evaluation__state=EvaluationState.SCORED,
        test_set=file.test_set_id,
        number=file.run,
    ).exclude(output_sha256="")
    newest = rows.order_by("-evaluation").first()
    return source_of_run(newest) if newest else None


def logs_shown(submission: Submission, user: object) -> list[CodeRun]:
    """Runs of a team's code where organizers show the team what it printed."""
    phase = submission.phase
    if not phase.hides_input or not rule_of(phase).show_log:
        return []
    if not policy.disclosure(user, phase).own:
        return []
    runs = CodeRun.objects.filter(
        evaluation__submission=submission,
        evaluation__gold_revision=phase.gold_revision_id,
    )
    with_log = runs.exclude(log="").select_related("test_set").order_by("-evaluation")
    newest = with_log.first()
    return list(with_log.filter(evaluation=newest.evaluation_id)) if newest else []
