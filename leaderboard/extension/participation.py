"""Teams of a task: who may take part, decisions on them, and messages to them."""

# Teams enter, are decided on and leave by the same rules on every page.
from leaderboard.organize.people import decide_and_tell, teams_found, tell_team
from leaderboard.tasks.participation import (
    DECISIONS,  # Decisions on a team, by name.
    domain_refusal,
    join,
)
from leaderboard.teams.membership import let_go
