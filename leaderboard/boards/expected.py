"""Scores that the systems of a board are expected to reach on new data."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from leaderboard.boards.board import Board
from leaderboard.boards.stored_board import board
from leaderboard.results.scores import printed
from leaderboard.results.stored_counts import Scored
from scoring.statistics.selection import luck_of_choice

# More would be resampled for longer than a page may take.
MOST_ATTEMPTS = 400


def expected_scores(ranking: Board) -> dict[str, str]:
    """`expected_values` as they are printed."""
    factor = 100 if ranking.measure.percent else 1
    by_name = {row.submission: row.sorted_by.decimals[0] for row in ranking.rows}
    values = expected_values(ranking).items()
    return {
        name: printed(value * factor, by_name[name])
        for name, value in values
        if name in by_name
    }


def expected_values(ranking: Board) -> dict[str, float]:
    """Scores by submission; none where rows are not the best of attempts that all may
    see, and of very many. The same whatever a filter leaves."""
    if ranking.narrowed:
        whole = replace(ranking.query, facts=(), search="")
        ranking = board(whole, ranking.disclosure)
    rows = [row for row in ranking.rows if row.ranked and row.complete]
    if not ranking.best_of_several or not ranking.disclosure.everything:
        return {}
    if ranking.measure.of_file or not rows:
        return {}
    attempts = _attempts(ranking)
    if sum(len(of_team) for of_team in attempts.values()) > MOST_ATTEMPTS:
        return {}
    values = {}
    for row in rows:
        value = row.sorted_by.numbers.value
        luck = _luck(ranking, attempts.get(row.evaluation.participation_id, []))
        if value is not None and not math.isnan(luck):
            values[row.submission] = value - luck
    return values


def _luck(ranking: Board, attempts: Sequence[Scored]) -> float:
    """The luck in the best of these attempts; nan where they cannot be compared."""
    if len(attempts) < 2:
        return 0.0
    sample = ranking.sample_of(attempts)
    if not sample.comparable:
        return math.nan
    (drawn,) = sample.resamples([ranking.measure])
    better_high = ranking.measure.higher_is_better
    return luck_of_choice(drawn.values, drawn.resampled, better_high)


def _attempts(ranking: Board) -> Mapping[int, list[Scored]]:
    """The complete attempts of each team, by participation."""
    entries = board(replace(ranking.query, everything=True), ranking.disclosure)
    attempts: dict[int, list[Scored]] = {}
    for row in entries.rows:
        if (
            row.complete
            and not row.baseline
            and row.sorted_by.numbers.value is not None
        ):
            attempts.setdefault(row.evaluation.participation_id, []).append(
                row.evaluation
            )
    return attempts
