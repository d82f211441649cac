"""Runs of programs in the sandbox, for extras that score with them or run code."""

from leaderboard.organize.baselines import whole_plan, withdraw_baselines
from leaderboard.organize.bundle import apply, nothing_is_scored
from leaderboard.organize.checked_test_sets import About, CheckedSystem, TestSetCheck
from leaderboard.organize.test_sets import recheck_gold
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
    "About",  # Of a test set: name, title, name and bytes of its input file.
    "CheckedSystem",
    "Inventory",
    "NoResult",
    "OutcomeUnusable",
    "SubmissionKind",
    "TestSetCheck",
    "apply",
    "inventory",
    "may_run_programs",
    "nothing_is_scored",
    "recheck_gold",
    "run_code",
    "run_limits",
    "run_program",
    "run_trial",
    "whole_plan",
    "withdraw_baselines",
]
