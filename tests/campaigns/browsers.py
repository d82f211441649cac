"""Many browsers at once, fast and slow, each on a connection of its own."""

import asyncio
import json
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field

from tests.campaigns.site import TOKEN

EDGE = "edge-of-a-part"
PIECE = 1 << 16
ANSWER_SECONDS = 120.0


@dataclass(frozen=True)
class Request:
    """A form with files; `rate` in bytes per second, None as fast as it goes.

    `more` are further headers: a program has a token there, and no cookies.
    """

    path: str
    cookies: str
    fields: Mapping[str, str]
    files: Mapping[str, bytes]
    rate: int | None = None
    more: Mapping[str, str] = field(default_factory=dict)

    def packed(self) -> bytes:
        parts = [
            f'--{EDGE}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'
            f"{value}\r\n".encode()
            for name, value in {**self.fields, "csrfmiddlewaretoken": TOKEN}.items()
        ]
        for name, data in self.files.items():
            head = (
                f'--{EDGE}\r\nContent-Disposition: form-data; name="{name}"; '
                f'filename="{name}.conllu"\r\n\r\n'
            )
            parts += [head.encode(), data, b"\r\n"]
        body = b"".join([*parts, f"--{EDGE}--\r\n".encode()])
        return self._head(len(body)).encode() + body

    def _head(self, length: int) -> str:
        headers = {
            "Host": "127.0.0.1",
            "Connection": "close",
            "Content-Type": f"multipart/form-data; boundary={EDGE}",
            "Content-Length": str(length),
            "Cookie": self.cookies,
            **self.more,
        }
        lines = [f"{name}: {value}\r\n" for name, value in headers.items()]
        return "".join([f"POST {self.path} HTTP/1.1\r\n", *lines, "\r\n"])


@dataclass(frozen=True)
class Answer:
    """When it was asked for, in seconds since 1970.

    `head` goes on with the body; it is "" when nothing came.
    """

    head: str
    began: float
    sent: float
    ended: float

    @property
    def seconds(self) -> float:
        return self.ended - self.began

    @property
    def status(self) -> int:
        """0 when the connection broke."""
        return int(self.head.split(" ")[1]) if self.head.startswith("HTTP/") else 0

    @property
    def location(self) -> str:
        return self.header("location")

    @property
    def submission(self) -> str:
        """The id of what was accepted, by form or API."""
        if self.status == 201:
            found: str = json.loads(self.head.partition("\r\n\r\n")[2])["id"]
            return found
        return self.location.split("/")[-2]

    def header(self, name: str) -> str:
        for line in self.head.split("\r\n"):
            if line.lower().startswith(f"{name}:"):
                return line.partition(":")[2].strip()
        return ""


async def post(port: int, request: Request) -> Answer:
    """Send a form and wait for the answer."""
    began = sent = time.time()
    head = b""
    with suppress(OSError, TimeoutError):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        with closing(writer):
            await _send(writer, request)
            sent = time.time()
            head = await asyncio.wait_for(reader.read(), ANSWER_SECONDS)
    return Answer(head.decode("latin-1"), began, sent, time.time())


async def get(port: int, path: str) -> Answer:
    began = time.time()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    ask = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    with closing(writer):
        writer.write(ask.encode())
        head = await reader.read()
    return Answer(head.decode("latin-1"), began, began, time.time())


async def _send(writer: asyncio.StreamWriter, request: Request) -> None:
    data = request.packed()
    size = request.rate or PIECE
    for start in range(0, len(data), size):
        writer.write(data[start : start + size])
        await writer.drain()
        if request.rate:
            await pause(1)


async def pause(seconds: float) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(asyncio.Event().wait(), seconds)
