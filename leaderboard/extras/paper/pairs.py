"""Tests of all pairs of a board: their differences and p-values."""

from dataclasses import dataclass
from itertools import combinations

from leaderboard.extension.boards import Board
from leaderboard.extras.comparison.contest import Contest, contest


@dataclass(frozen=True)
class TestedPair:
    """Two ranked systems; `difference` is the first minus the second, as a share where
    the measure is one. `adjusted` is corrected for all pairs of the board.
    `compared_by` is the grouping whose groups the test exchanges, None for units."""

    first: str
    first_team: str
    first_system: str
    second: str
    second_team: str
    second_system: str
    difference: float
    p_value: float
    adjusted: float
    significant: bool
    few_units_decide: bool
    compared_by: str | None = None


@dataclass(frozen=True)
class PairTests:
    """The tests of a whole board that its reader may see."""

    board: Board
    contest: Contest

    @classmethod
    def of(cls, board: Board) -> "PairTests | None":
        """The tests of all pairs of a board; None where there are too few or too many
        systems, or where the policy shows no comparisons."""
        tests = contest(board)
        return None if tests is None else cls(board, tests)

    @property
    def alpha(self) -> float:
        return round(1 - self.board.level, 9)

    @property
    def pairs(self) -> list[TestedPair]:
        """Each pair once, the better placed system first."""
        rows, name = self.contest.rows, self.board.measure.name
        values = [row.by_measure[name].exact["value"] for row in rows]
        pairs = []
        for i, j in combinations(range(len(rows)), 2):
            adjusted = float(self.contest.adjusted[i, j])
            significant = adjusted < self.alpha
            few = significant and bool(self.contest.few[i, j])
            one, other = rows[i], rows[j]
            pairs.append(
                TestedPair(
                    *(one.submission, one.team, one.system),
                    *(other.submission, other.team, other.system),
                    values[i] - values[j],
                    float(self.contest.p_values[i, j]),
                    adjusted,
                    significant,
                    few,
                    self.board.compared_by or None,
                )
            )
        return pairs
