"""A program that receives webhooks, and checks them by code of its own."""

import base64
import hashlib
import hmac
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = Callable[["Handler"], None]


@dataclass(frozen=True)
class Received:
    headers: dict[str, str]
    body: bytes

    def signed_with(self, secret: str) -> bool:
        """By the words of the convention alone; nothing of the site is imported."""
        key = base64.b64decode(secret.removeprefix("whsec_"))
        parts = (self.headers["webhook-id"], self.headers["webhook-timestamp"])
        signed = ".".join(parts).encode() + b"." + self.body
        right = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
        given = self.headers["webhook-signature"].split(" ")
        return "v1," + right.decode() in given


def status(code: int, body: bytes = b"") -> Answer:
    def answer(handler: "Handler") -> None:
        handler.send_response(code)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def redirect(to: str) -> Answer:
    def answer(handler: "Handler") -> None:
        handler.send_response(302)
        handler.send_header("Location", to)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


def cut_off(handler: "Handler") -> None:
    """Says that more is to come, and goes."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b"half of")
    handler.close_connection = True


def hang(handler: "Handler") -> None:
    """Says nothing until the test is over."""
    handler.program.over.wait(30)
    handler.close_connection = True


def drip(handler: "Handler") -> None:
    """A byte at a time, each well before anybody's patience ends."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
    while not handler.program.over.wait(0.05):
        handler.wfile.write(b"x")


@dataclass
class Program:
    """`answers` are given in turn, the last one from then on."""

    answers: list[Answer] = field(default_factory=lambda: [status(204)])
    received: list[Received] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)
    url: str = ""

    def next_answer(self) -> Answer:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


class Handler(BaseHTTPRequestHandler):
    program: Program
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        size = int(self.headers["Content-Length"])
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.program.received.append(Received(headers, self.rfile.read(size)))
        try:
            self.program.next_answer()(self)
        except OSError:  # whoever asked had enough of it
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def listening() -> Iterator[Program]:
    program = Program()
    handler = type("One", (Handler,), {"program": program})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    program.url = f"http://127.0.0.1:{server.server_port}/hook"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield program
    finally:
        program.over.set()
        server.shutdown()
        server.server_close()
