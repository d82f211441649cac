"""Pages of a team about what it sent: list, comparison, notes, choice, withdrawal."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.http import (
    content_disposition_header,
    url_has_allowed_host_and_scheme,
)
from django.utils.translation import gettext as _
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from leaderboard.submissions import access, notes, picking, quota, withdrawing
from leaderboard.submissions.deciding import NotDecided
from leaderboard.submissions.own import listing
from leaderboard.submissions.quota import Allowance
from leaderboard.tasks import blobs
from leaderboard.tasks.access import task_or_404
from leaderboard.tasks.models import Participation, Phase, Task

METHODS = ["GET", "HEAD", "POST"]


@login_required
@require_safe
def mine(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything that the reader's team sent to the task, fifty to a page."""
    task = task_or_404(slug, request.user)
    context = {
        "task": task,
        "listing": listing(task, request.user, request.GET),
        "slots": slots(task, request.user),
    }
    return render(request, "submissions/mine.html", context)


def slots(task: Task, user: Any) -> list[tuple[Phase, Allowance]]:
    """Open phases of the task with what the reader's team has left in each."""
    entry = Participation.objects.of(user).filter(task=task).first()
    now = timezone.now()
    if entry is None or entry.status != Participation.Status.ACTIVE:
        return []
    phases = [phase for phase in task.phases.all() if phase.state(now) == "open"]
    return [
        (phase, quota.Use(phase, entry, user, now).allowance())
        for phase in phases
        if phase.who != Phase.Who.ORGANIZERS
    ]


@login_required
@require_http_methods(METHODS)
def note(request: HttpRequest, pk: str) -> HttpResponse:
    """What the team writes to itself about a submission."""
    found = access.own_submission_or_404(request, pk)
    form = notes.form_for(found, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        notes.keep(found, form)
        messages.success(request, _("The note is kept."))
        return redirect(found)
    context = {"task": found.phase.task, "submission": found, "form": form}
    status = 422 if form.errors else 200
    return render(request, "submissions/note.html", context, status=status)


@require_POST
@login_required
def pick(request: HttpRequest, pk: str) -> HttpResponse:
    """Choose a submission to count, or with `to=none` no longer."""
    found = access.own_submission_or_404(request, pk)
    try:
        if request.POST.get("to") == "none":
            picking.unpick(found)
            said = _("Nothing is chosen now: your last submission counts.")
        else:
            picking.pick(found)
            said = _("%(system)s counts for your team now.") % {"system": found.system}
        messages.success(request, said)
    except NotDecided as reason:
        messages.error(request, str(reason))
    return redirect(_back(request) or found)


def _back(request: HttpRequest) -> str:
    """The page of the list that the button stood on."""
    address = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(address, {request.get_host()})
    return address if safe else ""


@login_required
@require_http_methods(METHODS)
def withdraw(request: HttpRequest, pk: str) -> HttpResponse:
    """Take a submission off the board, after saying that one is sure."""
    found = access.own_submission_or_404(request, pk)
    problem = withdrawing.why_not(found, timezone.now())
    if request.method == "POST" and "sure" in request.POST:
        try:
            withdrawing.withdraw(found)
            messages.success(request, _("The submission was withdrawn."))
            return redirect(found)
        except NotDecided as reason:
            problem = str(reason)
    unsure = request.method == "POST" and not problem
    context = {
        "task": found.phase.task,
        "submission": found,
        "why_not": problem,
        "unsure": unsure,
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "submissions/withdraw.html", context, status=status)


@login_required
@require_safe
def sent_file(request: HttpRequest, pk: str, name: str) -> HttpResponse:
    """What was sent for one test set, byte for byte, always as an attachment.

    Of several runs the first, or the one that `run` says.
    """
    found = access.own_submission_or_404(request, pk)
    run = access.run_or_404(request, found)
    file = get_object_or_404(found.files, test_set__name=name, run=run)
    return HttpResponse(
        blobs.read(file.sha256),
        content_type="application/octet-stream",
        headers={
            "Content-Disposition": content_disposition_header(True, file.name),
            "X-Content-Type-Options": "nosniff",
        },
    )
