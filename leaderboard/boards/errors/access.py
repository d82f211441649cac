"""Submission, test set and second submission that an address names, or 404."""

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404, HttpRequest

from leaderboard.boards.errors.client import Look
from leaderboard.submissions import access
from leaderboard.submissions.models import Evaluation, State, Submission
from leaderboard.submissions.status import RELATED, evaluation_of
from leaderboard.tasks import policy
from leaderboard.tasks.models import Participation, TestSet
from leaderboard.tasks.policy import Power, Sight


def look_or_404(request: HttpRequest, pk: Any) -> Look:
    """404 unless the submission is scored and policy lets the reader look at it."""
    submission = access.submission_or_404(request, pk)
    evaluation = _scored_or_404(submission)
    name = request.GET.get("test_set", "")
    named = [t for t in test_sets_of(evaluation) if name in ("", t.name)]
    if not named:
        raise Http404
    test_set = named[0]
    sight = policy.sees_errors(request.user, submission.phase, test_set)
    if sight is Sight.NOTHING:
        raise Http404
    other = None
    if key := request.GET.get("other"):
        other = _other_or_404(request.user, submission, test_set, key)
    return Look(evaluation, test_set, sight, other)


def _scored_or_404(submission: Submission) -> Evaluation:
    evaluation = evaluation_of(submission)
    if evaluation is None or evaluation.state != State.SCORED:
        raise Http404
    return evaluation


def test_sets_of(evaluation: Evaluation) -> list[TestSet]:
    """Those of the phase that something was sent and counted for."""
    sent = evaluation.results["test_sets"]
    return [t for t in evaluation.submission.phase.test_sets.all() if t.name in sent]


def others(user: Any, submission: Submission) -> QuerySet[Submission]:
    """Scored submissions of the phase that the reader may hold beside this one."""
    phase = submission.phase
    scored = Submission.objects.filter(
        phase=phase,
        evaluations__state=State.SCORED,
        evaluations__gold_revision=phase.gold_revision_id,
    )
    if not policy.can(user, phase.task, Power.SEE):
        scored = scored.filter(participation__in=Participation.objects.of(user))
    return scored.exclude(pk=submission.pk).distinct().order_by("-received_at")


def _other_or_404(
    user: Any, submission: Submission, test_set: TestSet, key: str
) -> Evaluation:
    try:
        rows = others(user, submission).filter(pk=UUID(key))
    except ValueError:
        raise Http404 from None
    other = rows.select_related("phase__task").prefetch_related(*RELATED).first()
    if other is None:
        raise Http404
    evaluation = _scored_or_404(other)
    if test_set.name not in evaluation.results["test_sets"]:
        raise Http404
    return evaluation
