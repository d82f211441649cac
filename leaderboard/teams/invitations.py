"""Links that let one person into one team: made, taken back, accepted."""

from django.core.signing import BadSignature, dumps, loads
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.teams import membership
from leaderboard.teams.models import Membership, Team, TeamInvitation, User

SALT = "invitation to a team"
MOST_OPEN = 20


class NotInvited(Exception):
    """Why an invitation cannot be made, or accepted, in words."""


def open_invitations(team: Team) -> list[TeamInvitation]:
    """Newest first, with who made them."""
    return list(_open(team).select_related("by"))


def invite(team: Team, by: User) -> TeamInvitation:
    """Make a link. Raises NotInvited when too many are open."""
    with transaction.atomic():
        Team.objects.select_for_update().get(pk=team.pk)
        if _open(team).count() >= MOST_OPEN:
            words = _("%(n)s invitations are open; take some back first.")
            raise NotInvited(words % {"n": MOST_OPEN})
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
    """Take one back. Raises NotInvited once it was accepted."""
    if not _open(team).filter(pk=pk).update(revoked_at=timezone.now()):
        raise NotInvited(_("It was used already, or is too old."))


def accept(invitation: TeamInvitation, user: User) -> None:
    """Become a member. Of two who are as quick as each other, one is late.

    Who is in the team already does not use the link up. Raises NotInvited.
    """
    team = invitation.team
    with transaction.atomic():
        Team.objects.select_for_update().get(pk=team.pk)
        if Membership.objects.filter(team=team, user=user).exists():
            raise NotInvited(_("You are in this team already."))
        taken = _open(team).filter(pk=invitation.pk)
        if not taken.update(accepted_at=timezone.now(), accepted_by=user):
            raise NotInvited(_("This invitation was used, taken back or is too old."))
        membership.enter(team, user)


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
