"""One request to an address that strangers chose, and what became of it.

It is made to checked addresses only, follows no redirect, knows no proxy, reads a few
bytes of the answer and has one time limit for all of it, however slowly bytes drip.
"""

import re
import ssl
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from time import monotonic
from typing import Any

import httpcore
import httpx

from leaderboard.webhooks import addresses

SECONDS = 10.0
CONNECT_SECONDS = 4.0
READ, KEPT = 4096, 200  # bytes of an answer that are read, characters that are kept


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


class Limit:
    """A moment after which nothing is waited for any more."""

    def __init__(self, seconds: float) -> None:
        self._end = monotonic() + seconds

    def left(self, error: type[Exception]) -> float:
        """Seconds; raises `error` when there are none."""
        seconds = self._end - monotonic()
        if seconds <= 0:
            raise error
        return seconds


class Timed(httpcore.NetworkStream):
    """A connection on which every step must end within the limit of the whole."""

    def __init__(self, inner: httpcore.NetworkStream, limit: Limit) -> None:
        self._inner, self._limit = inner, limit

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._limit.left(httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, self._limit.left(httpcore.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        left = self._limit.left(httpcore.ConnectTimeout)
        return Timed(
            self._inner.start_tls(ssl_context, server_hostname, left), self._limit
        )

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class Guarded(httpcore.NetworkBackend):
    """Connects to the addresses that were checked, and to nothing else.

    Name and certificate stay those of the host: only the connection knows the number.
    """

    def __init__(self, limit: Limit) -> None:
        self._limit = limit
        self._plain = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        left = self._limit.left(httpcore.ConnectTimeout)
        last: Exception = httpcore.ConnectError("no address")
        for address in addresses.looked_up(host, port, left):
            left = self._limit.left(httpcore.ConnectTimeout)
            try:
                found = self._plain.connect_tcp(
                    address, port, min(CONNECT_SECONDS, left), None, socket_options
                )
                return Timed(found, self._limit)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                last = error
        raise last


def post(text: str, headers: Mapping[str, str], body: bytes) -> Outcome:
    """Send it; whatever goes wrong is in the outcome."""
    began = monotonic()
    try:
        status, answer = _asked(addresses.parsed(text), headers, body)
    except (addresses.NotAllowed, httpcore.UnsupportedProtocol) as error:
        found = Outcome(None, f"not allowed: {error}")
    except (httpcore.TimeoutException, TimeoutError):
        found = Outcome(None, f"no answer within {SECONDS:g} s")
    except (httpcore.NetworkError, httpcore.ProtocolError, OSError) as error:
        said = re.sub(r"^\[Errno -?\d+\] ", "", str(error))
        found = Outcome(None, f"no answer: {said or type(error).__name__}")
    else:
        good = 200 <= status < 300
        found = Outcome(status, "" if good else f"answered {status}", answer)
    took = int(1000 * (monotonic() - began))
    return Outcome(found.status, found.error[:300], found.answer, took)


def _asked(url: httpx.URL, headers: Mapping[str, str], body: bytes) -> tuple[int, str]:
    target = httpcore.URL(
        scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
    )
    backend = Guarded(Limit(SECONDS))
    with (
        httpcore.ConnectionPool(_trusted(), network_backend=backend) as pool,
        pool.stream("POST", target, headers=dict(headers), content=body) as answer,
    ):
        read = b""
        for chunk in answer.iter_stream():
            read += chunk[:READ]
            if len(read) >= READ:
                break
        return answer.status, _printable(read)


@cache
def _trusted() -> ssl.SSLContext:
    """The usual authorities, whatever the environment says."""
    return httpx.create_ssl_context(trust_env=False)


def _printable(data: bytes) -> str:
    text = data[: 4 * KEPT].decode(errors="replace")
    return "".join(c if c.isprintable() else " " for c in text)[:KEPT].strip()
