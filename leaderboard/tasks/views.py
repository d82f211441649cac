"""Pages of tasks: list, overview, joining, creating."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.tasks import access, blobs, overview, policy
from leaderboard.tasks.forms import JoinForm
from leaderboard.tasks.models import Task, TestSet
from leaderboard.tasks.participation import (
    Standing,
    join,
    participation_of,
    standing_of,
)
from leaderboard.teams.refusal import Refusal
from leaderboard.web.markdown import rendered


@require_safe
def task(request: HttpRequest, slug: str) -> HttpResponse:
    found = access.task_or_404(slug, request.user)
    context = {
        "task": found,
        "description": rendered(found.description),
        "phases": overview.phase_cards(found, request.user),
        "participation": participation_of(request.user, found),
        "organizes": policy.can(request.user, found, policy.Power.SEE),
    }
    return render(request, "tasks/overview.html", context)


@login_required
def join_task(request: HttpRequest, slug: str) -> HttpResponse:
    found = access.task_or_404(slug, request.user)
    hides = found.allows_anonymous
    form = JoinForm(request.user, request.POST or None, may_hide=hides)
    if request.method == "POST" and form.is_valid() and _joined(form, found):
        messages.success(request, _welcome(standing_of(request.user, found)))
        return redirect(found)
    entry = participation_of(request.user, found)
    context = {"task": found, "form": form, "participation": entry}
    return render(request, "tasks/join.html", context)


def _welcome(standing: Standing) -> str:
    """Where the team stands now and, if it may send something, how to begin."""
    begin = _(
        "Next: take the starting kit of a phase. It holds an example that you can send "
        "as it is, to see how this goes."
    )
    return f"{standing.text} {begin}" if standing.fine else standing.text


def _joined(form: JoinForm, found: Task) -> bool:
    try:
        with transaction.atomic():
            anonymous = form.cleaned_data.get("anonymous", False)
            join(found, form.chosen_team(), anonymous=anonymous)
    except Refusal as reason:
        form.add_error(None, str(reason))
    except ValidationError as error:
        form.add_error("name", error.messages)
    return form.is_valid()


@require_safe
def blind_file(request: HttpRequest, slug: str, phase: str, name: str) -> HttpResponse:
    """The published input of a test set, as an attachment."""
    found = access.phase_or_404(slug, phase, request.user)
    if not policy.sees_blind_files(request.user, found):
        raise Http404
    test_set = get_object_or_404(TestSet, phases=found, name=name)
    return _attachment(test_set.public_name, test_set.blind_sha256)


@require_safe
def option_file(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """A file that the scorer's options name, so that scoring at home is the same."""
    found = access.task_or_404(slug, request.user)
    if not policy.sees_option_files(request.user, found):
        raise Http404
    files = {file["file"]: file["sha256"] for file in found.option_files}
    if name not in files:
        raise Http404
    return _attachment(name, files[name])


def _attachment(name: str, digest: str) -> HttpResponse:
    return HttpResponse(
        blobs.read(digest),
        content_type="application/octet-stream",
        headers={
            "Content-Disposition": content_disposition_header(True, name),
            "X-Content-Type-Options": "nosniff",
        },
    )
