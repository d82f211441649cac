"""The cast of the tests of the site, with tokens."""

from collections.abc import Callable
from typing import Any

from django.test import Client

from leaderboard.api import tokens
from leaderboard.teams.models import User
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
Bearer = Callable[..., Client]


def bearer(user: User, *scopes: str, **more: Any) -> Client:
    """A program with a token of that person; it keeps no cookies."""
    wanted = tokens.Wanted("test", scopes or ("read",), **more)
    _token, text = tokens.make(user, wanted)
    return Client(headers={"Authorization": f"Bearer {text}"})
