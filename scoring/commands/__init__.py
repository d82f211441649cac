"""Subcommands of `python -m scoring`, their arguments, and what several share."""

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from scoring.errors import Problem, UsageError
from scoring.options import Options, parse
from scoring.scorer import Scorer
from scoring.scorers import get, of_task
from scoring.source import Source
from scoring.statistics.bootstrap import Plan

REFUSED, USAGE = 2, 64
PLAN = Plan()

# Names or flags of an argument, and what argparse is to know of it.
Argument = tuple[tuple[str, ...], dict[str, Any]]
Run = Callable[[argparse.Namespace], int]


class CommandParser(argparse.ArgumentParser):
    """Parser that exits with the usage code of the contract."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {message}\n")


@dataclass(frozen=True)
class Command:
    """One subcommand; `run` prints its answer and returns the exit code."""

    name: str
    help: str
    arguments: tuple[Argument, ...]
    run: Run

    def add_to(self, commands: Any) -> None:
        parser = commands.add_parser(self.name, help=self.help)
        for names, settings in self.arguments:
            parser.add_argument(*names, **settings)
        parser.set_defaults(run=self.run)


def command(name: str, help: str, *arguments: Argument) -> Callable[[Run], Command]:
    """Make a command of the function that runs it."""
    return lambda run: Command(name, help, arguments, run)


def argument(*names: str, **settings: Any) -> Argument:
    return names, settings


def layouts(*names: str) -> Argument:
    """--format, the first by default."""
    return argument("--format", choices=names, default=names[0])


def _spelling(name: str) -> Argument:
    """--option-name VALUE for -o option_name=VALUE (SCORING.md, `spans`)."""
    return argument(
        "--" + name.replace("_", "-"),
        action="append",
        default=[],
        dest="option",
        type=f"{name}={{}}".format,
        metavar="ENDING",
        help=f"another spelling of -o {name}=ENDING",
    )


# Gold, systems and options, for commands that know the scorer from elsewhere.
PAIR = (
    argument("--gold", type=Path, required=True),
    argument("--system", type=Path, required=True, action="append", dest="systems"),
    argument("-o", "--option", action="append", default=[], metavar="NAME=VALUE"),
    _spelling("ref_suffix_off"),
    _spelling("ref_suffix_on"),
)
FILES = (argument("scorer"), *PAIR)
RESAMPLING = (
    argument("--unit", default=""),
    argument("--resamples", type=int, default=PLAN.resamples),
    argument("--seed", type=int, default=PLAN.seed),
    argument("--level", type=float, default=PLAN.level),
)


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


def scorer_of(called: argparse.Namespace) -> Scorer:
    """The scorer that is named, with the measures that the options declare."""
    return of_task(called.scorer, raw_options(get(called.scorer), called.option))


def options_of(scorer: Scorer, called: argparse.Namespace) -> Options:
    return parse(scorer.options, raw_options(scorer, called.option))


def plan_of(called: argparse.Namespace) -> Plan:
    if called.resamples < 1 or called.seed < 0 or not 0 < called.level < 1:
        expected = "--resamples of 1 or more, --seed of 0 or more, 0 < --level < 1"
        raise UsageError(Problem("plan", f"expected {expected}"))
    return Plan(called.resamples, called.seed, called.level)


def files_of(called: argparse.Namespace) -> tuple[Source, Source]:
    """Gold and the only system's file."""
    gold = Source.of_path(called.gold)
    if len(called.systems) > 1:
        raise UsageError(Problem("system", "this command takes one --system"))
    return gold, Source.of_path(called.systems[0])
