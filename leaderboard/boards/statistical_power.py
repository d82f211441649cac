"""True differences that a phase finds in four of five cases, from its own systems."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from leaderboard.boards.board import Board
from leaderboard.boards.query import UnknownChoice
from leaderboard.boards.rows import Row
from scoring.errors import UsageError
from scoring.measures import Measure
from scoring.statistics.power import Separation

DIFFERENCES = (0.002, 0.005, 0.01, 0.02, 0.05)
LEAST_SYSTEMS, MOST_PLANNED = 2, 10_000
# Of more systems the best tell enough: these are 435 pairs.
MOST_PILOTS = 30


@dataclass(frozen=True)
class Outlook:
    """One measure: the true difference that is found with the stated power.

    `units_needed` are the units that would find each of DIFFERENCES as often.
    """

    measure: Measure
    separation: Separation
    units_needed: Sequence[int]

    @property
    def smallest(self) -> str:
        return printed(self.measure, self.separation.smallest)

    @property
    def interval(self) -> str:
        ends = (
            printed(self.measure, end)
            for end in (self.separation.low, self.separation.high)
        )
        return "[{}, {}]".format(*ends)

    @property
    def cautious(self) -> str:
        return printed(self.measure, self.separation.cautious)


def printed(measure: Measure, difference: float) -> str:
    if difference == inf:
        return "\u2013"
    return f"{difference * (100 if measure.percent else 1):.2f}"


def headings(board: Board) -> list[str]:
    """DIFFERENCES as the board shows scores: in points where all are shares."""
    points = all(measure.percent for measure in board.measures)
    return [f"{d * 100:g}" if points else f"{d:g}" for d in DIFFERENCES]


def systems_of(board: Board, asked: str) -> int:
    """On a board of how many: what is asked, else as many as have a rank now.

    Raises UnknownChoice.
    """
    if not asked:
        return max(LEAST_SYSTEMS, len(board.family))
    if (
        not asked.isascii()
        or not asked.isdigit()
        or len(asked) > len(str(MOST_PLANNED))
    ):
        raise UnknownChoice
    if not LEAST_SYSTEMS <= int(asked) <= MOST_PLANNED:
        raise UnknownChoice
    return int(asked)


def outlooks(board: Board, systems: int) -> list[Outlook]:
    """For each measure of the board; empty with fewer than two systems."""
    pilots = _pilots(board)
    if len(pilots) < 2:
        return []
    sample = board.sample_of([row.evaluation for row in pilots])
    planned = []
    for measure in board.measures:
        try:
            separated = sample.separation(measure, systems)
        except UsageError:
            continue
        needed = [separated.units_for(difference) for difference in DIFFERENCES]
        planned.append(Outlook(measure, separated, needed))
    return planned


def _pilots(board: Board) -> list[Row]:
    """The best systems of different teams, baselines too; else all that there is."""
    whole = [row for row in board.rows if row.complete]
    ranked = {entry.pk for entry in board.family}
    apart = [row for row in whole if row.baseline or row.evaluation.pk in ranked]
    return (apart if len(apart) > 1 else whole)[:MOST_PILOTS]
