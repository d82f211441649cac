"""check: the format only, against the published blind file."""

import argparse

from scoring import report
from scoring.commands import inputs
from scoring.engine import check
from scoring.scorers import get


def add(commands: inputs.Commands) -> None:
    command = commands.add_parser("check", help="check the format only")
    inputs.add_files(command)
    command.set_defaults(run=run)


def run(called: argparse.Namespace) -> int:
    scorer = get(called.scorer)
    options = inputs.options_of(scorer, called)
    blind, system = inputs.gold_of(called), inputs.system_of(called)
    problems = check(scorer, blind, system, options)
    print(report.refusal_json(problems) if problems else "fine")
    return inputs.REFUSED if problems else 0
