"""check: whether files can be scored, before they cost anything."""

import argparse
import sys
from typing import Any

from plumbline.checking import problems_of
from plumbline.exits import FINE, UNFIT
from plumbline.files import add_files, by_test_set
from plumbline.printing import as_json, told
from plumbline.site import Site


def add(commands: Any) -> None:
    command = commands.add_parser("check", help="check files as the site would")
    add_files(command)
    command.set_defaults(run=run)


def run(called: argparse.Namespace, site: Site) -> int:
    where = called.place
    phase = site.get(f"tasks/{where.task}/phases/{where.phase}/")
    found = problems_of(site, phase, by_test_set(called.files, phase))
    if called.json:
        print(as_json([one.as_dict() for one in found]))
    for one in () if called.json else found:
        print(told(one.as_dict()), file=sys.stderr)
    if not found and not called.json:
        print("fine")
    return UNFIT if found else FINE
