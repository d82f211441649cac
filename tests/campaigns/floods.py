"""Clients that hold connections open, and one who asks for a page beside."""

import asyncio
import itertools
import math
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from tests.campaigns.browsers import pause

DRIP_SECONDS = 2.0
AGAIN_SECONDS = 1.0  # until a closed connection is opened again
BOUNDARY = "flood"
MULTIPART = f"multipart/form-data; boundary={BOUNDARY}"
PLAIN = "application/x-www-form-urlencoded"
FORM = "/accounts/login/"
UPLOAD = "/tasks/otters/test/submit/"
FILE = (
    f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file_north"; '
    'filename="north.conllu"\r\n\r\n'
).encode()


@dataclass(frozen=True)
class Target:
    """A server on this machine."""

    port: int
    name: str = "127.0.0.1"
    tls: bool = False


@dataclass(frozen=True)
class Flood:
    """`size` connections, each opened again when it is closed.

    The head announces `length` bytes, of which `at_once` is sent with it, then a byte
    every `drip` seconds, or nothing. After the server closed its side a client stays on
    for `stays` seconds.
    """

    size: int
    length: int
    kind: str = MULTIPART
    path: str = FORM
    at_once: bytes = b""
    drip: float | None = None
    stays: float = 0.0
    sources: int = 50  # addresses that they come from

    def beginning(self, host: str) -> bytes:
        lines = [
            f"POST {self.path} HTTP/1.1",
            f"Host: {host}",
            f"Content-Type: {self.kind}",
            f"Content-Length: {self.length}",
        ]
        return "\r\n".join([*lines, "", ""]).encode() + self.at_once


def silent(size: int, **more: Any) -> Flood:
    """A form of 2 GB announced, of which nothing comes.

    The site refuses it by its length alone: the server has a body that nobody reads.
    """
    return Flood(size, 2_000_000_000, PLAIN, stays=4.0, **more)


def slow(size: int, **more: Any) -> Flood:
    """A form of 900 kB, a byte every two seconds."""
    return Flood(size, 900_000, at_once=FILE, drip=DRIP_SECONDS, **more)


def stalled(size: int, **more: Any) -> Flood:
    """An upload of 900 kB of which the first 200 kB come at once, then as `slow`."""
    much = FILE + b"x" * 200_000
    return Flood(size, 900_000, path=UPLOAD, at_once=much, drip=DRIP_SECONDS, **more)


@dataclass
class Seen:
    """How many connections stand now, and the first bytes of what they were told."""

    standing: int = 0
    answers: list[bytes] = field(default_factory=list)


@contextmanager
def flooded(flood: Flood, target: Target) -> Iterator[Seen]:
    """The flood, from a thread of its own."""
    seen, ended, loop = Seen(), asyncio.Event(), asyncio.new_event_loop()
    sources = itertools.cycle(f"127.0.1.{n}" for n in range(1, flood.sources + 1))

    async def everything() -> None:
        clients = [
            asyncio.create_task(_client(flood, target, next(sources), seen))
            for _ in range(flood.size)
        ]
        await ended.wait()
        going = set(clients)
        while going:  # who is just being answered does not hear of it at once
            for client in going:
                client.cancel()
            _done, going = await asyncio.wait(going, timeout=1)

    thread = threading.Thread(target=loop.run_until_complete, args=[everything()])
    thread.start()
    try:
        yield seen
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join()
        loop.close()


async def _client(flood: Flood, target: Target, source: str, seen: Seen) -> None:
    tls = {"ssl": unverified(), "server_hostname": target.name} if target.tls else {}
    while True:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", target.port, local_addr=(source, 0), **tls
            )
            seen.standing += 1
            try:
                writer.write(flood.beginning(target.name))
                await _until_closed(flood, reader, writer, seen)
                await pause(flood.stays)
            finally:
                seen.standing -= 1
                writer.transport.abort()
        await pause(AGAIN_SECONDS)


async def _until_closed(
    flood: Flood,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    seen: Seen,
) -> None:
    first = True
    while True:
        try:
            data = await asyncio.wait_for(reader.read(1 << 16), flood.drip)
        except TimeoutError:
            writer.write(b"x")
            continue
        if not data:
            return
        if first:
            seen.answers.append(data[:12])
        first = False


@cache
def unverified() -> ssl.SSLContext:
    """For certificates that the tests make themselves."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def polls(number: int, every: float, patience: float, target: Target) -> list[float]:
    """Seconds that each of so many polls took; inf where no page came in time."""
    found, pause = [], threading.Event()
    for _ in range(number):
        found.append(_seconds(target, patience))
        pause.wait(every)
    return found


def _seconds(target: Target, patience: float) -> float:
    began = time.monotonic()
    ask = f"GET /healthz HTTP/1.1\r\nHost: {target.name}\r\nConnection: close\r\n\r\n"
    try:
        with closing(_link(target, patience)) as link:
            link.sendall(ask.encode())
            answer = b"".join(iter(lambda: link.recv(1 << 16), b""))
    except OSError:
        return math.inf
    took = time.monotonic() - began
    good = answer.startswith(b"HTTP/1.1 200") and took <= patience
    return took if good else math.inf


def _link(target: Target, patience: float) -> socket.socket:
    link = socket.create_connection(("127.0.0.1", target.port), patience)
    if not target.tls:
        return link
    try:
        return unverified().wrap_socket(link, server_hostname=target.name)
    except OSError:
        link.close()
        raise
