"""Messages of organizers to teams, and announcements in the public log.

A message and its mail are rows, written together; `mail.outbox` sends it.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_safe

from leaderboard.mail import outbox
from leaderboard.mail.models import MOST_TRIES, Mail
from leaderboard.mail.outbox import one_line
from leaderboard.organize.forms import FormPage
from leaderboard.organize.mail import MESSAGE, NEWS, text_of
from leaderboard.tasks.access import EDIT, PEOPLE, lock_task
from leaderboard.tasks.mail import subject_of
from leaderboard.tasks.models import (
    Follower,
    Message,
    Notice,
    Participant,
    Participation,
    Phase,
    Task,
)
from leaderboard.tasks.models.records import WRITTEN, announce, notices_of
from leaderboard.teams import limits
from leaderboard.teams.models import User
from leaderboard.web.access import access
from leaderboard.web.forms import longest
from leaderboard.web.languages import in_english

ALL = "all"
TEAM = "team "
TWICE = timedelta(minutes=10)
NOT_TWICE = gettext_lazy(
    "This very message was sent a moment ago; nothing was sent twice."
)
TOO_MANY = gettext_lazy(
    "A task may send %(n)s mails with messages a day, and so may a person: write the "
    "rest tomorrow."
)
MOST_A_DAY = 1000  # mails, or so many times the readers of a message:
TIMES_A_DAY = 20
PER_PAGE = 30
NEWS_SHOWN = 10


class SentAlready(Exception):
    """The same message was written a moment ago."""


def readers_of(task: Task, audience: str) -> QuerySet[User]:
    """People of the entries that an audience means; members who joined later too."""
    entries = Participation.objects.filter(task=task)
    follows = Q()
    if audience == NEWS:
        entries = entries.filter(status__in=(Status.ACTIVE, Status.PENDING))
        follows = Q(Exists(Follower.objects.filter(user=OuterRef("pk"), task=task)))
    elif audience.startswith(TEAM):
        entries = entries.filter(pk=audience.removeprefix(TEAM))
    elif audience != ALL:
        entries = entries.filter(status=audience)
    here = Participant.objects.filter(user=OuterRef("pk"), task=task)
    inside = here.filter(participation__in=entries, left_at=None)
    taking_part = Q(Exists(inside))
    joined_later = Q(teams__participations__in=entries) & ~Exists(here)
    reached = taking_part | joined_later | follows
    readers = User.objects.filter(reached, is_active=True)
    return readers.distinct().order_by("pk")


def write_message(message: Message) -> int:
    """Store a message with a mail to each reader; how many readers.

    Raises SentAlready for what was written minutes ago, as a second click would, and
    Refusal where a day has no more.
    """
    with transaction.atomic():
        lock_task(message.task.pk)
        same = Message.objects.filter(
            task=message.task,
            by=message.by,
            audience=message.audience,
            subject=message.subject,
            text=message.text,
            at__gt=timezone.now() - TWICE,
        )
        if same.exists():
            raise SentAlready
        readers = list(wanting(message))
        _count(message, len(readers))
        message.save()
        mail = [Mail(kind=MESSAGE, about=message.pk, user=reader) for reader in readers]
        outbox.order(*mail)
    return len(mail)


def _count(message: Message, readers: int) -> None:
    """Raises Refusal for more mail than a day has, of the task or of who writes it."""
    subjects: list[str | User] = [f"task {message.task.pk}"]
    if message.by is not None:
        subjects.append(message.by)
    most = max(MOST_A_DAY, TIMES_A_DAY * readers)
    limits.require(TOO_MANY, MESSAGE, most, *subjects, number=readers)


def wanting(message: Message) -> QuerySet[User]:
    """Readers of a message but those who switched messages off, unless it is
    important."""
    readers = readers_of(message.task, message.audience)
    return readers if message.important else readers.filter(wants_messages=True)


def audience_in_words(audience: str) -> str:
    if audience == ALL:
        return _("Everybody who entered")
    if audience == NEWS:
        return _("Everybody who takes part or follows the task")
    if audience.startswith(TEAM):
        return _("One team")
    return str(Status(audience).label)


Status = Participation.Status


class MessageForm(forms.ModelForm):
    audience = forms.ChoiceField(label=gettext_lazy("To"))

    class Meta:
        model = Message
        fields = ("audience", "subject", "text", "important")
        widgets = {"text": forms.Textarea(attrs={"rows": 12})}

    def __init__(self, task: Task, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        statuses = [status for status in Status.choices if status[0] != Status.MERGED]
        field: Any = self.fields["audience"]
        field.choices = [(ALL, audience_in_words(ALL)), *statuses]
        self.instance.task = task

    def clean_subject(self) -> str:
        subject: str = self.cleaned_data["subject"]
        if not subject.isprintable():
            raise forms.ValidationError(_("A subject is one line of plain text."))
        return " ".join(subject.split())


@require_safe
@access(PEOPLE)
def listing(request: HttpRequest, task: Task) -> HttpResponse:
    messages_sent = task.messages.order_by("-at", "-pk").select_related("by")
    page = Paginator(messages_sent, PER_PAGE).get_page(request.GET.get("page"))
    mail = Mail.objects.filter(kind=MESSAGE, about__in=[message.pk for message in page])
    counts = {
        row["about"]: row
        for row in mail.values("about").annotate(
            all=Count("pk"),
            sent=Count("sent_at"),
            failed=Count("pk", filter=Q(sent_at=None, tried__gte=MOST_TRIES)),
        )
    }
    rows = [
        (message, audience_in_words(message.audience), counts.get(message.pk))
        for message in page
    ]
    context = {"task": task, "page": page, "rows": rows}
    return render(request, "organize/messages.html", context)


class MessagePage(FormPage):
    """A form, then what a reader will get, then off it goes."""

    mark = PEOPLE
    form_class = MessageForm
    template_name = "organize/message.html"
    above = ("organize-messages", gettext_lazy("All messages"))
    title = gettext_lazy("Write a message")
    heading = gettext_lazy("Write to participants")
    button = gettext_lazy("Preview")
    style = "people.css"
    done = "organize-messages"
    preview: Mapping[str, Any] | None = None

    def save(self, form: MessageForm) -> HttpResponse:
        message: Message = form.instance
        message.by = writer = self.request.user
        readers = wanting(message).count()
        if "send" in self.request.POST:
            if readers:
                return _send(self.request, message)
            form.add_error("audience", _("There is nobody to write to."))
        elif "back" not in self.request.POST:
            # As a reader will see it; the link to stop messages is the writer's.
            everybody = readers_of(self.task, message.audience).count()
            self.heading = gettext_lazy("Send this message?")
            self.preview = {
                "subject": subject_of(self.task, message.subject),
                "text": text_of(message, writer),
                "reply_to": writer.email,
                "readers": readers,
                "unwilling": everybody - readers,
                "to": audience_in_words(message.audience),
            }
        return self.show(form)


def _send(request: HttpRequest, message: Message) -> HttpResponse:
    try:
        n = write_message(message)
    except SentAlready:
        messages.info(request, str(NOT_TWICE))
    else:
        words = ngettext(
            "On its way to %(n)s person.", "On its way to %(n)s people.", n
        )
        messages.success(request, words % {"n": n})
    return redirect("organize-messages", message.task.slug)


class NewsForm(forms.Form):
    kind = forms.ChoiceField(
        choices=[(kind.value, kind.label) for kind in WRITTEN],
        label=gettext_lazy("Kind"),
    )
    phase = forms.ModelChoiceField(
        Phase.objects.none(),
        required=False,
        label=gettext_lazy("Phase"),
        empty_label=gettext_lazy("The whole task"),
    )
    text = forms.CharField(
        max_length=longest(Notice, "text"),
        label=gettext_lazy("Text"),
        help_text=gettext_lazy(
            "Plain text, public at once and for good: it is not edited afterwards."
        ),
        widget=forms.Textarea(attrs={"rows": 6}),
    )
    mail = forms.BooleanField(
        required=False,
        initial=True,
        label=gettext_lazy("Send it by mail too"),
        help_text=gettext_lazy(
            "To those who take part and those who follow the task, unless they "
            "switched messages off."
        ),
    )

    def __init__(self, task: Task, *args: Any) -> None:
        super().__init__(*args)
        field: Any = self.fields["phase"]
        field.queryset = task.phases.all()
        field.label_from_instance = lambda phase: phase.title


class NewsPage(FormPage):
    """Organizers write into the public log of changes."""

    mark = EDIT
    form_class = NewsForm
    template_name = "organize/news.html"
    title = gettext_lazy("Announcements")
    button = gettext_lazy("Publish")
    marks_optional = True
    done = "task-log"

    def save(self, form: NewsForm) -> str | HttpResponse:
        try:
            n = _publish(self.task, self.request.user, **form.cleaned_data)
        except SentAlready:
            messages.info(self.request, str(NOT_TWICE))
            return self.done_response()
        words = _("It stands in the log of changes.")
        if n:
            mailed = ngettext("Mailed to %(n)s person.", "Mailed to %(n)s people.", n)
            words = f"{words} {mailed % {'n': n}}"
        return words

    def context(self, form: NewsForm) -> dict[str, Any]:
        return {"notices": notices_of(self.task)[:NEWS_SHOWN]}


def _publish(
    task: Task, by: User, *, kind: str, text: str, phase: Phase | None, mail: bool
) -> int:
    """Announce something, by mail too if asked; how many people are written to.

    Raises SentAlready for a mail that was written minutes ago; nothing is announced.
    """
    with transaction.atomic():
        notice = announce(task, kind, text, by, phase)
        return mail_notice(notice) if mail else 0


def mail_notice(notice: Notice) -> int:
    """Send a line of the public log by mail, too; how many people are written to.

    Raises SentAlready for one that was sent minutes ago.
    """
    first = one_line(notice.text.strip().partition("\n")[0])
    with in_english():
        title = f"{notice.get_kind_display()}: {Truncator(first).chars(100)}"
    message = Message(
        task=notice.task,
        subject=title,
        text=notice.text,
        audience=NEWS,
        by=notice.by,
    )
    return write_message(message)
