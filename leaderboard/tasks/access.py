"""Who may see which task; one function per question, 404 for no."""

from datetime import datetime
from typing import Any

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone

from leaderboard.tasks.models import Phase, Task


def task_or_404(slug: str) -> Task:
    return get_object_or_404(Task, slug=slug)


def phase_or_404(slug: str, name: str) -> Phase:
    phases = Phase.objects.select_related("task", "gold_revision")
    return get_object_or_404(phases, task__slug=slug, name=name)


def organized_task_or_404(request: HttpRequest, slug: str) -> Task:
    task = task_or_404(slug)
    if not task.is_organized_by(request.user):
        raise Http404
    return task


def may_create_tasks(user: Any) -> bool:
    """Organizing is open to everybody with an account."""
    return bool(user.is_authenticated)


def is_published(phase: Phase, moment: datetime) -> bool:
    """The input of a phase is published when it opens."""
    return phase.state(moment) != "upcoming"


def sees_blind_files(user: Any, phase: Phase) -> bool:
    """Everybody once the phase opens, its organizers before."""
    return is_published(phase, timezone.now()) or phase.task.is_organized_by(user)
