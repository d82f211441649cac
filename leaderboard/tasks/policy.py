"""Who may see what of a phase: the one place that every channel asks."""

from enum import Enum
from typing import Any

from django.utils import timezone

from leaderboard.tasks.models import Organizer, Phase, Task


class Power(Enum):
    """What an organizer may do; each includes nothing but itself."""

    SEE = "see every score and submission"
    EDIT = "change the task, its phases and its gold, and take the gold away"
    PEOPLE = "admit, disqualify, merge, write to participants"
    OWN = "give roles, delete the task"


POWERS = {
    Organizer.Role.REVIEWER: {Power.SEE},
    Organizer.Role.EDITOR: {Power.SEE, Power.EDIT, Power.PEOPLE},
    Organizer.Role.OWNER: set(Power),
}


def can(user: Any, task: Task, power: Power) -> bool:
    """Whether the person's role in the task gives that power; administrators have all.

    One query, none for anonymous readers.
    """
    if not user.is_authenticated:
        return False
    if user.is_superuser:
        return True
    role = Organizer.objects.filter(task=task, user=user).values_list("role", flat=True)
    return any(power in POWERS[Organizer.Role(one)] for one in role)


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
