"""details: what each item got, as CSV."""

import argparse

from scoring import report
from scoring.commands import inputs
from scoring.engine import read_pair
from scoring.scorers import get


def add(commands: inputs.Commands) -> None:
    command = commands.add_parser("details", help="per item, as CSV")
    inputs.add_files(command)
    command.set_defaults(run=run)


def run(called: argparse.Namespace) -> int:
    scorer = get(called.scorer)
    options = inputs.options_of(scorer, called)
    pair = read_pair(scorer, inputs.gold_of(called), inputs.system_of(called), options)
    print(report.details_csv(scorer.details(*pair, options)), end="")
    return 0
