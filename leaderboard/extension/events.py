"""Changes of an extra's rows in the history of a task, and events it hears of."""

from leaderboard.submissions.accept import upload_refused
from leaderboard.tasks.models.changes import watch

# Rows of an extra belong to the history of their task.
__all__ = ["watch"]
# A refused upload leaves no row that an extra could read.
__all__ += [
    "upload_refused",  # A signal after a refusal: `upload`, `problems`.
]
