"""Entering a task with a team."""

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.tasks import anonymity, domains
from leaderboard.tasks.models import Participant, Participation, Task
from leaderboard.teams.models import Membership, Team, User

Status = Participation.Status


class CannotJoin(Exception):
    """Why a team cannot enter, in words for its members."""


def join(task: Task, team: Team, *, anonymous: bool = False) -> Participation:
    """Enter a task with all members of a team; doing it again changes nothing.

    The entry waits where organizers admit teams. A team that withdrew by itself comes
    back this way. `anonymous`: others do not read its name until the end of the task.
    Raises CannotJoin when a member already takes part with another
    team, is outside the allowed mail domains, or organizers ended the entry.
    """
    try:
        with transaction.atomic():
            entry = _enter_team(task, team)
            if anonymous:
                anonymity.hide(entry)
            return entry
    except anonymity.NotHidden as reason:
        raise CannotJoin(str(reason)) from None
    except IntegrityError:
        raise CannotJoin(
            _("Somebody of this team just entered with another.")
        ) from None


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
    outside = domains.outside_domains(task, members)
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
        raise CannotJoin(words % {"team": entry.merged_into.team})
    if entry.status == Status.WITHDRAWN and not entry.status_by_team:
        raise CannotJoin(_("The organizers withdrew this team; ask them."))
    if entry.status in reasons:
        raise CannotJoin(reasons[Status(entry.status)])


def _require_domains(task: Task, members: list[User]) -> None:
    if outside := domains.outside_domains(task, members):
        names = ", ".join(map(str, outside))
        words = _("%(rule)s Not so: %(names)s.")
        raise CannotJoin(words % {"rule": domains.domain_rule(task), "names": names})


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
        raise CannotJoin(_taken(member, taken))
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
    if entry is None or domains.outside_domains(task, [user]):
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
    if not user.is_authenticated or not domains.outside_domains(task, [user]):
        return None
    if Participant.objects.filter(task=task, user=user).exists():
        return None
    return _of_team(user, task)


def leads(user: User, entry: Participation) -> bool:
    """Whether a person speaks for a team: a leader, or anybody where there is none.

    Of a merged team the leaders of both parts do.
    """
    parts = [entry.team_id, *entry.merged.values_list("team_id", flat=True)]
    roles = Membership.objects.filter(team__in=parts).values_list("user", "role")
    leaders = {pk for pk, role in roles if role == Membership.Role.LEADER}
    everybody = {pk for pk, _role in roles}
    return user.pk in (leaders or everybody)
