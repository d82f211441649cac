"""What every address of the API has in common."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.http import Http404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from leaderboard.api.models import Scope, Token
from leaderboard.submissions import access
from leaderboard.submissions.models import Submission


class Endpoint(APIView):
    """`scopes` by method, READ for the others.

    `signed_in`: there is nothing here for the anonymous. `any_task`: not for tokens
    of one task.
    """

    scopes: ClassVar[Mapping[str, Scope]] = {}
    signed_in: ClassVar[bool] = False
    any_task: ClassVar[bool] = False

    def scope_of(self, method: str) -> Scope:
        return self.scopes.get("GET" if method == "HEAD" else method, Scope.READ)

    def finalize_response(
        self, request: Request, response: Response, *args: Any, **kwargs: Any
    ) -> Response:
        """With what is left of the limit of requests."""
        answer = super().finalize_response(request, response, *args, **kwargs)
        for name, value in getattr(request, "rate_headers", {}).items():
            answer[name] = value
        # What one reader is shown is no matter of another's.
        answer.headers.setdefault("Cache-Control", "private, no-cache")
        answer.headers["Vary"] = "Accept, Authorization, Cookie, Accept-Language"
        return answer


def submission_or_404(request: Request, pk: Any, own: bool = False) -> Submission:
    """A submission that the reader may see, or speak for, with this token."""
    find = access.own_submission_or_404 if own else access.submission_or_404
    found = find(request._request, pk)
    if isinstance(request.auth, Token) and not request.auth.is_for(found.phase.task_id):
        raise Http404
    return found
