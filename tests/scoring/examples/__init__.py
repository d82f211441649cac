"""Small inputs of every scorer, for the laws in tests/scoring/test_laws.py.

A module is named as its scorer (underscores for hyphens) and holds `EXAMPLES`. All
data is made up.
"""

import importlib
import pkgutil

from scoring.laws import Example
from scoring.scorer import Scorer
from scoring.scorers import all_scorers


def all_examples() -> dict[str, list[Example]]:
    """Examples by scorer name, from every module of this package."""
    found = {}
    for module in pkgutil.iter_modules(__path__):
        loaded = importlib.import_module(f"{__name__}.{module.name}")
        found[module.name.replace("_", "-")] = list(loaded.EXAMPLES)
    return found


def counting_scorers() -> dict[str, Scorer]:
    """Scorers that count by themselves: for `program` something has to run before, and
    for `table` somebody to judge."""
    return {
        name: scorer
        for name, scorer in all_scorers().items()
        if not scorer.runs_program and not scorer.counted_elsewhere
    }


def examples_of(scorer: str) -> list[Example]:
    """Examples of one scorer; none where there is no module of that name."""
    return all_examples().get(scorer, [])
