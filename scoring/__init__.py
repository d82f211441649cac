"""The scoring engine: numbers in, numbers out."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scoring.counts import Counts
    from scoring.engine import Job, Result, Verdict, check, evaluate, examine
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
    "Verdict",
    "check",
    "evaluate",
    "examine",
]
# Imported when they are asked for: the command line sets numpy's threads before.
MODULES = {
    "scoring.counts": ("Counts",),
    "scoring.engine": ("Job", "Result", "Verdict", "check", "evaluate", "examine"),
    "scoring.errors": (
        "Problem",
        "Refused",
        "ScoringError",
        "SetupError",
        "UsageError",
    ),
    "scoring.source": ("Source",),
    "scoring.statistics.bootstrap": ("Plan",),
    "scoring.statistics.intervals": ("Estimate",),
    "scoring.version": ("VERSION",),
}


def __getattr__(name: str) -> Any:
    for module, names in MODULES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
