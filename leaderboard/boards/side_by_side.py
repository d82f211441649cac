"""Chosen systems beside each other: every measure, every pair, and every slice."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from leaderboard.boards.charts.slicing import summary
from leaderboard.boards.comparing import Pair
from leaderboard.boards.rows import Board, Row
from leaderboard.submissions.ranking import Slice
from leaderboard.submissions.scores import Score, chance, signed
from scoring.measures import Measure
from scoring.pairs import all_intervals, all_pairs

ITSELF = "–"


@dataclass(frozen=True)
class Difference:
    """From the first of the chosen systems; `clear` where its interval leaves out 0."""

    text: str
    interval: str
    clear: bool


@dataclass(frozen=True)
class SliceLine:
    """One slice with as many units; `first` is the score of the first system there."""

    group: str
    label: str
    units: int
    first: Score
    differences: Sequence[Difference]


@dataclass(frozen=True)
class SideBySide:
    """`rows` are the chosen ones, in the order of the board."""

    board: Board
    rows: Sequence[Row]
    pairs: Sequence[Pair]

    @property
    def measures(self) -> list[tuple[Measure, list[Score]]]:
        return [
            (measure, [row.scores[i] for row in self.rows])
            for i, measure in enumerate(self.board.measures)
        ]

    @property
    def facts(self) -> list[tuple[str, list[str]]]:
        """Public answers of the fact sheet, of questions that one of them answered."""
        asked = {question.name: question.title for question in self.board.questions}
        return [
            (title, [str(row.facts.get(name, "")) for row in self.rows])
            for name, title in asked.items()
            if any(row.facts.get(name) not in (None, "") for row in self.rows)
        ]

    @property
    def matrix(self) -> list[tuple[Row, list[str]]]:
        """In each line how often its system is better than those of the columns."""
        known = {}
        for pair in self.pairs:
            share = pair.exact.probability
            one, other = pair.first.submission, pair.second.submission
            known[one, other] = share
            known[other, one] = None if share is None else 1 - share
        return [
            (a, [_win(known, a, b) for b in self.rows])
            for a in self.rows
        ]  # fmt: skip


def _win(known: dict[tuple[str, str], float | None], first: Row, second: Row) -> str:
    if first.submission == second.submission:
        return ITSELF
    return chance(known.get((first.submission, second.submission)))


def side_by_side(
    board: Board, chosen: Sequence[str], pairs: Sequence[Pair]
) -> SideBySide:
    return SideBySide(
        board, [row for row in board.rows if row.submission in chosen], pairs
    )


def slice_lines(side: SideBySide) -> list[SliceLine]:
    """Each slice of the board, differences paired over its own resamples.

    Intervals are at the board's level, each by itself: with many slices some leave out
    zero by chance.
    """
    if side.board.slice is not None or len(side.rows) < 2:
        return []
    lines = (
        _line(replace(side.board, slice=part), side.rows, part)
        for part in summary(side.board)
    )
    return [line for line in lines if line.first.value is not None]


def _line(board: Board, rows: Sequence[Row], part: Slice) -> SliceLine:
    measure = board.measure
    (sample,) = board.field_of([row.evaluation for row in rows]).samples([measure])
    around = all_intervals(sample, measure.higher_is_better, board.level)
    found = all_pairs(sample).difference
    factor = 100 if measure.percent else 1
    value = float(sample.values[0])
    first = Score.of(measure, {"value": None if value != value else value})
    return SliceLine(
        part.group,
        part.label,
        sample.units,
        first,
        [
            _difference(-found[i], -around.high[i], -around.low[i], factor)
            for i in range(len(rows) - 1)
        ],
    )


def _difference(size: float, low: float, high: float, factor: int) -> Difference:
    if size != size:
        return Difference(_("n/a"), "", False)
    text, *ends = (signed(number * factor, 2) for number in (size, low, high))
    return Difference(text, f"[{', '.join(ends)}]", low > 0 or high < 0)
