"""Pages of submissions: upload, files, notes and choices, descriptions."""

from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.db.models import prefetch_related_objects
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.http import (
    url_has_allowed_host_and_scheme,
)
from django.utils.translation import gettext as _
from django.views.decorators.http import (
    require_POST,
    require_safe,
)

from leaderboard.submissions import accept, system_description, team_actions
from leaderboard.submissions.accept import SAME_FILES, Doubtful, KeyReused
from leaderboard.submissions.access import ON_BOARD, OWN_SUBMISSION, run_or_404
from leaderboard.submissions.models import Submission, TeamNote
from leaderboard.submissions.system_description import DescriptionForm
from leaderboard.tasks import blobs, policy
from leaderboard.tasks.access import PHASE
from leaderboard.tasks.models import Phase, answers_to
from leaderboard.tasks.participation import (
    entry_status,
    has_organizers,
    participation_of,
)
from leaderboard.tasks.questions import FactsForm
from leaderboard.teams.refusal import Refusal
from leaderboard.teams.requests import SignedInRequest
from leaderboard.web.access import access, or_404
from leaderboard.web.attachment import attachment
from leaderboard.web.extras import parts_of_extras
from leaderboard.web.forms import form_page, form_response, posted_data
from leaderboard.web.locks import lock_rows


@access(PHASE.signed_in)
def new(request: SignedInRequest, phase: Phase) -> HttpResponse:
    entry = participation_of(request.user, phase.task)
    if entry is None:
        messages.info(request, _("Join the task with a team first, then upload."))
        return redirect("join", phase.task.slug)
    if request.method == "POST" and request.POST.get("only") == "check":
        tried = accept.attempt_check(request, phase, entry, request.POST)
    elif request.method == "POST":
        tried = accept.attempt(request, phase, entry, request.POST, asks=True)
    else:
        tried = accept.look(request, phase, entry)
    if tried.sent is not None:
        return _to_submission(request, tried.sent)
    if tried.refusal is not None:
        tried.form.add_error(None, tried.refusal.sentence)
    if isinstance(tried.refusal, KeyReused):
        tried.form.renew_key()
    return _upload_page(request, tried)


def _to_submission(request: HttpRequest, submission: Submission) -> HttpResponse:
    """To the page of the submission, which `static/upload.js` then loads by itself."""
    if request.headers.get("X-Requested-With") == "XMLHttpRequest":
        page = submission.get_absolute_url()
        return HttpResponse(status=HTTPStatus.CREATED, headers={"Location": page})
    return redirect(submission)


def _upload_page(request: HttpRequest, tried: accept.Attempt) -> HttpResponse:
    """The form as far as it was filled in; of files to check alone where nothing can
    be sent, and without one where nothing can be checked either."""
    upload = tried.upload
    refused_for = tried.refusal and tried.refusal.code
    stopped = upload.why_not() or upload.quota.refusal()
    entry = upload.participation
    submitted = request.method == "POST" and request.POST.get("only") != "check"
    context = {
        "task": upload.phase.task,
        "phase": upload.phase,
        "state": upload.state,
        "participation": entry,
        "form": tried.form,
        "problems": tried.problems,
        "fits": tried.fits,
        "remarks": tried.remarks,
        "asks": tried.asks,
        "doubtful": refused_for == Doubtful.code,
        "why_not": tried.refusal or stopped,
        "sends": stopped is None,
        "checks": not upload.why_not_check(),
        # What was typed is kept, also when the phase was paused in the meantime.
        "keeps": submitted,
        "left": tried.allowance,
        "asks_again": refused_for in (SAME_FILES, Doubtful.code)
        or "again" in request.POST,
        "unranked": not entry.ranks_anyway and has_organizers(entry),
        "limit_mb": settings.UPLOAD_BYTES // (1024 * 1024),
        "limit_refused": settings.REFUSED_PER_DAY,
        "limit_refunds": settings.REFUNDS_PER_DAY,
        "limit_seconds": settings.SCORE_CPU_SECONDS,
    }
    # A form that is shown again is one to mend, whatever the reason.
    again = tried.refusal and tried.refusal.retry_seconds
    status = 422 if tried.refusal and not again else tried.status
    page = render(request, "submissions/new.html", context, status=status)
    if again:
        page["Retry-After"] = str(again)
    return page


def told_beside(user: Any, submission: Submission) -> dict[str, Any]:
    """The team's description of the system, and the reader's own means to add to it."""
    _read_files(submission)
    asked = submission.phase.task.fact_sheet()
    entry = submission.participation
    speaks = policy.speaks_for(user, entry, submission.baseline)
    now = timezone.now()
    return {
        "speaks": speaks,
        "team_status": entry_status(entry) if entry else None,
        "note": speaks and TeamNote.objects.filter(submission=submission).first(),
        "may_pick": speaks and not team_actions.why_not_pick(submission, now),
        "may_withdraw": speaks and not team_actions.why_not_withdraw(submission, now),
        "answers": answers_to(asked, submission.facts),
        "corrects": bool(asked) and speaks,
        "described": system_description.newest(submission),
        "parts": parts_of_extras(["submission"], submission, user) if speaks else (),
        "describes": speaks and submission.phase.has_ended(),
    }


def _read_files(submission: Submission) -> None:
    """Read the submission's files; their test sets are those that its phase knows."""
    prefetch_related_objects([submission], "files")
    test_sets = {test_set.pk: test_set for test_set in submission.phase.test_sets.all()}
    for file in submission.files.all():
        if file.test_set_id in test_sets:
            file.test_set = test_sets[file.test_set_id]


@form_page
@access(OWN_SUBMISSION)
def note(request: HttpRequest, submission: Submission) -> HttpResponse:
    """The team's note to itself about a submission."""
    data, _files = posted_data(request)
    form = team_actions.note_form(submission, data)
    if form.is_valid():
        team_actions.save_note(submission, form)
        messages.success(request, _("The note is kept."))
        return redirect(submission)
    context = {"task": submission.phase.task, "submission": submission, "form": form}
    return form_response(request, "submissions/note.html", context)


@require_POST
@access(OWN_SUBMISSION)
def pick(request: HttpRequest, submission: Submission) -> HttpResponse:
    """Choose a submission to count, or with `to=none` no longer."""
    try:
        if request.POST.get("to") == "none":
            team_actions.unpick(submission)
            message = _("Nothing is chosen now: your last submission is the final one.")
        else:
            team_actions.pick(submission)
            message = _("%(system)s is the final submission of your team now.")
        messages.success(request, message % {"system": submission.system})
    except Refusal as reason:
        messages.error(request, str(reason))
    return redirect(_back(request) or submission)


def _back(request: HttpRequest) -> str:
    """The page of the list that the button stood on."""
    address = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(address, {request.get_host()})
    return address if safe else ""


@form_page
@access(OWN_SUBMISSION)
def withdraw(request: HttpRequest, submission: Submission) -> HttpResponse:
    """Take a submission off the board, after saying that one is sure."""
    problem = team_actions.why_not_withdraw(submission, timezone.now())
    if request.method == "POST" and "sure" in request.POST:
        try:
            team_actions.withdraw(submission)
            messages.success(request, _("The submission was withdrawn."))
            return redirect(submission)
        except Refusal as reason:
            problem = str(reason)
    unsure = request.method == "POST" and not problem
    context = {
        "task": submission.phase.task,
        "submission": submission,
        "why_not": problem,
        "unsure": unsure,
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "submissions/withdraw.html", context, status=status)


@require_safe
@access(OWN_SUBMISSION)
def sent_file(request: HttpRequest, submission: Submission, name: str) -> HttpResponse:
    """The file sent for one test set, byte for byte, always as an attachment.

    Of several runs the first, or the one that `run` says.
    """
    run = run_or_404(request, submission)
    file = get_object_or_404(submission.files, test_set__name=name, run=run)
    return attachment(file.name, blobs.read(file.sha256))


@require_safe
@access(ON_BOARD)
def paper(request: HttpRequest, submission: Submission) -> HttpResponse:
    """The PDF of the newest description, always as an attachment."""
    described = system_description.newest(submission)
    if described is None or not described.sha256:
        raise Http404
    data = blobs.read(described.sha256)
    return attachment(described.file_name, data, "application/pdf")


@form_page
@access(OWN_SUBMISSION)
def describe(request: SignedInRequest, submission: Submission) -> HttpResponse:
    """Send a system description, or a new version of it, after the end."""
    over = submission.phase.has_ended()
    form = _description_form(request, submission)
    if request.method == "POST" and over and form.is_valid():
        try:
            system_description.describe(submission, form, request.user)
            messages.success(request, _("The description was saved."))
            return redirect("system", submission.pk)
        except Refusal:
            message = _("It was changed too often; ask the organizers.")
            form.add_error(None, message)
    if request.method == "POST" and not over:
        form.add_error(None, _("Descriptions are sent after the end of the phase."))
    context = {
        "task": submission.phase.task,
        "submission": submission,
        "form": form,
        "over": over,
    }
    return form_response(request, "submissions/describe.html", context)


def _description_form(request: HttpRequest, submission: Submission) -> DescriptionForm:
    old = system_description.newest(submission)
    if request.method != "POST":
        return DescriptionForm(old)
    return DescriptionForm(old, request.POST, request.FILES)


@form_page
@access(OWN_SUBMISSION)
def correct_facts(request: HttpRequest, submission: Submission) -> HttpResponse:
    """Answer the fact sheet anew; the history of the task keeps what was said."""
    asked = or_404(submission.phase.task.fact_sheet())
    form = FactsForm(request.POST or None)
    form.ask(asked, submission.facts)
    if request.method == "POST" and form.is_valid():
        _correct(submission, form)
        messages.success(request, _("The fact sheet was saved."))
        return redirect(submission)
    context = {"task": submission.phase.task, "submission": submission, "form": form}
    return form_response(request, "submissions/facts.html", context)


def _correct(submission: Submission, form: FactsForm) -> None:
    """Save the answers; those to questions that are hidden now stay."""
    with transaction.atomic():
        row = lock_rows(Submission.objects.filter(pk=submission.pk)).get()
        asked = {question.name for question in form.questions}
        kept = {name: v for name, v in row.facts.items() if name not in asked}
        row.facts = {**kept, **form.facts()}
        row.save(update_fields=["facts"])
