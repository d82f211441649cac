"""The cast of the tests of the site plays here too."""

from tests.leaderboard.conftest import (
    ada,
    as_user,
    ben,
    cy,
    entry,
    over,
    phase,
    task,
    upcoming,
)

__all__ = ["ada", "as_user", "ben", "cy", "entry", "over", "phase", "task", "upcoming"]
