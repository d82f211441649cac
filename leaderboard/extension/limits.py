"""How often an account or an address may do something."""

from leaderboard.teams.limits import hidden, of_person, require
from leaderboard.web.requests import asker

__all__ = [
    "asker",
    "hidden",
    "of_person",
    "require",
]
