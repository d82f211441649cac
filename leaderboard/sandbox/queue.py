"""The fair queue of a process, in which every job of the sandbox waits."""

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition


class QueueFull(Exception):
    """No slot became free in time, or its owner has enough waiting already."""

    retry_seconds = 30


@dataclass(frozen=True)
class Priority:
    """The share of the queue that a kind of job leaves to others.

    At most `slots - spared` of those that spare so many slots or more run at once, and
    each is `nice` to the site's other processes. A
    job is refused where `waiting` of its owner wait already: each has a thread, and in
    most cases one of the few that read uploads.
    """

    spared: int
    waiting: int
    nice: int = 0


@dataclass(frozen=True, eq=False)
class Ticket:
    owner: object
    spared: int


class JobQueue:
    """An owner has one slot at a time; a free one goes to the owner served longest ago.

    Nobody waits for more than `seconds`.
    """

    def __init__(self, slots: int, seconds: float, owner: Callable[[], object]) -> None:
        self.slots, self.seconds = slots, seconds
        self._owner = owner
        self._changed = Condition()
        self._waiting: list[Ticket] = []
        self._running: dict[object, Ticket] = {}
        self._served: dict[object, int] = {}
        self._count = itertools.count(1)

    def __len__(self) -> int:
        return len(self._waiting)

    @contextmanager
    def slot(self, priority: Priority) -> Iterator[None]:
        """Raises QueueFull."""
        ticket = Ticket(self._owner(), priority.spared)
        with self._changed:
            self._wait_for(ticket, priority.waiting)
            self._running[ticket.owner] = ticket
            self._served[ticket.owner] = next(self._count)
            self._changed.notify_all()  # another slot may be free
        try:
            yield
        finally:
            with self._changed:
                del self._running[ticket.owner]
                if not self._waiting and not self._running:
                    self._served.clear()
                self._changed.notify_all()

    def _wait_for(self, ticket: Ticket, most: int) -> None:
        if sum(other.owner == ticket.owner for other in self._waiting) >= most:
            raise QueueFull
        self._waiting.append(ticket)
        try:
            mine = self._changed.wait_for(lambda: self._next() is ticket, self.seconds)
        finally:
            self._waiting.remove(ticket)
        if not mine:
            raise QueueFull

    def _next(self) -> Ticket | None:
        able = filter(self._fits, self._waiting)
        return min(
            able, key=lambda ticket: self._served.get(ticket.owner, 0), default=None
        )

    def _fits(self, ticket: Ticket) -> bool:
        """Whether its owner has no slot, and one is free that it need not spare."""
        for spared in range(ticket.spared + 1):
            alike = sum(other.spared >= spared for other in self._running.values())
            if alike >= self.slots - spared:
                return False
        return ticket.owner not in self._running
