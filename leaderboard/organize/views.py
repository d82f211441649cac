"""The first page of those who organize a task."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.organize.start import start_of
from leaderboard.tasks.access import organized_task_or_404
from leaderboard.tasks.policy import Power, can


@require_safe
def start(request: HttpRequest, slug: str) -> HttpResponse:
    task = organized_task_or_404(request, slug)
    gives_up = task.draft and can(request.user, task, Power.OWN)
    context = {"task": task, "start": start_of(task), "gives_up": gives_up}
    return render(request, "organize/start.html", context)
