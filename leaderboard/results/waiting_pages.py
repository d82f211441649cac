"""Pages that wait in the queue: a cheap answer while nothing has happened.

Such a page asks again and again for hours, and a thousand of them at once. The address
that it asks holds a signed token: which evaluation it shows, since when it is queued,
and until when its place and its wait may be shown as they are. Meanwhile the answer is
204, with one query and without a session. Whoever holds the token was shown all that
this answer says, by the policy, at most `MOST_HELD` ago.
"""

import time
from datetime import timedelta
from functools import wraps

from django.core import signing
from django.db.models import BigAutoField, QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from leaderboard.submissions.models import Evaluation, EvaluationState
from leaderboard.web.access import View
from leaderboard.web.statements import statement

PARAMETER = "unless"
SALT = "waiting page"
MOST_HELD = timedelta(minutes=6)
LOOKED_AT = (
    "state",
    "state_since",
    "submission__withdrawn_at",
    "submission__disqualified_at",
    "gold_revision_id",
    "submission__phase__gold_revision_id",
)


def token_of(evaluation: Evaluation, held: timedelta) -> str:
    """A token that a page may show for so long while the evaluation is queued."""
    told = {
        "of": evaluation.pk,
        "since": evaluation.state_since.isoformat(),
        "until": time.time() + min(held, MOST_HELD).total_seconds(),
    }
    return signing.dumps(told, salt=SALT)


@statement(evaluation=BigAutoField())
def _looked_at(evaluation: int) -> QuerySet:
    return Evaluation.objects.filter(pk=evaluation).values_list(*LOOKED_AT)


def nothing_happened(token: str) -> bool:
    """Whether what a page shows holds: no for a token that is over, or not ours."""
    try:
        told = signing.loads(token, salt=SALT)
    except signing.BadSignature:
        return False
    if time.time() >= told["until"]:
        return False
    for state, since, withdrawn, disqualified, revision, live in _looked_at(
        evaluation=told["of"]
    ):
        queued = state == EvaluationState.QUEUED and since.isoformat() == told["since"]
        return queued and not (withdrawn or disqualified) and revision == live
    return False


def unless_unchanged(view: View) -> View:
    """A view that is not asked by a page that waits while nothing has happened: before
    all that asks who the reader is."""

    @wraps(view)
    def answering_view(request: HttpRequest, **names: object) -> HttpResponseBase:
        token = request.GET.get(PARAMETER, "")
        if token and nothing_happened(token):
            return HttpResponse(status=204, headers={"Cache-Control": "no-store"})
        return view(request, **names)

    return answering_view
