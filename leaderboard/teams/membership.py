"""Who belongs to a team and who leads it: leaving, removing, handing over.

What was sent stays with the team. Who leaves a team that sent something in a task is
out of it there, and cannot take part with another: else a person could use the
attempts of one team after those of another.
"""

from django.core.signing import BadSignature, dumps, loads
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.teams.models import Membership, Team, TeamInvitation, User
from leaderboard.teams.refusal import Refusal
from leaderboard.web.locks import locked

Role = Membership.TeamRole


def membership(team: Team, user: User) -> Membership | None:
    """The person's own row in the team, if there is one."""
    return Membership.objects.filter(team=team, user=user).first()


def leads(mine: Membership, everybody: list[Membership]) -> bool:
    """A leader, or anybody in a team that has none."""
    return mine.role == Role.LEADER or all(one.role != Role.LEADER for one in everybody)


def sent_something(team: Team) -> bool:
    return bool(team.participations.filter(submissions__isnull=False).exists())


def leave(team: Team, user: User) -> None:
    """Raises Refusal for the last leader while there is something to lead."""
    with transaction.atomic():
        everybody = _locked(team)
        mine = _of(everybody, user.pk)
        if len(everybody) > 1:
            _require_other_leader(mine, everybody)
        elif sent_something(team):
            words = _("Your team has sent something: invite somebody to take it over.")
            raise Refusal(words)
        _take_out(mine)


def let_go(user: User) -> int:
    """Take somebody who goes for good out of every team; how many there were.

    Where nobody else leads, the longest member does from now on.
    """
    gone = list(Membership.objects.filter(user=user).select_related("team"))
    for mine in gone:
        with transaction.atomic():
            everybody = [one for one in _locked(mine.team) if one.user_id != user.pk]
            if everybody and all(one.role != Role.LEADER for one in everybody):
                everybody[0].role = Role.LEADER
                everybody[0].save(update_fields=["role"])
            _take_out(mine)
    return len(gone)


def remove(team: Team, by: User, pk: int) -> None:
    """A leader takes somebody out; themselves they leave."""
    with transaction.atomic():
        everybody = _locked(team)
        _require_leader(by, everybody)
        chosen = _by_pk(everybody, pk)
        if chosen.user_id == by.pk:
            raise Refusal(_("That is you: leave the team instead."))
        _take_out(chosen)


def give_role(team: Team, by: User, pk: int, role: str) -> None:
    """A leader makes somebody leader or member; one leader always stays."""
    with transaction.atomic():
        everybody = _locked(team)
        _require_leader(by, everybody)
        chosen = _by_pk(everybody, pk)
        if role not in Role.values:
            raise Refusal(_("There is no such role."))
        if role != Role.LEADER:
            _require_other_leader(chosen, everybody)
        chosen.role = role
        chosen.save(update_fields=["role"])


def enter(team: Team, user: User) -> None:
    """Make somebody a member; in tasks that the person left it for, again."""
    Membership.objects.get_or_create(team=team, user=user)
    for one in user.participants.filter(left_at__isnull=False):
        if one.participation in _entries(team):
            one.left_at = None
            one.save(update_fields=["left_at"])


def _locked(team: Team) -> list[Membership]:
    """All members, so that two leaders cannot leave by each other's consent.

    The team's own row is locked first: it stands for those who are not in yet.
    """
    locked(Team.objects.filter(pk=team.pk), whole=True).get()
    return list(Membership.objects.filter(team=team).order_by("pk"))


def _take_out(gone: Membership) -> None:
    entries = _entries(gone.team)
    for one in gone.user.participants.filter(participation__in=entries):
        if one.participation.submissions.exists():
            one.left_at = timezone.now()
            one.save(update_fields=["left_at"])
        else:
            one.delete()
    gone.delete()


def _entries(team: Team) -> list[object]:
    """Where the team takes part, with what it was merged into."""
    found = []
    for entry in team.participations.select_related("merged_into"):
        while entry is not None:
            found.append(entry)
            entry = entry.merged_into
    return found


def _of(everybody: list[Membership], user: int) -> Membership:
    for one in everybody:
        if one.user_id == user:
            return one
    raise Refusal(_("You are not in this team (any more)."))


def _by_pk(everybody: list[Membership], pk: int) -> Membership:
    for one in everybody:
        if one.pk == pk:
            return one
    raise Refusal(_("The team has no such member (any more)."))


def _require_leader(user: User, everybody: list[Membership]) -> None:
    if not leads(_of(everybody, user.pk), everybody):
        raise Refusal(_("Only a leader of the team can do that."))


def _require_other_leader(chosen: Membership, everybody: list[Membership]) -> None:
    leaders = {one.pk for one in everybody if one.role == Role.LEADER}
    if leaders == {chosen.pk}:
        raise Refusal(_("A team needs a leader: make somebody else one first."))


SALT = "invitation to a team"
MOST_OPEN = 20


def open_invitations(team: Team) -> list[TeamInvitation]:
    """Newest first, with who made them."""
    return list(_open(team).select_related("by"))


def invite(team: Team, by: User) -> TeamInvitation:
    """Make a link. Raises Refusal when too many are open."""
    with transaction.atomic():
        locked(Team.objects.filter(pk=team.pk), whole=True).get()
        if _open(team).count() >= MOST_OPEN:
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
    found = TeamInvitation.objects.select_related("team", "by").filter(pk=key)
    return found.first()


def revoke(team: Team, pk: int) -> None:
    """Take one back. Raises Refusal once it was accepted."""
    if not _open(team).filter(pk=pk).update(revoked_at=timezone.now()):
        raise Refusal(_("It was used already, or is too old."))


def accept(invitation: TeamInvitation, user: User) -> None:
    """Become a member. Of two who are as quick as each other, one is late.

    Who is in the team already does not use the link up. Raises Refusal.
    """
    team = invitation.team
    with transaction.atomic():
        locked(Team.objects.filter(pk=team.pk), whole=True).get()
        if Membership.objects.filter(team=team, user=user).exists():
            raise Refusal(_("You are in this team already."))
        taken = _open(team).filter(pk=invitation.pk)
        if not taken.update(accepted_at=timezone.now(), accepted_by=user):
            raise Refusal(_("This invitation was used, taken back or is too old."))
        enter(team, user)


def elsewhere(team: Team, user: User) -> list[str]:
    """Tasks of the team in which the person is with another one, and stays there."""
    own = user.participants.exclude(participation__team=team)
    shared = own.filter(task__participations__team=team)
    shared = shared.exclude(task__participations__anonymous=True)
    return sorted(set(shared.values_list("task__title", flat=True)))


def _open(team: Team) -> QuerySet[TeamInvitation]:
    return TeamInvitation.objects.filter(
        team=team, accepted_at=None, revoked_at=None, expires_at__gt=timezone.now()
    )
