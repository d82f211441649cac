"""Numbers of evaluations as they were printed when these were scored, in columns."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import nan
from typing import Any, TypeGuard

import numpy as np

from leaderboard.submissions.models import Evaluation
from leaderboard.submissions.stored_counts import Scored
from scoring.counts import Flags, Floats
from scoring.statistics.bootstrap import Numbers

SIZE = len(Numbers._fields)
AT_A_TIME = 100  # results that are read: twenty kilobytes each, as text


class MeasureNumbers(Mapping[str, Numbers]):
    """Numbers by measure: a row of a table of many systems.

    `places` says where those of a measure begin, and is one for the whole table; n/a
    is nan. They stand in the order of Numbers.
    """

    __slots__ = ("places", "row")

    def __init__(self, places: Mapping[str, int], row: "memoryview[float]") -> None:
        self.places, self.row = places, row

    def __getitem__(self, name: str) -> Numbers:
        return Numbers(*self._from(name, SIZE))

    def ends(self, name: str) -> Sequence[float | None]:
        """Value, low and high alone. Raises KeyError where the measure is not known."""
        return self._from(name, 3)

    def _from(self, name: str, size: int) -> list[float | None]:
        place = self.places[name]
        numbers = self.row[place : place + size].tolist()
        return [None if number != number else number for number in numbers]

    def value(self, name: str) -> float | None:
        """The value alone; None too where that measure is not known."""
        place = self.places.get(name)
        value = nan if place is None else self.row[place]
        return None if value != value else value

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


def rows_of(names: Iterable[str], table: Floats) -> list[MeasureNumbers]:
    """The rows of a table (systems, numbers of each measure)."""
    places = {name: SIZE * i for i, name in enumerate(names)}
    width = len(places) * SIZE
    # Single numbers are read in a third of the time that an array takes for them.
    flat = memoryview(np.ascontiguousarray(table, np.float64).ravel())  # type: ignore[type-var]
    return [
        MeasureNumbers(places, flat[top : top + width])
        for top in range(0, len(table) * width, width)
    ]


def printed_numbers(
    evaluations: Sequence[Scored], names: Sequence[str], test_set: str | None
) -> tuple[Floats, Flags]:
    """Numbers (systems, measures, numbers) on a test set or, without one, over all; and
    which (systems, measures) were not printed.

    Of a system that has none at all, as it sent no file for the test set, those are
    missing that others miss; the rest is n/a. One query, or none where all are loaded.
    """
    table = np.full((len(evaluations), len(names), SIZE), nan)
    missing = np.zeros(table.shape[:2], np.bool_)
    empty = np.ones(len(evaluations), np.bool_)
    place = {evaluation.pk: i for i, evaluation in enumerate(evaluations)}
    for pk, results in _results_of(evaluations):
        measures = _measures(results or {}, test_set)
        if not measures:
            continue
        empty[place[pk]] = False
        for column, name in enumerate(names):
            if name in measures:
                table[place[pk], column] = _numbers(measures[name])
            else:
                missing[place[pk], column] = True
    missing[empty] = missing.any(axis=0)
    return table, missing


def has_results(evaluation: Scored) -> TypeGuard[Evaluation]:
    """Whether the results were read from the database with the evaluation."""
    if not isinstance(evaluation, Evaluation):
        return False
    return "results" not in evaluation.get_deferred_fields()


def _results_of(evaluations: Sequence[Scored]) -> Iterator[tuple[int, Any]]:
    """Results with the keys of their evaluations, in any order."""
    others = []
    for one in evaluations:
        if has_results(one):
            yield one.pk, one.results
        else:
            others.append(one.pk)
    if others:
        rows = Evaluation.objects.filter(pk__in=others).values_list("pk", "results")
        yield from rows.iterator(AT_A_TIME)


def _measures(results: Mapping[str, Any], test_set: str | None) -> Mapping[str, Any]:
    if test_set is None:
        return results.get("overall", {})  # type: ignore[no-any-return]
    return results.get("test_sets", {}).get(test_set, {}).get("measures", {})  # type: ignore[no-any-return]


def _numbers(printed: Mapping[str, float | None]) -> list[float]:
    numbers = Numbers.of(printed)
    if numbers.low is None:  # one unit has no spread, though its resamples agree
        numbers = numbers._replace(stddev=None)
    return [nan if number is None else number for number in numbers]
