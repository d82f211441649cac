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

# An extra hands files in by the path of every upload.
__all__ = [
    "OUR_FAULT",  # The problem where the site failed.
    "Unfit",
    "Upload",
    "check_upload",
    "store_all",
    "submit",
    "unpack_zip",
]
# What an extra counts or runs waits in the queue of all scoring.
__all__ += [
    "create_evaluations",
    "give_back",
    "gold_of",
    "hint_after_commit",
    "lacking",
    "run_evaluation",
]
# Decisions on a submission are taken in one place, each with its event.
__all__ += ["admit", "announce_admitted", "disqualify", "reinstate", "retry"]
# Lists of submissions are filtered and worded alike.
__all__ += [
    "TEXTS",  # A title and a sentence of each state.
    "SubmissionFilters",
]
