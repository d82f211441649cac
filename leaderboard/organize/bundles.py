"""Whole bundles in and out, baselines included."""

from dataclasses import replace

from django.db import transaction
from django.utils.translation import gettext as _

from leaderboard.organize import baselines
from leaderboard.submissions.accept import Unfit
from leaderboard.tasks.bundle import load
from leaderboard.tasks.creation import create
from leaderboard.tasks.current import plan_of
from leaderboard.tasks.exporting import exported
from leaderboard.tasks.models import Task
from leaderboard.tasks.plans import TaskPlan
from leaderboard.teams.models import User
from scoring.errors import Problem, SetupError
from scoring.source import Source


def import_bundle(
    source: Source, organizer: User | None, publish: bool = False
) -> Task:
    """Create a task out of the bundle, as `import_plan` does."""
    return import_plan(load(source), organizer, publish)


def import_plan(plan: TaskPlan, organizer: User | None, publish: bool = False) -> Task:
    """Create a draft and send its baselines, all or nothing.

    With `publish` a plan that says `draft: false` is a public task at once. Raises
    SetupError when the slug is taken, or there are baselines and nobody to send them.
    """
    if not publish:
        plan = replace(plan, draft=True)
    if plan.baselines and organizer is None:
        message = "'baselines': an organizer has to be named, who sends them"
        raise SetupError(Problem("baselines", message, "task.yaml"))
    with transaction.atomic():
        task = create(plan, organizer)
        if organizer is not None:
            send_baselines(task, plan, organizer)
    return task


def note_on_draft(plan: TaskPlan) -> str:
    """That what was uploaded is a draft, whatever its bundle says."""
    if plan.draft is False:
        return _(
            "The task is there as a draft that only its organizers see: 'draft: false' "
            "in a bundle does not publish it. Check it, then publish."
        )
    return _(
        "The task is there as a draft that only its organizers see. Check it, then "
        "publish."
    )


def send_baselines(task: Task, plan: TaskPlan, sender: User) -> None:
    """Raises SetupError for a file that cannot be scored."""
    try:
        baselines.add_all(task, plan.baselines, sender)
    except Unfit as unfit:
        raise SetupError(unfit.problems) from None


def whole_plan(task: Task) -> TaskPlan:
    return replace(plan_of(task), baselines=baselines.plans_of(task))


def export_bundle(task: Task) -> Source:
    """The task as a zip; the same task gives the same bytes."""
    return exported(whole_plan(task))
