"""Pages of submissions: upload, one submission, all of one's own."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.cache import patch_vary_headers

from leaderboard.submissions import access, quota
from leaderboard.submissions.forms import UploadForm
from leaderboard.submissions.intake import NotOpen, Unfit, Upload, submit
from leaderboard.submissions.models import Evaluation, State, Submission
from leaderboard.submissions.receipts import receipt_of
from leaderboard.submissions.status import RELATED, evaluation_of, status_of
from leaderboard.tasks import policy
from leaderboard.tasks.access import phase_or_404, task_or_404
from leaderboard.tasks.joining import participation_of
from leaderboard.tasks.models import Participation, Phase
from scoring import Problem


@login_required
def new(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    found = phase_or_404(slug, phase)
    entry = participation_of(request.user, found.task)
    if entry is None:
        messages.info(request, "Join the task with a team first, then upload.")
        return redirect("join", slug)
    too_large = getattr(request, "too_large", ())
    form = UploadForm(
        found, request.POST or None, request.FILES or None, too_large=too_large
    )
    problems: list[Problem] = []
    if request.method == "POST" and form.is_valid():
        sent = _send(request, found, entry, form, problems)
        if sent is not None:
            return redirect(sent)
    context = {
        "task": found.task,
        "phase": found,
        "state": found.state(request.arrived_at),
        "participation": entry,
        "form": form,
        "problems": problems,
        "left": quota.left(found, entry, request.arrived_at),
        "limit_mb": settings.UPLOAD_BYTES // (1024 * 1024),
        "limit_refused": settings.REFUSED_PER_DAY,
        "limit_seconds": settings.SCORE_CPU_SECONDS,
    }
    return render(
        request, "submissions/new.html", context, status=_status(form, problems)
    )


def _status(form: UploadForm, problems: list[Problem]) -> int:
    if form.too_large:
        return 413
    return 422 if problems or form.errors else 200


def _send(
    request: HttpRequest,
    phase: Phase,
    entry: Participation,
    form: UploadForm,
    problems: list[Problem],
) -> Submission | None:
    upload = Upload(
        phase=phase,
        participation=entry,
        sender=request.user,
        key=form.cleaned_data["key"],
        system=form.cleaned_data["system"],
        description=form.cleaned_data["description"],
        arrived_at=request.arrived_at,
        files=form.files_by_test_set(),
    )
    try:
        return submit(upload)
    except Unfit as unfit:
        problems.extend(unfit.problems)
    except NotOpen:
        form.add_error(None, f"{phase.title} has not opened yet.")
    except quota.QuotaUsed as used:
        said = str(used)
        when = f"{used.next_at:%Y-%m-%d %H:%M} UTC"
        form.add_error(
            None, f"{said[0].upper()}{said[1:]}. The next day begins at {when}."
        )
    return None


@login_required
def submission(request: HttpRequest, pk: str) -> HttpResponse:
    """One submission; htmx asks again for the status part while it can change."""
    found = access.submission_or_404(request, pk)
    status = status_of(found, request.user)
    template = "submissions/_status.html" if request.htmx else "submissions/detail.html"
    context = {"submission": found, "task": found.phase.task, "status": status}
    answer = render(request, template, context)
    patch_vary_headers(answer, ["HX-Request"])
    return answer


@login_required
def receipt(request: HttpRequest, pk: str, name: str) -> HttpResponse:
    """The receipt of one test set's scores, for those who may see the scores."""
    found = access.submission_or_404(request, pk)
    evaluation = scored_evaluation_or_404(request.user, found)
    test_set = get_object_or_404(found.phase.test_sets, name=name)
    if test_set.name not in evaluation.results["test_sets"]:
        raise Http404
    answer = HttpResponse(
        receipt_of(evaluation, test_set).as_json(), content_type="application/json"
    )
    answer["Content-Disposition"] = f'attachment; filename="receipt-{name}.json"'
    return answer


def scored_evaluation_or_404(user: Any, submission: Submission) -> Evaluation:
    evaluation = evaluation_of(submission)
    allowed = policy.sees_own_scores(user, submission.phase)
    if evaluation is None or evaluation.state != State.SCORED or not allowed:
        raise Http404
    return evaluation


@login_required
def mine(request: HttpRequest, slug: str) -> HttpResponse:
    task = task_or_404(slug)
    own = Submission.objects.by_person(request.user).filter(phase__task=task)
    found = own.select_related("phase__task", "participation__team", "sender")
    rows = [status_of(one, request.user) for one in found.prefetch_related(*RELATED)]
    return render(request, "submissions/mine.html", {"task": task, "rows": rows})
