"""Invitations to take part, by list: made, sent again, taken back."""

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from email.utils import parseaddr
from typing import Any

from allauth.account.models import EmailAddress
from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.core.validators import validate_email
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST

from leaderboard.extension import limits
from leaderboard.extension.access import PEOPLE, access, lock_task
from leaderboard.extension.forms import LockedPage, Refusal, UploadField, refusals_in
from leaderboard.extension.mail import order
from leaderboard.extension.models import Mail, Participant, Task, User
from leaderboard.extension.participation import domain_refusal
from leaderboard.extras.invitations.mail import KIND
from leaderboard.extras.invitations.models import EntryInvitation

MOST = 1000
MOST_A_DAY = 300  # the site's mail is no means to write to any number of strangers
MOST_BYTES = 200_000
MOST_TOLD = 20
AGAIN = timedelta(hours=1)
PER_PAGE = 100
CELLS = re.compile(r"[,;\t]")
SHOWN = 60


@dataclass
class AddressList:
    """Addresses in small letters with their lines, and sentences on other lines.

    `bad` are lines without an address, `repeated` those with one that came before.
    """

    lines: dict[str, int] = field(default_factory=dict)
    bad: list[str] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)


def addresses_in(text: str) -> AddressList:
    """One address or more a line, alone, as `Name <address>` or in a cell of a table.

    Empty lines and comments behind "#" are passed over, and so is a head.
    """
    addresses = AddressList()
    first = True
    for number, raw in enumerate(text.replace("\0", "").splitlines(), start=1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        cells = [cell.strip().strip("\"'") for cell in CELLS.split(line)]
        given = [cell for cell in cells if "@" in cell]
        if not given and not (first and _is_head(cells)):
            words = _("Line %(line)s: there is no address in “%(text)s”.")
            addresses.bad.append(words % {"line": number, "text": line[:SHOWN]})
        for cell in given:
            _take(addresses, cell, number)
        first = False
    return addresses


def _is_head(cells: list[str]) -> bool:
    words = {word for cell in cells for word in re.split(r"[\W_]+", cell.casefold())}
    return bool(words & {"email", "mail", "address", "adresse", "почта"})


def _take(addresses: AddressList, cell: str, number: int) -> None:
    address = parseaddr(cell)[1].lower() or cell.lower()
    try:
        validate_email(address)
    except ValidationError:
        words = _("Line %(line)s: “%(text)s” is no mail address.")
        addresses.bad.append(words % {"line": number, "text": cell[:SHOWN]})
        return
    before = addresses.lines.setdefault(address, number)
    if before != number:
        words = _("Line %(line)s: %(address)s stands in line %(before)s already.")
        values = {"line": number, "address": address, "before": before}
        addresses.repeated.append(words % values)


class ListForm(forms.Form):
    """Addresses that are pasted or come in a file; `found` once it is valid."""

    addresses = forms.CharField(
        required=False,
        max_length=MOST_BYTES,
        label=gettext_lazy("Mail addresses"),
        help_text=gettext_lazy(
            "One a line, alone or with a name, or lines of a CSV table with an address "
            "in them."
        ),
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
    )
    file = UploadField(
        required=False, label=gettext_lazy("Or a file with them (CSV or text)")
    )
    found: AddressList

    def __init__(self, task: Task, *args: Any) -> None:
        super().__init__(*args)
        self.task = task

    def clean_file(self) -> str:
        """The text of the file."""
        file = self.cleaned_data["file"]
        if file is None:
            return ""
        if file.size > MOST_BYTES:
            words = _("The file has more than %(n)s bytes.")
            raise forms.ValidationError(words % {"n": MOST_BYTES})
        try:
            return str(file.read().decode("utf-8-sig"))
        except UnicodeDecodeError:
            raise forms.ValidationError(_("The file is not in UTF-8.")) from None

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        if cleaned["addresses"] and cleaned["file"]:
            raise forms.ValidationError(_("Paste addresses or send a file, not both."))
        name = "file" if cleaned["file"] else "addresses"
        self.found = addresses_in(cleaned[name])
        bad = [*self.found.bad, *self._outside()]
        if bad:
            self.add_error(name, shorten_list(bad))
        elif not self.found.lines:
            self.add_error(name, _("There is no address here."))
        return cleaned

    def _outside(self) -> list[str]:
        """Addresses whose owners may not enter with them."""
        words = _("Line %(line)s: %(address)s may not enter. %(rule)s")
        return [
            words % {"line": line, "address": address, "rule": rule}
            for address, line in self.found.lines.items()
            if (rule := domain_refusal(self.task, address))
        ]


def shorten_list(sentences: list[str]) -> list[str]:
    """The first of them, and how many more there are."""
    more = len(sentences) - MOST_TOLD
    if more <= 0:
        return sentences
    words = ngettext("and %(n)s more line", "and %(n)s more lines", more)
    return [*sentences[:MOST_TOLD], words % {"n": more}]


def taking_part(task: Task, emails: Iterable[str]) -> set[str]:
    """The addresses that are of people in a team of the task; two queries."""
    people = Participant.objects.filter(task=task, left_at=None).values("user")
    emails = list(emails)
    own = User.objects.filter(pk__in=people, email__in=emails)
    more = EmailAddress.objects.filter(user__in=people, verified=True, email__in=emails)
    return {
        *map(str.lower, own.values_list("email", flat=True)),
        *map(str.lower, more.values_list("email", flat=True)),
    }


def invite(task: Task, addresses: AddressList, by: User) -> tuple[int, list[str]]:
    """Invite by mail who is not in it yet; how many, and why not the others.

    With the task held. Raises Refusal for a draft, and where it is too many.
    """
    if task.draft:
        raise Refusal(_("Publish the task first: nobody could see what it is."))
    invited = set(
        EntryInvitation.objects.filter(
            task=task, email__in=list(addresses.lines)
        ).values_list("email", flat=True)
    )
    inside = taking_part(task, addresses.lines)
    passed = list(addresses.repeated)
    for address, line in addresses.lines.items():
        if address in inside:
            words = _("Line %(line)s: %(address)s takes part already.")
        elif address in invited:
            words = _("Line %(line)s: %(address)s is invited already.")
        else:
            continue
        passed.append(words % {"line": line, "address": address})
    new = [address for address in addresses.lines if address not in invited | inside]
    if EntryInvitation.objects.filter(task=task).count() + len(new) > MOST:
        words = _("A task may have %(n)s invitations: take some back first.")
        raise Refusal(words % {"n": MOST})
    _count(task, by, len(new))
    rows = [EntryInvitation(task=task, email=address, by=by) for address in new]
    _send(EntryInvitation.objects.bulk_create(rows))
    return len(new), passed


def _count(task: Task, by: User, number: int) -> None:
    """Raises Refusal for more mail than a day has."""
    words = _(
        "A task may send %(n)s invitations a day, and so may a person, those taken "
        "back counted: send the rest tomorrow."
    )
    subjects = f"task {task.pk}", by
    limits.require(words, KIND, MOST_A_DAY, *subjects, number=number)


def _send(rows: Iterable[EntryInvitation]) -> None:
    order(*(Mail(kind=KIND, about=row.pk, address=row.email) for row in rows))


def send_again(task: Task, keys: Iterable[int], by: User) -> int:
    """Send the mail once more to those who do not take part; how many.

    Not within an hour of the last one. With the task held. Raises Refusal.
    """
    now = timezone.now()
    rows = EntryInvitation.objects.filter(
        task=task, pk__in=list(keys), mailed_at__lt=now - AGAIN
    )
    inside = taking_part(task, rows.values_list("email", flat=True))
    invitations = [row for row in rows if row.email not in inside]
    _count(task, by, len(invitations))
    EntryInvitation.objects.filter(pk__in=[row.pk for row in invitations]).update(
        mailed_at=now
    )
    _send(invitations)
    return len(invitations)


class InvitationsPage(LockedPage):
    """The people who are invited, and a form that invites more."""

    mark = PEOPLE
    form_class = ListForm
    template_name = "invitations/list.html"
    title = gettext_lazy("Invitations to take part")
    button = gettext_lazy("Invite them")
    style = "people.css"

    def save(self, form: ListForm) -> str:
        user: Any = self.request.user
        number, passed = invite(self.task, form.found, user)
        for sentence in shorten_list(passed):
            messages.warning(self.request, sentence)
        words = ngettext(
            "%(n)s invitation is on its way.",
            "%(n)s invitations are on their way.",
            number,
        )
        return words % {"n": number}

    def context(self, form: ListForm) -> dict[str, Any]:
        rows = EntryInvitation.objects.filter(task=self.task).select_related("by")
        page = Paginator(rows, PER_PAGE).get_page(self.request.GET.get("page"))
        by_key = {row.pk: row for row in page}
        inside = taking_part(self.task, [row.email for row in by_key.values()])
        mail = Mail.objects.filter(kind=KIND, about__in=list(by_key)).order_by("pk")
        last = {row.about: row for row in mail}
        row: Any
        for row in by_key.values():
            row.state = "in" if row.email in inside else _state(last.get(row.pk))
        return {"page": page, "hours": AGAIN.seconds // 3600}


def _state(mail: Mail | None) -> str:
    if mail is None or mail.sent_at is not None:
        return "sent"
    return "failed" if mail.given_up else "waits"


@require_POST
@access(PEOPLE)
def change(request: HttpRequest, task: Task) -> HttpResponse:
    """Send the ticked ones again, or take them back."""
    user: Any = request.user
    keys = []
    for text in request.POST.getlist("row")[:MOST]:
        with suppress(ValueError):
            keys.append(int(text))
    keys = [key for key in keys if 0 < key < 2**63]
    with refusals_in(request), transaction.atomic():
        lock_task(task.pk)
        if request.POST.get("act") == "again":
            number = send_again(task, keys, user)
            words = ngettext(
                "%(n)s invitation is sent again.",
                "%(n)s invitations are sent again.",
                number,
            )
        else:
            rows = EntryInvitation.objects.filter(task=task, pk__in=keys)
            number = rows.delete()[0]
            words = ngettext(
                "%(n)s invitation is taken back, and its address forgotten.",
                "%(n)s invitations are taken back, and their addresses forgotten.",
                number,
            )
        messages.success(request, words % {"n": number})
    return redirect("organize-invitations", task.slug)
