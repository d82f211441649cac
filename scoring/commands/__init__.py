"""Subcommands of `python -m scoring`, their arguments, and what several share."""

import argparse
import math
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scoring.command_parser import USAGE as USAGE
from scoring.command_parser import CommandParser as CommandParser
from scoring.errors import Problem, Refused, UsageError
from scoring.excerpts import with_excerpts
from scoring.options import Options, parse
from scoring.scorer import Scorer
from scoring.scorers import get, of_task
from scoring.source import Source
from scoring.statistics.bootstrap import Plan

REFUSED = 2
PLAN = Plan()
MOST_RESAMPLES = 100_000
MOST_SEED = 2**63 - 1
STANDARD_INPUT = Path("-")

# Names or flags of an argument, and what argparse is to know of it.
Argument = tuple[tuple[str, ...], dict[str, Any]]
Run = Callable[[argparse.Namespace], int]


class Help(argparse.RawDescriptionHelpFormatter):
    """Help that names the default of every option that has one."""

    def _get_help_string(self, action: argparse.Action) -> str:
        text = action.help or ""
        if action.required and action.option_strings:
            return f"{text} (required)"
        if action.default in (None, False, "", [], argparse.SUPPRESS):
            return text
        return f"{text} (default: %(default)s)"


@dataclass(frozen=True)
class Command:
    """One subcommand; `run` prints its answer and returns the exit code. `example` is
    what may follow the command's name."""

    name: str
    help: str
    example: str
    arguments: tuple[Argument, ...]
    run: Run

    def add_to(self, commands: Any) -> None:
        parser = commands.add_parser(
            self.name,
            help=self.help,
            description=self.help[0].upper() + self.help[1:] + ".",
            epilog=f"example:\n  python -m scoring {self.name} {self.example}".rstrip(),
            formatter_class=Help,
        )
        for names, settings in self.arguments:
            parser.add_argument(*names, **settings)
        parser.set_defaults(run=self.run)


def command(
    name: str, help: str, *arguments: Argument, example: str = ""
) -> Callable[[Run], Command]:
    """Make a command of the function that runs it."""
    return lambda run: Command(name, help, example, arguments, run)


def argument(*names: str, **settings: Any) -> Argument:
    return names, settings


def layouts(*names: str) -> Argument:
    """--format, the first by default."""
    return argument(
        "--format", choices=names, default=names[0], help="how to print the answer"
    )


def whole(least: int, most: int) -> Callable[[str], int]:
    """A type of argument: whole numbers from `least` to `most`."""

    def parse_whole(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            message = f"expected a whole number from {least} to {most}, found '{text}'"
            raise argparse.ArgumentTypeError(message)
        return number

    return parse_whole


def number(expected: str, fits: Callable[[float], bool]) -> Callable[[str], float]:
    """A type of argument: numbers that fit, in words those that are `expected`."""

    def parse_number(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and fits(value)):
            message = f"expected {expected}, found '{text}'"
            raise argparse.ArgumentTypeError(message)
        return value

    return parse_number


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


SCORER = argument("scorer", metavar="SCORER", help="one of `python -m scoring list`")
OPTION = argument(
    "-o",
    "--option",
    action="append",
    default=[],
    metavar="NAME=VALUE",
    help="an option of the scorer; repeat it for several, or for a list of values",
)
# Gold, systems and options, for commands that know the scorer from elsewhere.
PAIR = (
    argument(
        "--gold",
        type=Path,
        required=True,
        metavar="FILE",
        help="gold file or folder; `check` takes the input file; - is standard input",
    ),
    argument(
        "--system",
        type=Path,
        required=True,
        nargs="+",
        action="extend",
        dest="systems",
        metavar="FILE",
        help="a system's file or folder, or several; - is standard input",
    ),
    OPTION,
    _spelling("ref_suffix_off"),
    _spelling("ref_suffix_on"),
)
FILES = (SCORER, *PAIR)
UNIT = argument(
    "--unit",
    default="",
    help="unit that is drawn in resamples, such as document (default: the finest)",
)
RESAMPLING = (
    UNIT,
    argument(
        "--resamples",
        type=whole(0, MOST_RESAMPLES),
        default=PLAN.resamples,
        metavar="N",
        help="resamples of the bootstrap; 0 leaves out all that needs them",
    ),
    argument(
        "--seed",
        type=whole(0, MOST_SEED),
        default=PLAN.seed,
        metavar="N",
        help="seed of the resamples",
    ),
    argument(
        "--level",
        type=number("a number above 0 and below 1", lambda level: 0 < level < 1),
        default=PLAN.level,
        metavar="P",
        help="confidence level of intervals",
    ),
)
MEASURE = argument(
    "--measure",
    action="append",
    default=[],
    metavar="NAME",
    help="only this measure; may be repeated",
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
        raw[name].append(source_of(Path(value)) if name in files else value)
    return dict(raw)


def scorer_of(called: argparse.Namespace) -> Scorer:
    """The scorer that is named, with the measures that the options declare."""
    return of_task(called.scorer, raw_options(get(called.scorer), called.option))


def options_of(scorer: Scorer, called: argparse.Namespace) -> Options:
    return parse(scorer.options, raw_options(scorer, called.option))


def plan_of(called: argparse.Namespace) -> Plan:
    return Plan(called.resamples, called.seed, called.level)


def source_of(path: Path) -> Source:
    """The file or folder, or standard input, whose name is - in messages, too."""
    if path == STANDARD_INPUT:
        return Source.of_bytes(str(path), sys.stdin.buffer.read())
    return Source.of_path(path)


def check_standard_input(paths: Sequence[Path]) -> None:
    """Raises UsageError where standard input would have to be read twice."""
    if paths.count(STANDARD_INPUT) > 1:
        raise UsageError(Problem("stdin", "standard input (-) can be read only once"))


def files_of(called: argparse.Namespace) -> tuple[Source, Source]:
    """Gold and the only system's file."""
    if len(called.systems) > 1:
        raise UsageError(Problem("system", "this command takes one --system"))
    check_standard_input([called.gold, *called.systems])
    return source_of(called.gold), source_of(called.systems[0])


@contextmanager
def quoting(system: Source) -> Iterator[None]:
    """Refusals of the system's file quote the line, as the format check does."""
    try:
        yield
    except Refused as refusal:
        raise Refused(with_excerpts(refusal.problems, system)) from None


@contextmanager
def diagnosing(
    scorer: Scorer, gold: Source, system: Source, options: Options
) -> Iterator[None]:
    """Refusals of the system's file say first what is wrong with the whole, as the
    format check does: of the gold they know what its input file has. Where teams send
    another file than the one that is scored, the check knows nothing of this one."""
    try:
        yield
    except Refused as refusal:
        problems = with_excerpts(refusal.problems, system)
        if scorer.read_submission is None:
            from scoring.engine import examine  # Few files are refused.

            verdict = examine(scorer, scorer.blind(gold, options), system, options)
            problems = verdict.findings or problems
        raise Refused(problems) from None
