"""Who is acting right now, for the history of changes: a request, or a named person."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.http import HttpRequest, HttpResponse

from leaderboard.teams.models import User


@dataclass(frozen=True)
class Actor:
    """A person, if known, and the way the change came."""

    user: User | None
    way: str


_request: ContextVar[HttpRequest | None] = ContextVar("request", default=None)
_named: ContextVar[User | None] = ContextVar("named", default=None)


class ActingUser:
    """Keeps the request at hand while it is answered.

    The person is asked for only when something is written: by then the API has looked
    at its token, and pages that write nothing never touch the session for this.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        token = _request.set(request)
        try:
            return self.get_response(request)
        finally:
            _request.reset(token)


@contextmanager
def acting(user: User | None) -> Iterator[None]:
    """Changes inside the block are that person's, whoever sent the request."""
    token = _named.set(user)
    try:
        yield
    finally:
        _named.reset(token)


def actor() -> Actor:
    """Who acts: the named person, else the one signed in, else a program."""
    request = _request.get()
    named = _named.get()
    if request is None:
        return Actor(named, _program())
    way = "api" if request.path.startswith("/api/") else "page"
    return Actor(named or _signed_in(request), way)


def _signed_in(request: HttpRequest) -> User | None:
    user: Any = getattr(request, "user", None)
    return user if user is not None and user.is_authenticated else None


def _program() -> str:
    """As in "manage.py import_task"; never arguments, which may be anything."""
    name = Path(sys.argv[0]).name if sys.argv else ""
    verb = sys.argv[1] if len(sys.argv) > 1 else ""
    return f"{name} {verb}".strip() if name == "manage.py" else name
