"""The guard of the demonstration's logins, whatever the site is started with."""

import logging
from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.db import connections
from django.http import HttpRequest

from leaderboard.demo.apps import open_to_all
from leaderboard.demo.story import LOGINS
from leaderboard.web.requests import from_this_machine, is_here

log = logging.getLogger(__name__)
KNOWN = {(email, password) for _role, email, password in LOGINS}


class OnlyHere:
    """A backend that signs nobody in, and refuses passwords that anybody can read.

    They work on the machine itself, where only it is served. A server may listen on
    other addresses all the same, and a public site may get such an account while it
    runs; neither lets anybody in. It has no `get_user`: no session is of it.
    """

    def authenticate(self, request: HttpRequest | None, **given: Any) -> None:
        email = given.get("email") or given.get("username") or ""
        if (str(email).lower(), given.get("password")) not in KNOWN:
            return
        here = request is None or from_this_machine(request)
        if not (settings.LOCAL and here):
            log.warning("a login of the demonstration was refused from elsewhere")
            raise PermissionDenied


def require_here(addresses: Iterable[str]) -> None:
    """Raises ImproperlyConfigured where others reach a site with the demo's logins.

    `addresses` are those that the server listens on. A site that is asked for by the
    names of this machine alone makes no other check of safety, see `require_safe`.
    """
    elsewhere = [address for address in addresses if not is_here(address)]
    if not (settings.LOCAL and elsewhere):
        return
    emails = open_to_all()
    connections.close_all()
    if emails:
        raise ImproperlyConfigured(
            f"This site does not start: it would listen on {', '.join(elsewhere)}, "
            f"where others reach it, and anybody knows the password of "
            f"{', '.join(emails)}. Listen on 127.0.0.1, or delete these accounts."
        )
