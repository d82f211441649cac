"""Submissions that an extra hands in for a team."""

from leaderboard.results.my_submissions import DECIDED, STATES, shown_state
from leaderboard.results.status import TEXTS
from leaderboard.submissions.accept import (
    OUR_FAULT,
    Unfit,
    Upload,
    check_upload,
    store_all,
    submit,
    unpack_zip,
)
from leaderboard.submissions.admin_actions import (
    admit,
    announce_admitted,
    disqualify,
    reinstate,
    retry,
)
from leaderboard.submissions.dispatch import create_evaluations, hint_after_commit
from leaderboard.submissions.evaluation import gold_of
from leaderboard.submissions.evaluation import run as run_evaluation
from leaderboard.submissions.models import (
    ATTEMPT_KEPT,
    PROGRAM_FAILED,
    PROGRAM_GAVE_NOTHING,
    RELATED,
    WITHOUT_ENTRIES,
)
from leaderboard.submissions.outside_counts import lacking
from leaderboard.submissions.quota import day_of, give_back, next_day

__all__ = [
    "ATTEMPT_KEPT",
    "DECIDED",
    "OUR_FAULT",
    "PROGRAM_FAILED",
    "PROGRAM_GAVE_NOTHING",
    "RELATED",
    "STATES",
    "TEXTS",
    "WITHOUT_ENTRIES",
    "Unfit",
    "Upload",
    "admit",
    "announce_admitted",
    "check_upload",
    "create_evaluations",
    "day_of",
    "disqualify",
    "give_back",
    "gold_of",
    "hint_after_commit",
    "lacking",
    "next_day",
    "reinstate",
    "retry",
    "run_evaluation",
    "shown_state",
    "store_all",
    "submit",
    "unpack_zip",
]
