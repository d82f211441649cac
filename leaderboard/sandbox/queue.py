"""A fair queue for the checks of uploaded files, of which few run at a time."""

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition

from leaderboard.sandbox.fork import JobFailed


class QueueFull(JobFailed):
    """No slot became free in time, or its owner has enough waiting already."""


@dataclass(frozen=True, eq=False)
class Ticket:
    owner: object


class CheckQueue:
    """An owner has one slot at a time; a free one goes to the owner served longest ago.

    At most `waiting` of an owner wait, and nobody for more than `seconds`.
    """

    def __init__(
        self, slots: int, waiting: int, seconds: float, owner: Callable[[], object]
    ) -> None:
        self.slots, self.most_waiting, self.seconds = slots, waiting, seconds
        self._owner = owner
        self._changed = Condition()
        self._waiting: list[Ticket] = []
        self._running: set[object] = set()
        self._served: dict[object, int] = {}
        self._count = itertools.count(1)

    def __len__(self) -> int:
        return len(self._waiting)

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Raises QueueFull."""
        owner = self._owner()
        with self._changed:
            self._wait_for(Ticket(owner))
            self._running.add(owner)
            self._served[owner] = next(self._count)
            self._changed.notify_all()  # another slot may be free
        try:
            yield
        finally:
            with self._changed:
                self._running.remove(owner)
                if not self._waiting and not self._running:
                    self._served.clear()
                self._changed.notify_all()

    def _wait_for(self, ticket: Ticket) -> None:
        if sum(one.owner == ticket.owner for one in self._waiting) >= self.most_waiting:
            raise QueueFull
        self._waiting.append(ticket)
        try:
            mine = self._changed.wait_for(lambda: self._next() is ticket, self.seconds)
        finally:
            self._waiting.remove(ticket)
        if not mine:
            raise QueueFull

    def _next(self) -> Ticket | None:
        if len(self._running) >= self.slots:
            return None
        able = [one for one in self._waiting if one.owner not in self._running]
        return min(able, key=lambda one: self._served.get(one.owner, 0), default=None)
