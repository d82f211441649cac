"""Who asks: the holder of a token, else whoever is signed in."""

from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from leaderboard.api import tokens
from leaderboard.api.models import Token
from leaderboard.teams.models import User

REALM = 'Bearer realm="plumbline"'


class BadToken(AuthenticationFailed):
    default_code = "bad_token"
    default_detail = "this token is unknown, expired or revoked"


class BearerToken(BaseAuthentication):
    """`Authorization: Bearer plb_…` (RFC 6750); no cookie, so no CSRF token."""

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        scheme, _, text = get_authorization_header(request).partition(b" ")
        if scheme.lower() != b"bearer":
            return None
        found = tokens.find(text.strip().decode("latin-1"))
        if found is None:
            raise BadToken
        return found.user, found

    def authenticate_header(self, request: Request) -> str:
        given = get_authorization_header(request)
        return f'{REALM}, error="invalid_token"' if given else REALM
