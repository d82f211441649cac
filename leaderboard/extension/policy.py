"""The one place that says who sees what of a task."""

# Whatever an extra shows, the one policy is asked first.
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
