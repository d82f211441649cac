"""Roles in a task: who has one, who is asked, and that one owner always stays."""

from allauth.account.models import EmailAddress
from django.core.signing import BadSignature, dumps, loads
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.tasks.models import Invitation, Organizer, Task
from leaderboard.teams.models import User

SALT = "invitation to organize"
MOST_OPEN = 20
Role = Organizer.Role


class NotPossible(Exception):
    """Why a role cannot be given or taken, in words."""


def invite(task: Task, email: str, role: str, by: User) -> Invitation:
    """Ask somebody to organize; an open invitation to the same address is replaced.

    Raises NotPossible for somebody who organizes the task already, and when too many
    are open: the site's mail is no means to write to strangers.
    """
    email = email.lower()
    if Organizer.objects.filter(task=task, user__email=email).exists():
        raise NotPossible(
            _("%(email)s organizes this task already.") % {"email": email}
        )
    waiting = Invitation.objects.filter(task=task, accepted_at=None, revoked_at=None)
    if waiting.exclude(email=email).count() >= MOST_OPEN:
        raise NotPossible(
            _("%(n)s invitations are open; take some back first.") % {"n": MOST_OPEN}
        )
    with transaction.atomic():
        waiting.filter(email=email).update(revoked_at=timezone.now())
        return Invitation.objects.create(task=task, email=email, role=role, by=by)


def address(invitation: Invitation) -> str:
    """The path of an invitation; only we can make one."""
    return reverse("invitation", args=[dumps(invitation.pk, salt=SALT)])


def invitation_of(token: str) -> Invitation | None:
    """The invitation a link stands for; None for a link that we did not make."""
    try:
        key = loads(token, salt=SALT)
    except BadSignature:
        return None
    found = Invitation.objects.select_related("task", "by").filter(pk=key)
    return found.first()


def meant_for(user: User, invitation: Invitation) -> bool:
    """The address counts, so that a link passed on is of no use to others."""
    confirmed = EmailAddress.objects.filter(user=user, verified=True)
    own = {user.email, *confirmed.values_list("email", flat=True)}
    return invitation.email.lower() in {address.lower() for address in own}


def accept(invitation: Invitation, user: User) -> None:
    """Take the role. Raises NotPossible when it is too late or for somebody else."""
    if not meant_for(user, invitation):
        words = _("This invitation is for the account with %(email)s.")
        raise NotPossible(words % {"email": invitation.email})
    with transaction.atomic():
        rows = Invitation.objects.select_for_update().filter(pk=invitation.pk)
        if not rows.get().is_open:
            raise NotPossible(_("This invitation was used, taken back or is too old."))
        rows.update(accepted_at=timezone.now(), accepted_by=user)
        Organizer.objects.get_or_create(
            task=invitation.task, user=user, defaults={"role": invitation.role}
        )


def revoke(invitation: Invitation) -> None:
    """Take an invitation back. Raises NotPossible once it was accepted."""
    rows = Invitation.objects.filter(pk=invitation.pk, accepted_at=None)
    if not rows.update(revoked_at=timezone.now()):
        raise NotPossible(_("It was accepted already; remove the organizer instead."))


def change_role(organizer: Organizer, role: str) -> None:
    """Give another role. Raises NotPossible for the last owner."""
    with transaction.atomic():
        if role != Role.OWNER:
            _require_other_owner(organizer)
        organizer.role = role
        organizer.save(update_fields=["role"])


def remove(organizer: Organizer) -> None:
    """Take every role. Raises NotPossible for the last owner."""
    with transaction.atomic():
        _require_other_owner(organizer)
        organizer.delete()


def _require_other_owner(organizer: Organizer) -> None:
    """With all owners locked, so that two of them cannot remove each other."""
    rows = Organizer.objects.filter(task=organizer.task_id, role=Role.OWNER)
    owners = {one.pk for one in rows.order_by("pk").select_for_update()}
    if owners == {organizer.pk}:
        raise NotPossible(_("A task needs an owner: make somebody else one first."))
