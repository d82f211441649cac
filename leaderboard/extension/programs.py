"""Runs of programs in the sandbox, for the extra that scores with them."""

from leaderboard.organize.baselines import whole_plan, withdraw_baselines
from leaderboard.organize.bundle import apply, unscored
from leaderboard.organize.checked_test_sets import About, CheckedSystem, TestSetCheck
from leaderboard.organize.test_sets import recheck_gold
from leaderboard.sandbox.jobs.programs import request_of
from leaderboard.sandbox.program_environment import Inventory, inventory, python
from leaderboard.submissions.runners import NoResult, OutcomeUnusable
from scoring.sandbox.fork import Limits, Supervision
from scoring.sandbox.program import EVERYONE, GRANTED, SandboxIncomplete
from scoring.sandbox.scoring_program import FinishedRun, ProgramLimits, RunPlace
from scoring.sandbox.scoring_program import run as run_program

__all__ = [
    "EVERYONE",
    "GRANTED",
    "About",
    "CheckedSystem",
    "FinishedRun",
    "Inventory",
    "Limits",
    "NoResult",
    "OutcomeUnusable",
    "ProgramLimits",
    "RunPlace",
    "SandboxIncomplete",
    "Supervision",
    "TestSetCheck",
    "apply",
    "inventory",
    "python",
    "recheck_gold",
    "request_of",
    "run_program",
    "unscored",
    "whole_plan",
    "withdraw_baselines",
]
