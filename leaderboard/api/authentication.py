"""Tokens on requests: whose one is, and what it may be used for.

Whose an object is, is asked where it is found.
"""

from typing import Any

from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import (
    AuthenticationFailed,
    NotAuthenticated,
    NotFound,
    PermissionDenied,
)
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from leaderboard.api import tokens
from leaderboard.api.models import Token
from leaderboard.teams.models import User

REALM = 'Bearer realm="plumbline"'


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

    Writing needs a person, and so does reading where `signed_in` says so. A token of
    one task finds nothing of another.
    """

    def has_permission(self, request: Request, view: Any) -> bool:
        if request.method not in view.allowed_methods:
            return True  # the answer is 405, whoever asks
        scope = view.scope_of(request.method)
        needs_person = view.signed_in or request.method not in SAFE_METHODS
        if needs_person and not request.user.is_authenticated:
            raise NotAuthenticated("send a token: Authorization: Bearer plb_…")
        token = request.auth
        if not isinstance(token, Token):
            return True
        if not token.allows(scope):
            raise ScopeMissing(f"this token lacks the scope '{scope.value}'")
        if token.task is not None:
            # Objects named without their task are asked where they are found.
            slug = view.kwargs.get("slug")
            if slug is not None and slug != token.task.slug:
                raise NotFound
            if slug is None and view.any_task:
                raise ScopeMissing("this token is for one task alone")
        return True
