"""Submissions that an extra hands in for a team."""

# An extra hands files in by the path of every upload.
from leaderboard.submissions.accept import (
    OUR_FAULT,  # The problem where the site failed.
    Unfit,
    Upload,
    check_upload,
    store_all,
    submit,
    unpack_zip,
)

# What an extra counts or runs waits in the queue of all scoring.
from leaderboard.submissions.dispatch import create_evaluations, hint_after_commit
from leaderboard.submissions.evaluation import gold_of, run as run_evaluation
from leaderboard.submissions.outside_counts import lacking
from leaderboard.submissions.quota import give_back

# Decisions on a submission are taken in one place, each with its event.
from leaderboard.submissions.admin_actions import (
    admit,
    announce_admitted,
    disqualify,
    reinstate,
    retry,
)

# Lists of submissions are filtered and worded alike.
from leaderboard.results.my_submissions import SubmissionFilters
from leaderboard.results.status import TEXTS  # A title and a sentence of each state.
