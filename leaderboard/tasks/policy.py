"""Who may see what of a phase: the one place that every channel asks."""

from typing import Any

from django.utils import timezone

from leaderboard.tasks.models import Phase, Task


def sees_board(user: Any, phase: Phase) -> bool:
    """The board of an open policy is public; organizers see every board."""
    return phase.policy == Phase.Policy.OPEN or phase.task.is_organized_by(user)


def sees_own_scores(user: Any, phase: Phase) -> bool:
    """Whether a team may see the scores of its own submissions."""
    return sees_board(user, phase)


def sees_blind_files(user: Any, phase: Phase) -> bool:
    """The input is public once the phase opens; its organizers see it before."""
    begun = phase.state(timezone.now()) != "upcoming"
    return begun or phase.task.is_organized_by(user)


def sees_option_files(user: Any, task: Task) -> bool:
    """The scorer's files are public once a phase of the task has opened."""
    begun = task.phases.filter(opens__lte=timezone.now()).exists()
    return begun or task.is_organized_by(user)
