"""Making, finding and revoking tokens. The text of one is known only to its owner."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from secrets import token_urlsafe

from django.db.models import Q
from django.utils import timezone

from leaderboard.api.models import Scope, Token
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User

# Recognised by people, and by programs that look for secrets in published files.
PREFIX = "plb_"
BYTES = 32  # of chance; so many that a plain hash of it cannot be turned round
SHOWN = 8
# A token that is used all the time need not write all the time.
USE_NOTED_EVERY = timedelta(minutes=1)
MOST_PER_PERSON = 50


class TooManyTokens(Exception):
    """The person has as many tokens as one may have."""


@dataclass(frozen=True)
class Wanted:
    """What a new token shall be good for."""

    name: str
    scopes: Sequence[str] = (Scope.READ,)
    task: Task | None = None
    expires_at: datetime | None = None


def make(user: User, wanted: Wanted) -> tuple[Token, str]:
    """A new token and its text, which nobody can be told again.

    Raises TooManyTokens.
    """
    if Token.objects.alive(timezone.now()).filter(user=user).count() >= MOST_PER_PERSON:
        raise TooManyTokens
    text = PREFIX + token_urlsafe(BYTES)
    token = Token.objects.create(
        user=user,
        name=wanted.name,
        start=text[:SHOWN],
        sha256=digest(text),
        scopes=[scope.value for scope in Scope if scope in wanted.scopes],
        task=wanted.task,
        expires_at=wanted.expires_at,
    )
    return token, text


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def find(text: str) -> Token | None:
    """The token with that text, if it is good now; its use is noted."""
    now = timezone.now()
    alive = Token.objects.alive(now).select_related("user")
    token: Token | None = alive.filter(sha256=digest(text)).first()
    if token is not None:
        _note_use(token, now)
    return token


def _note_use(token: Token, now: datetime) -> None:
    if token.used_at is not None and token.used_at > now - USE_NOTED_EVERY:
        return
    stale = Q(used_at=None) | Q(used_at__lte=now - USE_NOTED_EVERY)
    Token.objects.filter(stale, pk=token.pk).update(used_at=now)


def revoke(token: Token) -> None:
    """From now on it is good for nothing; doing it again changes nothing."""
    Token.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())
