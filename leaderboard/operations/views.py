"""For machines that watch the site, and for the people who run it."""

from django.conf import settings
from django.contrib.admin.views.decorators import staff_member_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST

from leaderboard.operations.metrics import exposition
from leaderboard.operations.readiness import queue_page, readiness

FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Proto", "X-Real-Ip", "Via")


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


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Numbers for Prometheus, for those who watch the site only."""
    if not _may_watch(request):
        raise PermissionDenied
    return HttpResponse(exposition(), content_type=CONTENT_TYPE_LATEST)


def _may_watch(request: HttpRequest) -> bool:
    """Allow the token; without one only this machine, and not through a proxy.

    Behind a proxy on this machine everybody comes from here; it says so, though, in a
    header that every proxy in deploy/ adds and nobody outside can take away.
    """
    if settings.METRICS_TOKEN:
        given = request.headers.get("Authorization", "")
        return constant_time_compare(given, f"Bearer {settings.METRICS_TOKEN}")
    if any(header in request.headers for header in FORWARDED):
        return False
    return request.META.get("REMOTE_ADDR") in ("127.0.0.1", "::1", "")


@staff_member_required
@require_safe
def queue(request: HttpRequest) -> HttpResponse:
    """The queue for operators: waiting, running and failed evaluations."""
    context = {"page": queue_page(), "readiness": readiness()}
    return render(request, "operations/queue.html", context)
