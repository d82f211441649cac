"""Changes of an extra's rows in the history of a task, and events it hears of."""

from leaderboard.submissions.accept import upload_refused
from leaderboard.tasks.models.changes import watch

__all__ = [
    "upload_refused",  # A signal after a refusal: `upload`, `problems`.
    "watch",
]
