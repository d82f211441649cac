"""Letters of an extra, stored with what they tell of and sent by a worker."""

from leaderboard.mail.outbox import MailKind, NotWanted, order, site

__all__ = [
    "MailKind",
    "NotWanted",
    "order",
    "site",
]
