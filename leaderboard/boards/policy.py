"""Who may see which number: the one place that page, chart, API and export ask."""

from typing import Any

from leaderboard.tasks.models import Phase


def sees_board(user: Any, phase: Phase) -> bool:
    """The board of an open phase policy is public; organizers see every board."""
    return phase.policy == Phase.Policy.OPEN or phase.task.is_organized_by(user)
