"""Submitting through the API: the same form, intake and sentences as the page."""

from typing import Any

from rest_framework import status
from rest_framework.decorators import api_view, parser_classes
from rest_framework.exceptions import NotFound
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api import serializers
from leaderboard.submissions import sending
from leaderboard.submissions.models import Submission
from leaderboard.submissions.quota import Allowance
from leaderboard.submissions.status import status_of
from leaderboard.tasks.access import phase_or_404
from leaderboard.tasks.joining import participation_of


@api_view(["GET", "POST"])
@parser_classes([MultiPartParser])
def submissions(request: Request, slug: str, phase: str) -> Response:
    """Upload `file_<test set>` parts, or one zip as `archive`, with `system`.

    Idempotency-Key is honoured.

    GET says whether the reader may submit now, and how many attempts are left.
    """
    found = phase_or_404(slug, phase, request.user)
    entry = participation_of(request.user, found.task)
    if entry is None:
        raise NotFound("join the task with a team first")
    if request.method == "GET":
        return Response(_may_submit(sending.look(request._request, found, entry)))
    fields = {**request.data.dict(), "key": _key(request)}
    tried = sending.attempt(request._request, found, entry, fields)
    if tried.sent is not None:
        return Response(_sent(request, tried, tried.sent), status.HTTP_201_CREATED)
    return Response(_not_sent(tried), tried.status)


def _key(request: Request) -> str:
    return request.headers.get("Idempotency-Key") or request.data.get("key", "")


def _may_submit(tried: sending.Attempt) -> dict[str, Any]:
    why_not, allowance = tried.why_not(), tried.allowance
    return {
        "state": tried.phase.state(tried.request.arrived_at),
        "may_submit": why_not is None and not allowance.is_used,
        "code": why_not and why_not.code,
        "detail": why_not and why_not.sentence,
        "left": _left(allowance),
        "next_day": allowance.next_day,
    }


def _left(allowance: Allowance) -> dict[str, int | None]:
    """Attempts of team and person, whichever has fewer; null is no limit."""
    return {"today": allowance.today, "total": allowance.total}


def _sent(request: Request, tried: sending.Attempt, sent: Submission) -> dict[str, Any]:
    body = serializers.submission_json(sent, status_of(sent, request.user))
    return {**body, "left": _left(tried.allowance)}


def _not_sent(tried: sending.Attempt) -> dict[str, Any]:
    refusal = tried.refusal
    if refusal is not None:
        return {
            "detail": refusal.sentence,
            "code": refusal.code,
            "next_at": refusal.next_at,
            "left": _left(tried.allowance),
        }
    if tried.problems:
        return {"problems": [problem.as_dict() for problem in tried.problems]}
    return {"errors": tried.form.errors.get_json_data()}
