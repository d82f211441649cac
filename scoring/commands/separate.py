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
        separation(pilots, measure, plan, called.power)
        for measure in chosen_measures(scorer, names, pilots)
    ]
    rows: list[tuple[str, ...]] = [
        ("measure", "units", "smallest", "cautious", "needed")
    ]
    rows += [_row(one, called.difference) for one in found]
    print("\n".join(report.aligned(rows)))
    return 0


def _check(called: argparse.Namespace) -> None:
    difference = called.difference
    fine = difference is None or LEAST_DIFFERENCE <= difference < math.inf
    if not (fine and LEAST_POWER <= called.power < 1):
        message = (
            f"expected a --power from {LEAST_POWER} to below 1 and a --difference of "
            f"{LEAST_DIFFERENCE} or more"
        )
        raise UsageError(Problem("separate", message))


def _row(found: Separation, difference: float | None) -> tuple[str, ...]:
    needed = "-" if difference is None else str(found.units_for(difference))
    numbers = (report.shown(found.smallest), report.shown(found.cautious))
    return (found.measure, str(found.units), *numbers, needed)
