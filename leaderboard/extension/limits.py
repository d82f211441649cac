"""How often an account or an address may do something."""

# What a person may do a day is counted in one place.
from leaderboard.teams.limits import hidden_asker, require
