"""The demonstration: its teams."""

from leaderboard.demo.story import TEAMS

__all__ = [
    "TEAMS",  # The teams, with their people.
]
