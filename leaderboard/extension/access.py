"""Marks of views: who may use one, and the rows that it is given; and locks of rows."""

from leaderboard.results.views import scored_evaluation_or_404
from leaderboard.submissions.access import ON_BOARD, SUBMISSION
from leaderboard.tasks.access import (
    EDIT,
    PEOPLE,
    PHASE,
    SEE,
    TASK,
    lock_phase,
    lock_task,
)
from leaderboard.teams.requests import SignedInCall, SignedInRequest
from leaderboard.web.access import ANYBODY, LINK, access
from leaderboard.web.locks import lock_rows

# Every view of an extra says who may use it, in the words of the site's views.
__all__ = [
    "ANYBODY",  # Everybody may use it; `.signed_in`: who is signed in.
    "EDIT",  # Who may edit the task, which the view is given; `.of_phase`: its phase.
    "LINK",  # Whoever has the address, which the view proves.
    "ON_BOARD",  # Those to whom a board shows the submission.
    "PEOPLE",  # Organizers who decide on teams, given the task.
    "PHASE",  # Whoever sees the task, given its phase.
    "SEE",  # Who sees everything of the task; `.of_phase` as of EDIT.
    "SUBMISSION",  # Its team, and organizers who see everything.
    "TASK",  # Whoever sees the task, which the view is given.
    "SignedInCall",
    "SignedInRequest",
    "access",
    "scored_evaluation_or_404",
]
# Changes hold rows in one order, whoever makes them.
__all__ += ["lock_phase", "lock_rows", "lock_task"]
