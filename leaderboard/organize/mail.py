"""Mail with messages of organizers."""

from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils.translation import gettext as _

from leaderboard.mail.models import Mail
from leaderboard.mail.outbox import MailKind, NotWanted
from leaderboard.tasks.mail import headers, subject_of
from leaderboard.tasks.models import Message
from leaderboard.teams.mail import off_address
from leaderboard.teams.models import User
from leaderboard.web.addresses import absolute
from leaderboard.web.languages import of_reader

MESSAGE = "message"
NEWS = "news"  # the audience of an announcement
SWITCHED_OFF = "has switched messages off"


def text_of(message: Message, reader: User) -> str:
    """The message with what every one ends in: who sent it, why, how to stop them."""
    lines = [
        message.text.strip(),
        "",
        "-- ",
        _("Written by the organizers of %(task)s: %(address)s")
        % {
            "task": message.task.title,
            "address": absolute(message.task.get_absolute_url()),
        },
        _why(message),
        _("No more messages of organizers: %(address)s")
        % {"address": absolute(off_address(reader))},
    ]
    return "\n".join(lines)


def _why(message: Message) -> str:
    if message.audience != NEWS:
        return _("You receive this because your team takes part in that task.")
    log = absolute(reverse("task-log", args=[message.task.slug]))
    words = _(
        "You receive this because you take part in that task or follow it: %(log)s"
    )
    return words % {"log": log}


def mail_of(message: Message, reader: User) -> EmailMessage:
    """A message to one person; what stands below it is in their language."""
    with of_reader(reader):
        body = text_of(message, reader)
    return EmailMessage(
        subject=subject_of(message.task, message.subject),
        body=body,
        to=[reader.email],
        reply_to=[message.by.email] if message.by else None,
        headers=headers(message.task, absolute(off_address(reader))),
    )


def written(row: Mail, message: Message) -> EmailMessage:
    """Raises NotWanted for readers who switched messages off meanwhile."""
    reader = row.user
    assert reader is not None
    if not (reader.is_active and (message.important or reader.wants_messages)):
        raise NotWanted(SWITCHED_OFF)
    return mail_of(message, reader)


MailKind(MESSAGE, written, Message.objects.select_related("task", "by"))
