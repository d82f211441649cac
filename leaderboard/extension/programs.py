"""Runs of programs in the sandbox, for extras that score with them or run code."""

from leaderboard.organize.bundle import nothing_is_scored
from leaderboard.organize.checked_test_sets import CheckedSystem, TestSetCheck
from leaderboard.organize.scorer import replace_options
from leaderboard.sandbox.program_environment import Inventory, inventory
from leaderboard.submissions.program_rights import (
    may_run_programs,
    run_code,
    run_limits,
    run_program,
    run_trial,
)
from leaderboard.submissions.runners import NoResult, OutcomeUnusable
from leaderboard.submissions.submission_kinds import SubmissionKind

# Programs and code run in the sandbox alone, where somebody may have them run.
__all__ = [
    "Inventory",
    "inventory",
    "may_run_programs",
    "run_code",
    "run_limits",
    "run_program",
    "run_trial",
]
# A runner tells what it is given and how a run ended.
__all__ += ["NoResult", "OutcomeUnusable", "SubmissionKind"]
# The set-up check of a task shows what its program does.
__all__ += ["CheckedSystem", "TestSetCheck", "nothing_is_scored", "replace_options"]
