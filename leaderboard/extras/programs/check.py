"""The set-up check of a task that a program scores."""

from collections.abc import Mapping

from django.utils.translation import gettext as _

from leaderboard.extension.models import (
    Evaluation,
    EvaluationState,
    GoldFile,
    Task,
)
from leaderboard.extension.programs import CheckedSystem, TestSetCheck, may_run_programs
from leaderboard.extras.programs.pages import try_program
from leaderboard.extras.programs.rights import NOT_ALLOWED
from scoring.errors import Problem, Refused
from scoring.sandbox.fork import JobFailed
from scoring.source import Source


def check_program(
    task: Task,
    about: tuple[str, str, str, int],
    gold: Source,
    baseline_files: Mapping[str, Source],
) -> TestSetCheck:
    """The program run on the baselines, or on the gold where there are none."""
    rows, units, seconds, problems = [], 0, 0.0, []
    remarks: list[str] = []
    named = {
        _("Baseline {name}").format(name=name): file
        for name, file in baseline_files.items()
    }
    for title, file in (named or {_("The gold itself"): gold}).items():
        try:
            trial = try_program(task, gold, file)
        except JobFailed:
            message = _("trying the file failed on our side; the operators can see why")
            problems.append(Problem("check_failed", message))
            continue
        except Refused as refusal:
            problems += refusal.problems
            continue
        if trial.is_unfinished and (counted := _units_of_scored(task, about[0])):
            units, seconds = counted, trial.seconds
            remarks += [f"{title}: {problem}" for problem in trial.problems]
            continue
        problems += [*trial.problems, *trial.refused]
        if trial.fine:
            rows.append(CheckedSystem(title, trial.scores, None, ""))
            units, seconds = trial.units, trial.seconds
            remarks += [f"{title}: {remark}" for remark in trial.remarks]
    if problems and not named:
        hint = _("Send a baseline first: the check then runs the program on it.")
        problems.append(Problem("program_example", hint))
    if not may_run_programs(task):
        problems.append(Problem("program_rights", str(NOT_ALLOWED)))
    if problems:
        return TestSetCheck(*about, problems=problems)
    files = GoldFile.objects.filter(revision=task.gold_revisions.live(), units=0)
    files.filter(test_set__task=task, test_set__name=about[0]).update(units=units)
    nothing = [Problem("empty_file", "the file is empty")]
    return TestSetCheck(
        *about,
        rows=rows,
        units=units,
        seconds=seconds,
        informative=units,
        refusal=nothing,
        remarks=remarks,
    )


def _units_of_scored(task: Task, test_set: str) -> int:
    """The units of a test set for which a run by a worker came to a score; else 0."""
    live = task.gold_revisions.live()
    scored = Evaluation.objects.filter(
        gold_revision=live,
        state=EvaluationState.SCORED,
        submission__files__test_set__name=test_set,
    )
    if not scored.exists():
        return 0
    return GoldFile.objects.get(revision=live, test_set__name=test_set).units
