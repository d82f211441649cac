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
from leaderboard.boards.stored_board import newest_board
from leaderboard.boards.systems import SystemOverview, overviews_of
from leaderboard.boards.uncertainty import sources
from leaderboard.boards.views import board_for, detailed_board_or_404, reader_of

# An extra prints rows of the board that its reader chose and may see.
__all__ = [
    "Board",
    "BoardQuery",
    "Row",
    "UnknownChoice",
    "board_entries",
    "board_for",
    "chosen",
    "detailed_board_or_404",
    "newest_board",
    "query_or_404",
    "rankings",
    "reader_of",
    "slices_in_summary",
]
# A part of a system's page is given what the page knows of the system.
__all__ += ["SystemOverview", "overviews_of"]
# Each print of a board has the same lines and the same sources of uncertainty.
__all__ += ["lines_above", "sources"]
