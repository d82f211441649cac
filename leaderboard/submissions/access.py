"""Who may open which submission; 404 for no."""

from typing import Any

from django.db.models import prefetch_related_objects
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from leaderboard.submissions.models import EvaluationState, Submission
from leaderboard.submissions.status import RELATED
from leaderboard.tasks import policy


def submission_or_404(request: HttpRequest, pk: Any) -> Submission:
    """A submission of the reader's own team, or of a task the reader organizes."""
    return _whole(_seen_or_404(request, pk))


def own_submission_or_404(request: HttpRequest, pk: Any) -> Submission:
    """A submission about which the reader may tell more."""
    found = _seen_or_404(request, pk)
    if policy.speaks_for(request.user, found.participation, found.baseline):
        return _whole(found)
    raise Http404


def _seen_or_404(request: HttpRequest, pk: Any) -> Submission:
    related = ("phase__task", "participation__team", "participation__task", "sender")
    found = get_object_or_404(Submission.objects.select_related(*related), pk=pk)
    if may_see(request.user, found):
        return found
    raise Http404


def _whole(submission: Submission) -> Submission:
    """With what its status is made of, which is not asked for to say no."""
    prefetch_related_objects([submission], *RELATED)
    return submission


def run_or_404(request: HttpRequest, submission: Submission) -> int:
    """The run that the address asks for, the first unless it says another."""
    asked = {str(run): run for run in range(1, submission.runs + 1)}
    run = asked.get(request.GET.get("run", "1"))
    if run is None:
        raise Http404
    return run


def system_or_404(request: HttpRequest, pk: Any) -> tuple[Submission, bool]:
    """A submission that stands on the board the reader sees, or is the reader's.

    Whether the latter comes with it.
    """
    related = ("phase__task", "participation__team", "participation__task")
    found = get_object_or_404(Submission.objects.select_related(*related), pk=pk)
    own = may_see(request.user, found)
    if own or _on_the_board(request.user, found):
        return found, own
    raise Http404


def _on_the_board(user: Any, submission: Submission) -> bool:
    """Whether its name is public: where not everything is, it may not be."""
    phase = submission.phase
    if not policy.visible_tasks(user).filter(pk=phase.task_id).exists():
        return False
    shown = policy.disclosure(user, phase)
    if not (shown.board and shown.everything):
        return False
    if shown.as_of is not None and submission.received_at > shown.as_of:
        return False
    scored = Submission.objects.counted().filter(
        pk=submission.pk,
        evaluations__state=EvaluationState.SCORED,
        evaluations__gold_revision=phase.gold_revision_id,
    )
    return scored.exists()


def may_see(user: Any, submission: Submission) -> bool:
    return policy.sees_entry(user, submission.participation)
