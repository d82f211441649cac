"""Where a webhook may lead: never into the network that the site itself stands in.

Names are looked up here and every address is checked; the connection is then made to
these very addresses (`connecting.py`), so that a name cannot mean another meanwhile.
With `WEBHOOK_PRIVATE` private networks, plain http and all ports are allowed too.
"""

import socket
from concurrent.futures import Future
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from threading import Thread

import httpx
from django.conf import settings
from django.utils.translation import gettext as _

PORTS = (443, 8443)
LONGEST = 500
WAITED = 3.0  # seconds for a look-up while somebody waits for a page
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
        said = _("The address must have a host, and neither a password nor a “#”.")
        raise NotAllowed(said)
    if not _port_allowed(url.port):
        raise NotAllowed(_("Only ports 443 and 8443 are allowed."))
    literal = _literal(url.host)
    if literal is not None:
        require_allowed(literal)
    return url


def require_outside(url: httpx.URL) -> None:
    """Raises NotAllowed where the host is known to stand inside, however it is written.

    A host that nobody knows yet may come to be: it is looked up again, and then for
    good, whenever something is sent.
    """
    with suppress(OSError, TimeoutError):
        looked_up(url.host, url.port or 443, WAITED)


def _port_allowed(port: int | None) -> bool:
    if settings.WEBHOOK_PRIVATE:
        return port is None or 0 < port < 1 << 16
    return port in (None, *PORTS)


def looked_up(host: str, port: int, seconds: float) -> list[str]:
    """The addresses of a host, every one of them allowed.

    Raises NotAllowed, TimeoutError, and OSError where there is no such host. The
    system's own look-up knows no time limit; what takes too long is left to itself.
    """
    found: Future[list[str]] = Future()

    def ask() -> None:
        try:
            rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            found.set_result([str(row[4][0]) for row in rows])
        except (OSError, UnicodeError) as error:
            found.set_exception(OSError(f"no such host: {type(error).__name__}"))

    Thread(target=ask, daemon=True, name="look-up").start()
    addresses = list(dict.fromkeys(found.result(timeout=seconds)))
    for one in addresses:
        # One forbidden address among good ones is no accident either.
        require_allowed(_meant(one.partition("%")[0]))
    return addresses


def require_allowed(address: IP) -> None:
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


def _meant(text: str) -> IP:
    """The address that packets will reach."""
    address = ip_address(text)
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return address.ipv4_mapped
        if address in NAT64:
            return IPv4Address(address.packed[-4:])
    return address


def _literal(host: str) -> IP | None:
    try:
        return _meant(host.partition("%")[0])
    except ValueError:
        return None
