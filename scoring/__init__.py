"""The scoring engine: numbers in, numbers out."""

from scoring.counts import Counts
from scoring.engine import Job, Result, check, evaluate
from scoring.errors import Problem, Refused, ScoringError, SetupError, UsageError
from scoring.source import Source
from scoring.statistics.bootstrap import Plan
from scoring.statistics.intervals import Estimate
from scoring.version import VERSION

__all__ = [
    "VERSION",
    "Counts",
    "Estimate",
    "Job",
    "Plan",
    "Problem",
    "Refused",
    "Result",
    "ScoringError",
    "SetupError",
    "Source",
    "UsageError",
    "check",
    "evaluate",
]
