"""Support for the order of a published board: how many of its orders are resolved."""

from dataclasses import dataclass

import numpy as np

from leaderboard.extension.boards import BoardQuery, board
from leaderboard.extension.models import Phase
from scoring.statistics.ranks import better_than


@dataclass(frozen=True)
class OrderSupport:
    """Pairs of systems of a board whose printed scores differ (`ordered`), and those of
    them that the board's test tells apart (`resolved`); None without values of units.
    """

    systems: int
    ordered: int
    resolved: int | None
    first: tuple[str, ...] = ()


def order_support(phase: Phase) -> OrderSupport:
    """The pairs of a board by its headline, at its level, all of them as one family."""
    ranking = board(BoardQuery(phase))
    rows = [row for row in ranking.rows if row.ranked and row.complete]
    printed = np.array([row.sorted_by.printed for row in rows])
    differ = printed[:, None] != printed[None, :]
    ordered = int(differ.sum()) // 2
    first = tuple(row.system for row in rows if row.standing.low == 1)
    sample = ranking.sample_of([row.evaluation for row in rows])
    sure = any(row.sorted_by.numbers.low is not None for row in rows)
    if len(rows) < 2 or not sure or not sample.comparable:
        return OrderSupport(len(rows), ordered, None)
    higher = ranking.measure.higher_is_better
    better = better_than(sample.pairs(ranking.measure), higher, sample.confidence)
    resolved = int(((better | better.T) & differ).sum()) // 2
    return OrderSupport(len(rows), ordered, resolved, first)
