"""Oversight of submissions in tests of the whole site."""

from leaderboard.extras.oversight.team_merger import merge
from leaderboard.tasks.models import Participation
from leaderboard.teams.models import User
from tests.organize.matrix_access import PEOPLE, SEE
from tests.organize.routes import button, form, read

REASON = {"act": "disqualify", "reason": "Gold.", "sure": "1"}
ROUTES = {
    "organize-submissions": read(SEE),
    "organize-submission-acts": button(PEOPLE, {**REASON, "row": "{member}"}),
    "organize-decisions": read(PEOPLE),
    "organize-team-acts": button(PEOPLE, {**REASON, "row": "{team}"}),
    "organize-merge": form(
        PEOPLE, post={"stays": "{team}", "leaves": "{others}", "why": "One house."}
    ),
    "organize-failures": read(SEE),
}


def changes_boards(mine: Participation, other: Participation, by: User) -> None:
    merge(mine, other, by, "They asked.")
