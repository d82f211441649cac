"""The page with the history of a task."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.organize.history import history_of
from leaderboard.tasks.access import organized_task_or_404
from leaderboard.tasks.policy import Power


@require_safe
def history(request: HttpRequest, slug: str) -> HttpResponse:
    task = organized_task_or_404(request, slug, Power.EDIT)
    found = history_of(task, request.GET)
    query = request.GET.copy()
    query.pop("page", None)
    context = {"task": task, "history": found, "query": query.urlencode()}
    return render(request, "organize/history.html", context)
