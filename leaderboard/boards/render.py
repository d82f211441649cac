"""Tables of boards as pages draw them: columns, rows, cells and bars."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from django.urls import reverse

from leaderboard.boards.board import Board
from leaderboard.boards.pagination import BoardPage
from leaderboard.boards.rows import Row
from leaderboard.submissions.score_bars import Axis, Bar
from leaderboard.submissions.scores import Score, bracketed, printed
from leaderboard.tasks.models import Answer
from scoring.measures import Measure

NO_KEY = "00000000-0000-0000-0000-000000000000"


@dataclass(frozen=True)
class MeasureColumn:
    """A measure of a board; `ranks` says that it is the one sorted by."""

    measure: Measure
    ranks: bool
    axis: Axis | None

    @property
    def direction(self) -> str:
        """How values run down a column that is sorted by, in ARIA's words."""
        return "descending" if self.measure.higher_is_better else "ascending"

    @property
    def scale(self) -> tuple[str, ...]:
        """The ends of the axis of its bars; empty where none are drawn."""
        return self.axis.ends if self.ranks and self.axis else ()


class NumberCell(NamedTuple):
    value: str
    interval: str


class RankingLine(NamedTuple):
    """A row as it is drawn: the score that ranks with its bar, the others, facts.

    `sure` says how sure the rank is, `doubt` is its range where it is not.
    """

    row: Row
    address: str
    sure: str
    doubt: str
    value: str
    interval: str
    bar: Bar | None
    cells: Sequence[NumberCell]
    answers: Sequence[Answer | None]


@dataclass(frozen=True)
class RankingTable:
    columns: Sequence[MeasureColumn]
    lines: Sequence[RankingLine]


def columns(board: Board) -> list[MeasureColumn]:
    """The measure that ranks first, beside the names; then the others in order."""
    # Baselines and incomplete entries are far off and would squeeze all others.
    typical = [row for row in board.rows if row.ranked and row.complete]
    axis = Axis.around(row.sorted_by.ends for row in typical or board.rows)
    ordered = sorted(board.measures, key=lambda measure: measure != board.measure)
    return [MeasureColumn(m, m == board.measure, axis) for m in ordered]


def ranking_table(board: Board, page: BoardPage | None = None) -> RankingTable:
    """The rows of a page, or all; what is common to all of them is found once."""
    rows = board.rows if page is None else page.rows
    shown = columns(board)
    others = [column.measure.name for column in shown if not column.ranks]
    axis = shown[0].axis
    lines = [
        RankingLine(
            row,
            row.submission.join(_address_around_key()),
            row.in_words,
            row.wide_rank_range,
            row.sorted_by.printed,
            row.sorted_by.interval,
            axis.bar(row.sorted_by.ends) if axis else None,
            [_number_cell(row.by_measure[name]) for name in others],
            _answers(row, board),
        )
        for row in rows
    ]
    return RankingTable(shown, lines)


def _number_cell(score: Score) -> NumberCell:
    return _printed(*score.ends, score.few, score.decimals)


# A page made anew after a submission has the same numbers in nearly all its cells.
@lru_cache(maxsize=20_000)
def _printed(
    value: float | None,
    low: float | None,
    high: float | None,
    few: bool | None,
    decimals: tuple[int, int],
) -> NumberCell:
    interval = bracketed(value, low, high, decimals[1], few)
    return NumberCell(printed(value, decimals[0]), interval)


@cache
def _address_around_key() -> tuple[str, str]:
    """The address of a system's page before and after its key, resolved once."""
    start, _, end = reverse("system", args=[NO_KEY]).partition(NO_KEY)
    return start, end


def _answers(row: Row, board: Board) -> list[Answer | None]:
    """In the columns of the board, None where there is none."""
    facts = ((question, row.facts.get(question.name)) for question in board.columns)
    return [None if fact is None else Answer(q, fact) for q, fact in facts]
