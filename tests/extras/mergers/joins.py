"""Mergers of teams in tests of the whole site."""

from leaderboard.extras.mergers.team_merger import merge
from leaderboard.tasks.models import Participation
from leaderboard.teams.models import User
from tests.organize.matrix_access import PEOPLE
from tests.organize.routes import form

ROUTES = {
    "organize-merge": form(
        PEOPLE, post={"stays": "{team}", "leaves": "{others}", "why": "One house."}
    ),
}


def changes_boards(mine: Participation, other: Participation, by: User) -> None:
    merge(mine, other, by, "They asked.")
