"""separate: what this test set can tell apart, from two or more pilot systems."""

import argparse
import math

from scoring import report
from scoring.commands import inputs
from scoring.commands.compare import chosen_measures, counted
from scoring.errors import Problem, UsageError
from scoring.power import Separation, separation
from scoring.scorers import get

LEAST_DIFFERENCE = 1e-9
# Below a half a "difference that is found" would mostly not be.
LEAST_POWER = 0.5


def add(commands: inputs.Commands) -> None:
    text = "smallest difference that pilot systems show this test set can separate"
    command = commands.add_parser("separate", help=text)
    inputs.add_files(command)
    inputs.add_resampling(command)
    command.add_argument("--measure", action="append", default=[])
    command.add_argument("--power", type=float, default=0.8)
    command.add_argument(
        "--systems",
        dest="board",
        type=int,
        default=2,
        metavar="N",
        help="how many will be on the board: all its pairs are corrected for (Holm)",
    )
    command.add_argument(
        "--difference", type=float, help="say how many units would separate this"
    )
    command.set_defaults(run=run)


def run(called: argparse.Namespace) -> int:
    _check(called)
    scorer = get(called.scorer)
    options, plan = inputs.options_of(scorer, called), inputs.plan_of(called)
    pilots = counted(called, scorer, options)
    names = called.measure or [scorer.headline]
    found = [
        separation(pilots, measure, plan, called.power, called.board)
        for measure in chosen_measures(scorer, names, pilots)
    ]
    rows: list[tuple[str, ...]] = [
        ("measure", "units", "systems", "smallest", "low", "high", "cautious", "needed")
    ]
    rows += [_row(one, called.difference) for one in found]
    print("\n".join(report.aligned(rows)))
    return 0


def _check(called: argparse.Namespace) -> None:
    difference = called.difference
    fine = difference is None or LEAST_DIFFERENCE <= difference < math.inf
    if not (fine and LEAST_POWER <= called.power < 1 and called.board >= 2):
        message = (
            f"expected a --power from {LEAST_POWER} to below 1, a --difference of "
            f"{LEAST_DIFFERENCE} or more and --systems of 2 or more"
        )
        raise UsageError(Problem("separate", message))


def _row(found: Separation, difference: float | None) -> tuple[str, ...]:
    needed = "-" if difference is None else str(found.units_for(difference))
    differences = (found.smallest, found.low, found.high, found.cautious)
    sizes = (str(found.units), str(found.systems))
    return (found.measure, *sizes, *map(report.shown, differences), needed)
