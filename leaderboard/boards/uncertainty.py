"""Sources of the uncertainty of scores: units, runs, prompts and judges."""

from collections.abc import Mapping, Sequence
from typing import Any

from leaderboard.boards.board import Board
from leaderboard.boards.rows import Row
from scoring.measures import Measure
from scoring.statistics.comparison import counts_of
from scoring.statistics.judges import System
from scoring.statistics.variance_components import Sources, sources_of

# Of a larger board the first ones are told in exports; the API tells of each.
MOST_EXPORTED = 200


def sources(board: Board, rows: Sequence[Row]) -> list[Mapping[str, Sources]]:
    """Sources of each row by the name of the measure. None of an entry of one run with
    one judge or none, where all is from the units."""
    judged = board.phase.task.takes_judgements
    several = [row for row in rows if row.runs > 1 or judged]
    if not several:
        return [{} for _row in rows]
    sample = board.sample_of([row.evaluation for row in several])
    by_submission = {
        row.submission: _of_measures(counts_of(strata), board.measures)
        for row, strata in zip(several, sample.strata, strict=True)
    }
    return [by_submission.get(row.submission, {}) for row in rows]


def _of_measures(system: System, measures: Sequence[Measure]) -> Mapping[str, Sources]:
    every = ((measure.name, sources_of(system, measure)) for measure in measures)
    return {
        name: sources
        for name, sources in every
        if sources is not None and sources.several
    }


def uncertainty_values(
    board: Board, rows: Sequence[Row]
) -> dict[str, dict[str, dict[str, Any]]]:
    """Values of `Sources.as_dict` by submission and measure, of rows that have any."""
    return {
        row.submission: {name: sources.as_dict() for name, sources in known.items()}
        for row, known in zip(rows, sources(board, rows), strict=True)
        if known
    }
