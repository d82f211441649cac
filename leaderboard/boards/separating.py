"""What a phase can tell apart, from the counts of the systems it has scored."""

from dataclasses import dataclass

from leaderboard.boards.rows import Board
from scoring.errors import UsageError
from scoring.measures import Measure
from scoring.power import Separation

DIFFERENCES = (0.002, 0.005, 0.01, 0.02, 0.05)


@dataclass(frozen=True)
class Outlook:
    """One measure: the smallest difference that is found with the stated power.

    `needed` pairs differences with the units that would separate them.
    """

    measure: Measure
    found: Separation
    needed: tuple[tuple[float, int], ...]

    @property
    def smallest(self) -> str:
        return shown(self.measure, self.found.smallest)

    @property
    def cautious(self) -> str:
        return shown(self.measure, self.found.cautious)

    @property
    def units_needed(self) -> list[int]:
        """Units for each of DIFFERENCES."""
        return [units for _, units in self.needed]


def shown(measure: Measure, difference: float) -> str:
    return f"{difference * (100 if measure.percent else 1):.2f}"


def headings(board: Board) -> list[str]:
    """DIFFERENCES as the board shows scores: in points where all are shares."""
    points = all(measure.percent for measure in board.measures)
    return [f"{d * 100:g}" if points else f"{d:g}" for d in DIFFERENCES]


def outlooks(board: Board) -> list[Outlook]:
    """For each measure of the board; empty with fewer than two systems."""
    evaluations = [row.evaluation for row in board.rows if row.complete]
    if len(evaluations) < 2:
        return []
    field = board.field_of(evaluations)
    found = []
    for measure in board.measures:
        try:
            separated = field.separation(measure)
        except UsageError:
            continue
        needed = tuple((d, separated.units_for(d)) for d in DIFFERENCES)
        found.append(Outlook(measure, separated, needed))
    return found
