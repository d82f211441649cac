"""Pages of a long board: each has an address, with ranks and lines of the whole.

A browser lays out a table as one piece, so that rows out of sight cannot be left out
as other boxes can; a thousand rows of ten measures are two megabytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.boards.board import Board
from leaderboard.boards.query import UnknownChoice
from leaderboard.boards.rows import Row

PER_PAGE = 100
EVERYTHING = "all"


@dataclass(frozen=True)
class BoardPage:
    """Rows `first` to `last` of `of_all`; `number` is None where all are on it."""

    rows: Sequence[Row]
    of_all: int
    number: int | None = 1

    @property
    def first(self) -> int:
        return ((self.number or 1) - 1) * PER_PAGE + 1

    @property
    def last(self) -> int:
        return self.first + len(self.rows) - 1

    @property
    def numbers(self) -> range:
        """Of all pages; empty where one is enough."""
        pages = -(-self.of_all // PER_PAGE)
        return range(1, pages + 1) if pages > 1 else range(0)


def page_of(board: Board) -> BoardPage:
    """The page that `?page=` asks for, from 1, or "all".

    Raises UnknownChoice for one that there is not.
    """
    asked, total = board.query.page, len(board.rows)
    if asked == EVERYTHING:
        return BoardPage(board.rows, total, None)
    if asked and not (asked.isdecimal() and len(asked) < 6):
        raise UnknownChoice(asked)
    number = int(asked or 1)
    rows = board.rows[(number - 1) * PER_PAGE : number * PER_PAGE] if number else ()
    if not rows and asked not in ("", "1"):
        raise UnknownChoice(asked)
    return BoardPage(rows, total, number)
