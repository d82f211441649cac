"""Who wins against whom, and who takes which rank, over the shared resamples."""

from dataclasses import dataclass

import numpy as np

from leaderboard.boards.ordering import Row
from leaderboard.boards.rows import Board
from leaderboard.submissions.ranking import MOST_COMPARED, Kept, answer
from leaderboard.submissions.stored import Recent
from scoring.counts import Floats
from scoring.pairs import all_intervals, all_pairs
from scoring.ranks import ranks
from scoring.samples import Sample

KEPT = 64

Found = tuple[Floats, Floats, Floats]
_contests: Recent[Found] = Recent(KEPT)


@dataclass(frozen=True)
class Contest:
    """Of the ranked rows of a whole board, in its order, n of them.

    `wins` (n, n) is the share of resamples in which the row is better than the column
    (ties count half), nan on the diagonal; `adjusted` (n, n) Holm's p-value over all
    pairs; `places` (n, n) the share of resamples in which a system has rank i + 1.
    """

    rows: tuple[Row, ...]
    wins: Floats
    adjusted: Floats
    places: Floats


def contest(board: Board) -> Contest | None:
    """None for fewer than two ranked systems, for too many to compare, and where the
    board does not show comparisons.

    `board` is a whole one: ranks among what a filter leaves would be other ranks.
    """
    rows = tuple(row for row in board.rows if row.may_rank)
    if not board.shown.details or not 1 < len(rows) <= MOST_COMPARED:
        return None
    field = board.field_of([row.evaluation for row in rows])
    kept = Kept(field, (board.measure,), field.phase.gold_revision_id)
    return Contest(rows, *answer(kept, _contests, _found))


def _found(kept: Kept) -> Found:
    (measure,) = kept.measures
    (sample,) = kept.take().samples([measure])
    better = measure.higher_is_better
    wins, adjusted = _against(sample, better)
    return wins, adjusted, _places(sample, better)


def _against(sample: Sample, higher_is_better: bool) -> tuple[Floats, Floats]:
    size = len(sample.values)
    pairs = all_pairs(sample)
    around = all_intervals(sample, higher_is_better, 0.95)
    wins = np.full((size, size), np.nan)
    adjusted = np.full((size, size), np.nan)
    wins[pairs.first, pairs.second] = around.probability
    wins[pairs.second, pairs.first] = 1 - around.probability
    adjusted[pairs.first, pairs.second] = pairs.adjusted
    adjusted[pairs.second, pairs.first] = pairs.adjusted
    return wins, adjusted


def _places(sample: Sample, higher_is_better: bool) -> Floats:
    """Each row adds up to 1: shared ranks count for the best of those shared."""
    size, resamples = sample.resampled.shape
    placed = ranks(sample.resampled.T, higher_is_better)
    counted = np.zeros((size, size))
    for system in range(size):
        counted[system] = np.bincount(placed[:, system] - 1, minlength=size)
    return counted / resamples
