"""Pages of submissions: upload, one submission."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.submissions import access, picking, sending, withdrawing
from leaderboard.submissions.intake import KeyReused, SameFiles
from leaderboard.submissions.models import Evaluation, State, Submission, TeamNote
from leaderboard.submissions.receipts import receipt_of
from leaderboard.submissions.status import evaluation_of, status_of
from leaderboard.submissions.watching import watch
from leaderboard.tasks import facts, policy
from leaderboard.tasks.access import phase_or_404
from leaderboard.tasks.organizers import has_organizers
from leaderboard.tasks.participation import participation_of


@login_required
def new(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    found = phase_or_404(slug, phase, request.user)
    entry = participation_of(request.user, found.task)
    if entry is None:
        messages.info(request, _("Join the task with a team first, then upload."))
        return redirect("join", slug)
    if request.method == "POST":
        tried = sending.attempt(request, found, entry, request.POST, asks=True)
    else:
        tried = sending.look(request, found, entry)
    if tried.sent is not None:
        return redirect(tried.sent)
    if tried.refusal is not None:
        tried.form.add_error(None, tried.refusal.sentence)
    if isinstance(tried.refusal, KeyReused):
        tried.form.renew_key()
    return _upload_page(request, tried)


def _upload_page(request: HttpRequest, tried: sending.Attempt) -> HttpResponse:
    """The form as far as it was filled in; without one where nothing can be sent."""
    why_not = tried.why_not()
    context = {
        "task": tried.phase.task,
        "phase": tried.phase,
        "state": tried.state,
        "participation": tried.entry,
        "form": tried.form,
        "problems": tried.problems,
        "why_not": why_not,
        # What was typed is kept, also when the phase was paused in the meantime.
        "shows_form": why_not is None or request.method == "POST",
        "left": tried.allowance,
        "same_files": isinstance(tried.refusal, SameFiles) or "again" in request.POST,
        "unranked": not tried.entry.ranks_anyway and has_organizers(tried.entry),
        "limit_mb": settings.UPLOAD_BYTES // (1024 * 1024),
        "limit_refused": settings.REFUSED_PER_DAY,
        "limit_seconds": settings.SCORE_CPU_SECONDS,
    }
    # A form that is shown again is one to mend, whatever the reason.
    again = tried.refusal and tried.refusal.retry_seconds
    status = 422 if tried.refusal and not again else tried.status
    page = render(request, "submissions/new.html", context, status=status)
    if again:
        page["Retry-After"] = str(again)
    return page


@login_required
@require_safe
def submission(request: HttpRequest, pk: str) -> HttpResponse:
    """One submission; htmx asks again for the status part while it can change."""
    found = access.submission_or_404(request, pk)
    status = status_of(found, request.user)
    template = "submissions/_status.html" if request.htmx else "submissions/detail.html"
    context = {
        "submission": found,
        "task": found.phase.task,
        "status": status,
        "watch": watch(status),
    }
    if not request.htmx:
        context |= told_beside(request.user, found)
    answer = render(request, template, context)
    patch_vary_headers(answer, ["HX-Request"])
    return answer


def told_beside(user: Any, submission: Submission) -> dict[str, Any]:
    """What its team told about the system, and what the reader may add to that."""
    asked = facts.asked(submission.phase.task)
    speaks = policy.speaks_for(user, submission.participation, submission.baseline)
    now = timezone.now()
    return {
        "speaks": speaks,
        "note": speaks and TeamNote.objects.filter(submission=submission).first(),
        "may_pick": speaks and not picking.why_not(submission, now),
        "may_withdraw": speaks and not withdrawing.why_not(submission, now),
        "answers": facts.answers(asked, submission.facts),
        "corrects": bool(asked) and speaks,
        "described": submission.descriptions.first(),
        "describes": speaks and submission.phase.state() == "over",
    }


@login_required
@require_safe
def receipt(request: HttpRequest, pk: str, name: str) -> HttpResponse:
    """The receipt of one test set's scores, for those who may see the scores."""
    found = access.submission_or_404(request, pk)
    evaluation = scored_evaluation_or_404(request.user, found)
    test_set = get_object_or_404(found.phase.test_sets, name=name)
    if test_set.name not in evaluation.results["test_sets"]:
        raise Http404
    run = access.run_or_404(request, found)
    answer = HttpResponse(
        receipt_of(evaluation, test_set, run).as_json(), content_type="application/json"
    )
    named = f"receipt-{name}.json" if run == 1 else f"receipt-{name}.{run}.json"
    answer["Content-Disposition"] = f'attachment; filename="{named}"'
    return answer


def scored_evaluation_or_404(user: Any, submission: Submission) -> Evaluation:
    evaluation = evaluation_of(submission)
    allowed = policy.sees_own_scores(user, submission.phase)
    if evaluation is None or evaluation.state != State.SCORED or not allowed:
        raise Http404
    return evaluation
