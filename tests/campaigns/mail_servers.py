"""A small mail server that is slow, hangs, greylists or refuses, until it recovers."""

import socketserver
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email import message_from_bytes
from enum import Enum
from typing import Any

SLOW_SECONDS = 5.0


class Trouble(Enum):
    NONE = "answers at once"
    SLOW = "takes five seconds for each mail"
    HANGS = "accepts connections and says nothing"
    GREYLISTS = "refuses each reader at first, with 450"
    REFUSES = "refuses each reader for good, with 550"


class MailServer(socketserver.ThreadingTCPServer):
    """Takes mail by SMTP and counts it by Message-ID."""

    daemon_threads = True
    request_queue_size = 100

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(("127.0.0.1", 0), Conversation)
        self.trouble = trouble
        self.recovered = threading.Event()
        self.met: Counter[str] = Counter()  # connections, refusals
        self.received: Counter[str] = Counter()
        self.known: set[bytes] = set()
        if trouble == Trouble.NONE:
            self.recovered.set()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def suffers(self, trouble: Trouble) -> bool:
        return self.trouble == trouble and not self.recovered.is_set()


class Conversation(socketserver.StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        self.server.met["connections"] += 1
        if self.server.suffers(Trouble.HANGS):
            self.server.recovered.wait()
            return  # it was restarted: whoever still waits is cut off
        with suppress(OSError):
            self._answer("220 post.example ESMTP")
            self._converse()

    def _converse(self) -> None:
        for line in self.rfile:
            verb = line.split(None, 1)[0].upper() if line.strip() else b""
            if verb == b"RCPT" and self._greylists(line):
                self._answer("450 4.2.0 greylisted, try again later")
            elif verb == b"RCPT" and self.server.suffers(Trouble.REFUSES):
                self.server.met["refusals"] += 1
                self._answer("550 5.1.1 no such reader")
            elif verb == b"DATA":
                self._answer("354 go ahead")
                self._receive()
                self._answer("250 taken")
            elif verb == b"QUIT":
                self._answer("221 bye")
                return
            else:
                self._answer("250 post.example")

    def _greylists(self, reader: bytes) -> bool:
        if self.server.trouble != Trouble.GREYLISTS or reader in self.server.known:
            return False
        self.server.known.add(reader)
        self.server.met["refusals"] += 1
        return True

    def _receive(self) -> None:
        lines: list[bytes] = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            lines.append(line)
        if self.server.suffers(Trouble.SLOW):
            self.server.recovered.wait(SLOW_SECONDS)
        self.server.received[
            str(message_from_bytes(b"".join(lines))["Message-ID"])
        ] += 1

    def _answer(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


@contextmanager
def mail_server(trouble: Trouble) -> Iterator[MailServer]:
    with MailServer(trouble) as server:
        thread = threading.Thread(
            target=server.serve_forever, args=(0.01,), daemon=True
        )
        thread.start()
        try:
            yield server
        finally:
            server.recovered.set()
            server.shutdown()
            thread.join()


def settings_for(server: MailServer) -> dict[str, Any]:
    """Variables of the environment as an operator sets them."""
    return {
        "PLUMBLINE_SMTP_HOST": "127.0.0.1",
        "PLUMBLINE_SMTP_PORT": str(server.port),
        "PLUMBLINE_SMTP_TLS": "0",
    }
