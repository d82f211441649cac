"""bundle pull, bundle push: a task as a zip, for those who organize it."""

import argparse
import sys
import uuid
from pathlib import Path
from typing import Any

from plumbline.exits import FINE, SiteRefusal
from plumbline.files import plain_name
from plumbline.output import as_json, table
from plumbline.site import Site

# Beside the zip: which state of the task it was changed from.
ETAG = ".etag"


def add_bundle(commands: Any) -> None:
    command = commands.add_parser("bundle", help="a task as a zip, for organizers")
    ways = command.add_subparsers(required=True, metavar="pull|push")
    pulling = ways.add_parser("pull", help="take the task away")
    pulling.add_argument("task", type=plain_name)
    pulling.add_argument("file", type=Path)
    pulling.set_defaults(run=pull)
    pushing = ways.add_parser(
        "push", help="say what a changed bundle changes, or do it"
    )
    pushing.add_argument("task", type=plain_name)
    pushing.add_argument("file", type=Path)
    pushing.add_argument("--apply", action="store_true", help="change the task")
    pushing.add_argument("--new", action="store_true", help="make a new task of it")
    pushing.set_defaults(run=push)


def pull(called: argparse.Namespace, site: Site) -> int:
    path = f"tasks/{called.task}/bundle/"
    answer = site.fetch(path, headers={"Accept": "*/*"})
    called.file.write_bytes(answer.content)
    _beside(called.file).write_text(answer.headers["ETag"], encoding="utf-8")
    print(f"{called.file}: {len(answer.content)} bytes", file=sys.stderr)
    return FINE


def _beside(file: Path) -> Path:
    return file.with_name(file.name + ETAG)


def push(called: argparse.Namespace, site: Site) -> int:
    if called.new:
        key = {"Idempotency-Key": uuid.uuid4().hex}
        answer = _send(site, "tasks/", called.file, key)
        print(
            as_json(answer)
            if called.json
            else f"made: {answer['slug']}\n{answer['note']}"
        )
        return FINE
    headers = {"If-Match": _etag(called, site)} if called.apply else {}
    answer = _send(site, f"tasks/{called.task}/bundle/", called.file, headers)
    if answer["applied"]:
        _beside(called.file).write_text(answer["etag"], encoding="utf-8")
    print(as_json(answer) if called.json else _change_table(answer))
    return FINE


def _etag(called: argparse.Namespace, site: Site) -> str:
    """ETag of the bundle that was pulled; later changes must not be overwritten."""
    try:
        return _beside(called.file).read_text("utf-8")
    except FileNotFoundError:
        detail = f"pull {called.task} first: {_beside(called.file)} is not there"
        raise SiteRefusal(412, {"detail": detail}) from None


def _send(site: Site, path: str, file: Path, headers: dict[str, str]) -> Any:
    files = {"bundle": (file.name, file.read_bytes(), "application/zip")}
    return site.post(path, files=files, headers=headers)


def _change_table(answer: dict[str, Any]) -> str:
    names = ("where", "name", "before", "after")
    rows = [[change[name] for name in names] for change in answer["changes"]]
    if not rows:
        return "nothing changes"
    outcome = "applied" if answer["applied"] else "not applied: say --apply"
    return f"{table([names, *rows])}\n{outcome}"
