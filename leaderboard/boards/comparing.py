"""Systems of one board against each other: the engine's comparisons, named."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from leaderboard.boards.rows import Board, Row, UnknownChoice
from leaderboard.submissions.scores import ABSENT, chance, signed
from scoring.compare import Comparison

MOST_SYSTEMS = 8


@dataclass(frozen=True)
class Pair:
    """Two rows of a board in the measure it ranks by, as shown: shares times 100.

    `exact` is the engine's answer; `level` is the task's, as for its cluster lines.
    """

    first: Row
    second: Row
    exact: Comparison
    factor: int
    level: float

    @property
    def difference(self) -> str:
        return self._signed(self.exact.difference)

    @property
    def interval(self) -> str:
        """The interval of the difference; empty where there is none."""
        if self.exact.low is None:
            return ""
        return f"[{self._signed(self.exact.low)}, {self._signed(self.exact.high)}]"

    @property
    def probability(self) -> str:
        return chance(self.exact.probability)

    @property
    def p_value(self) -> str:
        """Holm-adjusted over the pairs shown."""
        return chance(self.exact.adjusted)

    @property
    def randomization(self) -> str:
        return chance(self.exact.randomization)

    def _signed(self, number: float | None) -> str:
        return ABSENT if number is None else signed(number * self.factor, 2)

    @property
    def in_words(self) -> str:
        """The verdict at 1 - level (5 %), Holm-corrected over the pairs shown."""
        if self.exact.adjusted is None or self.exact.difference is None:
            return _("not comparable")
        if self.exact.adjusted >= round(1 - self.level, 9):
            return _("statistically level")
        higher = self.exact.difference > 0
        better = higher == self.first.sorted_by.measure.higher_is_better
        winner = self.first.system if better else self.second.system
        return _("%(system)s is better") % {"system": winner}


def pairs(board: Board, submissions: Sequence[str]) -> list[Pair]:
    """Every pair of the named rows, in the order of the board.

    Raises UnknownChoice for a submission that the board does not show, or for more
    than MOST_SYSTEMS, and where comparisons are not shown.
    """
    if not board.shown.details:
        raise UnknownChoice("details")
    rows = {row.submission: row for row in board.rows}
    if len(submissions) > MOST_SYSTEMS or not set(submissions) <= rows.keys():
        raise UnknownChoice("submission")
    chosen = [row for row in board.rows if row.submission in submissions]
    evaluations = [row.evaluation for row in chosen]
    if len(chosen) < 2:
        return []
    field = board.field_of(evaluations)
    factor = 100 if board.measure.percent else 1
    level = board.phase.task.level
    return [
        Pair(rows[found.first], rows[found.second], found, factor, level)
        for found in field.comparisons(board.measure)
    ]
