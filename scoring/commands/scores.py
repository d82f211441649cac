"""list, check, score, details, spreadsheets and verify: one file against gold."""

import argparse
from pathlib import Path

from scoring import report
from scoring.commands import arguments
from scoring.engine import Job, check, count, evaluate, read_pair, summarise
from scoring.errors import Problem, UsageError
from scoring.options import parse
from scoring.receipt import load, receipt_of, verify
from scoring.scorers import all_scorers, get
from scoring.source import Source
from scoring.spreadsheets import Form, sheets


def add_list(commands: arguments.Commands) -> None:
    command = commands.add_parser("list", help="scorers with options and measures")
    command.add_argument("--format", choices=("text", "json"), default="text")
    command.set_defaults(run=run_list)


def run_list(called: argparse.Namespace) -> int:
    scorers = list(all_scorers().values())
    show = report.scorers_json if called.format == "json" else report.scorers_text
    print(show(scorers))
    return 0


def add_check(commands: arguments.Commands) -> None:
    command = commands.add_parser("check", help="check the format only")
    arguments.add_files(command)
    command.set_defaults(run=run_check)


def run_check(called: argparse.Namespace) -> int:
    scorer = get(called.scorer)
    options = arguments.options_of(scorer, called)
    blind, system = arguments.gold_of(called), arguments.system_of(called)
    problems = check(scorer, blind, system, options)
    print(report.refusal_json(problems) if problems else "fine")
    return arguments.REFUSED if problems else 0


def add_score(commands: arguments.Commands) -> None:
    command = commands.add_parser("score", help="score a file")
    arguments.add_files(command)
    arguments.add_resampling(command)
    formats = tuple(report.FORMATS)
    command.add_argument("--format", choices=formats, default="text")
    command.add_argument("--receipt", type=Path, help="write a receipt to this file")
    command.set_defaults(run=run_score)


def run_score(called: argparse.Namespace) -> int:
    scorer = get(called.scorer)
    raw = arguments.raw_options(scorer, called.option)
    options, plan = parse(scorer.options, raw), arguments.plan_of(called)
    job = Job(scorer, options, called.unit, plan)
    files = arguments.gold_of(called), arguments.system_of(called)
    result = evaluate(job, *files)
    if called.receipt:
        text = receipt_of(job, raw, files, result).as_json()
        # File names need not be UTF-8; JSON reads the escape of a byte back.
        called.receipt.write_bytes((text + "\n").encode("utf-8", "backslashreplace"))
    print(report.FORMATS[called.format](result))
    return 0


def add_details(commands: arguments.Commands) -> None:
    command = commands.add_parser("details", help="per item, as CSV")
    arguments.add_files(command)
    command.set_defaults(run=run_details)


def run_details(called: argparse.Namespace) -> int:
    scorer = get(called.scorer)
    options = arguments.options_of(scorer, called)
    pair = read_pair(
        scorer, arguments.gold_of(called), arguments.system_of(called), options
    )
    print(report.details_csv(scorer.details(*pair, options)), end="")
    return 0


def add_spreadsheets(commands: arguments.Commands) -> None:
    command = commands.add_parser("spreadsheets", help="tables as CSV with formulas")
    arguments.add_files(command)
    arguments.add_resampling(command)
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
    command.set_defaults(run=run_spreadsheets)


def run_spreadsheets(called: argparse.Namespace) -> int:
    scorer = get(called.scorer)
    options, plan = arguments.options_of(scorer, called), arguments.plan_of(called)
    pair = read_pair(
        scorer, arguments.gold_of(called), arguments.system_of(called), options
    )
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


def add_verify(commands: arguments.Commands) -> None:
    command = commands.add_parser("verify", help="check a receipt")
    command.add_argument("receipt", type=Path)
    arguments.add_pair(command)
    command.set_defaults(run=run_verify)


def run_verify(called: argparse.Namespace) -> int:
    receipt = load(called.receipt.name, called.receipt.read_bytes())
    raw = arguments.raw_options(get(receipt.scorer), called.option)
    files = {n: v[-1] for n, v in raw.items() if isinstance(v[-1], Source)}
    gold, system = arguments.gold_of(called), arguments.system_of(called)
    problems = verify(receipt, gold, system, files)
    print(report.refusal_json(problems) if problems else "the receipt holds")
    return arguments.REFUSED if problems else 0
