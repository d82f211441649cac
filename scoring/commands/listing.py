"""list: the scorers with their options and measures."""

import argparse

from scoring.commands.inputs import Commands
from scoring.listing import as_json, as_text
from scoring.scorers import all_scorers


def add(commands: Commands) -> None:
    command = commands.add_parser("list", help="scorers with options and measures")
    command.add_argument("--format", choices=("text", "json"), default="text")
    command.set_defaults(run=run)


def run(called: argparse.Namespace) -> int:
    scorers = list(all_scorers().values())
    print(as_json(scorers) if called.format == "json" else as_text(scorers))
    return 0
