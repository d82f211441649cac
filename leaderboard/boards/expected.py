"""Scores that the systems of a board are expected to reach on new data."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from leaderboard.boards.board import Board
from leaderboard.boards.stored_board import board
from leaderboard.results.scores import printed
from leaderboard.tasks.policy import CountingRule
from scoring.statistics.selection import expected, spread_of_attempts

# More would be resampled for longer than a page may take.
MOST_SYSTEMS = 200


def best_of_several(ranking: Board) -> bool:
    """Whether a row is the best of the attempts of its team."""
    shown = ranking.disclosure
    best = shown.counts == CountingRule.BEST or not shown.everything
    return best and not ranking.everything


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
    """Scores by submission; none where every entry has a row, and of very many systems
    or very few. The same whatever a filter leaves."""
    if ranking.narrowed:
        whole = replace(ranking.query, facts=(), search="")
        ranking = board(whole, ranking.disclosure)
    rows = [row for row in ranking.rows if row.ranked and row.complete]
    shown, measure = ranking.disclosure, ranking.measure
    if measure.of_file or ranking.everything:
        return {}
    if not rows or len(rows) > MOST_SYSTEMS:
        return {}
    sample = ranking.sample_of([row.evaluation for row in rows])
    if not sample.comparable:
        return {}
    (resamples,) = sample.resamples([measure])
    best = best_of_several(ranking)
    attempts = np.array([row.entries if best else 1 for row in rows], dtype=np.int64)
    spreads = _spreads(ranking) if shown.everything else {}
    of_rows = [spreads.get(row.evaluation.participation_id, np.nan) for row in rows]
    found = expected(
        resamples.values,
        resamples.resampled,
        np.maximum(attempts, 1),
        np.array(of_rows),
        measure.higher_is_better,
    )
    if found is None:
        return {}
    names = (row.submission for row in rows)
    return dict(zip(names, found.tolist(), strict=True))


def _spreads(ranking: Board) -> Mapping[int, float]:
    """Standard deviation between the attempts of each team, by participation."""
    entries = board(replace(ranking.query, everything=True), ranking.disclosure)
    scores: dict[int, list[float]] = {}
    for row in entries.rows:
        value = row.sorted_by.numbers.value
        if value is not None and not row.baseline:
            scores.setdefault(row.evaluation.participation_id, []).append(value)
    return {team: spread_of_attempts(np.array(v)) for team, v in scores.items()}
