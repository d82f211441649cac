"""Mergers of teams in tests of the whole site."""

from leaderboard.extras.mergers.team_merger import merge
from leaderboard.tasks.models import Merger, Participation, Task
from leaderboard.teams.models import User
from tests.organize.matrix_access import ENTERED, PEOPLE
from tests.organize.routes import form

ROUTES = {
    "team-merge": form(
        ENTERED, post={"action": "propose", "team": "{rival}", "which": "ours"}
    ),
    "organize-merge": form(
        PEOPLE, post={"stays": "{team}", "leaves": "{others}", "why": "One house."}
    ),
}


def rows_in(task: Task) -> dict[str, str]:
    """The name of a team that takes part, to be asked by others."""
    last = Participation.objects.filter(task=task, status="active").latest("pk")
    return {"rival": last.team.name}


def changes_boards(mine: Participation, other: Participation, by: User) -> None:
    proposed = Merger.objects.create(task=mine.task, stays=mine, leaves=other)
    merge(proposed, by, "They asked.")
