"""board: the ranking of a phase."""

import argparse
from typing import Any

from plumbline import printing
from plumbline.exits import FINE
from plumbline.files import place
from plumbline.site import Site

CHOICES = ("measure", "test_set", "slice", "part", "board", "revision")


def add(commands: Any) -> None:
    command = commands.add_parser("board", help="the ranking of a phase")
    command.add_argument("place", type=place, metavar="TASK/PHASE")
    add_choices(command)
    command.set_defaults(run=run)


def add_choices(command: argparse.ArgumentParser) -> None:
    """The parameters of the page."""
    for name in CHOICES:
        command.add_argument(f"--{name.replace('_', '-')}", dest=name)
    command.add_argument("--all", action="store_true", help="every entry of each team")


def choices_of(called: argparse.Namespace) -> dict[str, str]:
    found = {name: getattr(called, name) for name in CHOICES if getattr(called, name)}
    return found | ({"entries": "all"} if called.all else {})


def run(called: argparse.Namespace, site: Site) -> int:
    found = site.get(f"{called.place.path}/board/", params=choices_of(called))
    print(printing.as_json(found) if called.json else printing.board(found))
    return FINE
