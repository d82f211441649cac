"""The command line: the engine that ranks is the engine you run at home."""

import argparse
import io
import os
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

# Before numpy is imported: its threads take longer to start than a file to be scored.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from scoring import report
from scoring.commands import REFUSED, USAGE, Command, CommandParser, Help
from scoring.errors import ScoringError, UsageError
from scoring.runner import run_at_home, runner
from scoring.version import VERSION

# The module of `scoring` that has each. Only that of the command that was called is
# imported: to load all takes longer than to score a file.
COMMANDS = {
    "list": "commands.scores",
    "check": "commands.verdicts",
    "score": "commands.scores",
    "details": "commands.scores",
    "compare": "commands.comparison",
    "separate": "commands.comparison",
    "uncertainty": "commands.uncertainty",
    "spreadsheets": "scorers.spans.commands",
    "verify": "commands.verdicts",
    "laws": "commands.laws",
    "overlap": "contamination.commands",
    "wde": "scorers.treebanks.commands",
    "sttr": "scorers.treebanks.commands",
}
EXAMPLE = """example:
  python -m scoring score attachment --gold gold.conllu --system mine.conllu
`python -m scoring COMMAND --help` has the options of a command and an example."""


def main(arguments: list[str] | None = None) -> int:
    """Run one subcommand; the exit code says 0 fine, 2 refused, 64 usage."""
    words = sys.argv[1:] if arguments is None else arguments
    named = words[:1] if words and words[0] in COMMANDS else COMMANDS
    called = parser(named).parse_args(words)
    try:
        code = _run(called)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has seen enough, as `head` does.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


def _run(called: argparse.Namespace) -> int:
    # Whoever types a command may run a program of their own.
    token = runner.set(run_at_home)
    try:
        return int(called.run(called))
    except UsageError as error:
        print(f"scoring: {error}", file=sys.stderr)
        return USAGE
    except ScoringError as refusal:
        as_json = getattr(called, "format", None) == "json"
        print(report.refusal(refusal.problems, sys.stdout.isatty() and not as_json))
        return REFUSED
    except BrokenPipeError:
        raise
    except OSError as error:
        where = f"{error.filename}: {error.strerror}"
        print(f"scoring: {where}", file=sys.stderr)
        return USAGE
    finally:
        runner.reset(token)


def parser(names: Iterable[str] = COMMANDS) -> CommandParser:
    """The parser of these commands."""
    installed = Path(sys.argv[0]).stem == "plumbline-scoring"
    top = CommandParser(
        prog="plumbline-scoring" if installed else "python -m scoring",
        description=__doc__,
        epilog=EXAMPLE,
        formatter_class=Help,
    )
    top.add_argument("--version", action="version", version=f"scoring {VERSION}")
    commands = top.add_subparsers(
        required=True, metavar="COMMAND", parser_class=CommandParser
    )
    for name in names:
        _command(name).add_to(commands)
    return top


def _command(name: str) -> Command:
    module = import_module(f"scoring.{COMMANDS[name]}")
    commands = (value for value in vars(module).values() if isinstance(value, Command))
    return next(command for command in commands if command.name == name)


def print_as_utf8() -> None:
    """Print the same bytes on every machine, whatever its console speaks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Odd bytes in a file's name come out as an escape that JSON reads.
            stream.reconfigure(
                encoding="utf-8", errors="backslashreplace", newline="\n"
            )


def run() -> int:
    """The command as a terminal runs it."""
    print_as_utf8()
    return main()


if __name__ == "__main__":
    sys.exit(run())
