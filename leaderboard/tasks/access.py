"""Who may see which task; one function per question, 404 for no."""

from typing import Any

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from leaderboard.tasks.models import Phase, Task
from leaderboard.tasks.policy import Power, can, visible_tasks, with_neighbours


def task_or_404(slug: str, user: Any = None) -> Task:
    """A task that the reader may see; without a reader, one that everybody may."""
    return get_object_or_404(visible_tasks(user), slug=slug)


def phase_or_404(slug: str, name: str, user: Any = None) -> Phase:
    """A phase of a task that the reader may see."""
    phases = Phase.objects.select_related("task", "gold_revision")
    seen = with_neighbours(phases).filter(task__in=visible_tasks(user))
    return get_object_or_404(seen, task__slug=slug, name=name)


def organized_task_or_404(
    request: HttpRequest, slug: str, power: Power = Power.SEE
) -> Task:
    """A task in which the reader has that power."""
    task = task_or_404(slug, request.user)
    if not can(request.user, task, power):
        raise Http404
    return task
