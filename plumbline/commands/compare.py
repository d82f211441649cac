"""compare: systems of a board against each other, pair by pair."""

import argparse
from typing import Any

from plumbline.commands.board import add_choices, choices_of
from plumbline.exits import FINE
from plumbline.files import place
from plumbline.printing import as_json, table
from plumbline.site import Site

HEAD = ["first", "second", "difference", "low", "high", "p", "adjusted p"]
NUMBERS = ("difference", "low", "high", "p_value", "adjusted")


def add(commands: Any) -> None:
    command = commands.add_parser("compare", help="systems of a board, pair by pair")
    command.add_argument("place", type=place, metavar="TASK/PHASE")
    command.add_argument("submissions", nargs="+", metavar="SUBMISSION")
    add_choices(command)
    command.set_defaults(run=run)


def run(called: argparse.Namespace, site: Site) -> int:
    asked = {**choices_of(called), "system": called.submissions}
    found = site.get(f"{called.place.path}/compare/", params=asked)
    rows = [[one["first"], one["second"], *map(_number(one), NUMBERS)] for one in found]
    print(as_json(found) if called.json else table([HEAD, *rows]))
    return FINE


def _number(pair: dict[str, Any]) -> Any:
    return lambda key: "n/a" if pair[key] is None else f"{pair[key]:.4f}"
