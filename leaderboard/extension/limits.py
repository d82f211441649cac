"""How often an account or an address may do something."""

from leaderboard.teams.limits import hidden_asker, require

__all__ = [
    "hidden_asker",
    "require",
]
