"""Members and leaders of teams: leaving, removing, handing over.

What was sent stays with the team. Who leaves a team that sent something in a task is
out of it there, and cannot take part with another: else a person could use the
attempts of one team after those of another.
"""

from typing import Any

from django.core.signing import BadSignature, dumps, loads
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.teams.models import Membership, Team, TeamInvitation, User
from leaderboard.teams.refusal import Refusal
from leaderboard.web.locks import lock_rows

Role = Membership.TeamRole
SALT = "invitation to a team"
MOST_OPEN = 20


def membership(team: Team, user: User) -> Membership | None:
    """The person's own row in the team, if there is one."""
    return Membership.objects.filter(team=team, user=user).first()


def leads(member: Membership, members: list[Membership]) -> bool:
    """Whether the member is a leader, or the team has none."""
    leaders = _leaders(members)
    return not leaders or member in leaders


def only_leader(members: list[Membership]) -> Membership | None:
    """The leader who has to stay one; None where there is none, or more than one."""
    leaders = _leaders(members)
    return leaders[0] if len(leaders) == 1 else None


def _leaders(members: list[Membership]) -> list[Membership]:
    return [member for member in members if member.role == Role.LEADER]


def sent_something(team: Team) -> bool:
    return bool(team.participations.filter(submissions__isnull=False).exists())


def leave(team: Team, user: User) -> None:
    """Leave the team. Raises Refusal for the last leader while it has others."""
    with transaction.atomic():
        members = _lock_members(team)
        member = _member(members, user)
        if len(members) > 1:
            _require_other_leader(member, members)
        elif sent_something(team):
            words = _("Your team has sent something: invite somebody to take it over.")
            raise Refusal(words)
        _take_out(member)


def let_go(user: User) -> int:
    """Take somebody who goes for good out of every team; how many there were.

    Where nobody else leads, the longest member does from now on.
    """
    memberships = list(Membership.objects.filter(user=user).select_related("team"))
    for member in memberships:
        with transaction.atomic():
            others = [row for row in _lock_members(member.team) if row.pk != member.pk]
            if others and all(other.role != Role.LEADER for other in others):
                others[0].role = Role.LEADER
                others[0].save(update_fields=["role"])
            _take_out(member)
    return len(memberships)


def remove(team: Team, by: User, pk: int) -> Membership:
    """Let a leader take out somebody else, who is returned; themselves they leave."""
    with transaction.atomic():
        members = _lock_members(team)
        require_leader(by, members)
        member = _by_pk(members, pk)
        if member.user_id == by.pk:
            raise Refusal(_("That is you: leave the team instead."))
        _take_out(member)
    return member


def give_role(team: Team, by: User, pk: int, role: str) -> Membership:
    """Let a leader make somebody leader or member; one leader always stays."""
    with transaction.atomic():
        members = _lock_members(team)
        require_leader(by, members)
        member = _by_pk(members, pk)
        if role not in Role.values:
            raise Refusal(_("There is no such role."))
        if role != Role.LEADER:
            _require_other_leader(member, members)
        member.role = role
        member.save(update_fields=["role"])
    return member


def enter(team: Team, user: User) -> None:
    """Make somebody a member; in tasks that the person left it for, again."""
    Membership.objects.get_or_create(team=team, user=user)
    left = user.participants.filter(left_at__isnull=False)
    left.filter(participation__in=_entries(team)).update(left_at=None)


def _lock_members(team: Team) -> list[Membership]:
    """All members, so that two leaders cannot leave by each other's consent.

    The team's own row is locked first: it stands for those who are not in yet.
    """
    _lock_team(team)
    return list(Membership.objects.filter(team=team).order_by("pk"))


def _lock_team(team: Team) -> None:
    lock_rows(Team.objects.filter(pk=team.pk), whole=True).get()


def _take_out(member: Membership) -> None:
    entries = _entries(member.team)
    for participant in member.user.participants.filter(participation__in=entries):
        if participant.participation.submissions.exists():
            participant.left_at = timezone.now()
            participant.save(update_fields=["left_at"])
        else:
            participant.delete()
    member.delete()


def _entries(team: Team) -> list[Any]:
    """Entries of the team, with those that they were merged into."""
    entries = []
    entry: Any
    for entry in team.participations.select_related("merged_into"):
        while entry is not None:
            entries.append(entry)
            entry = entry.merged_into
    return entries


def _member(members: list[Membership], user: User) -> Membership:
    for member in members:
        if member.user_id == user.pk:
            return member
    raise Refusal(_("You are not in this team (any more)."))


def _by_pk(members: list[Membership], pk: int) -> Membership:
    for member in members:
        if member.pk == pk:
            return member
    raise Refusal(_("The team has no such member (any more)."))


def require_leader(user: User, members: list[Membership]) -> None:
    """Raises Refusal for a person who does not lead."""
    if not leads(_member(members, user), members):
        raise Refusal(_("Only a leader of the team can do that."))


def _require_other_leader(member: Membership, members: list[Membership]) -> None:
    if only_leader(members) == member:
        raise Refusal(_("A team needs a leader: make somebody else one first."))


def open_invitations(team: Team) -> list[TeamInvitation]:
    """Open invitations to a team, the newest first, with who made them."""
    return list(_still_open(team).select_related("by"))


def invite(team: Team, by: User) -> TeamInvitation:
    """Make a link. Raises Refusal when too many are open."""
    with transaction.atomic():
        _lock_team(team)
        if _still_open(team).count() >= MOST_OPEN:
            words = _("%(n)s invitations are open; take some back first.")
            raise Refusal(words % {"n": MOST_OPEN})
        now = timezone.now()
        ends = now + TeamInvitation.EXPIRES
        return TeamInvitation.objects.create(team=team, by=by, at=now, expires_at=ends)


def address(invitation: TeamInvitation) -> str:
    """The path of an invitation; only we can make one."""
    return reverse("team-invitation", args=[dumps(invitation.pk, salt=SALT)])


def invitation_of(token: str) -> TeamInvitation | None:
    """The invitation a link stands for; None for a link that we did not make."""
    try:
        key = loads(token, salt=SALT)
    except BadSignature:
        return None
    invitations = TeamInvitation.objects.select_related("team", "by")
    return invitations.filter(pk=key).first()


def revoke(team: Team, pk: int) -> None:
    """Take an invitation back. Raises Refusal once it was accepted."""
    if not _still_open(team).filter(pk=pk).update(revoked_at=timezone.now()):
        raise Refusal(_("It was used already, or is too old."))


def accept(invitation: TeamInvitation, user: User) -> None:
    """Become a member. Of two who are as quick as each other, one is late.

    Who is in the team already does not use the link up. Raises Refusal.
    """
    team = invitation.team
    with transaction.atomic():
        _lock_team(team)
        if Membership.objects.filter(team=team, user=user).exists():
            raise Refusal(_("You are in this team already."))
        taken = _still_open(team).filter(pk=invitation.pk)
        if not taken.update(accepted_at=timezone.now(), accepted_by=user):
            raise Refusal(_("This invitation was used, taken back or is too old."))
        enter(team, user)


def conflicting_tasks(team: Team, user: User) -> list[str]:
    """Tasks of the team in which the person is with another one, and stays there."""
    own = user.participants.exclude(participation__team=team)
    shared = own.filter(task__participations__team=team)
    shared = shared.exclude(task__participations__anonymous=True)
    return sorted(set(shared.values_list("task__title", flat=True)))


def _still_open(team: Team) -> QuerySet[TeamInvitation]:
    return TeamInvitation.objects.filter(
        team=team, accepted_at=None, revoked_at=None, expires_at__gt=timezone.now()
    )
