"""tasks: what there is, or the phases of one task."""

import argparse
from typing import Any

from plumbline.exits import FINE
from plumbline.printing import as_json, table
from plumbline.site import Site


def add(commands: Any) -> None:
    command = commands.add_parser("tasks", help="list the tasks and their phases")
    command.add_argument("task", nargs="?")
    command.set_defaults(run=run)


def run(called: argparse.Namespace, site: Site) -> int:
    one = called.task
    found = [site.get(f"tasks/{one}/")] if one else site.get("tasks/")
    rows = [
        [
            f"{task['slug']}/{phase['name']}",
            phase["state"],
            phase["closes"] or "no end",
            task["scorer"],
            task["title"],
        ]
        for task in found
        for phase in task["phases"]
    ]
    print(as_json(found) if called.json else table(rows) if rows else "no tasks")
    return FINE
