"""The one place that says who sees what of a task."""

from leaderboard.tasks.policy import (
    CountingRule,
    Disclosure,
    Part,
    Power,
    Sight,
    can,
    disclosure,
    listed_tasks,
    revealed,
    sees_blind_files,
    sees_errors,
    sees_option_files,
    with_neighbours,
)

__all__ = [
    "CountingRule",
    "Disclosure",
    "Part",
    "Power",
    "Sight",
    "can",
    "disclosure",
    "listed_tasks",
    "revealed",
    "sees_blind_files",
    "sees_errors",
    "sees_option_files",
    "with_neighbours",
]
