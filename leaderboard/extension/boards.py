"""Boards: the query that an address names, the board with its rows, and what is known
of a system on it.
"""

from leaderboard.boards.board import Board
from leaderboard.boards.choices import slices_in_summary
from leaderboard.boards.entries import board_entries
from leaderboard.boards.query import (
    BoardQuery,
    UnknownChoice,
    chosen,
    query_or_404,
    rankings,
)
from leaderboard.boards.render import lines_above
from leaderboard.boards.rows import Row
from leaderboard.boards.stored_board import board
from leaderboard.boards.systems import SystemOverview, overviews_of
from leaderboard.boards.uncertainty import sources
from leaderboard.boards.views import board_or_404, detailed_board_or_404, reader_of

__all__ = [
    "Board",
    "BoardQuery",
    "Row",
    "SystemOverview",
    "UnknownChoice",
    "board",
    "board_entries",
    "board_or_404",
    "chosen",
    "detailed_board_or_404",
    "lines_above",
    "overviews_of",
    "query_or_404",
    "rankings",
    "reader_of",
    "slices_in_summary",
    "sources",
]
