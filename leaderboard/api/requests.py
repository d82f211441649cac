"""Requests: how they are read, whose they are, what they may and how often."""

import json
import time
from typing import IO, Any

from django.conf import settings
from django.core.cache import cache
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import (
    AuthenticationFailed,
    NotAuthenticated,
    NotFound,
    ParseError,
    PermissionDenied,
)
from rest_framework.parsers import JSONParser
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from leaderboard.api import tokens
from leaderboard.api.models import Token
from leaderboard.teams.models import User

REALM = 'Bearer realm="plumbline"'
WINDOW = 60  # seconds


class SoundJSON(JSONParser):
    """JSON of a depth and with texts that can be written again.

    Python reads half a surrogate pair, and nothing can store it.
    """

    def parse(self, stream: IO[Any], *args: Any, **kwargs: Any) -> Any:
        try:
            data = super().parse(stream, *args, **kwargs)
            json.dumps(data, ensure_ascii=False).encode()
        except RecursionError:
            raise ParseError("JSON parse error - nested too deeply") from None
        except UnicodeEncodeError:
            message = "JSON parse error - a text holds half a surrogate pair"
            raise ParseError(message) from None
        return data


class BadToken(AuthenticationFailed):
    default_code = "bad_token"
    default_detail = "this token is unknown, expired or revoked"


class ScopeMissing(PermissionDenied):
    default_code = "scope_missing"


class BearerToken(BaseAuthentication):
    """`Authorization: Bearer plb_…` (RFC 6750); no cookie, so no CSRF token."""

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        scheme, _, text = get_authorization_header(request).partition(b" ")
        if scheme.lower() != b"bearer":
            return None
        token = tokens.find(text.strip().decode("latin-1"))
        if token is None:
            raise BadToken
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        given = get_authorization_header(request)
        return f'{REALM}, error="invalid_token"' if given else REALM


class Scoped(BasePermission):
    """Each method of an endpoint asks for a scope; sessions have all of them.

    Writing needs a person, and so does reading where the view's mark says so. A token
    of one task finds nothing of another.
    """

    def has_permission(self, request: Request, view: Any) -> bool:
        if request.method not in view.allowed_methods:
            return True  # the answer is 405, whoever asks
        scope = view.scope_of(request.method)
        needs_person = view.access.needs_person or request.method not in SAFE_METHODS
        if needs_person and not request.user.is_authenticated:
            raise NotAuthenticated("send a token: Authorization: Bearer plb_…")
        token = request.auth
        if not isinstance(token, Token):
            return True
        if not token.allows(scope):
            words = f"this token lacks the scope '{scope.value}'"
            raise ScopeMissing(f"{words}; make one that has it at /accounts/tokens/")
        if token.task is not None:
            # Objects named without their task are asked where they are found.
            slug = view.kwargs.get("slug")
            if slug is not None and slug != token.task.slug:
                raise NotFound
            if slug is None and view.any_task:
                raise ScopeMissing("this token is for one task alone")
        return True


class Rates(BaseThrottle):
    """So many requests in a minute of the clock, reading and writing apart.

    The headers are those of the IETF's draft "RateLimit header fields for HTTP". Counts
    live in the cache, those of each web process by itself unless it is a shared one.
    """

    def allow_request(self, request: Request, view: Any) -> bool:
        kind = "read" if request.method in SAFE_METHODS else "write"
        limit = settings.API_RATES[kind]
        if isinstance(request.auth, Token):
            asker = f"token{request.auth.pk}"
        elif request.user and request.user.is_authenticated:
            asker = f"person{request.user.pk}"
        else:
            asker = f"address{self.get_ident(request)}"
            limit = settings.API_RATES[f"anonymous_{kind}"]
        now = time.time()
        minute, self.rest = int(now // WINDOW), WINDOW - int(now % WINDOW)
        key = f"api-rate:{kind}:{asker}:{minute}"
        cache.add(key, 0, timeout=2 * WINDOW)
        try:
            used = int(cache.incr(key))
        except ValueError:  # thrown out of the cache in between
            used = 1
        request.rate_headers = {  # type: ignore[attr-defined]
            "RateLimit-Policy": f'"{kind}";q={limit};w={WINDOW}',
            "RateLimit": f'"{kind}";r={max(0, limit - used)};t={self.rest}',
        }
        return used <= limit

    def wait(self) -> float:
        return float(self.rest)
