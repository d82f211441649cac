"""Differences between systems that a phase finds in four of five cases, from its own
systems.

Where these have several runs or judges, other numbers of them can be planned, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from leaderboard.extension.boards import Board, Row, UnknownChoice
from leaderboard.extension.scores import decimals_of, ends, figures, grouped, printed
from scoring.errors import UsageError
from scoring.measures import Measure
from scoring.statistics.power import Separation
from scoring.statistics.variance_components import Planned

DIFFERENCES = (0.002, 0.005, 0.01, 0.02, 0.05)
LEAST_SYSTEMS, MOST_PLANNED = 2, 10_000
# Of more systems the best tell enough: these are 435 pairs.
MOST_PILOTS = 30


@dataclass(frozen=True)
class Outlook:
    """One measure: the true difference that is found with the stated power.

    `units_needed` are the units that would find each of DIFFERENCES as often, None
    where no number would: runs or judges vary too much.
    """

    measure: Measure
    separation: Separation
    units_needed: Sequence[int | None]

    @property
    def smallest(self) -> str:
        return print_difference(self.measure, self.separation.smallest)

    @property
    def interval(self) -> str:
        low, high = self.separation.low, self.separation.high
        return ends(
            print_difference(self.measure, low), print_difference(self.measure, high)
        )

    @property
    def beside_units(self) -> str:
        """The share of runs and judges in the variance of a typical difference."""
        return f"{100 * self.separation.beside_units:.0f}%"

    @property
    def cautious(self) -> str:
        return print_difference(self.measure, self.separation.cautious)

    @property
    def units_in_words(self) -> list[str]:
        """The units for each of DIFFERENCES, as they are printed."""
        return [about(units) for units in self.units_needed]


def about(units: int | None) -> str:
    """A number of units as pilots know it: two digits, rounded up; a dash for None."""
    if units is None:
        return "\u2013"
    step: int = 10 ** max(len(str(units)) - 2, 0)
    return grouped(-(-units // step) * step)


def print_difference(measure: Measure, difference: float) -> str:
    if difference == inf:
        return "\u2013"
    decimals, _of_ends = decimals_of(measure)
    return printed(difference * (100 if measure.percent else 1), decimals)


def headings(board: Board) -> list[str]:
    """DIFFERENCES as the board shows scores: in points where all are shares."""
    points = all(measure.percent for measure in board.measures)
    return [figures(f"{d * 100:g}" if points else f"{d:g}") for d in DIFFERENCES]


def systems_of(board: Board, number: str) -> int:
    """The number of systems on the board: what is asked, else as many as have a rank
    now.

    Raises UnknownChoice.
    """
    return _number(number) or max(LEAST_SYSTEMS, len(board.together))


def planned_of(runs: str, judges: str) -> Planned:
    """How many runs and judges are asked for. Raises UnknownChoice."""
    return Planned(_number(runs), _number(judges))


def _number(text: str) -> int | None:
    """A whole number from 2 on; None of an empty text. Raises UnknownChoice."""
    if not text:
        return None
    digits = text.isascii() and text.isdigit()
    if not digits or len(text) > len(str(MOST_PLANNED)):
        raise UnknownChoice
    if not LEAST_SYSTEMS <= int(text) <= MOST_PLANNED:
        raise UnknownChoice
    return int(text)


def outlooks(board: Board, systems: int, planned: Planned) -> list[Outlook]:
    """An outlook for each measure of the board; empty with fewer than two systems."""
    pilots = _pilots(board)
    if len(pilots) < 2:
        return []
    sample = board.sample_of([row.evaluation for row in pilots])
    outlooks = []
    for measure in board.measures:
        try:
            separated = sample.separation(measure, systems, planned)
        except UsageError:
            continue
        needed = [separated.units_for(difference) for difference in DIFFERENCES]
        outlooks.append(Outlook(measure, separated, needed))
    return outlooks


def _pilots(board: Board) -> list[Row]:
    """The best of those that are tested together, baselines too; else all that there
    is."""
    whole = [row for row in board.rows if row.complete]
    ranked = {entry.pk for entry in board.together}
    apart = [row for row in whole if row.baseline or row.evaluation.pk in ranked]
    return (apart if len(apart) > 1 else whole)[:MOST_PILOTS]
