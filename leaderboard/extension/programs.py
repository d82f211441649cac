"""Runs of programs in the sandbox, for extras that score with them or run code."""

from leaderboard.organize.baselines import whole_plan, withdraw_baselines
from leaderboard.organize.bundle import apply, unscored
from leaderboard.organize.checked_test_sets import About, CheckedSystem, TestSetCheck
from leaderboard.organize.test_sets import recheck_gold
from leaderboard.sandbox.jobs.programs import request_of
from leaderboard.sandbox.program_environment import (
    Inventory,
    inventory,
    inventory_of_code,
)
from leaderboard.submissions.code import files_to_score, told
from leaderboard.submissions.program_rights import (
    code_place,
    may_have_program,
    may_run_programs,
    run_limits,
    run_place,
    trial_limits,
)
from leaderboard.submissions.runners import NoResult, OutcomeUnusable
from scoring.sandbox.fork import Limits, Supervision
from scoring.sandbox.program import SandboxIncomplete
from scoring.sandbox.scoring_program import FinishedRun, ProgramLimits
from scoring.sandbox.scoring_program import run as run_program
from scoring.sandbox.team_code import FinishedCode
from scoring.sandbox.team_code import run as run_code

__all__ = [
    "About",
    "CheckedSystem",
    "FinishedCode",
    "FinishedRun",
    "Inventory",
    "Limits",
    "NoResult",
    "OutcomeUnusable",
    "ProgramLimits",
    "SandboxIncomplete",
    "Supervision",
    "TestSetCheck",
    "apply",
    "code_place",
    "files_to_score",
    "inventory",
    "inventory_of_code",
    "may_have_program",
    "may_run_programs",
    "recheck_gold",
    "request_of",
    "run_code",
    "run_limits",
    "run_place",
    "run_program",
    "told",
    "trial_limits",
    "unscored",
    "whole_plan",
    "withdraw_baselines",
]
