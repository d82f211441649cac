"""The canary string of a task: it stands in what is published, and nowhere else."""

from hashlib import sha256
from uuid import UUID

from leaderboard.tasks.models import Task


def canary_of(task: Task) -> str:
    """The same for ever: of the moment at which the task was made, to a microsecond."""
    text = f"canary {task.pk} {task.created_at.isoformat()} {task.seed}"
    number = UUID(bytes=sha256(text.encode()).digest()[:16], version=4)
    return f"canary GUID {number}"


def canary_sentence(task: Task) -> str:
    """The sentence beside the published files of a task. In English: programs that
    filter training data look for it."""
    return (
        "This is material of a test set and should be in no training data: "
        f"{canary_of(task)}"
    )
