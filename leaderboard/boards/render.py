"""Tables of scores as pages draw them: columns, rows, cells and bars.

A bar is an interval on a common axis, its places in per cent of the axis's width.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from typing import NamedTuple

from django.urls import reverse

from leaderboard.boards.board import Board
from leaderboard.boards.pagination import BoardPage
from leaderboard.boards.rows import Row
from leaderboard.submissions.scores import Score, Shown, bracketed, printed
from leaderboard.submissions.status import SubmissionStatus
from leaderboard.tasks.facts import Answer
from scoring.measures import Measure

# Marks at either end must not be cut off.
INSET = 2.0
NO_KEY = "00000000-0000-0000-0000-000000000000"


@dataclass(frozen=True)
class Bar:
    """Attributes of an SVG bar: where its interval starts, how wide, and its point.

    `below` and `above` say that the score lies beyond an end of the axis.
    """

    start: str
    width: str
    point: str
    below: bool
    above: bool

    @property
    def beyond(self) -> bool:
        return self.below or self.above


@dataclass(frozen=True)
class Axis:
    """A scale with round ends around intervals."""

    low: float
    high: float

    @classmethod
    def around(cls, scores: Iterable[Score | Shown]) -> "Axis | None":
        """The narrowest axis with round ends; None if there is nothing to show."""
        ends = list(chain.from_iterable(map(_ends, scores)))
        if not ends:
            return None
        step = _step(max(ends) - min(ends))
        # Rounded first: 83.01 is a little less than 16602 times 0.005.
        low = math.floor(round(min(ends) / step, 6))
        high = math.ceil(round(max(ends) / step, 6))
        return cls(low * step, max(high, low + 1) * step)

    def bar(self, score: Score) -> Bar | None:
        """The bar of a score; an interval that is missing has no width."""
        if score.value is None:
            return None
        ends = _ends(score)
        start, end = self._place(min(ends)), self._place(max(ends))
        return Bar(
            f"{start:.2f}%",
            f"{end - start:.2f}%",
            f"{self._place(score.value):.2f}%",
            score.value < self.low,
            score.value > self.high,
        )

    def _place(self, number: float) -> float:
        share = (number - self.low) / (self.high - self.low)
        return INSET + (100 - 2 * INSET) * min(max(share, 0.0), 1.0)

    @property
    def ends(self) -> tuple[str, str]:
        """Both ends as they are printed above the bars."""
        return f"{self.low:g}", f"{self.high:g}"


def _ends(score: Score | Shown) -> list[float]:
    value, low, high = score.value, score.low, score.high
    if value is None:
        return []
    return [value] if low is None or high is None else [value, low, high]


def _step(span: float) -> float:
    """At most a quarter of the span, and round: 1, 2 or 5 times ten to n."""
    if span <= 0:
        return 1.0
    ten = 10.0 ** math.floor(math.log10(span))
    return next(f * ten for f in (2.0, 1.0, 0.5, 0.2) if f * ten <= span / 4)


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
    axis = Axis.around(row.numbers for row in typical or board.rows)
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
            axis.bar(row.sorted_by) if axis else None,
            [_number_cell(row.by_measure.shown(name)) for name in others],
            _answers(row, board),
        )
        for row in rows
    ]
    return RankingTable(shown, lines)


def _number_cell(score: Score | Shown) -> NumberCell:
    return _printed(score.value, score.low, score.high, score.few, score.decimals)


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


class ScoreBar(NamedTuple):
    score: Score
    bar: Bar | None


@dataclass(frozen=True)
class MeasureLine:
    """One measure of a submission: overall, and on each of several test sets."""

    measure: Measure
    overall: ScoreBar
    parts: list[Score]


@dataclass(frozen=True)
class MeasureTable:
    """The scores of one submission; `scale` holds the ends of the bars' axis."""

    scale: tuple[str, ...]
    lines: list[MeasureLine]


def measure_table(status: SubmissionStatus) -> MeasureTable:
    """Bars share one axis where all measures are shares of something."""
    shares = all(score.measure.percent for score in status.scores)
    axis = Axis.around(status.scores) if shares else None
    lines = [
        MeasureLine(
            score.measure,
            ScoreBar(score, axis.bar(score) if axis else None),
            [part.scores[position] for part in status.several],
        )
        for position, score in enumerate(status.scores)
    ]
    return MeasureTable(axis.ends if axis else (), lines)
