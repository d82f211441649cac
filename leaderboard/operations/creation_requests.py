"""Requests to create tasks, for the administrators who answer them."""

from functools import partial

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import user_passes_test
from django.db.models import Exists, OuterRef
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.mail.models import Mail
from leaderboard.teams.creators import (
    ANSWERED,
    RequestAnswer,
    answer,
    may_answer,
    open_requests,
)
from leaderboard.teams.models import CreationRequest
from leaderboard.teams.requests import SignedInRequest
from leaderboard.web.access import Access, access
from leaderboard.web.forms import form_page, form_response, posted_key

ADMINISTRATORS = Access(
    "administrators of accounts",
    gate=partial(user_passes_test(may_answer, login_url="admin:login")),
)
SHOWN = 30  # that were answered


class AnswerForm(forms.Form):
    """The reason of an answer, which a person who is declined reads."""

    reason = forms.CharField(
        max_length=300,
        required=False,
        label=gettext_lazy("Reason, if you decline"),
        help_text=gettext_lazy("The person reads it."),
    )


@form_page
@access(ADMINISTRATORS)
def creation_requests(request: SignedInRequest) -> HttpResponse:
    """Open requests with their buttons, and the last that were answered."""
    posted = request.POST.get("request", "")
    form = None
    if request.method == "POST":
        pk = posted_key(request, "request")
        creation_request = get_object_or_404(
            CreationRequest.objects.select_related("user"), pk=pk
        )
        form = _form_of(creation_request, request.POST)
        if _answer(request, creation_request, form):
            return redirect("creation-requests")
    rows = [
        (creation_request, _form_of(creation_request))
        for creation_request in open_requests()
    ]
    if form is not None:
        rows = [
            (creation_request, form if str(creation_request.pk) == posted else mine)
            for creation_request, mine in rows
        ]
    mail = Mail.objects.filter(kind=ANSWERED, about=OuterRef("pk"))
    over = CreationRequest.objects.exclude(answer="").order_by("-answered_at")
    context = {
        "rows": rows,
        "form": form,
        "answered": over.select_related("user", "answered_by").annotate(
            told=Exists(mail.exclude(sent_at=None))
        )[:SHOWN],
    }
    return form_response(request, "operations/creation_requests.html", context)


def _form_of(creation_request: CreationRequest, data: object = None) -> AnswerForm:
    return AnswerForm(data, auto_id=f"id_%s_{creation_request.pk}")  # type: ignore[arg-type]


def _answer(
    request: SignedInRequest, creation_request: CreationRequest, form: AnswerForm
) -> bool:
    """Answer as the button says; False where the form has to be mended."""
    word = request.POST.get("answer", "")
    if not form.is_valid():
        return False
    reason = form.cleaned_data["reason"]
    if word not in RequestAnswer.values:
        form.add_error(None, _("Choose Grant or Decline."))
    elif word == RequestAnswer.DECLINED and not reason:
        form.add_error("reason", _("Say why: the person reads it."))
    if form.errors:
        return False
    reason = reason if word == RequestAnswer.DECLINED else ""
    done = answer(creation_request, word, request.user, reason)
    names = {"user": creation_request.user}
    if not done:
        messages.error(request, _("%(user)s was answered already.") % names)
    elif word == RequestAnswer.GRANTED:
        words = _("%(user)s may create tasks, and is told by mail.")
        messages.success(request, words % names)
    else:
        messages.success(request, _("Declined. %(user)s is told by mail.") % names)
    return True
