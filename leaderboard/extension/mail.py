"""Letters of an extra, stored with what they tell of and sent by a worker."""

from leaderboard.mail.outbox import MailKind, NotWanted, order
from leaderboard.organize.mail import MESSAGE
from leaderboard.tasks.mail import subject_of
from leaderboard.web.languages import mail_language_for

# All mail is a row of the outbox.
__all__ = [
    "MESSAGE",  # The kind of organizers' messages.
    "MailKind",
    "NotWanted",
    "mail_language_for",
    "order",
    "subject_of",
]
