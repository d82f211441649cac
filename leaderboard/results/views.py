"""Pages of results: receipts, and a team's list of its submissions."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboard.results.my_submissions import listing
from leaderboard.results.status import evaluation_of, receipt_of
from leaderboard.submissions import quota
from leaderboard.submissions.access import SUBMISSION, run_or_404
from leaderboard.submissions.models import Evaluation, EvaluationState, Submission
from leaderboard.submissions.quota import Allowance
from leaderboard.tasks import policy
from leaderboard.tasks.access import TASK
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.tasks.participation import entry_status
from leaderboard.web.access import access
from leaderboard.web.attachment import attachment


@require_safe
@access(SUBMISSION)
def receipt(request: HttpRequest, submission: Submission, name: str) -> HttpResponse:
    """The receipt of one test set's scores, for those who may see the scores."""
    evaluation = scored_evaluation_or_404(request.user, submission)
    test_set = get_object_or_404(submission.phase.test_sets, name=name)
    if test_set.name not in evaluation.by_test_set:
        raise Http404
    run = run_or_404(request, submission)
    file_name = f"receipt-{name}.json" if run == 1 else f"receipt-{name}.{run}.json"
    units = policy.disclosure(request.user, submission.phase).units
    text = receipt_of(evaluation, test_set, run, units=units).as_json()
    return attachment(file_name, text, "application/json")


def scored_evaluation_or_404(user: Any, submission: Submission) -> Evaluation:
    """The evaluation whose receipt the reader may have."""
    evaluation = evaluation_of(submission)
    allowed = policy.disclosure(user, submission.phase).receipts
    if evaluation is None or evaluation.state != EvaluationState.SCORED or not allowed:
        raise Http404
    return evaluation


@require_safe
@access(TASK.signed_in)
def mine(request: HttpRequest, task: Task) -> HttpResponse:
    """Everything that the reader's team sent to the task, fifty to a page."""
    lines = listing(task, request.user, request.GET)
    entry = lines.entry
    slots = slots_of(task, entry, request.user)
    status = None
    if entry is not None and not entry.is_active:
        status = entry_status(entry)
    context = {"task": task, "listing": lines, "slots": slots, "team_status": status}
    return render(request, "results/mine.html", context)


def slots_of(
    task: Task, entry: Participation | None, user: Any
) -> list[tuple[Phase, Allowance]]:
    """Open phases of the task with what the reader's team has left in each."""
    now = timezone.now()
    if entry is None or not entry.is_active:
        return []
    phases = [
        phase
        for phase in task.phases.all()
        if phase.state(now, entry) == "open" and phase.who != Phase.Who.ORGANIZERS
    ]
    uses = [quota.QuotaUsage(phase, entry, user, now) for phase in phases]
    return list(zip(phases, quota.allowances(uses), strict=True))
