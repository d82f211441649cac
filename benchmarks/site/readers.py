"""Readers at a steady rate: `python -m benchmarks.site.readers ADDRESS RATE SECONDS`.

A process of its own, which prints its times as JSON. A request that could not be sent
when it was due has waited since then: a slow server is not asked less often.
"""

import http.client
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from urllib.parse import urlsplit

THREADS = 40
TIMEOUT = 30.0
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


@dataclass
class Told:
    """Milliseconds of each request, and how many had which status; 0 for none."""

    times: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    sizes: list[int] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    def note(self, milliseconds: float, status: int, size: int) -> None:
        with self.lock:
            self.times.append(milliseconds)
            self.statuses[status] += 1
            self.sizes.append(size)


class Reader(Thread):
    """Sends every THREADS-th request, over one connection that is kept."""

    def __init__(self, board: str, due: Sequence[tuple[int, float]], told: Told):
        super().__init__(daemon=True)
        self.address, self.due, self.told = urlsplit(board), due, told
        self.link = self.connected()

    def connected(self) -> http.client.HTTPConnection:
        at = self.address
        return http.client.HTTPConnection(at.hostname or "", at.port, timeout=TIMEOUT)

    def run(self) -> None:
        rest = Event()
        for number, due in self.due:
            rest.wait(max(due - time.monotonic(), 0.0))
            status, size = self.ask(CHOICES[number % len(CHOICES)])
            self.told.note((time.monotonic() - due) * 1000, status, size)

    def ask(self, choice: str) -> tuple[int, int]:
        try:
            return self.answered(choice)
        except (OSError, http.client.HTTPException):
            self.link.close()
            self.link = self.connected()
        try:  # a kept connection may have been closed while nobody asked
            return self.answered(choice)
        except (OSError, http.client.HTTPException):
            return 0, 0

    def answered(self, choice: str) -> tuple[int, int]:
        self.link.request(
            "GET", self.address.path + choice, headers={"Accept-Encoding": "gzip"}
        )
        answer = self.link.getresponse()
        return answer.status, len(answer.read())


def warm(board: str) -> None:
    """Each page a few times at once: every process of a new server reads all it keeps.

    Under addresses of their own, lest one process renders what the others hand out.
    """
    for choice in dict.fromkeys(CHOICES):
        mark = "&" if choice else "?"
        asking = [
            Thread(
                target=Reader(board, (), Told()).ask, args=(f"{choice}{mark}new={n}",)
            )
            for n in range(WARMING)
        ]
        for one in asking:
            one.start()
        for one in asking:
            one.join()
    for choice in dict.fromkeys(CHOICES):
        Reader(board, (), Told()).ask(choice)


def read(board: str, rate: int, seconds: int) -> Told:
    warm(board)
    told, start = Told(), time.monotonic() + 0.5
    due = [(number, start + number / rate) for number in range(rate * seconds)]
    readers = [Reader(board, due[i::THREADS], told) for i in range(THREADS)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    return told


if __name__ == "__main__":
    found = read(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    json.dump(
        {"times": found.times, "statuses": found.statuses, "largest": max(found.sizes)},
        sys.stdout,
    )
