"""separate: what this test set can tell apart, from two or more pilot systems."""

import argparse

from scoring import report
from scoring.commands import inputs
from scoring.commands.compare import chosen_measures, counted
from scoring.power import Separation, separation
from scoring.scorers import get


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


def _row(found: Separation, difference: float | None) -> tuple[str, ...]:
    needed = str(found.units_for(difference)) if difference else "-"
    numbers = (report.shown(found.smallest), report.shown(found.cautious))
    return (found.measure, str(found.units), *numbers, needed)
