"""Changes of an extra's rows in the history of a task, and events it hears of."""

from leaderboard.submissions.accept import upload_refused
from leaderboard.tasks.models.changes import COUNTED, not_its_making, watch
from leaderboard.tasks.models.records import announce, notices_of

__all__ = [
    "COUNTED",  # Why the history leaves a field out: its file's hash is there.
    "announce",
    "not_its_making",
    "notices_of",
    "upload_refused",  # A signal after a refusal: `upload`, `problems`.
    "watch",
]
