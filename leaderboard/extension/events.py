"""What the history of a task records of an extra's rows, and what an extra hears of."""

from leaderboard.submissions.accept import upload_refused
from leaderboard.tasks.models.changes import not_its_making, watch

__all__ = [
    "not_its_making",
    "upload_refused",
    "watch",
]
