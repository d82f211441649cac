"""The cast of the tests of the site."""

from tests.leaderboard.conftest import ada, as_user, ben, cy, entry, phase, task

__all__ = ["ada", "as_user", "ben", "cy", "entry", "phase", "task"]
