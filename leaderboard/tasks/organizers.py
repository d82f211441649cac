"""Roles in a task: who has one, who is asked, and that one owner always stays."""

from allauth.account.models import EmailAddress
from django.core.signing import BadSignature, dumps, loads
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.mail import outbox
from leaderboard.mail.models import Mail
from leaderboard.tasks.access import lock_task
from leaderboard.tasks.models import (
    Invitation,
    Organizer,
    Task,
)
from leaderboard.tasks.participation import competes_with
from leaderboard.teams import limits
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal

SALT = "invitation to organize"
MOST_OPEN = 20
MOST_A_DAY = 40
INVITED, COMPETES = "invitation", "competing organizer"  # kinds of mail
Role = Organizer.Role


def invite(task: Task, email: str, role: str, by: User) -> Invitation:
    """Ask somebody to organize; an open invitation to the same address is replaced.

    Raises Refusal for somebody who organizes the task already, and when too many
    are open or were sent today: the site's mail is no means to write to strangers.
    """
    email = email.lower()
    with transaction.atomic():
        lock_task(task.pk)
        if Organizer.objects.filter(task=task, user__email=email).exists():
            words = _("%(email)s organizes this task already.")
            raise Refusal(words % {"email": email})
        waiting = Invitation.objects.filter(
            task=task, accepted_at=None, revoked_at=None
        )
        if waiting.exclude(email=email).count() >= MOST_OPEN:
            words = _("%(n)s invitations are open; take some back first.")
            raise Refusal(words % {"n": MOST_OPEN})
        words = _(
            "A task may send %(n)s invitations to organize a day, and so may a person, "
            "those taken back counted: send the rest tomorrow."
        )
        subjects = f"task {task.pk}", by
        limits.require(words, INVITED, MOST_A_DAY, *subjects)
        waiting.filter(email=email).update(revoked_at=timezone.now())
        invitation = Invitation.objects.create(task=task, email=email, role=role, by=by)
        outbox.order(Mail(kind=INVITED, about=invitation.pk, address=email))
    return invitation


def address(invitation: Invitation) -> str:
    """The path of an invitation; only we can make one."""
    return reverse("invitation", args=[dumps(invitation.pk, salt=SALT)])


def invitation_of(token: str) -> Invitation | None:
    """The invitation a link stands for; None for a link that we did not make."""
    try:
        key = loads(token, salt=SALT)
    except BadSignature:
        return None
    invitations = Invitation.objects.select_related("task", "by").filter(pk=key)
    return invitations.first()


def meant_for(user: User, invitation: Invitation) -> bool:
    """The address counts, so that a link passed on is of no use to others."""
    confirmed = EmailAddress.objects.filter(user=user, verified=True)
    own = {user.email, *confirmed.values_list("email", flat=True)}
    return invitation.email.lower() in {address.lower() for address in own}


def accept(invitation: Invitation, user: User) -> None:
    """Take the role. Raises Refusal when it is too late or for somebody else."""
    if not meant_for(user, invitation):
        words = _("This invitation is for the account with %(email)s.")
        raise Refusal(words % {"email": invitation.email})
    with transaction.atomic():
        lock_task(invitation.task_id)
        rows = Invitation.objects.filter(pk=invitation.pk)
        if not rows.get().is_open:
            raise Refusal(_("This invitation was used, taken back or is too old."))
        rows.update(accepted_at=timezone.now(), accepted_by=user)
        if competes_with(invitation.task, user):
            mail = Mail(kind=COMPETES, about=invitation.pk, user=invitation.by)
            outbox.order(mail)
        Organizer.objects.get_or_create(
            task=invitation.task, user=user, defaults={"role": invitation.role}
        )


def revoke(invitation: Invitation) -> None:
    """Take an invitation back. Raises Refusal once it was accepted."""
    rows = Invitation.objects.filter(pk=invitation.pk, accepted_at=None)
    with transaction.atomic():
        lock_task(invitation.task_id)
        if not rows.update(revoked_at=timezone.now()):
            words = _("It was accepted already; remove the organizer instead.")
            raise Refusal(words)


def change_role(organizer: Organizer, role: str) -> None:
    """Give another role. Raises Refusal for the last owner."""
    with transaction.atomic():
        lock_task(organizer.task_id)
        if role != Role.OWNER:
            _require_other_owner(organizer)
        if not Organizer.objects.filter(pk=organizer.pk).update(role=role):
            raise Refusal(_("Somebody else took the roles of this person away."))
        organizer.role = role


def remove(organizer: Organizer) -> None:
    """Take every role. Raises Refusal for the last owner."""
    with transaction.atomic():
        lock_task(organizer.task_id)
        _require_other_owner(organizer)
        organizer.delete()


def _require_other_owner(organizer: Organizer) -> None:
    """Require another owner, with the task held: two owners cannot remove each
    other."""
    owners = Organizer.objects.filter(task=organizer.task_id, role=Role.OWNER)
    if set(owners.values_list("pk", flat=True)) == {organizer.pk}:
        raise Refusal(_("A task needs an owner: make somebody else one first."))
