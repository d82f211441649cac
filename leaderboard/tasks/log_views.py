"""The page of the public log of changes."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.tasks.access import task_or_404
from leaderboard.tasks.log import notices_of


@require_safe
def log(request: HttpRequest, slug: str) -> HttpResponse:
    task = task_or_404(slug, request.user)
    context = {"task": task, "notices": notices_of(task)}
    return render(request, "tasks/log.html", context)
