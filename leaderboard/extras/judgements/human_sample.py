"""The units that people judge where a judge model judges all: a sample the site draws.

A corrected mean is right only if the units that people judged are a random sample. So
the site puts the units of each test set in an order that nobody chose, and people judge
from the top, as many as they can. Every beginning of a random order is a random sample.
The order follows from the phase's secret and the names of units: it is the same for all
systems and whenever it is asked for, and nobody outside can tell it.
"""

import hmac
from collections.abc import Sequence
from hashlib import blake2b

from leaderboard.extension.models import Phase, Task, TestSet
from scoring.elsewhere import measures_of
from scoring.scorers.table import declared_measures
from scoring.vocabulary import CORRECTED, DeclaredMeasure


def measures_of_judgements(task: Task) -> Sequence[DeclaredMeasure]:
    """The measures of judgements of a task."""
    if task.scorer.counted_elsewhere:
        return declared_measures(task.parsed_options)
    return measures_of(task.judgements)


def corrected_columns(task: Task) -> list[tuple[str, str]]:
    """The columns of judge model and people of each corrected mean."""
    return [
        (measure.columns[0], measure.columns[1])
        for measure in measures_of_judgements(task)
        if measure.formula == CORRECTED
    ]


def in_drawn_order(
    phase: Phase, test_set: TestSet, units: Sequence[str]
) -> tuple[str, ...]:
    """The units of a test set in the order in which people judge them."""
    key = phase.salt.encode()

    def place(unit: str) -> bytes:
        text = f"people:{test_set.name}:{unit}".encode()
        return hmac.new(key, text, blake2b).digest()

    return tuple(sorted(units, key=place))
