"""Scorers, registered by existing: every module here with a SCORER (or SCORERS)."""

import pkgutil
from functools import cache
from importlib import import_module

from scoring.errors import Problem, UsageError
from scoring.options import Raw
from scoring.scorer import Scorer

_added: dict[str, Scorer] = {}


@cache
def _shipped() -> dict[str, Scorer]:
    scorers: dict[str, Scorer] = {}
    for module in pkgutil.iter_modules(__path__):
        if module.name.startswith("_"):
            continue
        loaded = import_module(f"{__name__}.{module.name}")
        only = getattr(loaded, "SCORER", None)
        for scorer in getattr(loaded, "SCORERS", (only,) if only else ()):
            if scorer.name in scorers:
                raise ImportError(f"two scorers are called {scorer.name}")
            scorers[scorer.name] = scorer
    return dict(sorted(scorers.items()))


def all_scorers() -> dict[str, Scorer]:
    """Every scorer by name: the shipped ones and those added while running."""
    return _shipped() | _added


def register(scorer: Scorer) -> None:
    """Add a scorer to this process (plug-ins, tests)."""
    if scorer.name in all_scorers():
        raise ValueError(f"a scorer called {scorer.name} exists")
    _added[scorer.name] = scorer


def unregister(name: str) -> None:
    """Take a scorer added with `register` out again."""
    _added.pop(name)


def of_task(name: str, raw: Raw) -> Scorer:
    """The scorer of that name with the measures that the options declare.

    Raises UsageError as `get` does, and for a declaration that cannot be read.
    """
    return get(name).of_task(raw)


def get(name: str) -> Scorer:
    """The scorer of that name. Raises UsageError naming those that exist."""
    scorers = all_scorers()
    if name not in scorers:
        known = ", ".join(scorers)
        message = f"there is no scorer '{name}'; there are: {known}"
        raise UsageError(Problem("unknown_scorer", message))
    return scorers[name]
