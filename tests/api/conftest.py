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
from tests.runners import gold_runner, kept_runners, trial_runners

__all__ = [
    "ada",
    "as_user",
    "bearer",
    "ben",
    "channel",
    "cy",
    "entry",
    "gold_runner",
    "kept_runners",
    "over",
    "phase",
    "task",
    "trial_runners",
    "upcoming",
]
Bearer = Callable[..., Client]
