"""Requests when they are due: `python -m benchmarks.site.readers < PLAN`.

A process of its own, which reads a plan as JSON and prints what was answered. A request
that could not be sent when it was due has waited since then: a slow server is not asked
less often.
"""

import http.client
import itertools
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from http import HTTPStatus
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[2]
THREADS = 40  # of each kind of requests
TIMEOUT = 60.0
WARMING = 4
CHOICES = (
    "",
    "",
    "",
    "",
    "",
    "?page=2",
    "?measure=uas",
    "?entries=all",
    "?show=las&show=upos",
    "?q=07",
)


@dataclass(frozen=True)
class Ask:
    """A request, `due` so many seconds after the first; `body` names a file."""

    due: float
    path: str
    kind: str = "page"
    method: str = "GET"
    headers: dict[str, str] = field(default_factory=dict)
    body: str = ""


@dataclass(frozen=True)
class Answer:
    """Milliseconds since the request was due, and the status: 0 where none came.

    `said` is where an answer to what was sent leads, or its text.
    """

    kind: str
    path: str
    milliseconds: float
    status: int
    size: int
    said: str


class Reader(Thread):
    """Sends what is due next, over one connection that is kept."""

    def __init__(self, host: str, start: float, asks: "SimpleQueue[Ask]") -> None:
        super().__init__(daemon=True)
        self.host, self.start_at, self.asks = host, start, asks
        self.link = self.connected()
        self.answers: list[Answer] = []

    def connected(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self.host, timeout=TIMEOUT)

    def run(self) -> None:
        for ask in self.next():
            due = self.start_at + ask.due
            Event().wait(max(due - time.monotonic(), 0.0))
            status, size, said = self.ask(ask)
            took = (time.monotonic() - due) * 1000
            self.answers.append(Answer(ask.kind, ask.path, took, status, size, said))

    def next(self) -> Iterator[Ask]:
        while True:
            try:
                yield self.asks.get_nowait()
            except Empty:
                return

    def ask(self, ask: Ask) -> tuple[int, int, str]:
        try:
            return self.answered(ask)
        except (OSError, http.client.HTTPException):
            self.link.close()
            self.link = self.connected()
        try:  # a kept connection may have been closed while nobody asked
            return self.answered(ask)
        except (OSError, http.client.HTTPException):
            return 0, 0, ""

    def answered(self, ask: Ask) -> tuple[int, int, str]:
        body = Path(ask.body).read_bytes() if ask.body else None
        packed = {} if ask.body else {"Accept-Encoding": "gzip"}
        headers = packed | ask.headers
        self.link.request(ask.method, ask.path, body, headers)
        answer = self.link.getresponse()
        content = answer.read()
        said = ""
        if body is not None:
            said = answer.headers.get("Location") or content.decode()
        return answer.status, len(content), said


def warm(host: str, paths: Sequence[str]) -> None:
    """Each page a few times at once: every process of a new server reads all it keeps.

    Under addresses of their own, lest one process renders what the others hand out;
    first until its board is computed. Raises TimeoutError.
    """
    for path in paths:
        until = time.monotonic() + TIMEOUT
        while _sent(host, [Ask(0, path)])[0].status == HTTPStatus.ACCEPTED:
            if time.monotonic() > until:
                raise TimeoutError(f"nobody computes the board of {path}")
        mark = "&" if "?" in path else "?"
        _sent(host, [Ask(0, f"{path}{mark}new={n}") for n in range(WARMING)])
    for path in paths:
        _sent(host, [Ask(0, path)])


def sent(host: str, asks: Sequence[Ask]) -> list[Answer]:
    """The answers; requests of one kind do not wait behind those of another."""
    kinds = {ask.kind: [x for x in asks if x.kind == ask.kind] for ask in asks}
    return _sent(host, *kinds.values())


def _sent(host: str, *kinds: Sequence[Ask]) -> list[Answer]:
    readers = []
    start = time.monotonic()
    for asks in kinds:
        line: SimpleQueue[Ask] = SimpleQueue()
        for ask in asks:
            line.put(ask)
        readers += [Reader(host, start, line) for _ in asks[:THREADS]]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    return [answer for reader in readers for answer in reader.answers]


def board_asks(board: str, rate: int, seconds: int) -> list[Ask]:
    """One board in its forms, at a steady rate."""
    chosen = itertools.cycle(CHOICES)
    return [Ask(n / rate, board + next(chosen)) for n in range(rate * seconds)]


def answers_of(
    address: str, asks: Sequence[Ask], first: Sequence[str] = ()
) -> list[Answer]:
    """Answers to a process of its own; pages to ask `first` are not counted."""
    host = urlsplit(address).netloc
    plan = {"host": host, "warm": [*first], "asks": [asdict(ask) for ask in asks]}
    command = [sys.executable, "-m", "benchmarks.site.readers"]
    told = subprocess.check_output(command, input=json.dumps(plan).encode(), cwd=ROOT)
    return [Answer(**answer) for answer in json.loads(told)]


def main() -> None:
    plan = json.load(sys.stdin)
    warm(plan["host"], plan["warm"])
    answers = sent(plan["host"], [Ask(**ask) for ask in plan["asks"]])
    json.dump([asdict(answer) for answer in answers], sys.stdout)


if __name__ == "__main__":
    main()
