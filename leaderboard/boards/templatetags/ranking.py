"""The tables of scores as they are drawn: columns, lines, cells and bars."""

from collections.abc import Sequence
from dataclasses import dataclass

from django import template

from leaderboard.boards.rows import Board, Row
from leaderboard.boards.templatetags.bars import Axis, Bar
from leaderboard.submissions.status import Score, Status
from scoring.measures import Measure

register = template.Library()


@dataclass(frozen=True)
class Column:
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


@dataclass(frozen=True)
class Cell:
    score: Score
    ranks: bool
    bar: Bar | None


@dataclass(frozen=True)
class Line:
    row: Row
    cells: list[Cell]


@register.filter
def columns(board: Board) -> list[Column]:
    axis = Axis.around(row.sorted_by for row in board.rows)
    return [Column(m, m == board.measure, axis) for m in board.measures]


@register.filter
def lines(board: Board) -> list[Line]:
    """The rows with their cells; the one ranked by has a bar."""
    shown = columns(board)
    return [
        Line(row, [_cell(c, s) for c, s in zip(shown, row.scores, strict=True)])
        for row in board.rows
    ]


def _cell(column: Column, score: Score) -> Cell:
    drawn = column.ranks and column.axis is not None
    return Cell(score, column.ranks, column.axis.bar(score) if drawn else None)


@dataclass(frozen=True)
class MeasureLine:
    """One measure of a submission: overall, and on each of several test sets."""

    measure: Measure
    overall: Cell
    parts: list[Score]


@register.filter
def measure_lines(status: Status) -> list[MeasureLine]:
    """Bars share one axis where all measures are shares of something."""
    axis = _axis(status.scores)
    return [
        MeasureLine(
            score.measure,
            Cell(score, position == 0, axis.bar(score) if axis else None),
            [part.scores[position] for part in status.several],
        )
        for position, score in enumerate(status.scores)
    ]


def _axis(scores: Sequence[Score]) -> Axis | None:
    return Axis.around(scores) if all(s.measure.percent for s in scores) else None
