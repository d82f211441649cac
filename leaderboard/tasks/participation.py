"""Taking part in a task with a team: joining, mail domains, and the status in words."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from allauth.account.models import EmailAddress
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.tasks import admission
from leaderboard.tasks.models import Participant, Participation, Task
from leaderboard.teams.models import Team, User
from leaderboard.teams.refusal import Refusal

Status = Participation.Status


def join(task: Task, team: Team, *, anonymous: bool = False) -> Participation:
    """Enter a task with all members of a team; doing it again changes nothing.

    The entry waits where organizers admit teams. A team that withdrew by itself comes
    back this way. `anonymous`: others do not read its name until the end of the task.
    Raises Refusal when a member already takes part with another
    team, is outside the allowed mail domains, or organizers ended the entry.
    """
    try:
        with transaction.atomic():
            entry = _enter_team(task, team)
            if anonymous:
                admission.hide(entry)
            return entry
    except IntegrityError:
        raise Refusal(_("Somebody of this team just entered with another.")) from None


def _enter_team(task: Task, team: Team) -> Participation:
    members = list(team.members.all())
    # Held: what organizers decide meanwhile comes before or after, and is not undone.
    rows = Participation.objects.select_for_update(no_key=True)
    known = rows.filter(task=task, team=team).first()
    new = known is None or known.status == Status.WITHDRAWN
    if known is not None:
        _require_way_back(known)
    if new:
        _require_domains(task, members)
    begins = {"status": first_status(task, members)}
    entry, _created = Participation.objects.get_or_create(
        task=task, team=team, defaults=begins
    )
    if entry.status == Status.WITHDRAWN:
        _come_back(entry, begins["status"])
    outside = outside_domains(task, members)
    for member in members:
        if member not in outside:
            _enter(entry, member)
    return entry


def first_status(task: Task, members: list[User]) -> Participation.Status:
    """Organizers admit themselves by entering."""
    if task.entry == Task.Entry.OPEN:
        return Status.ACTIVE
    organizers = set(task.organizers.values_list("pk", flat=True))
    own = bool(members) and all(member.pk in organizers for member in members)
    return Status.ACTIVE if own else Status.PENDING


def _require_way_back(entry: Participation) -> None:
    reasons = {
        Status.REFUSED: _("The organizers did not admit this team."),
        Status.DISQUALIFIED: _("This team was disqualified."),
    }
    if entry.status == Status.MERGED and entry.merged_into is not None:
        words = _("This team was merged into %(team)s.")
        raise Refusal(words % {"team": entry.merged_into.team})
    if entry.status == Status.WITHDRAWN and not entry.status_by_team:
        raise Refusal(_("The organizers withdrew this team; ask them."))
    if entry.status in reasons:
        raise Refusal(reasons[Status(entry.status)])


def _require_domains(task: Task, members: list[User]) -> None:
    if outside := outside_domains(task, members):
        names = ", ".join(map(str, outside))
        words = _("%(rule)s Not so: %(names)s.")
        raise Refusal(words % {"rule": domain_rule(task), "names": names})


def _come_back(entry: Participation, status: Participation.Status) -> None:
    entry.status, entry.reason = status, ""
    entry.status_at, entry.status_by, entry.status_by_team = timezone.now(), None, True
    entry.save(
        update_fields=["status", "reason", "status_at", "status_by", "status_by_team"]
    )


def _enter(entry: Participation, member: User) -> None:
    known = Participant.objects.filter(task=entry.task, user=member)
    other = known.exclude(participation=entry).select_related("participation__team")
    if taken := other.first():
        raise Refusal(_taken(member, taken))
    mine, created = Participant.objects.get_or_create(
        task=entry.task, user=member, defaults={"participation": entry}
    )
    if not created and mine.left_at is not None:
        mine.left_at = None
        mine.save(update_fields=["left_at"])


def _taken(member: User, taken: Participant) -> str:
    """Which team it is is not told where that team hides its name."""
    if taken.participation.anonymous:
        words = _("%(member)s already takes part with another team.")
        return words % {"member": member}
    words = _("%(member)s already takes part with %(team)s.")
    return words % {"member": member, "team": taken.participation.team}


def participation_of(user: User, task: Task) -> Participation | None:
    """The team entry a person belongs to in a task, whatever its status.

    Members who joined their team later enter here, unless their address is outside
    the allowed domains; those of a merged team find the team that stayed. Who left
    the team after it sent something belongs to none here.
    """
    if not user.is_authenticated:
        return None
    known = Participant.objects.filter(task=task, user=user).select_related(
        "participation__team"
    )
    if found := known.first():
        return found.participation if found.left_at is None else None
    entry = _of_team(user, task)
    if entry is None or outside_domains(task, [user]):
        return None
    entered, _created = Participant.objects.get_or_create(
        task=task, user=user, defaults={"participation": entry}
    )
    return entered.participation


def _of_team(user: User, task: Task) -> Participation | None:
    entries = Participation.objects.filter(task=task, team__members=user)
    entry = entries.select_related("team").order_by("joined_at").first()
    while entry is not None and entry.merged_into is not None:
        entry = entry.merged_into
    return entry


def has_left(user: User, task: Task) -> bool:
    """Whether a person left a team that had sent something here."""
    if not user.is_authenticated:
        return False
    gone = Participant.objects.filter(task=task, user=user, left_at__isnull=False)
    return bool(gone.exists())


def left_outside(user: User, task: Task) -> Participation | None:
    """The entry of a team whose new member may not enter with it, if there is one."""
    if not user.is_authenticated or not outside_domains(task, [user]):
        return None
    if Participant.objects.filter(task=task, user=user).exists():
        return None
    return _of_team(user, task)


def within_domains(address: str, domains: Iterable[str]) -> bool:
    """Whether an address is in one of the domains or below one."""
    host = address.rpartition("@")[2].lower().rstrip(".")
    known = [domain.lower().strip(" .@") for domain in domains]
    return any(host == domain or host.endswith(f".{domain}") for domain in known)


def outside_domains(task: Task, people: Iterable[User]) -> list[User]:
    """Those without a confirmed address in the task's domains; one query.

    Nobody where the task has no list.
    """
    people = list(people)
    if not task.mail_domains:
        return []
    confirmed = EmailAddress.objects.filter(user__in=people, verified=True)
    inside = {
        owner
        for owner, address in confirmed.values_list("user", "email")
        if within_domains(address, task.mail_domains)
    }
    return [person for person in people if person.pk not in inside]


def domain_rule(task: Task) -> str:
    """Who may enter, as a sentence; empty where everybody may."""
    if not task.mail_domains:
        return ""
    return _(
        "Every member of a team needs a confirmed mail address in %(domains)s or "
        "below it."
    ) % {"domains": ", ".join(task.mail_domains)}


@dataclass(frozen=True)
class ParticipationStatus:
    """`entry` is the reader's team in the task; `fine` when it takes part."""

    entry: Participation | None
    text: str
    fine: bool = False
    may_join: bool = False

    @property
    def reason(self) -> str:
        """Why the organizers decided so; only its team and they are shown it."""
        return self.entry.reason if self.entry else ""


def standing_of(user: Any, task: Task) -> ParticipationStatus:
    """The reader's team and its status in the task as a sentence."""
    entry = participation_of(user, task)
    if entry is not None:
        active = entry.status == Status.ACTIVE
        may_join = entry.status == Status.WITHDRAWN and entry.status_by_team
        return ParticipationStatus(entry, status_sentence(entry), active, may_join)
    if has_left(user, task):
        return ParticipationStatus(None, left_sentence())
    if (team := left_outside(user, task)) is not None:
        words = _("Your team %(team)s takes part without you. %(rule)s")
        told = {"team": team.team, "rule": domain_rule(task)}
        return ParticipationStatus(None, words % told)
    return ParticipationStatus(None, domain_rule(task), may_join=True)


def left_sentence() -> str:
    """To those who left a team: with another one they would have its attempts too."""
    return _(
        "You left a team that has sent something here. One person can be in one team "
        "of a task, so you can come back to that team but not take part with another."
    )


def status_sentence(entry: Participation) -> str:
    """The status of an entry in words for its team."""
    told = {"team": entry.team}
    words = {
        Status.ACTIVE: _("You take part as %(team)s."),
        Status.PENDING: _(
            "%(team)s waits for the organizers to admit it; until then nothing can be "
            "sent."
        ),
        Status.REFUSED: _("The organizers did not admit %(team)s."),
        Status.WITHDRAWN: _(
            "%(team)s was withdrawn from this task: nothing can be sent, and its "
            "submissions are off the boards."
        ),
        Status.DISQUALIFIED: _(
            "%(team)s was disqualified: nothing can be sent, and its submissions are "
            "off the boards."
        ),
        Status.MERGED: _("%(team)s was merged into another team."),
    }
    return words[Status(entry.status)] % told
