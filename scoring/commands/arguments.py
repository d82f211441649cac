"""Arguments that several subcommands share."""

import argparse
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any, NoReturn

from scoring.errors import Problem, UsageError
from scoring.options import Options, parse
from scoring.scorer import Scorer
from scoring.source import Source
from scoring.statistics.bootstrap import Plan

REFUSED, USAGE = 2, 64

Commands = Any


class CommandParser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Exit with the usage code of the contract."""
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {message}\n")


def add_files(command: argparse.ArgumentParser) -> None:
    """SCORER --gold --system -o."""
    command.add_argument("scorer")
    add_pair(command)


def add_pair(command: argparse.ArgumentParser) -> None:
    """--gold --system -o, for commands that know the scorer from elsewhere."""
    command.add_argument("--gold", type=Path, required=True)
    command.add_argument(
        "--system", type=Path, required=True, action="append", dest="systems"
    )
    command.add_argument(
        "-o", "--option", action="append", default=[], metavar="NAME=VALUE"
    )
    for name in ("ref_suffix_off", "ref_suffix_on"):
        _add_spelling(command, name)


def _add_spelling(command: argparse.ArgumentParser, name: str) -> None:
    """--option-name VALUE for -o option_name=VALUE (SCORING.md, `spans`)."""
    command.add_argument(
        "--" + name.replace("_", "-"),
        action="append",
        default=[],
        dest="option",
        type=f"{name}={{}}".format,
        metavar="ENDING",
        help=f"another spelling of -o {name}=ENDING",
    )


def add_resampling(command: argparse.ArgumentParser) -> None:
    plan = Plan()
    command.add_argument("--unit", default="")
    command.add_argument("--resamples", type=int, default=plan.resamples)
    command.add_argument("--seed", type=int, default=plan.seed)
    command.add_argument("--level", type=float, default=plan.level)


def raw_options(scorer: Scorer, given: list[str]) -> dict[str, list[str | Source]]:
    """`name=value` words, files read. Raises UsageError for a word without "=", OSError
    for a file that is not there."""
    raw: dict[str, list[str | Source]] = defaultdict(list)
    files = {option.name for option in scorer.options if option.kind == "file"}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(Problem("option", f"expected name=value, found '{text}'"))
        raw[name].append(Source.of_path(Path(value)) if name in files else value)
    return dict(raw)


def options_of(scorer: Scorer, called: argparse.Namespace) -> Options:
    return parse(scorer.options, raw_options(scorer, called.option))


def plan_of(called: argparse.Namespace) -> Plan:
    if called.resamples < 1 or called.seed < 0 or not 0 < called.level < 1:
        expected = "--resamples of 1 or more, --seed of 0 or more, 0 < --level < 1"
        raise UsageError(Problem("plan", f"expected {expected}"))
    return Plan(called.resamples, called.seed, called.level)


def gold_of(called: argparse.Namespace) -> Source:
    return Source.of_path(called.gold)


def system_of(called: argparse.Namespace) -> Source:
    if len(called.systems) > 1:
        raise UsageError(Problem("system", "this command takes one --system"))
    return Source.of_path(called.systems[0])
