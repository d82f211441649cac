"""How often an account or an address may do something."""

from leaderboard.teams.limits import hidden, of_person, require

__all__ = [
    "hidden",
    "of_person",
    "require",
]
