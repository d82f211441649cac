"""Submitting through the API: the same form, intake and sentences as the page."""

import uuid
from typing import Any

from django.utils.datastructures import MultiValueDict
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.exceptions import NotFound
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api import problems, serializers, shapes
from leaderboard.api.endpoint import Endpoint
from leaderboard.api.models import Scope
from leaderboard.submissions import accept
from leaderboard.submissions.accept import KeyReused
from leaderboard.submissions.models import Submission
from leaderboard.submissions.quota import Allowance
from leaderboard.submissions.status import status_of
from leaderboard.tasks.access import phase_or_404
from leaderboard.tasks.models import Participation, Phase
from leaderboard.tasks.participation import participation_of

KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="Repeating the request with the same key gets the first answer.",
)
UPLOAD = {
    "multipart/form-data": {
        "type": "object",
        "properties": {
            "system": {"type": "string", "maxLength": 80},
            "description": {"type": "string", "maxLength": 2000},
            "archive": {**shapes.File, "description": "one zip for all test sets"},
        },
        "required": ["system"],
        "description": "Beside `archive`, a part `file_<test set>` for each test set "
        "(`file_<test set>.2`, `file_<test set>.3`, ... for further runs of the "
        "system), and `fact_<question>` for each question of the fact sheet.",
    }
}


class Submissions(Endpoint):
    scopes = {"POST": Scope.SUBMIT}
    signed_in = True
    parser_classes = [MultiPartParser]

    @extend_schema(responses={200: shapes.MaySubmit, **shapes.refusals()})
    def get(self, request: Request, slug: str, phase: str) -> Response:
        """Whether the reader may submit now, and how many attempts are left."""
        found, entry = _entry_or_404(request, slug, phase)
        return Response(_may_submit(accept.look(request._request, found, entry)))

    @extend_schema(
        parameters=[KEY],
        request=UPLOAD,
        responses={201: shapes.Sent, **shapes.refusals(400, 409, 413, 422)},
    )
    def post(self, request: Request, slug: str, phase: str) -> Response:
        """Upload a system's files, as parts `file_<test set>` or one zip."""
        found, entry = _entry_or_404(request, slug, phase)
        fields = MultiValueDict(request.data)
        fields["key"] = _key(request)
        tried = accept.attempt(request._request, found, entry, fields)
        if tried.sent is None:
            return _not_sent(tried)
        body = _sent(request, tried, tried.sent)
        if tried.sent.received_at == tried.arrived_at:
            return Response(body, status.HTTP_201_CREATED)
        replayed = {"Idempotent-Replayed": "true"}
        return Response(body, status.HTTP_201_CREATED, headers=replayed)


def _entry_or_404(
    request: Request, slug: str, phase: str
) -> tuple[Phase, Participation]:
    found = phase_or_404(slug, phase, request.user)
    entry = participation_of(request.user, found.task)
    if entry is None:
        raise NotFound("join the task with a team first")
    return found, entry


def _key(request: Request) -> str:
    """Without one, repeating the request is a second submission."""
    given = request.headers.get("Idempotency-Key") or request.data.get("key", "")
    return given or uuid.uuid4().hex


def _may_submit(tried: accept.Attempt) -> dict[str, Any]:
    refusal, allowance = tried.why_not() or tried.quota_used(), tried.allowance
    return {
        "state": tried.state,
        "may_submit": refusal is None,
        "code": refusal and refusal.code,
        "detail": refusal and refusal.sentence,
        "left": _left(allowance),
        "next_day": allowance.next_day,
    }


def _left(allowance: Allowance) -> dict[str, int | None]:
    """Attempts of team and person, whichever has fewer; null is no limit."""
    return {"today": allowance.today, "total": allowance.total}


def _sent(request: Request, tried: accept.Attempt, sent: Submission) -> dict[str, Any]:
    body = serializers.submission_json(sent, status_of(sent, request.user))
    return {**body, "left": _left(tried.allowance)}


def _not_sent(tried: accept.Attempt) -> Response:
    refusal = tried.refusal
    if isinstance(refusal, KeyReused):
        said = "this Idempotency-Key was sent with another submission"
        return problems.problem(refusal.status, refusal.code, said)
    if refusal is not None:
        more = {"next_at": refusal.next_at, "left": _left(tried.allowance)}
        said = problems.problem(refusal.status, refusal.code, refusal.sentence, **more)
        if refusal.retry_seconds:
            said["Retry-After"] = str(refusal.retry_seconds)
        return said
    if tried.check_failed:
        return problems.problem(503, "check_failed", tried.problems[0].message)
    if tried.problems:
        return problems.unfit("unfit", tried.problems)
    return problems.invalid(tried.form.errors.get_json_data(), tried.status)
