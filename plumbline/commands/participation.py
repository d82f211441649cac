"""login, join and kit: what comes before the first submission."""

import argparse
import getpass
import sys
import uuid
from pathlib import Path
from typing import Any

from plumbline import credentials
from plumbline.exits import FINE, USAGE, Ended
from plumbline.files import place, plain_name
from plumbline.names import phase_of
from plumbline.output import as_json
from plumbline.site import Site


def add_login(commands: Any) -> None:
    command = commands.add_parser(
        "login",
        help="keep a token, read from the terminal or from standard input",
        description="Keep a token of a site. Make one on its page /accounts/tokens/ "
        "(menu: Account, Tokens); it is read from the terminal or from standard input.",
    )
    command.set_defaults(run=run_login)


def run_login(called: argparse.Namespace, site: Site) -> int:
    """The token is tried first; it never stands on a command line, where others see."""
    prompt = f"Token for {site.address} (made at {site.address}/accounts/tokens/): "
    token = getpass.getpass(prompt) if sys.stdin.isatty() else sys.stdin.readline()
    if not token.strip():
        raise Ended(USAGE, "no token was given")
    account = Site(site.address, token.strip()).get("me/")
    path = credentials.keep_token(site.address, token.strip())
    scopes = ", ".join(account["scopes"]) or "none"
    print(f"{account['email']} at {site.address}, scopes: {scopes}; kept in {path}")
    return FINE


def add_join(commands: Any) -> None:
    command = commands.add_parser("join", help="take part in a task with a team")
    command.add_argument("task", type=plain_name)
    team = command.add_mutually_exclusive_group()
    team.add_argument("--team", default="", help="one of your teams, by its name")
    team.add_argument("--new", default="", metavar="NAME", help="a new team")
    command.add_argument(
        "--accept-terms", action="store_true", help="the terms of the task"
    )
    command.add_argument(
        "--anonymous", action="store_true", help="hide the name until the end"
    )
    command.add_argument(
        "--answer",
        action="append",
        default=[],
        metavar="QUESTION=ANSWER",
        help="to what the task asks of teams",
    )
    command.set_defaults(run=run_join)


def run_join(called: argparse.Namespace, site: Site) -> int:
    """Join with the named team, or with the only one there is; terms are printed
    first."""
    answers = (word.partition("=") for word in called.answer)
    fields = {
        **_team(called, site),
        **{f"answer_{name}": answer for name, _equals, answer in answers},
    }
    fields |= {"accept_terms": True} if called.accept_terms else {}
    fields |= {"anonymous": True} if called.anonymous else {}
    task = site.get(f"tasks/{called.task}/")
    if task["terms"] and not called.accept_terms:
        words = "this task has terms; read them and say --accept-terms:"
        raise Ended(USAGE, f"{words}\n\n{task['terms']}")
    membership = site.post(
        f"tasks/{called.task}/team/",
        json=fields,
        headers={"Idempotency-Key": uuid.uuid4().hex},
    )
    team = (membership["team"] or {}).get("name", "")
    text = membership["text"] or "takes part"
    print(as_json(membership) if called.json else f"{team}: {text}")
    return FINE


def _team(called: argparse.Namespace, site: Site) -> dict[str, Any]:
    if called.new:
        return {"name": called.new}
    teams = site.get("teams/")
    named = [team for team in teams if called.team in ("", team["name"])]
    if len(named) == 1:
        return {"team": named[0]["id"]}
    names = ", ".join(f"'{team['name']}'" for team in teams)
    if not teams:
        raise Ended(USAGE, "you have no team yet: say --new NAME")
    raise Ended(USAGE, f"which team? say --team NAME or --new NAME; yours are: {names}")


def add_kit(commands: Any) -> None:
    command = commands.add_parser(
        "kit", help="take the starting kit of a phase: input files, format, example"
    )
    command.add_argument("place", type=place, metavar="TASK/PHASE")
    command.add_argument("-o", "--output", type=Path, help="else TASK-PHASE.zip")
    command.set_defaults(run=run_kit)


def run_kit(called: argparse.Namespace, site: Site) -> int:
    where = called.place
    phase = phase_of(site, where)
    hides_input = phase.get("sends_code", False)
    if not hides_input and any(file["blind"] is None for file in phase["files"]):
        raise Ended(USAGE, f"{where.task}/{where.phase} opens at {phase['opens']}")
    path = f"/tasks/{where.task}/{where.phase}/kit/"
    answer = site.fetch(path, headers={"Accept": "*/*"})
    output = called.output or Path(f"{where.task}-{where.phase}.zip")
    output.write_bytes(answer.content)
    print(f"{output}: {len(answer.content)} bytes", file=sys.stderr)
    return FINE
