"""The client: a site from a command line."""

import json
import sys
from pathlib import Path

from plumbline import credentials
from plumbline.commands.boards import (
    add_board,
    add_compare,
    add_download,
    add_tasks,
)
from plumbline.commands.bundle import add_bundle
from plumbline.commands.fill import add_fill
from plumbline.commands.judgements import add_judgements
from plumbline.commands.participation import add_join, add_kit, add_login
from plumbline.commands.run import add_run
from plumbline.commands.submissions import (
    add_check,
    add_status,
    add_submit,
    add_withdraw,
)
from plumbline.commands.verify import add_verify
from plumbline.exits import USAGE, Ended, SiteRefusal, unreadable
from plumbline.output import problem_line
from plumbline.site import Site
from scoring.command_parser import CommandParser
from scoring.errors import ScoringError
from scoring.version import RELEASE, VERSION

COMMANDS = (
    add_login,
    add_tasks,
    add_join,
    add_kit,
    add_run,
    add_check,
    add_submit,
    add_status,
    add_withdraw,
    add_board,
    add_compare,
    add_download,
    add_bundle,
    add_judgements,
    add_fill,
    add_verify,
)


def parser() -> CommandParser:
    installed = Path(sys.argv[0]).stem == "plumbline"
    prog = "plumbline" if installed else "python -m plumbline"
    top = CommandParser(prog=prog, description=__doc__)
    versions = f"plumbline {RELEASE}, engine {VERSION}"
    top.add_argument("--version", action="version", version=versions)
    top.add_argument(
        "--site", default=credentials.last_site(), help="address of the site"
    )
    top.add_argument("--json", action="store_true", help="print what the site answered")
    commands = top.add_subparsers(
        required=True, metavar="COMMAND", parser_class=CommandParser
    )
    for add in COMMANDS:
        add(commands)
    return top


def main(arguments: list[str] | None = None) -> int:
    """Run one command; the exit code is one of `plumbline.exits`."""
    called = parser().parse_args(arguments)
    try:
        if "offline" in called:
            return int(called.run(called))
        return int(called.run(called, Site(called.site)))
    except SiteRefusal as refusal:
        if called.json:
            print(json.dumps(refusal.document, ensure_ascii=False, indent=1))
        print(f"plumbline: {refusal}", file=sys.stderr)
        for problem in (*refusal.diagnoses[1:], *refusal.problems):
            print(problem_line(problem), file=sys.stderr)
        return refusal.code
    except Ended as ended:
        print(f"plumbline: {ended}", file=sys.stderr)
        return ended.code
    except OSError as error:
        print(f"plumbline: {unreadable(error)}", file=sys.stderr)
        return USAGE
    except ScoringError as error:
        print(f"plumbline: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
