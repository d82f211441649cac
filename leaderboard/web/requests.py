"""The request being answered: its id, when it began, and whose it is."""

import logging
import sys
import time
import uuid
from collections.abc import Callable, Hashable
from contextvars import ContextVar
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django_htmx.middleware import HtmxDetails

HEADER = "X-Request-Id"
# Asked every few seconds, by machines.
QUIET = {"healthz", "readyz", "metrics"}
PARTS = "multipart/form-data"  # each has a charset; its own is none (RFC 7578)
FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Proto", "X-Real-Ip", "Via")

log = logging.getLogger("leaderboard.requests")
current: ContextVar[HttpRequest | None] = ContextVar("request", default=None)
# Other methods change nothing.
READING = ("GET", "HEAD", "OPTIONS", "TRACE")


class HtmxRequest(HttpRequest):
    """A request that knows whether the script of a page asks."""

    htmx: HtmxDetails


class CurrentRequest:
    """Gives each request an id, which stands on its answer and its lines of the log.

    Always our own: what a client sends could be anything, and anybody's. When the
    request began decides at a deadline, see `submissions.uploads.arrived_at`.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # The server's own note: it may have waited for the body since then.
        began = request.META.get("plumbline.began") or time.monotonic()
        request.began = began  # type: ignore[attr-defined]
        request.id = uuid.uuid4().hex  # type: ignore[attr-defined]
        if request.content_type == PARTS:
            request.encoding = None  # type: ignore[assignment]
        token = current.set(request)
        try:
            answer = self.get_response(request)
            answer[HEADER] = request.id  # type: ignore[attr-defined]
            _note(request, answer)
            return answer
        finally:
            current.reset(token)


def _note(request: HttpRequest, answer: HttpResponse) -> None:
    """The name of the route, not the address: that may hold a token."""
    match = request.resolver_match
    if match is not None and match.view_name not in QUIET:
        facts = {"route": match.view_name, "status": answer.status_code}
        log.info("answered", extra={"method": request.method, **facts})


def from_this_machine(request: HttpRequest) -> bool:
    """Whether a program on this machine asks, and not for somebody else as a proxy.

    Behind a proxy on this machine everybody comes from here; it says so, though, in a
    header that every proxy in deploy/ adds and nobody outside can take away.
    """
    if any(header in request.headers for header in FORWARDED):
        return False
    return is_here(request.META.get("REMOTE_ADDR", ""))


def is_here(address: str) -> bool:
    """Whether only this machine reaches an address; "" and paths are sockets of it."""
    try:
        address_given = ip_address(address)
    except ValueError:
        return not address or address.startswith(("/", "\0", "@"))
    mapped = getattr(address_given, "ipv4_mapped", None)
    return (mapped or address_given).is_loopback


def person() -> Any:
    """The person signed in where a request is answered, else None.

    Asked only when something is written: by then the API has looked at its token, and
    pages that write nothing never touch the session for this.
    """
    user = getattr(current.get(), "user", None)
    return user if user is not None and user.is_authenticated else None


def client_address(request: HttpRequest) -> str:
    """The address a request comes from; of several in a header the proxy's own word."""
    addresses = request.headers.get("X-Forwarded-For", "").split(",")
    forwarded = [part.strip() for part in addresses if part.strip()]
    believed = forwarded[-1:] if settings.ALLAUTH_TRUSTED_PROXY_COUNT else []
    return (believed or [request.META.get("REMOTE_ADDR", "")])[0]


def asker() -> Hashable:
    """The asker: key of the person signed in, else an address; None for commands."""
    user, request = person(), current.get()
    if user is not None:
        return user.pk
    return client_address(request) if request is not None else None


def way() -> str:
    """How a change comes: by the API, a page, or a program."""
    request = current.get()
    if request is not None:
        return "api" if request.path.startswith("/api/") else "page"
    # As in "manage.py import_task"; never arguments, which may be anything.
    name = Path(sys.argv[0]).name if sys.argv else ""
    verb = sys.argv[1] if len(sys.argv) > 1 else ""
    ours = name in ("manage.py", "plumbline-site")
    return f"{name} {verb}".strip() if ours else name
