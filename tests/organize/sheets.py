"""A fact sheet, systems that answer it, and what the tests of rows ask for."""

import re
from typing import Any

from django.test import Client

from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.leaderboard.small import both, one_wrong, scored, set_questions

SHEET = [
    {
        "name": "size",
        "title": "Parameters",
        "kind": "number",
        "unit": "",
        "choices": [],
        "required": True,
        "public": True,
        "hidden": False,
    },
    {
        "name": "data",
        "title": "Training data",
        "kind": "choice",
        "unit": "",
        "choices": ["open", "closed"],
        "required": False,
        "public": True,
        "hidden": False,
    },
    {
        "name": "ensemble",
        "title": "Ensemble",
        "kind": "yes_no",
        "unit": "",
        "choices": [],
        "required": False,
        "public": True,
        "hidden": False,
    },
    {
        "name": "paper",
        "title": "Paper",
        "kind": "link",
        "unit": "",
        "choices": [],
        "required": False,
        "public": True,
        "hidden": False,
    },
    {
        "name": "contact",
        "title": "Contact",
        "kind": "text",
        "unit": "",
        "choices": [],
        "required": False,
        "public": False,
        "hidden": False,
    },
]
SMALL = {"size": 7, "data": "open", "ensemble": False, "contact": "kolibri"}
LARGE = {
    "size": 70.5,
    "data": "closed",
    "ensemble": True,
    "paper": "https://example.org/p",
}
BOARD = "/tasks/otters/test/board/"
API = "/api/v1/tasks/otters/test/board/"
OVERVIEW = "/tasks/otters/organize/ranking/"
DECLARE = f"{OVERVIEW}test/"
FREEZE = f"{OVERVIEW}test/snapshot/"
SEEN = re.compile(r'name="seen" value="([0-9a-f]{64})"')


def with_sheet(task: Task) -> Task:
    set_questions(task, SHEET)
    return task


def two_systems(phase: Phase, entry: Participation) -> tuple[Submission, Submission]:
    """A small one without a mistake, a large one of another team with one."""
    dan = User.objects.create_user("dan@example.org", "x", name="dan")
    other = join(phase.task, Team.found("Dans", dan))
    worse = both({"north": one_wrong()})
    return (
        scored(phase, entry, both(), system="small", facts=SMALL),
        scored(phase, other, worse, system="large", facts=LARGE),
    )


def two_sent(phase: Phase, entry: Participation) -> None:
    """Both of them, after the questions that they answer."""
    with_sheet(phase.task)
    two_systems(phase, entry)


def rows(client: Client, **choices: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get(API, choices).json()["rows"]
    return found


def systems(client: Client, **choices: Any) -> list[str]:
    return [row["system"] for row in rows(client, **choices)]


def declare(client: Client, **fields: Any) -> Any:
    """Look at the board, then press the button."""
    page = client.get(DECLARE).content.decode()
    found = SEEN.search(page)
    assert found, page
    return client.post(DECLARE, {"seen": found[1], **fields})
