"""A person's own data: what there is, a copy of it, and its end.

Scores are not among them: what may be seen of those is on their pages, and depends on
the rules of the phase."""

from collections.abc import Iterable
from typing import Any

from allauth.core import ratelimit
from django import forms
from django.contrib import messages
from django.contrib.auth import logout
from django.db.models import Case, OuterRef, Q, Subquery, Value, When
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.extension.access import ANYBODY, SignedInRequest, access
from leaderboard.extension.forms import form_page
from leaderboard.extension.mail import MESSAGE
from leaderboard.extension.models import (
    Change,
    Mail,
    Membership,
    Message,
    Participant,
    Submission,
    SystemDescription,
    User,
)
from leaderboard.extension.upkeep import personal_rows
from leaderboard.extras.erasure.erasure import (
    OnlyOwner,
    forget,
    tasks_owned_alone,
)

ACCOUNT = (
    "email",
    "name",
    "date_joined",
    "last_login",
    "language",
    "wants_messages",
    "wants_results",
    "is_staff",
)
SENT = (
    "id",
    "phase__task__slug",
    "phase__name",
    "participation__team__name",
    "system",
    "description",
    "facts",
    "received_at",
    "accepted_at",
    "withdrawn_at",
    "late",
    "picked",
    "team_note__text",
    "team_note__tags",
)
FILE = ("test_set__name", "run", "name", "sha256", "size")


def account_data(user: User) -> dict[str, Any]:
    """All rows about the person, each with its fields by name."""
    return {
        "account": {name: getattr(user, name) for name in ACCOUNT},
        "teams": _rows(Membership, user, "team__name", "role", "joined_at"),
        "takes_part": _rows(
            Participant, user, "task__slug", "participation__team__name", "left_at"
        ),
        # What a team answers after somebody left it is nothing of theirs.
        "registrations": list(
            Participant.objects.filter(user=user, left_at=None)
            .order_by("pk")
            .values("task__slug", "participation__answers")
        ),
        "submissions": list(_submissions(user)),
        "descriptions": list(
            SystemDescription.objects.filter(by=user).values(
                "submission", "title", "link", "text", "file_name", "sha256", "at"
            )
        ),
        "mail": _mail(user),
        "changes": list(
            Change.objects.filter(actor=user).values(
                "timestamp", "object_repr", "action", "changes", "remote_addr", "way"
            )
        ),
        **{
            personal.name: _values(personal.rows_of(user), *personal.fields)
            for personal in personal_rows()
            if personal.fields
        },
    }


def _rows(model: Any, user: User, *fields: str) -> list[dict[str, Any]]:
    return _values(model._base_manager.filter(user=user), *fields)


def _values(rows: Any, *fields: str) -> list[dict[str, Any]]:
    return list(rows.order_by("pk").values(*fields))


def _mail(user: User) -> list[dict[str, Any]]:
    """Mail that was or is to be sent to the person; messages with their subjects."""
    message = Message.objects.filter(pk=OuterRef("about")).values("subject")
    subject = Case(When(kind=MESSAGE, then=Subquery(message)), default=Value(""))
    theirs = Mail.objects.filter(Q(user=user) | Q(address__iexact=user.email))
    rows = theirs.annotate(subject=subject).order_by("pk")
    values: Iterable[Any] = rows.values("kind", "subject", "at", "sent_at", "error")
    return list(values)


def _submissions(user: User) -> Any:
    submissions = Submission.objects.filter(sender=user).order_by("received_at")
    rows = {row["id"]: {**row, "files": []} for row in submissions.values(*SENT)}
    files = Submission.objects.filter(sender=user, files__isnull=False)
    names = {f"files__{name}": name for name in FILE}
    for row in files.values("id", *names):
        rows[row.pop("id")]["files"].append({names[k]: v for k, v in row.items()})
    return rows.values()


class DeletionForm(forms.Form):
    mail = forms.CharField(
        label=gettext_lazy("Your email address"),
        help_text=gettext_lazy("Typed out, so that nothing happens by mistake."),
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )
    password = forms.CharField(
        label=gettext_lazy("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_mail(self) -> str:
        mail = str(self.cleaned_data["mail"]).strip()
        if mail.casefold() != self.user.email.casefold():
            raise forms.ValidationError(_("That is not the address of this account."))
        return mail

    def clean_password(self) -> str:
        password = str(self.cleaned_data["password"])
        if not self.user.check_password(password):
            raise forms.ValidationError(_("That is not your password."))
        return password


@never_cache
@form_page
@access(ANYBODY.signed_in)
def own_data(request: SignedInRequest) -> HttpResponse:
    """The page of one's own data, and the form that deletes them."""
    posted = request.method == "POST"
    # Whoever found an open browser must not try passwords here either.
    if posted and (refused := _too_often(request)):
        return refused
    form = DeletionForm(request.user, request.POST if posted else None)
    if posted and form.is_valid():
        try:
            forget(request.user)
        except OnlyOwner:
            form.add_error(None, _("Make somebody else an owner of your tasks first."))
        else:
            logout(request)
            messages.success(request, _("Your account is deleted."))
            return redirect("home")
    context = {"form": form, "owned": tasks_owned_alone(request.user)}
    status = 422 if posted else 200
    return render(request, "erasure/own_data.html", context, status=status)


def _too_often(request: HttpRequest) -> HttpResponse | None:
    refused: HttpResponse | None = ratelimit.consume_or_429(
        request, action="reauthenticate", user=request.user
    )
    return refused


@never_cache
@require_safe
@access(ANYBODY.signed_in)
def own_data_file(request: SignedInRequest) -> HttpResponse:
    options = {"ensure_ascii": False, "indent": 2}
    answer = JsonResponse(account_data(request.user), json_dumps_params=options)
    answer["Content-Disposition"] = 'attachment; filename="plumbline-account.json"'
    return answer
