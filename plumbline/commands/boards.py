"""tasks, board, compare and download: what the site publishes."""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from plumbline import output
from plumbline.exits import FINE, USAGE, Ended, SiteRefusal
from plumbline.files import place, plain_name
from plumbline.names import phase_of, system_id
from plumbline.output import Values, as_json, table
from plumbline.site import Site


def add_tasks(commands: Any) -> None:
    command = commands.add_parser("tasks", help="list the tasks and their phases")
    command.add_argument("task", type=plain_name, nargs="?")
    command.set_defaults(run=run_tasks)


def run_tasks(called: argparse.Namespace, site: Site) -> int:
    name = called.task
    tasks = [site.get(f"tasks/{name}/")] if name else site.get("tasks/")
    rows = [
        [
            f"{task['slug']}/{phase['name']}",
            phase["state"],
            output.second(phase["closes"] or "no end"),
            task["scorer"],
            task["title"],
        ]
        for task in tasks
        for phase in task["phases"]
    ]
    lines = table(rows, named=[4]) if rows else "no tasks"
    print(as_json(tasks) if called.json else lines)
    return FINE


CHOICES = ("measure", "test_set", "slice", "part", "board", "revision")


def add_board(commands: Any) -> None:
    command = commands.add_parser("board", help="the ranking of a phase")
    command.add_argument("place", type=place, metavar="TASK/PHASE")
    add_choices(command)
    command.set_defaults(run=run_board)


def add_choices(command: argparse.ArgumentParser) -> None:
    """The parameters of the page."""
    for name in CHOICES:
        command.add_argument(f"--{name.replace('_', '-')}", dest=name)
    command.add_argument("--all", action="store_true", help="every entry of each team")


def choices_of(called: argparse.Namespace) -> dict[str, str]:
    choices = {name: getattr(called, name) for name in CHOICES if getattr(called, name)}
    return choices | ({"entries": "all"} if called.all else {})


def run_board(called: argparse.Namespace, site: Site) -> int:
    try:
        board = _whole_board(f"{called.place.path}/board/", choices_of(called), site)
    except SiteRefusal as refusal:
        if refusal.status == 404:
            phase_of(site, called.place)  # says which phases there are
        raise
    print(output.as_json(board) if called.json else output.board(board))
    return FINE


def _whole_board(path: str, choices: dict[str, str], site: Site) -> dict[str, Any]:
    """The board with the rows of all its pages; older sites have one page."""
    board: dict[str, Any] = site.get(path, params=choices)
    for number in range(2, board.get("pages", 1) + 1):
        more = site.get(path, params={**choices, "page": str(number)})
        board["rows"] += more["rows"]
    return {name: value for name, value in board.items() if name not in PAGING}


PAGING = ("page", "pages")
HEAD = ["first", "second", "difference", "low", "high", "p", "adjusted p"]
NUMBERS = ("difference", "low", "high", "p_value", "adjusted")


def add_compare(commands: Any) -> None:
    command = commands.add_parser("compare", help="systems of a board, pair by pair")
    command.add_argument("place", type=place, metavar="TASK/PHASE")
    command.add_argument("submissions", nargs="+", metavar="SYSTEM")
    add_choices(command)
    command.set_defaults(run=run_compare)


def run_compare(called: argparse.Namespace, site: Site) -> int:
    choices = choices_of(called)
    board = _whole_board(
        f"{called.place.path}/board/", {**choices, "entries": "all"}, site
    )
    ids = list(_ids_of(called.submissions, board))
    comparison = site.get(
        f"{called.place.path}/compare/", params={**choices, "system": ids}
    )
    names = {row["submission"]: row["system"] for row in board["rows"]}
    shares = {measure["name"]: measure["percent"] for measure in board["measures"]}
    rows = [
        [
            *(names.get(pair[side], pair[side]) for side in ("first", "second")),
            *map(_number(pair, shares.get(pair["measure"], False)), NUMBERS),
        ]
        for pair in comparison
    ]
    lines = [table([HEAD, *rows], named=[0, 1])]
    for group in dict.fromkeys(pair.get("compared_by") for pair in comparison):
        if group:  # older sites say nothing of it
            lines.append(f"compared {group} by {group}, units inside one are alike")
    print(as_json(comparison) if called.json else "\n".join(lines))
    return FINE


def _ids_of(names: Sequence[str], board: Values) -> Iterator[str]:
    """The ids of the systems of these names. Raises Ended, which says of a board that
    newer results are added to that it may have the system soon."""
    for name in names:
        try:
            yield system_id(name, board["rows"])
        except Ended as ended:
            if not board.get("newer_results"):
                raise
            words = "newer results are being added to the board: try again soon"
            raise Ended(ended.code, f"{ended}; {words}") from None


def _number(pair: dict[str, Any], percent: bool) -> Callable[[str], str]:
    """Differences in percent where the measure is a share, as on the pages."""

    def number(key: str) -> str:
        if pair[key] is None:
            return "n/a"
        if key in NUMBERS[:3]:
            return f"{pair[key] * 100:+.2f}" if percent else f"{pair[key]:+.4f}"
        return "<0.0001" if pair[key] < 0.00005 else f"{pair[key]:.4f}"

    return number


def add_download(commands: Any) -> None:
    command = commands.add_parser("download", help="take a board away: tex, csv, …")
    command.add_argument("place", type=place, metavar="TASK/PHASE")
    command.add_argument("form", metavar="FORM")
    command.add_argument("-o", "--output", type=Path, help="else it is printed")
    add_choices(command)
    command.set_defaults(run=run_download)


def run_download(called: argparse.Namespace, site: Site) -> int:
    exports = {
        export["name"]: export for export in site.get(f"{called.place.path}/exports/")
    }
    if called.form not in exports:
        raise Ended(
            USAGE, f"no such form: {called.form}; there are {', '.join(exports)}"
        )
    path = site.path_of(exports[called.form]["address"])
    answer = site.fetch(path, params=choices_of(called), headers={"Accept": "*/*"})
    if called.output is None:
        sys.stdout.buffer.write(answer.content)
    else:
        called.output.write_bytes(answer.content)
    return FINE
