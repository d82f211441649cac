"""Scorers, registered by existing: every module here with a SCORER (or SCORERS), and
those of plug-ins."""

import pkgutil
from functools import cache
from importlib import import_module

from scoring.errors import Problem, UsageError
from scoring.options import Raw
from scoring.plugins import Plugin, installed
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


@cache
def plugins() -> tuple[Plugin, ...]:
    """Plug-ins of this environment, those that cannot be used among them."""
    return installed(_shipped())


@cache
def _found() -> dict[str, Scorer]:
    plugged = {one.name: one for plugin in plugins() for one in plugin.scorers}
    return dict(sorted((_shipped() | plugged).items()))


def all_scorers() -> dict[str, Scorer]:
    """Every scorer by name: shipped, of plug-ins, and added while running."""
    return _found() | _added


def forget() -> None:
    """Look for plug-ins again: other packages may be on the path now."""
    plugins.cache_clear()
    _found.cache_clear()


def register(scorer: Scorer) -> None:
    """Add a scorer to this process alone, as tests do."""
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


def get(name: str, package: str = "") -> Scorer:
    """The scorer of that name. Raises UsageError naming those that exist, and the
    package that is known to bring it."""
    scorers = all_scorers()
    if name not in scorers:
        known = ", ".join(scorers)
        message = f"there is no scorer '{name}'; there are: {known}"
        hint = f"Install its package: python -m pip install {package}"
        hint = hint if package else ""
        raise UsageError(Problem("unknown_scorer", message, hint=hint))
    return scorers[name]
