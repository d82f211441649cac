"""status: one submission, or all that the team sent to a task."""

import argparse
import re
from typing import Any

from plumbline.exits import FINE, UNDER_WAY
from plumbline.printing import as_json, submission, table
from plumbline.site import Site
from plumbline.waiting import Bar, code_of, wait_for

ONE = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")


def add(commands: Any) -> None:
    command = commands.add_parser("status", help="what became of a submission")
    command.add_argument("what", metavar="SUBMISSION|TASK")
    command.add_argument("--wait", action="store_true", help="until there is a result")
    command.add_argument("--timeout", type=float, default=600.0, metavar="SECONDS")
    command.set_defaults(run=run)


def run(called: argparse.Namespace, site: Site) -> int:
    if not ONE.fullmatch(called.what):
        return _listed(called, site)
    with Bar() as bar:
        seconds = called.timeout if called.wait else 0.0
        found = wait_for(site, called.what, seconds, bar)
    print(as_json(found) if called.json else submission(found))
    return code_of(found, UNDER_WAY if called.wait else FINE)


def _listed(called: argparse.Namespace, site: Site) -> int:
    found = site.get(f"tasks/{called.what}/submissions/")
    rows = [
        [one["id"], one["phase"], one["system"], one["state"], one["received_at"]]
        for one in found["submissions"]
    ]
    words = table(rows) if rows else "nothing was sent yet"
    print(as_json(found) if called.json else words)
    return FINE
