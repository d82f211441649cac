"""download: a board in one of the forms that papers and spreadsheets take."""

import argparse
import sys
from pathlib import Path
from typing import Any

from plumbline.commands.board import add_choices, choices_of
from plumbline.exits import FINE, USAGE, Ended
from plumbline.files import place
from plumbline.site import Site


def add(commands: Any) -> None:
    command = commands.add_parser("download", help="take a board away: tex, csv, …")
    command.add_argument("place", type=place, metavar="TASK/PHASE")
    command.add_argument("form", metavar="FORM")
    command.add_argument("-o", "--output", type=Path, help="else it is printed")
    add_choices(command)
    command.set_defaults(run=run)


def run(called: argparse.Namespace, site: Site) -> int:
    known = {one["name"]: one for one in site.get(f"{called.place.path}/exports/")}
    if called.form not in known:
        raise Ended(USAGE, f"no such form: {called.form}; there are {', '.join(known)}")
    path = site.path_of(known[called.form]["address"])
    answer = site.fetch(path, params=choices_of(called), headers={"Accept": "*/*"})
    if called.output is None:
        sys.stdout.buffer.write(answer.content)
    else:
        called.output.write_bytes(answer.content)
    return FINE
