"""Who may see which task; one function per question, 404 for no."""

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from leaderboard.tasks.models import Phase, Task
from leaderboard.tasks.policy import Power, can


def task_or_404(slug: str) -> Task:
    return get_object_or_404(Task, slug=slug)


def phase_or_404(slug: str, name: str) -> Phase:
    phases = Phase.objects.select_related("task", "gold_revision")
    return get_object_or_404(phases, task__slug=slug, name=name)


def organized_task_or_404(
    request: HttpRequest, slug: str, power: Power = Power.SEE
) -> Task:
    """A task in which the reader has that power."""
    task = task_or_404(slug)
    if not can(request.user, task, power):
        raise Http404
    return task
