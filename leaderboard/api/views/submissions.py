"""Submissions: sent, listed, waited for, withdrawn, chosen."""

import uuid
from threading import BoundedSemaphore, Event
from time import monotonic
from typing import Any, cast

from django.db import connection
from django.db.models import prefetch_related_objects
from django.utils.datastructures import MultiValueDict
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import NotFound
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api import problems
from leaderboard.api.models import Scope
from leaderboard.api.problems import ApiError
from leaderboard.api.serializers import (
    CheckedSerializer,
    EvaluationSerializer,
    ListingSerializer,
    MaySubmitSerializer,
    SentSerializer,
    SubmissionSerializer,
)
from leaderboard.api.views.base import (
    FILE,
    IDEMPOTENCY_KEY,
    Endpoint,
    answers,
    form,
    value,
)
from leaderboard.results import my_submissions
from leaderboard.results.status import SubmissionStatus, evaluation_of, status_of
from leaderboard.submissions import accept, team_actions
from leaderboard.submissions.accept import KeyReused
from leaderboard.submissions.access import OWN_SUBMISSION, SUBMISSION, submission_or_404
from leaderboard.submissions.models import (
    FINAL,
    Evaluation,
    EvaluationState,
    Submission,
)
from leaderboard.tasks.access import PHASE, TASK
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.tasks.participation import participation_of
from leaderboard.teams.requests import SignedInCall

# What waits for organizers may wait for weeks.
SETTLED = (*FINAL, EvaluationState.AWAITING)
# A request that waits keeps one of the 24 places that its web process has for work
# beside uploads (`submissions/uploads.py`): few may, and none for long. Who finds no
# place is answered at once, and a Retry-After says when to ask again.
LONGEST_WAIT, LOOK_EVERY, RETRY_SECONDS = 20.0, 0.25, 2
WAITING = BoundedSemaphore(8)
UPLOAD = form(
    {
        "system": {"type": "string", "maxLength": 80},
        "description": {"type": "string", "maxLength": 2000},
        "prompts": value(
            "string", "of several runs: the prompt of each, in order, with commas"
        ),
        "archive": {**FILE, "description": "one zip for all test sets"},
    },
    "multipart/form-data",
    required=["system"],
    description="Beside `archive`, a part `file_<test set>` for each test set "
    "(`file_<test set>.2`, `file_<test set>.3`, ... for further runs of the "
    "system), and `fact_<question>` for each question of the fact sheet.",
)
FILES_ONLY = form(
    {"archive": {**FILE, "description": "one zip for all test sets"}},
    "multipart/form-data",
    description="Beside `archive`, a part `file_<test set>` for each test set.",
)
FILTERS = [
    OpenApiParameter(name, str, description=text)
    for name, text in my_submissions.OwnSubmissionFilters.descriptions.items()
] + [
    OpenApiParameter(
        "page",
        str,
        description="number of the page, from 1, with fifty each; 404 beyond the last",
    )
]
WAIT = OpenApiParameter(
    "wait",
    float,
    description="seconds to wait for a result, at most 20; repeat until there is one",
)


class SubmissionsView(Endpoint):
    access = PHASE.signed_in
    scopes = {"POST": Scope.SUBMIT}
    parser_classes = [MultiPartParser]

    @answers(MaySubmitSerializer)
    def get(self, request: SignedInCall, phase: Phase) -> dict[str, Any]:
        """Whether the reader may submit now, and how many attempts are left."""
        entry = _entry_or_404(request, phase)
        attempt = accept.look(request._request, phase, entry)
        refusal = attempt.upload.why_not() or attempt.upload.quota.refusal()
        return {
            "state": attempt.upload.state,
            "may_submit": refusal is None,
            "code": refusal and refusal.code,
            "detail": refusal and refusal.sentence,
            # Of team and person, whichever has fewer; null is no limit.
            "left": attempt.allowance,
            "next_day": attempt.allowance.next_day,
        }

    @answers(
        SentSerializer,
        201,
        *(400, 409, 413, 422),
        parameters=[IDEMPOTENCY_KEY],
        request=UPLOAD,
    )
    def post(self, request: SignedInCall, phase: Phase) -> Response:
        """Upload a system's files, as parts `file_<test set>` or one zip."""
        entry = _entry_or_404(request, phase)
        parts = cast(dict[str, Any], request.data)
        fields = MultiValueDict(parts)
        key = request.headers.get("Idempotency-Key") or parts.get("key", "")
        # Without one, repeating the request is a second submission.
        fields["key"] = key or uuid.uuid4().hex
        attempt = accept.attempt(request._request, phase, entry, fields)
        if attempt.sent is None:
            raise _refusal(attempt)
        status = status_of(attempt.sent, request.user)
        body = self.serialize(SubmissionSerializer, status).data
        result = {**body, "left": attempt.allowance}
        replayed = attempt.sent.received_at != attempt.upload.arrived_at
        headers = {"Idempotent-Replayed": "true"} if replayed else None
        return self.serialize(SentSerializer, result, 201, headers=headers)


class CheckView(Endpoint):
    access = PHASE.signed_in
    scopes = {"POST": Scope.SUBMIT}
    parser_classes = [MultiPartParser]

    @answers(CheckedSerializer, 200, *(400, 409, 413, 422), request=FILES_ONLY)
    def post(self, request: SignedInCall, phase: Phase) -> dict[str, Any]:
        """Check a system's files as if they were sent, and store nothing. Files that
        are refused count as refused ones do; no attempt is used."""
        entry = _entry_or_404(request, phase)
        fields = MultiValueDict(request.data)
        attempt = accept.attempt_check(request._request, phase, entry, fields)
        if not attempt.fits:
            raise _refusal(attempt)
        remarks = [remark.as_dict() for remark in attempt.remarks]
        return {"fits": True, "remarks": remarks}


def _entry_or_404(request: SignedInCall, phase: Phase) -> Participation:
    entry = participation_of(request.user, phase.task)
    if entry is None:
        raise NotFound("Join the task with a team first.")
    return entry


def _refusal(attempt: accept.Attempt) -> ApiError:
    refusal = attempt.refusal
    if isinstance(refusal, KeyReused):
        message = "this Idempotency-Key was sent with another submission"
        return ApiError(refusal.status, refusal.code, message)
    if refusal is not None:
        allowance = attempt.allowance
        return ApiError(
            refusal.status,
            refusal.code,
            refusal.sentence,
            wait=refusal.retry_seconds,
            next_at=refusal.next_at,
            left={"today": allowance.today, "total": allowance.total},
        )
    if attempt.check_failed:
        return ApiError(503, "check_failed", attempt.problems[0].message)
    if attempt.problems:
        return problems.unfit("unfit", attempt.problems)
    return problems.invalid(attempt.form)


class MySubmissionsView(Endpoint):
    access = TASK.signed_in

    @answers(ListingSerializer, parameters=FILTERS, operation_id="mine_get")
    def get(self, request: Request, task: Task) -> my_submissions.Listing:
        """Submissions of the reader's team to the task."""
        listing = my_submissions.listing(task, request.user, request.query_params)
        if request.query_params.get("page", "1") != str(listing.page.number):
            pages = listing.page.paginator.num_pages
            raise NotFound(f"There is no such page; the last one is {pages}.")
        submissions = [line.submission for line in listing.lines]
        prefetch_related_objects(submissions, "descriptions", "phase__task__questions")
        return listing


class OneSubmissionView(Endpoint):
    access = SUBMISSION

    @answers(SubmissionSerializer, parameters=[WAIT])
    def get(self, request: Request, submission: Submission) -> Response:
        """The state of a submission, and its scores as far as they are disclosed."""
        waited = _wait_for(submission, _seconds(request))
        if waited:
            submission = submission_or_404(request.user, submission.pk)
        status = status_of(submission, request.user)
        answer = self.serialize(SubmissionSerializer, status)
        if status.is_waiting:
            answer["Retry-After"] = str(0 if waited else RETRY_SECONDS)
        return answer


def _seconds(request: Request) -> float:
    try:
        seconds = float(request.query_params.get("wait", "0"))
    except ValueError:
        return 0.0
    return min(seconds, LONGEST_WAIT) if seconds > 0 else 0.0


def _wait_for(submission: Submission, seconds: float) -> bool:
    """Wait until it is scored or the time is over; False where there was no place.

    The database's connection is given back between looks.
    """
    evaluation = evaluation_of(submission)
    if not seconds or evaluation is None or evaluation.state in SETTLED:
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
    return Evaluation.objects.filter(pk=evaluation.pk, state__in=SETTLED).exists()


class EvaluationsView(Endpoint):
    access = SUBMISSION

    @answers(EvaluationSerializer, many=True)
    def get(self, request: Request, submission: Submission) -> list[dict[str, Any]]:
        """Evaluations under the current and earlier gold revisions, newest first."""
        phase = submission.phase
        live = phase.task.gold_revisions.filter(live_at__isnull=False)
        current_revision = phase.gold_revision_id
        results = []
        for revision in live.order_by("-number"):
            # Asked like the board of that revision; never saved.
            phase.gold_revision = revision
            evaluation = evaluation_of(submission)
            if evaluation is None:
                continue
            status = status_of(submission, request.user)
            body = self.serialize(SubmissionSerializer, status).data
            results.append(
                {
                    "gold_revision": revision.number,
                    "shown": revision.pk == current_revision,
                    "engine": evaluation.engine,
                    "finished_at": evaluation.finished_at,
                    **{name: body[name] for name in ("state", "scores", "test_sets")},
                }
            )
        return results


class WithdrawView(Endpoint):
    access = OWN_SUBMISSION
    scopes = {"POST": Scope.SUBMIT}
    refused_as = "not_decided"

    @answers(SubmissionSerializer, 200, *(400, 409), request=None)
    def post(self, request: Request, submission: Submission) -> SubmissionStatus:
        """Withdraw a submission from the board for good; its attempt stays spent."""
        team_actions.withdraw(submission)
        return _status_now(request, submission)


class PickView(Endpoint):
    access = OWN_SUBMISSION
    scopes = {"POST": Scope.SUBMIT, "DELETE": Scope.SUBMIT}
    refused_as = "not_decided"

    @answers(SubmissionSerializer, 200, *(400, 409), request=None)
    def post(self, request: Request, submission: Submission) -> SubmissionStatus:
        """Make this the submission that counts for the team."""
        team_actions.pick(submission)
        return _status_now(request, submission)

    @answers(SubmissionSerializer, 200, *(400, 409), request=None)
    def delete(self, request: Request, submission: Submission) -> SubmissionStatus:
        """Undo the choice: the team's last submission counts again."""
        team_actions.unpick(submission)
        return _status_now(request, submission)


def _status_now(request: Request, submission: Submission) -> SubmissionStatus:
    return status_of(submission_or_404(request.user, submission.pk), request.user)
