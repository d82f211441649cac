"""Comparisons in tests of the whole site."""

from typing import Any

from leaderboard.boards.board import Board
from leaderboard.extras.comparison.contest import contest
from tests.extras.comparison.components import components
from tests.organize.matrix_access import TASK
from tests.organize.routes import read

__all__ = ["components"]
PAIR = "?system={member}&system={baseline}"
ROUTES = {
    "compare": read(TASK, query=PAIR),
    "api-compare": read(TASK, query=PAIR),
}


def said_of(board: Board) -> list[Any]:
    """What stored boards and boards made anew must say alike."""
    among = contest(board)
    if among is None:
        return []
    return [among.wins.tolist(), among.adjusted.tolist(), among.ranks.tolist()]
