"""What was sent: listed, watched, withdrawn, chosen."""

from threading import BoundedSemaphore, Event
from time import monotonic
from typing import Any

from django.db import connection
from django.db.models import prefetch_related_objects
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api import problems, serializers, shapes
from leaderboard.api.endpoint import Endpoint, submission_or_404
from leaderboard.api.models import Scope
from leaderboard.submissions import my_submissions
from leaderboard.submissions.admin_actions import NotDecided
from leaderboard.submissions.models import FINAL, Evaluation, Submission
from leaderboard.submissions.status import evaluation_of, status_of
from leaderboard.tasks.access import task_or_404

# A request that waits keeps one of the 24 places that its web process has for work
# beside uploads (`submissions/uploads.py`): few may, and none for long. Who finds no
# place is answered at once, and a Retry-After says when to ask again.
LONGEST_WAIT, LOOK_EVERY, RETRY_SECONDS = 20.0, 0.25, 2
WAITING = BoundedSemaphore(8)
FILTERS = [
    OpenApiParameter(name, str, description=said)
    for name, said in {
        "phase": "name of a phase",
        "state": "queued, running, scored, invalid, late, withdrawn …",
        "tag": "a tag of the team's notes",
        "text": "words in names, descriptions and notes",
        "sort": "old, system or score; by default the newest first",
        "page": "fifty to a page, from 1; 404 after the last",
    }.items()
]
WAIT = OpenApiParameter(
    "wait",
    float,
    description="seconds to wait for a result, at most 20; ask again until it is there",
)


class Mine(Endpoint):
    signed_in = True

    @extend_schema(
        parameters=FILTERS, responses={200: shapes.Listing, **shapes.refusals()}
    )
    def get(self, request: Request, slug: str) -> Response:
        """What the reader's team sent to the task."""
        task = task_or_404(slug, request.user)
        found = my_submissions.listing(task, request.user, request.query_params)
        if request.query_params.get("page", "1") != str(found.page.number):
            pages = found.page.paginator.num_pages
            raise NotFound(f"there is no such page; the last one is {pages}")
        sent = [line.submission for line in found.lines]
        prefetch_related_objects(sent, "descriptions")
        return Response(
            {
                "found": found.found,
                "page": found.page.number,
                "pages": found.page.paginator.num_pages,
                "submissions": [
                    serializers.submission_json(line.submission, line.status)
                    for line in found.lines
                ],
            }
        )


class OneSubmission(Endpoint):
    signed_in = True

    @extend_schema(
        parameters=[WAIT], responses={200: shapes.Submission, **shapes.refusals()}
    )
    def get(self, request: Request, pk: str) -> Response:
        """The state of a submission, and its scores as far as they are disclosed."""
        found = submission_or_404(request, pk)
        waited = _wait_for(found, _seconds(request))
        if waited:
            found = submission_or_404(request, pk)
        shown = status_of(found, request.user)
        answer = Response(serializers.submission_json(found, shown))
        if shown.is_waiting:
            answer["Retry-After"] = str(0 if waited else RETRY_SECONDS)
        return answer


def _seconds(request: Request) -> float:
    try:
        asked = float(request.query_params.get("wait", "0"))
    except ValueError:
        return 0.0
    return min(asked, LONGEST_WAIT) if asked > 0 else 0.0


def _wait_for(submission: Submission, seconds: float) -> bool:
    """Wait until it is scored or the time is over; False where there was no place.

    The database's connection is given back between looks.
    """
    evaluation = evaluation_of(submission)
    if not seconds or evaluation is None or evaluation.is_final:
        return False
    if not WAITING.acquire(blocking=False):
        return False
    end = monotonic() + seconds
    try:
        while not _is_final(evaluation) and monotonic() < end:
            if not connection.in_atomic_block:
                connection.close()
            Event().wait(LOOK_EVERY)
    finally:
        WAITING.release()
    return True


def _is_final(evaluation: Evaluation) -> bool:
    return Evaluation.objects.filter(pk=evaluation.pk, state__in=FINAL).exists()


class Evaluations(Endpoint):
    signed_in = True

    @extend_schema(responses={200: shapes.Evaluation(many=True), **shapes.refusals()})
    def get(self, request: Request, pk: str) -> Response:
        """Under the gold shown and under what was live before, the newest first."""
        found = submission_or_404(request, pk)
        live = found.phase.task.gold_revisions.filter(live_at__isnull=False)
        now = found.phase.gold_revision_id
        answers = []
        for revision in live.order_by("-number"):
            # Asked like the board of that revision; never saved.
            found.phase.gold_revision = revision
            answers.append(_under(request, found, revision.pk == now))
        return Response([one for one in answers if one is not None])


def _under(request: Request, found: Submission, shown: bool) -> dict[str, Any] | None:
    evaluation = evaluation_of(found)
    if evaluation is None:
        return None
    body = serializers.submission_json(found, status_of(found, request.user))
    return {
        "gold_revision": found.phase.gold_revision.number,
        "shown": shown,
        "engine": evaluation.engine,
        "finished_at": evaluation.finished_at,
        **{name: body[name] for name in ("state", "scores", "test_sets")},
    }


class Withdraw(Endpoint):
    scopes = {"POST": Scope.SUBMIT}

    @extend_schema(
        request=None,
        responses={200: shapes.Submission, **shapes.refusals(400, 409)},
    )
    def post(self, request: Request, pk: str) -> Response:
        """Take a submission off the board, for good; what it cost stays spent."""
        found = submission_or_404(request, pk, own=True)
        try:
            my_submissions.withdraw(found)
        except NotDecided as reason:
            return problems.problem(409, "not_decided", str(reason))
        return _now(request, pk)


class Pick(Endpoint):
    scopes = {"POST": Scope.SUBMIT, "DELETE": Scope.SUBMIT}
    _answers = {200: shapes.Submission, **shapes.refusals(400, 409)}

    @extend_schema(request=None, responses=_answers)
    def post(self, request: Request, pk: str) -> Response:
        """Let it count for the team in place of any other."""
        return self._decide(request, pk, my_submissions.pick)

    @extend_schema(request=None, responses=_answers)
    def delete(self, request: Request, pk: str) -> Response:
        """Choose nothing: the last one counts again."""
        return self._decide(request, pk, my_submissions.unpick)

    def _decide(self, request: Request, pk: str, decide: Any) -> Response:
        found = submission_or_404(request, pk, own=True)
        try:
            decide(found)
        except NotDecided as reason:
            return problems.problem(409, "not_decided", str(reason))
        return _now(request, pk)


def _now(request: Request, pk: str) -> Response:
    found = submission_or_404(request, pk)
    return Response(serializers.submission_json(found, status_of(found, request.user)))
