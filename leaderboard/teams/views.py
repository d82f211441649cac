"""Which mail a person wants: letters of organizers, and results."""

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.signing import BadSignature, dumps, loads
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from leaderboard.teams.models import User

SALT = "letters of organizers"
RESULTS_SALT = "mail about results"
METHODS = ["GET", "HEAD", "POST"]


class LettersForm(forms.Form):
    wants_letters = forms.BooleanField(
        required=False, label=gettext_lazy("Mail me what organizers write to all")
    )
    wants_results = forms.BooleanField(
        required=False,
        label=gettext_lazy("Mail me when what I sent was scored, or could not be"),
    )


def off_address(user: User) -> str:
    """The path under which letters to that person can be switched off."""
    return reverse("letters-off", args=[dumps(user.pk, salt=SALT)])


def results_off_address(user: User) -> str:
    """The same for mail about results."""
    return reverse("results-off", args=[dumps(user.pk, salt=RESULTS_SALT)])


@login_required
@require_http_methods(METHODS)
def letters(request: HttpRequest) -> HttpResponse:
    """The choice of the person who is signed in."""
    user = request.user
    form = LettersForm(
        request.POST if request.method == "POST" else None,
        initial={name: getattr(user, name) for name in LettersForm.base_fields},
    )
    if request.method == "POST" and form.is_valid():
        for name, wanted in form.cleaned_data.items():
            setattr(user, name, wanted)
        user.save(update_fields=list(form.cleaned_data))
        messages.success(request, _("Your choice is kept."))
        return redirect("letters-choice")
    return render(request, "teams/letters.html", {"form": form})


@csrf_exempt  # mail programs post here in one click; the signed link is the proof
@require_http_methods(METHODS)
def letters_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """Switch letters off by the link in one; reading the page changes nothing."""
    user = _linked_or_404(token, SALT)
    if request.method == "POST":
        user.wants_letters = "on" in request.POST
        user.save(update_fields=["wants_letters"])
    context = {"reader": user, "done": request.method == "POST"}
    return render(request, "teams/letters_off.html", context)


@csrf_exempt  # for the same reason
@require_http_methods(METHODS)
def results_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """Switch mail about results off by the link in one."""
    user = _linked_or_404(token, RESULTS_SALT)
    if request.method == "POST":
        user.wants_results = "on" in request.POST
        user.save(update_fields=["wants_results"])
    context = {"reader": user, "done": request.method == "POST"}
    return render(request, "teams/results_off.html", context)


def _linked_or_404(token: str, salt: str) -> User:
    try:
        return get_object_or_404(User, pk=loads(token, salt=salt))
    except BadSignature:
        raise Http404 from None
