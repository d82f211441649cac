"""Mail that invites somebody to take part in a task."""

from django.core.mail import EmailMessage
from django.utils.translation import gettext as _

from leaderboard.extension.exports import absolute
from leaderboard.extension.mail import (
    MailKind,
    NotWanted,
    mail_language_for,
    subject_of,
)
from leaderboard.extension.models import Mail
from leaderboard.extras.invitations.models import EntryInvitation

KIND = "entry invitation"


def _written(_row: Mail, invitation: EntryInvitation) -> EmailMessage:
    """Raises NotWanted where nobody could follow it."""
    task, by = invitation.task, invitation.by
    if task.draft or not by.is_active:
        raise NotWanted("the task is a draft, or who invited is gone")
    with mail_language_for(invitation.email, by):
        words = _(
            "%(by)s invites you to take part in a shared task: %(task)s.\n"
            "%(summary)s\n\n"
            "%(address)s\n\n"
            "To take part, sign up with this address and join the task with a team. "
            "If you do not\nwant to, you need do nothing. Your address was entered by "
            "the organizers of the task;\nan answer to this mail goes to them."
        )
        values = {
            "by": by,
            "task": task.title,
            "summary": task.summary,
            "address": absolute(task.get_absolute_url()),
        }
        subject = subject_of(task, _("Invitation to take part"))
    return EmailMessage(
        subject, words % values, to=[invitation.email], reply_to=[by.email]
    )


MailKind(KIND, _written, EntryInvitation.objects.select_related("task", "by"))
