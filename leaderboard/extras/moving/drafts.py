"""Drafts made of bundles of other sites, each with a report that is kept."""

from collections.abc import Iterator
from typing import Any

from django.db import transaction

from leaderboard.extras.moving.models import ImportReport
from leaderboard.extras.moving.report import ImportRemark, listed, remark, remarks_of
from leaderboard.extras.programs.look import look_at, program_of_plan
from leaderboard.extras.programs.rights import may_run_programs
from leaderboard.organize.baselines import send_baselines
from leaderboard.organize.bundle import import_plan
from leaderboard.tasks.bundle.create import Draft, free_slug
from leaderboard.tasks.bundle.schema import TaskPlan
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from scoring.errors import SetupError


def has_report(task: Task) -> bool:
    return ImportReport.objects.filter(task=task).exists()


def create(plan: TaskPlan, rows: Any, organizer: User | None) -> Draft:
    """Create a draft out of what was made of a bundle, and keep the report on it.

    Raises SetupError and OverQuota.
    """
    remarks = remarks_of(rows)
    allowed = organizer is not None and may_run_programs(organizer)
    if plan.scoring.scorer.runs_program and not allowed:
        remarks.append(remark("program_off"))
    if program := program_of_plan(plan):
        seen = [one.row() for one in look_at(program) or ()]
        remarks.extend(remarks_of(seen))
    with transaction.atomic():
        bare = plan.changed(slug=free_slug(plan.slug), baselines=())
        task = import_plan(bare, organizer)
        remarks.extend(_send_solutions(task, plan, organizer))
        kept = [one.row() for one in remarks]
        ImportReport.objects.create(task=task, remarks=kept)
    taken = [str(one) for one in listed(remarks, taken=True)]
    return Draft(task, taken, [str(one) for one in listed(remarks, taken=False)])


def _send_solutions(
    task: Task, plan: TaskPlan, sender: User | None
) -> Iterator[ImportRemark]:
    """Send the solutions of another site's bundle; one that is no good stops nothing.

    Raises OverQuota.
    """
    sent = []
    for baseline in plan.baselines:
        if sender is None:
            yield remark("solution_unsent", system=baseline.system)
            continue
        try:
            send_baselines(task, plan.changed(baselines=(baseline,)), sender)
        except SetupError as error:
            problem = str(error.problems[0])
            yield remark("solution_unfit", system=baseline.system, problem=problem)
        else:
            sent.append(baseline.system)
    if sent:
        yield remark("baselines", names=", ".join(sent))
