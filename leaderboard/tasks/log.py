"""The public log of changes of a task."""

from django.db.models import QuerySet

from leaderboard.tasks.models import Notice, Phase, Task
from leaderboard.teams.models import User

WRITTEN = (Notice.Kind.NEWS, Notice.Kind.RULES)  # the others come of what was done


def notices_of(task: Task) -> QuerySet[Notice]:
    """Newest first, with their phases."""
    return Notice.objects.filter(task=task).select_related("phase")


def announce(task: Task, kind: str, text: str, by: User, phase: Phase | None) -> Notice:
    """Say something to everybody, for good.

    Raises ValueError for a kind that only what was done can write.
    """
    if kind not in WRITTEN:
        raise ValueError(f"{kind} is not written by hand")
    return Notice.objects.create(task=task, phase=phase, kind=kind, text=text, by=by)
