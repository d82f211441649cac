"""The command line: the engine that ranks is the engine you run at home."""

import argparse
import sys
from collections import defaultdict
from pathlib import Path
from typing import NoReturn

from scoring import report
from scoring.bootstrap import Plan
from scoring.compare import compare_all
from scoring.engine import Job, check, count, evaluate, read_pair
from scoring.errors import Problem, ScoringError, UsageError
from scoring.options import Options, parse
from scoring.scorer import Scorer
from scoring.scorers import all_scorers, get
from scoring.source import Source

REFUSED, USAGE = 2, 64


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Exit with the usage code of the contract."""
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {message}\n")


def main(arguments: list[str] | None = None) -> int:
    """Run one subcommand; the exit code says 0 fine, 2 refused, 64 usage."""
    called = parser().parse_args(arguments)
    try:
        return int(called.run(called))
    except UsageError as error:
        print(f"scoring: {error}", file=sys.stderr)
        return USAGE
    except ScoringError as refusal:
        print(report.refusal_json(refusal.problems))
        return REFUSED
    except OSError as error:
        print(f"scoring: cannot read {error.filename}: {error.strerror}", file=sys.stderr)
        return USAGE


def parser() -> Parser:
    top = Parser(prog="python -m scoring", description=__doc__)
    commands = top.add_subparsers(required=True, metavar="COMMAND", parser_class=Parser)
    listing = commands.add_parser("list", help="scorers with options and measures")
    listing.add_argument("--format", choices=("text", "json"), default="text")
    listing.set_defaults(run=run_list)
    for name, run, text in (
        ("check", run_check, "check the format only"),
        ("score", run_score, "score a file"),
        ("details", run_details, "per item, as CSV"),
        ("compare", run_compare, "compare systems, paired"),
    ):
        command = commands.add_parser(name, help=text)
        _add_inputs(command)
        if name == "compare":
            command.add_argument("--measure", action="append", default=[])
        if name in ("score", "compare"):
            _add_resampling(command, name)
        command.set_defaults(run=run)
    return top


def _add_inputs(command: argparse.ArgumentParser) -> None:
    command.add_argument("scorer")
    command.add_argument("--gold", type=Path, required=True)
    command.add_argument(
        "--system", type=Path, required=True, action="append", dest="systems"
    )
    command.add_argument(
        "-o", "--option", action="append", default=[], metavar="NAME=VALUE"
    )


def _add_resampling(command: argparse.ArgumentParser, name: str) -> None:
    plan = Plan()
    formats = tuple(report.FORMATS) if name == "score" else ("text", "json")
    command.add_argument("--unit", default="")
    command.add_argument("--resamples", type=int, default=plan.resamples)
    command.add_argument("--seed", type=int, default=plan.seed)
    command.add_argument("--level", type=float, default=plan.level)
    command.add_argument("--format", choices=formats, default="text")


def _options(scorer: Scorer, given: list[str]) -> Options:
    raw: dict[str, list[str | Source]] = defaultdict(list)
    files = {option.name for option in scorer.options if option.kind == "file"}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(Problem("option", f"expected name=value, found '{text}'"))
        raw[name].append(Source.of_path(Path(value)) if name in files else value)
    return parse(scorer.options, raw)


def _plan(called: argparse.Namespace) -> Plan:
    if called.resamples < 1 or called.seed < 0 or not 0 < called.level < 1:
        message = "expected --resamples of 1 or more, --seed of 0 or more, 0 < --level < 1"
        raise UsageError(Problem("plan", message))
    return Plan(called.resamples, called.seed, called.level)


def _one_system(called: argparse.Namespace) -> Source:
    if len(called.systems) > 1:
        raise UsageError(Problem("system", "this command takes one --system"))
    return Source.of_path(called.systems[0])


def run_list(called: argparse.Namespace) -> int:
    from scoring.listing import as_json, as_text

    scorers = list(all_scorers().values())
    print(as_json(scorers) if called.format == "json" else as_text(scorers))
    return 0


def run_check(called: argparse.Namespace) -> int:
    scorer = get(called.scorer)
    options = _options(scorer, called.option)
    system = _one_system(called)
    problems = check(scorer, Source.of_path(called.gold), system, options)
    print(report.refusal_json(problems) if problems else "fine")
    return REFUSED if problems else 0


def run_score(called: argparse.Namespace) -> int:
    scorer = get(called.scorer)
    options = _options(scorer, called.option)
    job = Job(scorer, options, called.unit, _plan(called))
    result = evaluate(job, Source.of_path(called.gold), _one_system(called))
    print(report.FORMATS[called.format](result))
    return 0


def run_details(called: argparse.Namespace) -> int:
    scorer = get(called.scorer)
    options = _options(scorer, called.option)
    gold, system = Source.of_path(called.gold), _one_system(called)
    pair = read_pair(scorer, gold, system, options)
    print(report.details_csv(scorer.details(*pair, options)), end="")
    return 0


def run_compare(called: argparse.Namespace) -> int:
    scorer = get(called.scorer)
    options, plan = _options(scorer, called.option), _plan(called)
    gold = Source.of_path(called.gold)
    if len(called.systems) < 2:
        raise UsageError(Problem("system", "compare takes two or more --system"))
    systems = {}
    for path in called.systems:
        pair = read_pair(scorer, gold, Source.of_path(path), options)
        systems[str(path)] = count(scorer, pair, options, called.unit)
    known = {m.name: m for m in scorer.measures(())}
    unknown = [name for name in called.measure if name not in known]
    if unknown:
        message = f"no measure '{unknown[0]}'; there are: {', '.join(known)}"
        raise UsageError(Problem("measure", message))
    found = [
        comparison
        for name in called.measure or known
        for comparison in compare_all(systems, known[name], plan)
    ]
    json = called.format == "json"
    print(report.comparisons_json(found) if json else report.comparisons_text(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
