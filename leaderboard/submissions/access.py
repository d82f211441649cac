"""Access to submissions: who may open which; 404 for others."""

from typing import Any
from uuid import UUID

from django.db.models import BigAutoField, QuerySet, UUIDField
from django.http import Http404, HttpRequest

from leaderboard.submissions.models import Evaluation, EvaluationState, Submission
from leaderboard.tasks import policy
from leaderboard.tasks.access import note_test_sets
from leaderboard.web.access import Access, or_404
from leaderboard.web.known import note_rows
from leaderboard.web.statements import statement


def submission_or_404(user: Any, pk: Any) -> Submission:
    """A submission of the reader's own team, or of a task the reader organizes."""
    submission = _row_or_404(pk)
    if not policy.sees_entry(user, submission.participation):
        raise Http404
    return _whole(submission)


def _row_or_404(pk: Any) -> Submission:
    submission: Submission = or_404(next(iter(_submissions(pk=pk)), None))
    policy.note_neighbours(submission.phase, submission)
    return submission


@statement(pk=UUIDField())
def _submissions(pk: UUID) -> QuerySet[Submission]:
    own = ("participation__team", "participation__task", "sender")
    related = ("phase__task", "phase__gold_revision", *own)
    known = policy.neighbours("phase", "phase__task")
    rows = Submission.objects.select_related(*related).annotate(**known)
    return rows.filter(pk=pk)


def _whole(submission: Submission) -> Submission:
    """The submission with what its status is made of: to say no, it is not read."""
    note_test_sets(submission.phase)
    evaluations = _evaluations(submission=submission.pk)
    for evaluation in evaluations:
        evaluation.submission = submission
    note_rows(submission, "evaluations", evaluations)
    return submission


@statement(submission=UUIDField())
def _evaluations(submission: UUID) -> QuerySet[Evaluation]:
    return Evaluation.objects.filter(submission=submission)


def _seen(user: Any, pk: Any, **names: Any) -> dict[str, Any]:
    return {"submission": submission_or_404(user, pk), **names}


def _own(user: Any, pk: Any, **names: Any) -> dict[str, Any]:
    submission = _row_or_404(pk)
    if not policy.speaks_for(user, submission.participation, submission.baseline):
        raise Http404
    return {"submission": _whole(submission), **names}


def _on_board(user: Any, pk: Any) -> dict[str, Any]:
    submission = _row_or_404(pk)
    own = policy.sees_entry(user, submission.participation)
    if own or _is_on_the_board(user, submission):
        return {"submission": submission}
    raise Http404


def _is_on_the_board(user: Any, submission: Submission) -> bool:
    """Whether its name is public: where not everything is, it may not be."""
    phase = submission.phase
    if not policy.sees_task(user, phase.task):
        return False
    disclosure = policy.disclosure(user, phase)
    if not (disclosure.board and disclosure.everything):
        return False
    if disclosure.as_of is not None and submission.received_at > disclosure.as_of:
        return False
    return bool(_key_if_counted(pk=submission.pk, revision=phase.gold_revision_id))


@statement(pk=UUIDField(), revision=BigAutoField())
def _key_if_counted(pk: UUID, revision: int) -> QuerySet:
    """The key of the submission where it counts under that revision."""
    scored = Submission.objects.counted().filter(
        pk=pk,
        evaluations__state=EvaluationState.SCORED,
        evaluations__gold_revision=revision,
    )
    return scored.order_by().values_list("pk")


# Marks of views: who may use a page of a submission. The view is given the submission.
SUBMISSION = Access("its team, and organizers who see everything", _seen).signed_in
OWN_SUBMISSION = Access(
    "its team; of a baseline, who may edit the task", _own
).signed_in
ON_BOARD = Access("those to whom a board shows it, its team, organizers", _on_board)


def run_or_404(request: HttpRequest, submission: Submission) -> int:
    """The run that the address asks for, the first unless it says another."""
    asked = {str(run): run for run in range(1, submission.runs + 1)}
    run = or_404(asked.get(request.GET.get("run", "1")))
    return run
