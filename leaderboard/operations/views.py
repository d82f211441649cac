"""For machines that watch the site, and for the people who run it."""

from django.contrib.admin.views.decorators import staff_member_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.operations.queue_page import queue_page
from leaderboard.operations.readiness import readiness


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """The process answers; it asks nothing else."""
    return HttpResponse("ok\n", content_type="text/plain")


@never_cache
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """200 while uploads can be accepted, 503 when not; the rest is in the body."""
    found = readiness()
    status = 503 if found.status == "down" else 200
    return JsonResponse(found.as_dict(), status=status)


@staff_member_required
@require_safe
def queue(request: HttpRequest) -> HttpResponse:
    """What waits, runs and failed, for operators."""
    context = {"page": queue_page(), "readiness": readiness()}
    return render(request, "operations/queue.html", context)
