"""How often an account or an address may do something."""

from leaderboard.teams.limits import hidden_asker, require

# What a person may do a day is counted in one place.
__all__ = ["hidden_asker", "require"]
