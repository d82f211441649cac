"""Pages for machines that watch the site, and for the people who run it."""

from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.admin.views.decorators import staff_member_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST

from leaderboard.operations.metrics import exposition
from leaderboard.operations.readiness import queue_page, readiness
from leaderboard.web.access import ANYBODY, Access, View, access
from leaderboard.web.requests import client_address, from_this_machine

STAFF = Access("staff", gate=staff_member_required)


def _may_watch(request: HttpRequest) -> bool:
    """Allow the token; without one only this machine, and not through a proxy."""
    if settings.METRICS_TOKEN:
        given = request.headers.get("Authorization", "")
        return constant_time_compare(given, f"Bearer {settings.METRICS_TOKEN}")
    return from_this_machine(request)


def _for_monitors(view: View) -> View:
    @wraps(view)
    def guarded_view(request: HttpRequest, **names: Any) -> HttpResponseBase:
        if not _may_watch(request):
            raise PermissionDenied
        return view(request, **names)

    return guarded_view


MONITORS = Access("monitoring", gate=_for_monitors)


@never_cache
@require_safe
@access(ANYBODY)
def healthz(request: HttpRequest) -> HttpResponse:
    """The process answers; it asks nothing else."""
    return HttpResponse("ok\n", content_type="text/plain")


@never_cache
@require_safe
@access(ANYBODY)
def readyz(request: HttpRequest) -> HttpResponse:
    """200 while uploads can be accepted, 503 when not; the rest is in the body.

    `request` says how this request came here: by it an operator sees, and `check
    --deploy` too, whether the proxy passes on what it should.
    """
    state = readiness()
    status = 503 if state.status == "down" else 200
    return JsonResponse(state.as_dict() | {"request": _way(request)}, status=status)


def _way(request: HttpRequest) -> dict[str, Any]:
    forwarded = request.headers.get("X-Forwarded-For", "").split(",")
    return {
        "secure": request.is_secure(),
        "client": client_address(request),
        "forwarded": sum(bool(header.strip()) for header in forwarded),
    }


@never_cache
@require_safe
@access(MONITORS)
def metrics(request: HttpRequest) -> HttpResponse:
    """Numbers for Prometheus, for those who watch the site only."""
    return HttpResponse(exposition(), content_type=CONTENT_TYPE_LATEST)


@require_safe
@access(STAFF)
def queue(request: HttpRequest) -> HttpResponse:
    """The queue for operators: waiting, running and failed evaluations."""
    context = {"page": queue_page(), "readiness": readiness()}
    return render(request, "operations/queue.html", context)
