"""Who wins against whom, and who takes which rank, over the shared resamples."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leaderboard.boards.ordering import Row
from leaderboard.boards.rows import Board
from leaderboard.submissions.ranking import Kept, answer, tests_of
from leaderboard.submissions.stored import Recent
from scoring.counts import Floats
from scoring.differences import all_intervals
from scoring.ranks import ranks
from scoring.samples import Sample

KEPT = 64
# Their resamples are held at once, and thirty systems are drawn of them.
MOST_DRAWN = 100

Found = tuple[Floats, Floats]
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
    """None for fewer than two ranked systems that sent all test sets, for more than
    can be drawn, and where the board does not show comparisons.

    `board` is a whole one: ranks among what a filter leaves would be other ranks.
    """
    rows = tuple(row for row in board.rows if row.may_rank and row.complete)
    if not board.shown.details or not 1 < len(rows) <= MOST_DRAWN:
        return None
    field = board.field_of([row.evaluation for row in rows])
    kept = Kept(field, (board.measure,), field.phase.gold_revision_id)
    wins, places = answer(kept, _contests, _found)
    return Contest(rows, wins, _adjusted(board, rows), places)


def _adjusted(board: Board, rows: Sequence[Row]) -> Floats:
    """As the lines of this board have it."""
    ranked = [row.evaluation for row in board.rows if row.may_rank]
    tests = tests_of(board.field_of(ranked), board.measure)
    chosen = [tests.submissions[row.submission] for row in rows]
    size = len(ranked)
    first, second = np.triu_indices(size, 1)
    found = np.full((size, size), np.nan)
    found[first, second] = found[second, first] = tests.adjusted_p
    return found[np.ix_(chosen, chosen)]


def _found(kept: Kept) -> Found:
    (measure,) = kept.measures
    (sample,) = kept.take().samples([measure])
    better = measure.higher_is_better
    return _wins(sample, better), _places(sample, better)


def _wins(sample: Sample, higher_is_better: bool) -> Floats:
    size = len(sample.values)
    first, second = np.triu_indices(size, 1)
    wins = np.full((size, size), np.nan)
    share = all_intervals(sample, higher_is_better, 0.95).probability
    wins[first, second], wins[second, first] = share, 1 - share
    return wins


def _places(sample: Sample, higher_is_better: bool) -> Floats:
    """Each row adds up to 1: shared ranks count for the best of those shared."""
    size, resamples = sample.resampled.shape
    placed = ranks(sample.resampled.T, higher_is_better)
    counted = np.zeros((size, size))
    for system in range(size):
        counted[system] = np.bincount(placed[:, system] - 1, minlength=size)
    return counted / resamples
