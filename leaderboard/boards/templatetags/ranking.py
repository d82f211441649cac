"""The tables of scores as they are drawn: columns, lines, cells and bars."""

from collections.abc import Sequence
from dataclasses import dataclass

from django import template
from django.http import QueryDict
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy

from leaderboard.boards.board import Board
from leaderboard.boards.choices import PART_TITLES
from leaderboard.boards.pagination import BoardPage
from leaderboard.boards.query import level_name
from leaderboard.boards.rows import Row
from leaderboard.boards.templatetags.bars import Axis, Bar
from leaderboard.boards.templatetags.cells import number_cell, ranking_cell
from leaderboard.boards.templatetags.lines import line
from leaderboard.submissions.scores import Score
from leaderboard.submissions.status import SubmissionStatus
from leaderboard.tasks.facts import Answer
from leaderboard.tasks.policy import Counts
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


def columns(board: Board) -> list[Column]:
    """The measure that ranks first, beside the names; then the others in order."""
    shown = sorted(board.measures, key=lambda measure: measure != board.measure)
    axis = _board_axis(board)
    return [Column(m, m == board.measure, axis) for m in shown]


def _board_axis(board: Board) -> Axis | None:
    """Baselines and incomplete entries are far off and would squeeze all others."""
    typical = [row for row in board.rows if row.ranked and row.complete]
    return Axis.around(row.numbers for row in typical or board.rows)


@dataclass(frozen=True)
class Table:
    """What is drawn of a board: its columns, and rows with cells in their order."""

    columns: list[Column]
    body: SafeString


@register.filter
def table(board: Board, sheet: BoardPage | None = None) -> Table:
    """The rows of a sheet, or all; what is common to all of them is found once."""
    rows = board.rows if sheet is None else sheet.rows
    shown = columns(board)
    return Table(shown, SafeString("".join([_line(board, shown, row) for row in rows])))


def _line(board: Board, shown: Sequence[Column], row: Row) -> str:
    scores = "".join([_cell(column, row) for column in shown])
    return line(row, scores, _answers(row, board))


def _cell(column: Column, row: Row) -> str:
    if not column.ranks:
        return number_cell(row.by_measure.shown(column.measure.name))
    bar = column.axis.bar(row.sorted_by) if column.axis else None
    return ranking_cell(row.sorted_by, bar)


def _answers(row: Row, board: Board) -> list[Answer | None]:
    """In the columns of the board, None where there is none."""
    found = ((question, row.facts.get(question.name)) for question in board.columns)
    return [None if value is None else Answer(q, value) for q, value in found]


@register.filter
def level_choices(board: Board) -> list["SliceChoice"]:
    """Levels of intervals that may be chosen."""
    return [
        SliceChoice(level_name(one), f"{one * 100:g}%", one == board.level)
        for one in board.levels
    ]


@dataclass(frozen=True)
class SliceChoice:
    """One of several, as an address says it and as people read it."""

    value: str
    label: str
    chosen: bool


@register.filter
def slice_choices(board: Board) -> list[tuple[str, list[SliceChoice]]]:
    """Groupings, each with the labels that may be chosen of it."""
    chosen = str(board.slice) if board.slice else ""
    return [
        (group, [_choice(group, label, chosen) for label in labels])
        for group, labels in board.slices.items()
    ]


def _choice(group: str, label: str, chosen: str) -> SliceChoice:
    value = f"{group}:{label}"
    return SliceChoice(value, label, value == chosen)


@register.filter
def part_choices(board: Board) -> list[SliceChoice]:
    """The parts of the units that may be chosen."""
    return [
        SliceChoice(part.value, str(PART_TITLES[part]), part is board.part)
        for part in board.parts
    ]


ONE_EACH = {
    Counts.BEST: gettext_lazy("Best of each team"),
    Counts.LAST: gettext_lazy("Last of each team"),
    Counts.CHOSEN: gettext_lazy("Chosen by each team"),
}


@register.filter
def one_each(board: Board) -> str:
    """Which entry of a team stands where not all do."""
    return str(ONE_EACH[Counts(board.shown.counts)])


@register.filter
def without(query: QueryDict, name: str) -> list[tuple[str, str]]:
    """Parameters of an address that a form of one other parameter carries along."""
    left = (name, "page")
    return [
        (key, value)
        for key, values in query.lists()
        for value in values
        if key not in left
    ]


@dataclass(frozen=True)
class Cell:
    score: Score
    bar: Bar | None


@dataclass(frozen=True)
class MeasureLine:
    """One measure of a submission: overall, and on each of several test sets."""

    measure: Measure
    overall: Cell
    parts: list[Score]


@dataclass(frozen=True)
class MeasureTable:
    """The scores of one submission; `scale` holds the ends of the bars' axis."""

    scale: tuple[str, ...]
    lines: list[MeasureLine]


@register.filter
def measure_table(status: SubmissionStatus) -> MeasureTable:
    """Bars share one axis where all measures are shares of something."""
    axis = _axis(status.scores)
    lines = [
        MeasureLine(
            score.measure,
            Cell(score, axis.bar(score) if axis else None),
            [part.scores[position] for part in status.several],
        )
        for position, score in enumerate(status.scores)
    ]
    return MeasureTable(axis.ends if axis else (), lines)


def _axis(scores: Sequence[Score]) -> Axis | None:
    return Axis.around(scores) if all(s.measure.percent for s in scores) else None
