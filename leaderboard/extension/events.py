"""What the history of a task records of an extra's rows, and what an extra hears of."""

from leaderboard.submissions.accept import upload_refused
from leaderboard.tasks.models.changes import COUNTED, not_its_making, watch
from leaderboard.tasks.models.records import announce, notices_of

__all__ = [
    "COUNTED",
    "announce",
    "not_its_making",
    "notices_of",
    "upload_refused",
    "watch",
]
