"""Letters of an extra, stored with what they tell of and sent by a worker."""

from leaderboard.mail.models import MOST_TRIES
from leaderboard.mail.outbox import MailKind, NotWanted, one_line, order, site
from leaderboard.organize.mail import MESSAGE
from leaderboard.tasks.mail import subject_of
from leaderboard.web.languages import of_reader

__all__ = [
    "MESSAGE",
    "MOST_TRIES",
    "MailKind",
    "NotWanted",
    "of_reader",
    "one_line",
    "order",
    "site",
    "subject_of",
]
