"""Drafts made of bundles of other sites, each with a report that is kept."""

from typing import Any

from django.db import transaction

from leaderboard.extension.bundles import TaskPlan, check_baselines, import_plan
from leaderboard.extension.models import Task, User
from leaderboard.extension.programs import may_run_programs
from leaderboard.extras.moving.models import ImportReport
from leaderboard.extras.moving.report import (
    ImportRemark,
    list_remarks,
    remark,
    remarks_of,
)
from leaderboard.extras.programs.look import look_at, program_of_plan
from scoring.errors import SetupError


def has_report(task: Task) -> bool:
    return ImportReport.objects.filter(task=task).exists()


def create(
    plan: TaskPlan, rows: Any, organizer: User | None
) -> tuple[Task, list[str], list[str]]:
    """Create a draft out of what was made of a bundle, and keep the report on it, whose
    lines on what was taken and what left are returned with it.

    Raises SetupError and OverQuota.
    """
    remarks = remarks_of(rows)
    allowed = organizer is not None and may_run_programs(organizer)
    if plan.scoring.scorer.runs_program and not allowed:
        remarks.append(remark("program_off"))
    if program := program_of_plan(plan):
        seen = [note.row() for note in look_at(program) or ()]
        remarks.extend(remarks_of(seen))
    plan = _with_fit_solutions(plan, organizer, remarks)
    with transaction.atomic():
        task = import_plan(plan.with_values(slug=_free_slug(plan.slug)), organizer)
        report = [note.row() for note in remarks]
        ImportReport.objects.create(task=task, remarks=report)
    taken = [str(note) for note in list_remarks(remarks, taken=True)]
    left = [str(note) for note in list_remarks(remarks, taken=False)]
    return task, taken, left


def _free_slug(slug: str) -> str:
    """The slug, numbered where another task has it: nobody chose it."""
    number, free = 1, slug
    while Task.objects.filter(slug=free).exists():
        number += 1
        free = f"{slug[:55]}-{number}"
    return free


def _with_fit_solutions(
    plan: TaskPlan, sender: User | None, remarks: list[ImportRemark]
) -> TaskPlan:
    """The plan with those solutions of another site's bundle that can be sent as
    baselines; remarks on all of them are added. One that is no good stops nothing."""
    fit = []
    for baseline in plan.baselines:
        system = baseline.system
        if sender is None:
            remarks.append(remark("solution_unsent", system=system))
            continue
        try:
            check_baselines(plan.with_values(baselines=(baseline,)))
        except SetupError as error:
            problem = str(error.problems[0])
            remarks.append(remark("solution_unfit", system=system, problem=problem))
        else:
            fit.append(baseline)
    if fit:
        names = ", ".join(baseline.system for baseline in fit)
        remarks.append(remark("baselines", names=names))
    return plan.with_values(baselines=tuple(fit))
