"""spreadsheets: tag and token tables for programs that compute with them."""

import argparse
from pathlib import Path

from scoring import report
from scoring.commands import (
    FILES,
    RESAMPLING,
    argument,
    command,
    files_of,
    options_of,
    plan_of,
    quoting,
    scorer_of,
)
from scoring.engine import count, read_pair, summarise
from scoring.errors import Problem, UsageError
from scoring.scorers.spans.spreadsheets import CellForm, sheets


@command(
    "spreadsheets",
    "write the tag and token tables of `spans` as CSV with formulas",
    *FILES,
    *RESAMPLING,
    argument(
        "--out", type=Path, required=True, metavar="FOLDER", help="folder to write to"
    ),
    argument("--values", action="store_true", help="no formulas"),
    argument(
        "--separator",
        choices=(",", ";"),
        default=",",
        help="between arguments in formulas; OpenOffice wants ;",
    ),
    argument(
        "--confidence",
        action="store_true",
        help="add mean, variance and stddev of each metric",
    ),
    example="spans --gold gold --system mine --out tables",
)
def write_spreadsheets(called: argparse.Namespace) -> int:
    scorer = scorer_of(called)
    options, plan = options_of(scorer, called), plan_of(called)
    gold, system = files_of(called)
    with quoting(system):
        pair = read_pair(scorer, gold, system, options)
    counts = count(scorer, pair, options, called.unit)
    tables = scorer.tables(counts, options)
    if not {"tag", "token"} <= tables.keys():
        message = f"{scorer.name} has no tag and token tables; 'spans' has"
        raise UsageError(Problem("spreadsheets", message))
    estimates = None
    if called.confidence:
        estimates = summarise(scorer, counts, options, called.unit, plan).measures
    form = CellForm(called.values, called.separator, options["empty"])
    files = sheets(tables, form, estimates)
    files["details.csv"] = report.details_csv(scorer.details(*pair, options))
    called.out.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (called.out / name).write_bytes(text.encode("utf-8", "backslashreplace"))
        print(called.out / name)
    return 0
