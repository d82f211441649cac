"""The command line: the engine that ranks is the engine you run at home."""

import argparse
import io
import os
import sys
from pathlib import Path

from scoring import programs, report
from scoring.commands import (
    REFUSED,
    USAGE,
    CommandParser,
    Help,
    comparison,
    laws,
    scores,
    treebanks,
)
from scoring.errors import ScoringError, UsageError
from scoring.version import VERSION

COMMANDS = (
    scores.list_scorers,
    scores.check_format,
    scores.score_file,
    scores.print_details,
    comparison.compare_systems,
    comparison.separate_systems,
    scores.write_spreadsheets,
    scores.verify_receipt,
    laws.check_laws,
    treebanks.print_entropies,
    treebanks.print_type_token_ratios,
)
EXAMPLE = """example:
  python -m scoring score attachment --gold gold.conllu --system mine.conllu
`python -m scoring COMMAND --help` has the options of a command and an example."""


def main(arguments: list[str] | None = None) -> int:
    """Run one subcommand; the exit code says 0 fine, 2 refused, 64 usage."""
    called = parser().parse_args(arguments)
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
    token = programs.runner.set(programs.run_at_home)
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
        print(f"scoring: cannot read {where}", file=sys.stderr)
        return USAGE
    finally:
        programs.runner.reset(token)


def parser() -> CommandParser:
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
    for command in COMMANDS:
        command.add_to(commands)
    return top


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
