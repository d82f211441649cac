"""The front page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboard.boards import front
from leaderboard.tasks import overview


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Tasks by what is open, what closes next, recent results; `?q=` searches."""
    now = timezone.now()
    words = front.searched(request.GET.get("q", ""))
    context = {"asked": request.GET.get("q", ""), "words": words}
    if words:
        context["found"] = front.search(words, request.user, now)
        return render(request, "found.html", context)
    groups = overview.tasks_by_state(now, request.user)
    context |= {
        "groups": groups,
        "next": front.closes_next(groups),
        "results": front.recent_results(now),
    }
    return render(request, "home.html", context)
