"""Tokens and their page. The text of one is known only to its owner."""

from collections.abc import Collection
from datetime import datetime, timedelta
from hashlib import sha256
from secrets import token_urlsafe
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import CharField, DateTimeField, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from leaderboard.api.models import Scope, Token
from leaderboard.tasks.models import Task
from leaderboard.tasks.policy import visible_tasks
from leaderboard.teams.models import User, check_display_name
from leaderboard.teams.requests import SignedInRequest
from leaderboard.web.access import SIGNED_IN, Access, access
from leaderboard.web.forms import form_page, form_response, posted_data
from leaderboard.web.statements import statement

# Recognised by people, and by programs that look for secrets in published files.
PREFIX = "plb_"
BYTES = 32  # of chance; so many that a plain hash of it cannot be turned round
SHOWN = 8
# A token that is used all the time need not write all the time.
USE_NOTED_EVERY = timedelta(minutes=1)
MOST_PER_PERSON = 50
DAYS = (
    ("30", _("30 days")),
    ("90", _("90 days")),
    ("365", _("a year")),
    ("", _("until I revoke it")),
)


class TooManyTokens(Exception):
    """The person has as many tokens as one may have."""


def make(
    user: User,
    name: str,
    scopes: Collection[str] = (Scope.READ,),
    task: Task | None = None,
    expires_at: datetime | None = None,
) -> tuple[Token, str]:
    """A new token and its text, which nobody can be told again.

    Raises TooManyTokens.
    """
    if Token.objects.alive(timezone.now()).filter(user=user).count() >= MOST_PER_PERSON:
        raise TooManyTokens
    text = PREFIX + token_urlsafe(BYTES)
    token = Token.objects.create(
        user=user,
        name=name,
        start=text[:SHOWN],
        sha256=digest(text),
        scopes=[scope.value for scope in Scope if scope in scopes],
        task=task,
        expires_at=expires_at,
    )
    return token, text


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def find(text: str) -> Token | None:
    """The token with that text, if it is good now; its use is noted."""
    now = timezone.now()
    token: Token | None = next(iter(_alive(sha256=digest(text), moment=now)), None)
    stale = now - USE_NOTED_EVERY
    if token is not None and (token.used_at is None or token.used_at <= stale):
        unused = Q(used_at=None) | Q(used_at__lte=stale)
        Token.objects.filter(unused, pk=token.pk).update(used_at=now)
    return token


@statement(sha256=CharField(), moment=DateTimeField())
def _alive(sha256: str, moment: datetime) -> QuerySet[Token]:
    alive = Token.objects.alive(moment).select_related("user")
    return alive.filter(sha256=sha256)


def revoke(token: Token) -> None:
    """End a token for good; doing it again changes nothing."""
    Token.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())


class TokenForm(forms.Form):
    name = forms.CharField(
        max_length=60,
        label=_("Name"),
        help_text=_("What will use it, so that you know it again."),
        validators=[check_display_name],
    )
    scopes = forms.MultipleChoiceField(
        choices=Scope.choices,
        initial=[Scope.READ],
        label=_("What it may do"),
        widget=forms.CheckboxSelectMultiple,
    )
    task = forms.ModelChoiceField(
        Task.objects.none(),
        required=False,
        label=_("Task"),
        empty_label=_("all tasks"),
        help_text=_("A token of one task finds nothing of the others."),
    )
    days = forms.ChoiceField(
        choices=DAYS, initial="90", required=False, label=_("Good for")
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        mine = Q(participations__participants__user=user) | Q(organizers=user)
        tasks = visible_tasks(user).filter(mine).distinct().order_by("title")
        self.fields["task"].queryset = tasks  # type: ignore[attr-defined]

    def make(self) -> tuple[Token, str]:
        """The token that the valid form asks for. Raises TooManyTokens."""
        data = self.cleaned_data
        days = int(data["days"] or 0)
        expires_at = timezone.now() + timedelta(days=days) if days else None
        return make(self.user, data["name"], data["scopes"], data["task"], expires_at)


@never_cache
@form_page
@access(SIGNED_IN)
def page(request: SignedInRequest) -> HttpResponse:
    """A new token is shown in the answer to the form and nowhere else."""
    form = TokenForm(request.user, posted_data(request)[0])
    new_token, text = None, ""
    if form.is_valid():
        try:
            new_token, text = form.make()
            form = TokenForm(request.user)
        except TooManyTokens:
            form.add_error(None, gettext("You have too many tokens: revoke one first."))
    alive = Token.objects.filter(user=request.user, revoked_at=None)
    context = {
        "form": form,
        "made": new_token,
        "text": text,
        "tokens": alive.select_related("task"),
    }
    return form_response(request, "teams/tokens.html", context)


def _own_token(user: Any, key: int) -> dict[str, Any]:
    return {"token": get_object_or_404(Token, pk=key, user=user)}


OWN_TOKEN = Access("the owner of the token", _own_token).signed_in


@require_POST
@access(OWN_TOKEN)
def revoke_on_page(request: HttpRequest, token: Token) -> HttpResponse:
    revoke(token)
    messages.success(
        request, gettext("The token “%(name)s” is revoked.") % {"name": token.name}
    )
    return redirect("tokens")
