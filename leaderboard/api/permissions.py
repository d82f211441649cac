"""What a token may be used for; whose an object is, is asked where it is found."""

from typing import Any

from rest_framework.exceptions import NotAuthenticated, NotFound, PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from leaderboard.api.models import Scope, Token

SAFE = ("GET", "HEAD", "OPTIONS")


class ScopeMissing(PermissionDenied):
    default_code = "scope_missing"


class Scoped(BasePermission):
    """Each method of an endpoint asks for a scope; sessions have all of them.

    Writing needs a person, and so does reading where `signed_in` says so. A token of
    one task finds nothing of another.
    """

    def has_permission(self, request: Request, view: Any) -> bool:
        if request.method not in view.allowed_methods:
            return True  # the answer is 405, whoever asks
        scope = view.scope_of(request.method)
        if view.signed_in or request.method not in SAFE:
            _require_person(request)
        token = request.auth
        if isinstance(token, Token):
            _require_scope(token, scope)
            _require_task(token, view)
        return True


def _require_person(request: Request) -> None:
    if not request.user.is_authenticated:
        raise NotAuthenticated("send a token: Authorization: Bearer plb_…")


def _require_scope(token: Token, scope: Scope) -> None:
    if not token.allows(scope):
        raise ScopeMissing(f"this token lacks the scope '{scope.value}'")


def _require_task(token: Token, view: Any) -> None:
    """Objects that an address names by themselves are asked where they are found."""
    if token.task is None:
        return
    slug = view.kwargs.get("slug")
    if slug is not None and slug != token.task.slug:
        raise NotFound
    if slug is None and view.any_task:
        raise ScopeMissing("this token is for one task alone")
