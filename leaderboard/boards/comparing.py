"""Systems of one board against each other: the engine's comparisons, named."""

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.boards.rows import Board, Row, UnknownChoice
from leaderboard.submissions.ranking import Field
from scoring.compare import Comparison

MOST_SYSTEMS = 8


@dataclass(frozen=True)
class Pair:
    """Two rows of a board in the measure it ranks by. `exact` is the engine's answer;
    the rest is as shown, shares times 100."""

    first: Row
    second: Row
    exact: Comparison
    factor: int

    def _shown(self, number: float | None) -> float | None:
        return None if number is None else number * self.factor

    @property
    def difference(self) -> float | None:
        return self._shown(self.exact.difference)

    @property
    def low(self) -> float | None:
        return self._shown(self.exact.low)

    @property
    def high(self) -> float | None:
        return self._shown(self.exact.high)

    @property
    def in_words(self) -> str:
        """The verdict at 5 %, Holm-corrected over the pairs shown."""
        if self.exact.adjusted is None or self.exact.difference is None:
            return "not comparable"
        if self.exact.adjusted >= 0.05:
            return "statistically level"
        higher = self.exact.difference > 0
        better = higher == self.first.sorted_by.measure.higher_is_better
        return f"{self.first.system if better else self.second.system} is better"


def pairs(board: Board, submissions: Sequence[str]) -> list[Pair]:
    """Every pair of the named rows, in the order of the board.

    Raises UnknownChoice for a submission that the board does not show, or for more
    than MOST_SYSTEMS.
    """
    rows = {row.submission: row for row in board.rows}
    if len(submissions) > MOST_SYSTEMS or not set(submissions) <= rows.keys():
        raise UnknownChoice("submission")
    chosen = [row for row in board.rows if row.submission in submissions]
    evaluations = tuple(row.evaluation for row in chosen)
    if len(chosen) < 2:
        return []
    field = Field(board.phase, board.chosen_test_sets, evaluations, board.slice)
    factor = 100 if board.measure.percent else 1
    return [
        Pair(rows[found.first], rows[found.second], found, factor)
        for found in field.comparisons(board.measure)
    ]
