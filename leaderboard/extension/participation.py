"""Teams of a task: who may take part, decisions on them, and messages to them."""

from leaderboard.organize.people import decide_and_tell, teams_found, tell_team
from leaderboard.tasks.participation import DECISIONS, domain_refusal, join
from leaderboard.teams.membership import let_go

# Teams enter, are decided on and leave by the same rules on every page.
__all__ = [
    "DECISIONS",  # Decisions on a team, by name.
    "decide_and_tell",
    "domain_refusal",
    "join",
    "let_go",
    "teams_found",
    "tell_team",
]
