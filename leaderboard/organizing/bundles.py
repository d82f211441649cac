"""Whole bundles in and out, baselines included."""

from dataclasses import replace

from django.db import transaction

from leaderboard.organizing import baselines
from leaderboard.submissions.intake import Unfit
from leaderboard.tasks.bundle import load
from leaderboard.tasks.creation import create
from leaderboard.tasks.current import plan_of
from leaderboard.tasks.exporting import exported
from leaderboard.tasks.models import Task
from leaderboard.tasks.plans import TaskPlan
from leaderboard.teams.models import User
from scoring.errors import Problem, SetupError
from scoring.source import Source


def import_bundle(source: Source, organizer: User | None) -> Task:
    """Create a task and send its baselines, all or nothing.

    Raises SetupError when the bundle is wrong, its slug is taken, or it has
    baselines and there is nobody to send them.
    """
    plan = load(source)
    if plan.baselines and organizer is None:
        message = "'baselines': an organizer has to be named, who sends them"
        raise SetupError(Problem("baselines", message, "task.yaml"))
    with transaction.atomic():
        task = create(plan, organizer)
        if organizer is not None:
            send_baselines(task, plan, organizer)
    return task


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
