"""The cast of the tests of the site, with tokens."""

from collections.abc import Callable

from django.test import Client

from tests.leaderboard.channels import bearer
from tests.leaderboard.conftest import (
    ada,
    as_user,
    ben,
    channel,
    cy,
    entry,
    over,
    phase,
    task,
    upcoming,
)

__all__ = [
    "ada",
    "as_user",
    "bearer",
    "ben",
    "channel",
    "cy",
    "entry",
    "over",
    "phase",
    "task",
    "upcoming",
]
Bearer = Callable[..., Client]
