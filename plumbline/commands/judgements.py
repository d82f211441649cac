"""judgements list, pull, push: what organizers count elsewhere, for a phase."""

import argparse
import sys
import uuid
from pathlib import Path
from typing import Any

from plumbline.exits import FINE
from plumbline.files import place
from plumbline.output import as_json, table
from plumbline.site import Site


def add_judgements(commands: Any) -> None:
    command = commands.add_parser(
        "judgements", help="what you count elsewhere, for organizers"
    )
    ways = command.add_subparsers(required=True, metavar="list|pull|push")
    listing = ways.add_parser("list", help="what waits, and what was judged")
    pulling = ways.add_parser("pull", help="a zip of the files to judge")
    pushing = ways.add_parser("push", help="send a table of values of units")
    for way in (listing, pulling, pushing):
        way.add_argument("place", type=place, metavar="TASK/PHASE")
    listing.set_defaults(run=show)
    pulling.add_argument("file", type=Path)
    pulling.add_argument("--all", action="store_true", help="not only what waits")
    pulling.set_defaults(run=pull)
    pushing.add_argument("file", type=Path)
    pushing.add_argument(
        "--submission", default="", help="whose values, if no column says so"
    )
    pushing.set_defaults(run=push)


def show(called: argparse.Namespace, site: Site) -> int:
    judgements = site.get(f"{called.place.path}/judgements/")
    if called.json:
        print(as_json(judgements))
        return FINE
    rows = [
        (
            submission["id"],
            submission["state"],
            submission["team"],
            submission["system"],
        )
        for submission in judgements["submissions"]
    ]
    print(table([("submission", "state", "team", "system"), *rows]))
    return FINE


def pull(called: argparse.Namespace, site: Site) -> int:
    which = "all" if called.all else "waiting"
    path = f"{called.place.path}/judgements/files/"
    answer = site.fetch(path, params={"which": which}, headers={"Accept": "*/*"})
    called.file.write_bytes(answer.content)
    print(f"{called.file}: {len(answer.content)} bytes", file=sys.stderr)
    return FINE


def push(called: argparse.Namespace, site: Site) -> int:
    fields = {"submission": called.submission} if called.submission else {}
    answer = site.post(
        f"{called.place.path}/judgements/",
        data=fields,
        files={"table": (called.file.name, called.file.read_bytes())},
        headers={"Idempotency-Key": uuid.uuid4().hex},
    )
    if called.json:
        print(as_json(answer))
    else:
        print(f"taken for {len(answer['submissions'])} submissions")
    return FINE
