"""Changes of an extra's rows in the history of a task, and events it hears of."""

# Rows of an extra belong to the history of their task.
from leaderboard.tasks.models.changes import watch

# A refused upload leaves no row that an extra could read.
from leaderboard.submissions.accept import (
    upload_refused,  # A signal after a refusal: `upload`, `problems`.
)
