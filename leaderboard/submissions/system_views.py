"""Pages about a system: what is public of it, its description, its fact sheet."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from leaderboard.submissions import access, descriptions
from leaderboard.submissions.descriptions import DescriptionForm, TooMany
from leaderboard.submissions.fact_fields import FactsForm
from leaderboard.submissions.models import Submission
from leaderboard.tasks import blobs, facts


@require_safe
def paper(request: HttpRequest, pk: str) -> HttpResponse:
    """The PDF of the newest description, always as an attachment."""
    found, _own = access.system_or_404(request, pk)
    described = descriptions.newest(found)
    if described is None or not described.sha256:
        raise Http404
    return HttpResponse(
        blobs.read(described.sha256),
        content_type="application/pdf",
        headers={
            "Content-Disposition": content_disposition_header(
                True, described.file_name
            ),
            "X-Content-Type-Options": "nosniff",
        },
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def describe(request: HttpRequest, pk: str) -> HttpResponse:
    """Send a system description, or a new version of it, after the end."""
    found = access.own_submission_or_404(request, pk)
    over = found.phase.state() == "over"
    form = _description_form(request, found)
    if request.method == "POST" and over and form.is_valid():
        try:
            descriptions.describe(found, form, request.user)
            messages.success(request, _("The description was saved."))
            return redirect("system", pk)
        except TooMany:
            said = _("It was changed too often; ask the organizers.")
            form.add_error(None, said)
    if request.method == "POST" and not over:
        form.add_error(None, _("Descriptions are sent after the end of the phase."))
    context = {
        "task": found.phase.task,
        "submission": found,
        "form": form,
        "over": over,
    }
    status = 422 if form.errors else 200
    return render(request, "submissions/describe.html", context, status=status)


def _description_form(request: HttpRequest, found: Submission) -> DescriptionForm:
    old = descriptions.newest(found)
    if request.method != "POST":
        return DescriptionForm(old)
    too_large = getattr(request, "too_large", ())
    return DescriptionForm(old, request.POST, request.FILES, too_large=too_large)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def correct_facts(request: HttpRequest, pk: str) -> HttpResponse:
    """Answer the fact sheet anew; the history of the task keeps what was said."""
    found = access.own_submission_or_404(request, pk)
    asked = facts.asked(found.phase.task)
    if not asked:
        raise Http404
    form = FactsForm(request.POST or None)
    form.ask(asked, found.facts)
    if request.method == "POST" and form.is_valid():
        _correct(found, form)
        messages.success(request, _("The fact sheet was saved."))
        return redirect(found)
    context: dict[str, Any] = {
        "task": found.phase.task,
        "submission": found,
        "form": form,
    }
    status = 422 if form.errors else 200
    return render(request, "submissions/facts.html", context, status=status)


def _correct(found: Submission, form: FactsForm) -> None:
    """What was answered to questions that are hidden now stays."""
    with transaction.atomic():
        locked = Submission.objects.select_for_update().get(pk=found.pk)
        asked = {question.name for question in form.questions}
        kept = {name: v for name, v in locked.facts.items() if name not in asked}
        locked.facts = {**kept, **form.facts()}
        locked.save(update_fields=["facts"])
