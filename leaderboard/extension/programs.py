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

__all__ = [
    "CheckedSystem",
    "Inventory",
    "NoResult",
    "OutcomeUnusable",
    "SubmissionKind",
    "TestSetCheck",
    "inventory",
    "may_run_programs",
    "nothing_is_scored",
    "replace_options",
    "run_code",
    "run_limits",
    "run_program",
    "run_trial",
]
