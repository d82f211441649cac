"""Requests to addresses that strangers chose, never into the site's own network.

Names are looked up here and every address is checked; the connection is then made to
these very addresses, so that a name cannot mean another meanwhile. A request follows no
redirect, knows no proxy, reads a few bytes of the answer and has one time limit for all
of it, however slowly bytes drip. With `WEBHOOK_PRIVATE` private networks, plain http
and all ports are allowed too.
"""

import re
import socket
import ssl
from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from threading import Thread
from time import monotonic
from typing import Any

import httpcore
import httpx
from django.conf import settings
from django.utils.translation import gettext as _

PORTS = (443, 8443)
LONGEST = 500
WAITED = 3.0  # seconds for a look-up while somebody waits for a page
SECONDS = 10.0
CONNECT_SECONDS = 4.0
READ, KEPT = 4096, 200  # bytes of an answer that are read, characters that are kept
# Packets to these end up at the IPv4 address inside.
NAT64, SIX_TO_FOUR = ip_network("64:ff9b::/96"), ip_network("2002::/16")
IP = IPv4Address | IPv6Address


class NotAllowed(Exception):
    """The site does not send there; says why."""


def parsed(text: str) -> httpx.URL:
    """The address as it will be asked, checked as far as no name need be looked up.

    Raises NotAllowed.
    """
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL:
        raise NotAllowed(_("This is no address.")) from None
    private = settings.WEBHOOK_PRIVATE
    if url.scheme != "https" and not (private and url.scheme == "http"):
        raise NotAllowed(_("The address must begin with https://."))
    odd = "%" in url.host  # what stood there is no part of a name
    if odd or not url.host or url.userinfo or url.fragment:
        message = _("The address must have a host, and neither a password nor a “#”.")
        raise NotAllowed(message)
    usual = url.port in (None, *PORTS)
    if not (usual or (private and url.port and 0 < url.port < 1 << 16)):
        raise NotAllowed(_("Only ports 443 and 8443 are allowed."))
    with suppress(ValueError):  # a name
        _require_allowed(_destination(url.host))
    return url


def require_outside(url: httpx.URL) -> None:
    """Raises NotAllowed where the host is known to stand inside, however it is written.

    A host that nobody knows yet may come to be: it is looked up again, and then for
    good, whenever something is sent.
    """
    with suppress(OSError, TimeoutError):
        looked_up(url.host, url.port or 443, WAITED)


def looked_up(host: str, port: int, seconds: float) -> list[str]:
    """The addresses of a host, every one of them allowed.

    Raises NotAllowed, TimeoutError, and OSError where there is no such host. The
    system's own look-up knows no time limit; what takes too long is left to itself.
    """
    answer: Future[list[str]] = Future()

    def ask() -> None:
        try:
            rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            answer.set_result([str(row[4][0]) for row in rows])
        except (OSError, UnicodeError) as error:
            answer.set_exception(OSError(f"no such host: {type(error).__name__}"))

    Thread(target=ask, daemon=True, name="look-up").start()
    addresses = list(dict.fromkeys(answer.result(timeout=seconds)))
    for address in addresses:
        # One forbidden address among good ones is no accident either.
        _require_allowed(_destination(address))
    return addresses


def _require_allowed(address: IP) -> None:
    """Raises NotAllowed. Where metadata of clouds is (link-local) nobody may send."""
    never = address.is_multicast or address.is_unspecified or address.is_link_local
    if never or not (settings.WEBHOOK_PRIVATE or _is_public(address)):
        raise NotAllowed(_("The host is in a network that the site does not send to."))


def _is_public(address: IP) -> bool:
    if address.is_reserved or not address.is_global:
        return False
    if isinstance(address, IPv6Address):
        return not address.is_site_local and address not in SIX_TO_FOUR
    return True


def _destination(text: str) -> IP:
    """The address that packets will reach. Raises ValueError for a name."""
    address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return address.ipv4_mapped
        if address in NAT64:
            return IPv4Address(address.packed[-4:])
    return address


@dataclass(frozen=True)
class Outcome:
    """`status` None where there was no answer; `error` empty where it arrived."""

    status: int | None
    error: str
    answer: str = ""
    milliseconds: int = 0

    @property
    def arrived(self) -> bool:
        return not self.error


class Deadline:
    """A moment after which nothing is waited for any more."""

    def __init__(self, seconds: float) -> None:
        self._end = monotonic() + seconds

    def left(self, error: type[Exception]) -> float:
        """Seconds; raises `error` when there are none."""
        seconds = self._end - monotonic()
        if seconds <= 0:
            raise error
        return seconds


class TimedStream(httpcore.NetworkStream):
    """A connection on which every step must end before one deadline."""

    def __init__(self, inner: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._inner, self._deadline = inner, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._deadline.left(httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, self._deadline.left(httpcore.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        left = self._deadline.left(httpcore.ConnectTimeout)
        stream = self._inner.start_tls(ssl_context, server_hostname, left)
        return TimedStream(stream, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class GuardedBackend(httpcore.NetworkBackend):
    """Connects to the addresses that were checked, and to nothing else.

    Name and certificate stay those of the host: only the connection knows the number.
    """

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline
        self._plain = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        left = self._deadline.left(httpcore.ConnectTimeout)
        last: Exception = httpcore.ConnectError("no address")
        for address in looked_up(host, port, left):
            left = self._deadline.left(httpcore.ConnectTimeout)
            try:
                stream = self._plain.connect_tcp(
                    address, port, min(CONNECT_SECONDS, left), None, socket_options
                )
                return TimedStream(stream, self._deadline)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                last = error
        raise last


def post(text: str, headers: Mapping[str, str], body: bytes) -> Outcome:
    """Send it; whatever goes wrong is in the outcome."""
    began = monotonic()
    status, answer = None, ""
    try:
        status, answer = _asked(parsed(text), headers, body)
        error = "" if 200 <= status < 300 else f"answered {status}"
    except (NotAllowed, httpcore.UnsupportedProtocol) as reason:
        error = f"not allowed: {reason}"
    except (httpcore.TimeoutException, TimeoutError):
        error = f"no answer within {SECONDS:g} s"
    except (httpcore.NetworkError, httpcore.ProtocolError, OSError) as reason:
        message = re.sub(r"^\[Errno -?\d+\] ", "", str(reason))
        error = f"no answer: {message or type(reason).__name__}"
    return Outcome(status, error[:300], answer, int(1000 * (monotonic() - began)))


def _asked(url: httpx.URL, headers: Mapping[str, str], body: bytes) -> tuple[int, str]:
    """Status and the beginning of the answer."""
    target = httpcore.URL(
        scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
    )
    trusted = _trusted()  # the first time takes a while, which is not the host's
    backend = GuardedBackend(Deadline(SECONDS))
    with (
        httpcore.ConnectionPool(trusted, network_backend=backend) as pool,
        pool.stream("POST", target, headers=dict(headers), content=body) as answer,
    ):
        read = b""
        for chunk in answer.iter_stream():
            read += chunk[:READ]
            if len(read) >= READ:
                break
    text = read[: 4 * KEPT].decode(errors="replace")
    printable = "".join(c if c.isprintable() else " " for c in text)
    return answer.status, printable[:KEPT].strip()


@cache
def _trusted() -> ssl.SSLContext:
    """The usual authorities, whatever the environment says."""
    return httpx.create_ssl_context(trust_env=False)
