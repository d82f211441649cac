"""list, check, score, details, spreadsheets and verify: one file against gold."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from scoring import report
from scoring.commands import (
    FILES,
    PAIR,
    REFUSED,
    RESAMPLING,
    argument,
    command,
    files_of,
    layouts,
    options_of,
    plan_of,
    raw_options,
    scorer_of,
)
from scoring.engine import Job, check, count, evaluate, read_pair, summarise
from scoring.errors import Problem, UsageError
from scoring.options import parse
from scoring.receipt import load, receipt_of, verify
from scoring.scorers import all_scorers, get, plugins
from scoring.source import Source
from scoring.spreadsheets import Form, sheets


@command("list", "scorers with options and measures", layouts("text", "json"))
def list_scorers(called: argparse.Namespace) -> int:
    scorers = list(all_scorers().values())
    show = report.scorers_json if called.format == "json" else report.scorers_text
    print(show(scorers))
    for plugin in plugins():
        if plugin.fault:
            print(f"scoring: left out: {plugin}", file=sys.stderr)
    return 0


def _verdict(problems: Sequence[Problem], fine: str) -> int:
    """Print what is wrong, or that nothing is; the exit code."""
    print(report.refusal(problems, sys.stdout.isatty()) if problems else fine)
    return REFUSED if problems else 0


@command("check", "check the format only", *FILES)
def check_format(called: argparse.Namespace) -> int:
    scorer = scorer_of(called)
    options = options_of(scorer, called)
    return _verdict(check(scorer, *files_of(called), options), "fine")


@command(
    "score",
    "score a file",
    *FILES,
    *RESAMPLING,
    layouts(*report.FORMATS),
    argument("--receipt", type=Path, help="write a receipt to this file"),
)
def score_file(called: argparse.Namespace) -> int:
    scorer = scorer_of(called)
    raw = raw_options(scorer, called.option)
    job = Job(scorer, parse(scorer.options, raw), called.unit, plan_of(called))
    files = files_of(called)
    result = evaluate(job, *files)
    if called.receipt:
        text = receipt_of(job, raw, files, result).as_json()
        # File names need not be UTF-8; JSON reads the escape of a byte back.
        called.receipt.write_bytes((text + "\n").encode("utf-8", "backslashreplace"))
    print(report.FORMATS[called.format](result))
    return 0


@command("details", "per item, as CSV", *FILES)
def print_details(called: argparse.Namespace) -> int:
    scorer = scorer_of(called)
    options = options_of(scorer, called)
    pair = read_pair(scorer, *files_of(called), options)
    print(report.details_csv(scorer.details(*pair, options)), end="")
    return 0


@command(
    "spreadsheets",
    "tables as CSV with formulas",
    *FILES,
    *RESAMPLING,
    argument("--out", type=Path, required=True, help="directory"),
    argument("--values", action="store_true", help="no formulas"),
    argument(
        "--separator",
        choices=(",", ";"),
        default=",",
        help="in formulas; OpenOffice: ;",
    ),
    argument(
        "--confidence",
        action="store_true",
        help="mean, variance, stddev of each metric",
    ),
)
def write_spreadsheets(called: argparse.Namespace) -> int:
    scorer = scorer_of(called)
    options, plan = options_of(scorer, called), plan_of(called)
    pair = read_pair(scorer, *files_of(called), options)
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


@command("verify", "check a receipt", argument("receipt", type=Path), *PAIR)
def verify_receipt(called: argparse.Namespace) -> int:
    receipt = load(called.receipt.name, called.receipt.read_bytes())
    raw = raw_options(get(receipt.scorer, receipt.package), called.option)
    files = {n: v[-1] for n, v in raw.items() if isinstance(v[-1], Source)}
    return _verdict(verify(receipt, *files_of(called), files), "the receipt holds")
