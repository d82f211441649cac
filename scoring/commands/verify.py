"""verify: whether a receipt holds for these files."""

import argparse
from pathlib import Path

from scoring import report
from scoring.commands import inputs
from scoring.receipt import load, verify
from scoring.scorers import get
from scoring.source import Source


def add(commands: inputs.Commands) -> None:
    command = commands.add_parser("verify", help="check a receipt")
    command.add_argument("receipt", type=Path)
    inputs.add_pair(command)
    command.set_defaults(run=run)


def run(called: argparse.Namespace) -> int:
    receipt = load(called.receipt.name, called.receipt.read_bytes())
    raw = inputs.raw_options(get(receipt.scorer), called.option)
    files = {n: v[-1] for n, v in raw.items() if isinstance(v[-1], Source)}
    gold, system = inputs.gold_of(called), inputs.system_of(called)
    problems = verify(receipt, gold, system, files)
    print(report.refusal_json(problems) if problems else "the receipt holds")
    return inputs.REFUSED if problems else 0
