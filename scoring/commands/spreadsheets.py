"""spreadsheets: tag, token and details tables as CSV with live formulas."""

import argparse
from pathlib import Path

from scoring import report
from scoring.commands import inputs
from scoring.engine import count, read_pair, summarise
from scoring.errors import Problem, UsageError
from scoring.scorers import get
from scoring.spreadsheets import Form, sheets


def add(commands: inputs.Commands) -> None:
    command = commands.add_parser("spreadsheets", help="tables as CSV with formulas")
    inputs.add_files(command)
    inputs.add_resampling(command)
    command.add_argument("--out", type=Path, required=True, help="directory")
    command.add_argument("--values", action="store_true", help="no formulas")
    command.add_argument(
        "--separator",
        choices=(",", ";"),
        default=",",
        help="in formulas; OpenOffice: ;",
    )
    command.add_argument(
        "--confidence",
        action="store_true",
        help="mean, variance, stddev of each metric",
    )
    command.set_defaults(run=run)


def run(called: argparse.Namespace) -> int:
    scorer = get(called.scorer)
    options, plan = inputs.options_of(scorer, called), inputs.plan_of(called)
    pair = read_pair(scorer, inputs.gold_of(called), inputs.system_of(called), options)
    counts = count(scorer, pair, options, called.unit)
    tables = scorer.tables(counts, options)
    if not {"tag", "token"} <= tables.keys():
        message = f"{scorer.name} has no tag and token tables; 'spans' has"
        raise UsageError(Problem("spreadsheets", message))
    estimates = None
    if called.confidence:
        estimates = summarise(scorer, counts, options, called.unit, plan).measures
    form = Form(called.values, called.separator, options["empty"])
    files = sheets(tables, form, estimates)
    files["details.csv"] = report.details_csv(scorer.details(*pair, options))
    called.out.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (called.out / name).write_bytes(text.encode("utf-8", "backslashreplace"))
        print(called.out / name)
    return 0
