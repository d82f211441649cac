"""Numbers of evaluations as they were printed when these were scored, in columns."""

from collections.abc import Iterator, Mapping, Sequence
from math import nan
from typing import Any, TypeGuard

import numpy as np

from leaderboard.results.stored_counts import Scored
from leaderboard.submissions.models import Evaluation
from scoring.counts import Flags, Floats
from scoring.statistics.bootstrap import Numbers

SIZE = len(Numbers._fields)
AT_A_TIME = 100  # results that are read: twenty kilobytes each, as text


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
    for evaluation in evaluations:
        if has_results(evaluation):
            yield evaluation.pk, evaluation.results
        else:
            others.append(evaluation.pk)
    if others:
        rows = Evaluation.objects.filter(pk__in=others).values_list("pk", "results")
        yield from rows.iterator(AT_A_TIME)


def _measures(results: Mapping[str, Any], test_set: str | None) -> Mapping[str, Any]:
    if test_set is None:
        return results.get("overall", {})
    return results.get("test_sets", {}).get(test_set, {}).get("measures", {})


def _numbers(printed: Mapping[str, float | None]) -> list[float]:
    numbers = Numbers.of(printed)
    if numbers.low is None:  # one unit has no spread, though its resamples agree
        numbers = numbers._replace(stddev=None)
    return [nan if number is None else number for number in numbers]
