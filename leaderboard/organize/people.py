"""Teams of a task as organizers see them, and decisions the teams are told."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.db import transaction
from django.db.models import Count, Max, OuterRef, Q, QuerySet, Subquery
from django.utils.translation import gettext as _

from leaderboard.organize import jobs, letters
from leaderboard.submissions import admin_actions
from leaderboard.submissions.models import Submission
from leaderboard.tasks import admission
from leaderboard.tasks.lock import lock_task
from leaderboard.tasks.models import Letter, Participation, Task
from leaderboard.teams.models import User

PER_PAGE = 50
Status = Participation.Status


@dataclass(frozen=True)
class Choice:
    """One status to filter by, with how many teams have it."""

    status: str
    title: str
    count: int
    current: bool


@dataclass(frozen=True)
class Line:
    """One team in the list."""

    entry: Participation
    members: Sequence[User]
    entries: int
    last: datetime | None
    organizers: Sequence[User] = ()

    @property
    def domains(self) -> Sequence[str]:
        """The mail domains of its members, each once."""
        found = (member.email.rpartition("@")[2] for member in self.members)
        return sorted(set(found))

    @property
    def waits(self) -> bool:
        return self.entry.status == Status.PENDING


@dataclass(frozen=True)
class People:
    choices: Sequence[Choice]
    page: Page
    lines: Sequence[Line]

    @property
    def waiting(self) -> bool:
        """Whether any team waits, on this page or not."""
        return any(choice.status == Status.PENDING for choice in self.choices)


def people_of(task: Task, status: str, words: str, number: str) -> People:
    """One page of the teams of a task; the same few queries however many there are."""
    counts = dict(
        task.participations.order_by().values_list("status").annotate(n=Count("pk"))
    )
    chosen = _with_numbers(_found(task, status, words))
    page = Paginator(chosen, PER_PAGE).get_page(number)
    organizing = set(task.organizers.values_list("pk", flat=True))
    lines = [_line(entry, organizing) for entry in page]
    return People(_choices(counts, status), page, lines)


def _line(entry: Any, organizing: Collection[int]) -> Line:
    members = [one.user for one in entry.participants.all() if one.left_at is None]
    with_role = [user for user in members if user.pk in organizing]
    return Line(entry, members, entry.n_sent or 0, entry.last_sent, with_role)


def _choices(counts: Mapping[str, int], status: str) -> list[Choice]:
    everybody = Choice("", _("All"), sum(counts.values()), not status)
    return [
        everybody,
        *(
            Choice(one.value, str(one.label), counts[one], status == one)
            for one in Status
            if counts.get(one)
        ),
    ]


def _found(task: Task, status: str, words: str) -> QuerySet[Participation]:
    found = Participation.objects.filter(task=task)
    if status in Status.values:
        found = found.filter(status=status)
    if words := words.replace("\0", "").strip():
        named = Q(team__name__icontains=words)
        named |= Q(participants__user__name__icontains=words)
        named |= Q(participants__user__email__icontains=words)
        found = found.filter(pk__in=found.filter(named).values("pk"))
    return found


def _with_numbers(found: QuerySet[Participation]) -> QuerySet[Participation]:
    sent = Submission.objects.filter(participation=OuterRef("pk")).order_by()
    per_team = sent.values("participation")
    count, last = (
        Subquery(per_team.annotate(x=one).values("x"))
        for one in (Count("pk"), Max("received_at"))
    )
    return (
        found.annotate(n_sent=count, last_sent=last)
        .select_related("team")
        .prefetch_related("participants__user")
        .order_by("team__name", "pk")
    )


def decide(entry: Participation, name: str, actor: User, reason: str) -> None:
    """Take a decision and tell the team, as one.

    Raises admission.NotDecided.
    """
    decision = admission.DECISIONS[name]
    with transaction.atomic():
        lock_task(entry.task_id)
        decided = admission.decide(entry, name, actor, reason)
        _tell(decided, str(decision.told), _said(decided), actor)


def _said(entry: Participation) -> str:
    words = _("%(team)s in %(task)s: %(status)s.") % {
        "team": entry.team,
        "task": entry.task,
        "status": entry.get_status_display(),
    }
    if not entry.reason:
        return words
    return f"{words}\n\n" + _("Reason: %(reason)s") % {"reason": entry.reason}


def _tell(entry: Participation, subject: str, text: str, actor: Any) -> None:
    letter = Letter(
        task=entry.task,
        subject=subject,
        text=text,
        audience=f"{letters.TEAM}{entry.pk}",
        important=True,
        by=actor,
    )
    try:
        letters.write(letter, jobs.tell)
    except letters.SentAlready:
        return  # decided twice within minutes, with the same words


def disqualify(submission: Submission, actor: User, reason: str) -> None:
    """Take it off the boards and tell its team, as one. Raises deciding.NotDecided."""
    with transaction.atomic():
        lock_task(submission.phase.task_id)
        admin_actions.disqualify(submission, actor, reason)
        _tell_of(submission, actor)


def reinstate(submission: Submission, actor: User) -> None:
    """Put it back and tell its team, as one. Raises deciding.NotDecided."""
    with transaction.atomic():
        lock_task(submission.phase.task_id)
        admin_actions.reinstate(submission)
        _tell_of(submission, actor)


def _tell_of(submission: Submission, actor: User) -> None:
    out = submission.disqualified_at is not None
    words = (
        _("Your submission %(system)s was disqualified and is off the board.")
        if out
        else _("Your submission %(system)s is no longer disqualified.")
    )
    text = words % {"system": submission.system}
    if submission.disqualified_why:
        told = {"reason": submission.disqualified_why}
        text += "\n\n" + _("Reason: %(reason)s") % told
    subject = _("Submission disqualified") if out else _("Submission reinstated")
    _tell(submission.participation, subject, text, actor)
