"""Scores with intervals and tests, in Python: `plumbline.score("classes", gold, mine)`.

The client of a site, `python -m plumbline`, lives here too and needs none of this.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plumbline.library.calls import Runs, compare, power, score
    from plumbline.library.comparisons import Comparisons
    from plumbline.library.logs import Log, compare_logs, read_log
    from plumbline.library.metrics import metric, scorers
    from plumbline.library.scores import Score
    from scoring.errors import Refused, ScoringError, SetupError, UsageError
    from scoring.version import RELEASE as __version__

__all__ = [
    "Comparisons",
    "Log",
    "Refused",
    "Runs",
    "Score",
    "ScoringError",
    "SetupError",
    "UsageError",
    "__version__",
    "compare",
    "compare_logs",
    "metric",
    "power",
    "read_log",
    "score",
    "scorers",
]
# Imported when they are asked for: the client starts without numpy.
MODULES = {
    "plumbline.library.calls": ("Runs", "compare", "power", "score"),
    "plumbline.library.comparisons": ("Comparisons",),
    "plumbline.library.logs": ("Log", "compare_logs", "read_log"),
    "plumbline.library.metrics": ("metric", "scorers"),
    "plumbline.library.scores": ("Score",),
    "scoring.errors": ("Refused", "ScoringError", "SetupError", "UsageError"),
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("scoring.version").RELEASE
    for module, names in MODULES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
