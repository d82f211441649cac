"""Pages that wait in the queue: a cheap answer while nothing has happened.

Such a page asks again and again for hours, and a thousand of them at once. The address
that it asks holds a signed token: which evaluation it shows, since when it is queued,
and until when its place and its wait may be shown as they are. Meanwhile the answer is
204, with one query and without a session. Whoever holds the token was shown all that
this answer says, by the policy, at most `MOST_HELD` ago.
"""

import time
from collections.abc import Callable
from datetime import timedelta

from django.core import signing
from django.http import HttpRequest, HttpResponse

from leaderboard.submissions.models import Evaluation, EvaluationState

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


def nothing_happened(token: str) -> bool:
    """Whether what a page shows holds: no for a token that is over, or not ours."""
    try:
        told = signing.loads(token, salt=SALT)
    except signing.BadSignature:
        return False
    if time.time() >= told["until"]:
        return False
    rows = Evaluation.objects.filter(pk=told["of"]).values_list(*LOOKED_AT)
    # Compared here and not by the database, which takes half as long: a thousand ask.
    for state, since, withdrawn, disqualified, revision, live in rows:
        queued = state == EvaluationState.QUEUED and since.isoformat() == told["since"]
        return queued and not (withdrawn or disqualified) and revision == live
    return False


class AnswerUnchanged:
    """Answers pages that wait while nothing has happened, before all that asks who
    the reader is."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        asks = PARAMETER in request.META.get("QUERY_STRING", "")
        if asks and nothing_happened(request.GET.get(PARAMETER, "")):
            return HttpResponse(status=204, headers={"Cache-Control": "no-store"})
        return self.get_response(request)
