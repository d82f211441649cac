"""The public log of changes of a task, and its page."""

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.tasks.access import task_or_404
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


@require_safe
def log(request: HttpRequest, slug: str) -> HttpResponse:
    task = task_or_404(slug, request.user)
    context = {"task": task, "notices": notices_of(task)}
    return render(request, "tasks/log.html", context)
