"""Mail about a task: what each has, and invitations to organize."""

from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils.translation import gettext as _

from leaderboard.mail.models import Mail
from leaderboard.mail.outbox import MailKind, NotWanted, host, one_line
from leaderboard.tasks import organizers
from leaderboard.tasks.models import Invitation, Task
from leaderboard.tasks.participation import competes_with
from leaderboard.web.addresses import absolute
from leaderboard.web.languages import mail_language_for, of_reader

INVITATIONS = Invitation.objects.select_related("task", "by", "accepted_by")


def subject_of(task: Task, subject: str) -> str:
    """The subject of a mail about a task, on one line."""
    return one_line(f"[{task.title}] {subject}")


def headers(task: Task, off: str) -> dict[str, str]:
    """Headers of a mail about a task, which the address `off` stops."""
    return {
        "List-Id": f"<{task.slug}.{host()}>",
        "List-Unsubscribe": f"<{off}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }


def _invitation(_row: Mail, invitation: Invitation) -> EmailMessage:
    """The mail of an invitation, whose link is signed now, so that no row holds it.
    Raises NotWanted."""
    if not invitation.is_open:
        raise NotWanted("it was accepted or taken back, or is too old")
    with mail_language_for(invitation.email, invitation.by):
        words = _(
            "%(by)s asks you to help organizing %(task)s, as\n%(role)s.\n\n"
            "Accept or ignore it here, within %(days)s days:\n%(address)s\n\n"
            "It works once, for the account with this address. If you have none yet, "
            "sign up\nwith this address first and open the link again."
        )
        values = {
            "by": invitation.by,
            "task": invitation.task.title,
            "role": invitation.get_role_display(),
            "days": Invitation.EXPIRES.days,
            "address": absolute(organizers.address(invitation)),
        }
        subject = subject_of(invitation.task, _("Invitation to organize"))
    return EmailMessage(subject, words % values, to=[invitation.email])


def _competing(_row: Mail, invitation: Invitation) -> EmailMessage:
    """A mail to the owner who invited; the page of people says it too. Raises
    NotWanted."""
    user = invitation.accepted_by
    entry = competes_with(invitation.task, user) if user else None
    if entry is None:
        raise NotWanted("does not compete any more")
    with of_reader(invitation.by):
        words = _(
            "%(user)s accepted your invitation to organize %(task)s and is in "
            "%(team)s, which competes.\nWhat the team sends from now on is marked as "
            "that of an organizers' team and not ranked.\nAn owner may decide "
            "otherwise:\n%(address)s"
        )
        place = reverse("organize-team", args=[invitation.task.slug, entry.pk])
        values = {
            "user": user,
            "task": invitation.task.title,
            "team": entry.team,
            "address": absolute(place),
        }
        title = _("An organizer is in a team that competes")
    subject = subject_of(invitation.task, title)
    return EmailMessage(subject, words % values, to=[invitation.by.email])


MailKind(organizers.INVITED, _invitation, INVITATIONS)
MailKind(organizers.COMPETES, _competing, INVITATIONS)
