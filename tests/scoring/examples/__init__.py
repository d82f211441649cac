"""Small inputs of every scorer, for the laws in tests/scoring/test_laws.py.

A module is named as its scorer (underscores for hyphens) and holds `EXAMPLES`. All
data is made up.
"""

import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scoring.options import Options, parse
from scoring.scorer import Scorer
from scoring.scorers import all_scorers
from scoring.source import Source


@dataclass(frozen=True)
class Example:
    """A gold file, systems that can be scored against it, and raw option values.

    `options` is what `scoring.options.parse` takes: option name to given values.
    """

    gold: Source
    systems: Sequence[Source]
    options: Mapping[str, Sequence[str | Source]] = field(default_factory=dict)

    def parsed(self, scorer: Scorer) -> Options:
        """The options as the scorer's functions take them."""
        return parse(scorer.options, self.options)


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
