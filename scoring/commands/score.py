"""score: one file against gold, with intervals."""

import argparse
from pathlib import Path

from scoring import report
from scoring.commands import inputs
from scoring.engine import Job, evaluate
from scoring.options import parse
from scoring.receipt import receipt_of
from scoring.scorers import get


def add(commands: inputs.Commands) -> None:
    command = commands.add_parser("score", help="score a file")
    inputs.add_files(command)
    inputs.add_resampling(command)
    formats = tuple(report.FORMATS)
    command.add_argument("--format", choices=formats, default="text")
    command.add_argument("--receipt", type=Path, help="write a receipt to this file")
    command.set_defaults(run=run)


def run(called: argparse.Namespace) -> int:
    scorer = get(called.scorer)
    raw = inputs.raw_options(scorer, called.option)
    options, plan = parse(scorer.options, raw), inputs.plan_of(called)
    job = Job(scorer, options, called.unit, plan)
    files = inputs.gold_of(called), inputs.system_of(called)
    result = evaluate(job, *files)
    if called.receipt:
        text = receipt_of(job, raw, files, result).as_json()
        # File names need not be UTF-8; JSON reads the escape of a byte back.
        called.receipt.write_bytes((text + "\n").encode("utf-8", "backslashreplace"))
    print(report.FORMATS[called.format](result))
    return 0
