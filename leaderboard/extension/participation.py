"""Teams of a task: who may take part, decisions on them, and messages to them."""

from leaderboard.organize.people import decide_and_tell, teams_found, tell_team
from leaderboard.tasks.models import answers_to
from leaderboard.tasks.participation import (
    DECISIONS,
    Decision,
    domain_rule,
    join,
    within_domains,
)
from leaderboard.teams.membership import let_go

__all__ = [
    "DECISIONS",  # Decisions on a team, by name.
    "Decision",
    "answers_to",
    "decide_and_tell",
    "domain_rule",
    "join",
    "let_go",
    "teams_found",
    "tell_team",
    "within_domains",
]
