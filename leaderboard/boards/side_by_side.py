"""Chosen systems beside each other: every measure, every pair, and every slice."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from leaderboard.boards.charts.slices import summary
from leaderboard.boards.comparing import Pair
from leaderboard.boards.rows import Board, Row
from leaderboard.submissions.board_sample import Slice
from leaderboard.submissions.scores import Score, chance, signed
from scoring.differences import all_intervals
from scoring.measures import Measure

ITSELF = "–"


@dataclass(frozen=True)
class Difference:
    """From the first of the chosen systems; `clear` where the two differ significantly
    on the slice, tested by itself."""

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
        return [(a, [_win(known, a, b) for b in self.rows]) for a in self.rows]


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
    """Each slice of the board with differences, intervals and tests of its own.

    They are at the board's level, each by itself: with many slices some are clear by
    chance.
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
    field = board.field_of([row.evaluation for row in rows])
    (sample,) = field.samples([measure])
    around = all_intervals(sample, measure.higher_is_better, board.level)
    tests = field.tests(measure)
    value = float(sample.values[0])
    first = Score.of(measure, {"value": None if value != value else value})
    differences = []
    # The pairs of the first system come first.
    for i in range(len(rows) - 1):
        size = sample.values[i + 1] - sample.values[0]
        # Of one unit all resamples are alike, and of a missing answer nothing is known.
        known = sample.units > 1 and tests.p_value[i] == tests.p_value[i]
        ends = (-around.high[i], -around.low[i]) if known else None
        clear = known and tests.p_value[i] < round(1 - board.level, 9)
        differences.append(_difference(size, ends, clear, measure))
    return SliceLine(part.group, part.label, sample.units, first, differences)


def _difference(
    size: float, ends: tuple[float, float] | None, clear: bool, measure: Measure
) -> Difference:
    if size != size:
        return Difference(_("n/a"), "", False)
    factor = 100 if measure.percent else 1
    text = signed(size * factor, 2)
    told = [signed(end * factor, 2) for end in ends or ()]
    return Difference(text, f"[{', '.join(told)}]" if told else "", clear)
