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
    "ANYBODY",
    "EDIT",
    "EDIT_PHASE",
    "LINK",
    "ON_BOARD",
    "PEOPLE",
    "PHASE",
    "SEE",
    "SEE_PHASE",
    "SIGNED_IN",
    "SUBMISSION",
    "TASK",
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
