"""The one place that says who sees what of a task."""

from leaderboard.tasks.policy import (
    Disclosure,
    Part,
    Power,
    Sight,
    can,
    disclosure,
    is_revealed,
    listed_tasks,
    sees_blind_files,
    sees_errors,
    sees_option_files,
    with_neighbours,
)

# Whatever an extra shows, the one policy is asked first.
__all__ = [
    "Disclosure",
    "Part",
    "Power",
    "Sight",
    "can",
    "disclosure",
    "is_revealed",
    "listed_tasks",
    "sees_blind_files",
    "sees_errors",
    "sees_option_files",
    "with_neighbours",
]
