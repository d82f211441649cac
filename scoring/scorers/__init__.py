"""Scorers, registered by existing: every module here with a SCORER (or SCORERS), and
those of plug-ins."""

import pkgutil
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from scoring.errors import Problem, UsageError
from scoring.options import Raw
from scoring.picks import likely
from scoring.scorer import Scorer

if TYPE_CHECKING:
    from scoring.plugins import Plugin
from scoring.messages import Messages, _

MESSAGES = Messages(
    unknown=_("there is no scorer '%(name)s'; there are: %(names)s"),
    did_you_mean=_("Did you mean '%(name)s'?"),
    install=_("Install its package: python -m pip install %(package)s"),
)


@cache
def _own_scorers() -> dict[str, Scorer]:
    scorers: dict[str, Scorer] = {}
    for module in _modules():
        for scorer in _scorers_in(module):
            if scorer.name in scorers:
                raise ImportError(f"two scorers are called {scorer.name}")
            scorers[scorer.name] = scorer
    return dict(sorted(scorers.items()))


def _modules() -> list[str]:
    names = (module.name for module in pkgutil.iter_modules(__path__))
    return [name for name in names if not name.startswith("_")]


def _scorers_in(module: str) -> Sequence[Scorer]:
    loaded = import_module(f"{__name__}.{module}")
    only = getattr(loaded, "SCORER", None)
    scorers: Sequence[Scorer] = getattr(loaded, "SCORERS", (only,) if only else ())
    return scorers


@cache
def _alone(name: str) -> Scorer | None:
    """The shipped scorer in the module of its name (`unl-graph` is in `unl`), without
    importing the others. No plug-in can have its name."""
    module = name.partition("-")[0]
    scorers = _scorers_in(module) if module in _modules() else ()
    return next((scorer for scorer in scorers if scorer.name == name), None)


@cache
def plugins() -> "tuple[Plugin, ...]":
    """Plug-ins of this environment, those that cannot be used among them."""
    from scoring.plugins import (
        installed_plugins,  # What reads metadata is slow to import.
    )

    return installed_plugins(_own_scorers())


@cache
def all_scorers() -> dict[str, Scorer]:
    """Every scorer by name: shipped, and of plug-ins."""
    plugged = {scorer.name: scorer for plugin in plugins() for scorer in plugin.scorers}
    return dict(sorted((_own_scorers() | plugged).items()))


def forget() -> None:
    """Look for plug-ins again: other packages may be on the path now."""
    plugins.cache_clear()
    all_scorers.cache_clear()


def of_task(name: str, raw: Raw) -> Scorer:
    """The scorer of that name with the measures that the options declare.

    Raises UsageError as `get` does, and for a declaration that cannot be read.
    """
    return get(name).of_task(raw)


def get(name: str, package: str = "") -> Scorer:
    """The scorer of that name. Raises UsageError naming those that exist, and the
    package that is known to bring it."""
    if scorer := _alone(name):
        return scorer
    scorers = all_scorers()
    if name not in scorers:
        known = ", ".join(scorers)
        message = MESSAGES("unknown", name=name, names=known)
        hint = MESSAGES("install", package=package)
        near = likely(name, list(scorers))
        if not package:
            hint = MESSAGES("did_you_mean", name=near) if near else ""
        raise UsageError(Problem("unknown_scorer", message, hint=hint))
    return scorers[name]
