"""Submissions that an extra hands in for a team."""

from leaderboard.results.my_submissions import SubmissionFilters
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
from leaderboard.submissions.outside_counts import lacking
from leaderboard.submissions.quota import give_back

__all__ = [
    "OUR_FAULT",  # The problem where the site failed.
    "TEXTS",  # A title and a sentence of each state.
    "SubmissionFilters",
    "Unfit",
    "Upload",
    "admit",
    "announce_admitted",
    "check_upload",
    "create_evaluations",
    "disqualify",
    "give_back",
    "gold_of",
    "hint_after_commit",
    "lacking",
    "reinstate",
    "retry",
    "run_evaluation",
    "store_all",
    "submit",
    "unpack_zip",
]
