"""Marks of views: who may use one, and the rows that it is given; and locks of rows."""

from leaderboard.results.views import scored_evaluation_or_404
from leaderboard.submissions.access import ON_BOARD, SUBMISSION
from leaderboard.tasks.access import (
    EDIT,
    EDIT_PHASE,
    PEOPLE,
    PHASE,
    SEE,
    SEE_PHASE,
    TASK,
    lock_phase,
    lock_phases,
    lock_task,
    task_locked,
)
from leaderboard.teams.requests import SignedInCall, SignedInRequest
from leaderboard.web.access import ANYBODY, LINK, SIGNED_IN, access
from leaderboard.web.locks import lock_rows

__all__ = [
    "ANYBODY",  # Everybody may use it.
    "EDIT",  # Organizers who may edit the task, which the view is given.
    "EDIT_PHASE",  # The same, of a phase.
    "LINK",  # Whoever has the address, which the view proves.
    "ON_BOARD",  # Those to whom a board shows the submission.
    "PEOPLE",  # Organizers who decide on teams, given the task.
    "PHASE",  # Whoever sees the task, given its phase.
    "SEE",  # Organizers who see everything of the task, which they are given.
    "SEE_PHASE",  # The same, of a phase.
    "SIGNED_IN",  # Whoever is signed in.
    "SUBMISSION",  # Its team, and organizers who see everything.
    "TASK",  # Whoever sees the task, which the view is given.
    "SignedInCall",
    "SignedInRequest",
    "access",
    "lock_phase",
    "lock_phases",
    "lock_rows",
    "lock_task",
    "scored_evaluation_or_404",
    "task_locked",
]
