"""The sender of a process: one thread that talks to mail servers.

Others may take their time to answer, and a worker that could score must not wait for
them. A job therefore only starts the sender and returns. Kinds of work follow each
other in rounds of so many seconds, so that none keeps the others waiting for long.
A process that ends waits a few seconds for what is under way. Nothing is lost when
that does not suffice: a row that was not marked as sent is sent again.
"""

import logging
import time
from collections.abc import Callable
from threading import Event, Lock, Thread
from typing import Any

from celery.signals import worker_process_shutdown, worker_shutdown
from django.db import connections

log = logging.getLogger(__name__)
ROUND_SECONDS = 20.0
# Less than the ten seconds that `manage.py serve` gives a program to end
STOP_SECONDS = 6.0


class Round:
    """A time budget: over after so many seconds, or when the process is to end."""

    def __init__(self, seconds: float, stopping: Event | None = None) -> None:
        self._end = time.monotonic() + seconds
        self._stopping = stopping or Event()

    @property
    def over(self) -> bool:
        return self._stopping.is_set() or time.monotonic() >= self._end


# Sends what is due until nothing is, or until the round is over.
Work = Callable[[Round], object]


class Sender:
    """A thread that does one piece of work after another and ends when none is left."""

    def __init__(self, seconds: float = ROUND_SECONDS) -> None:
        self._seconds = seconds
        self._lock = Lock()
        self._stopping = Event()
        self._due: dict[Work, None] = {}  # in the order in which they were asked for
        self._thread: Thread | None = None

    @property
    def busy(self) -> bool:
        return self._thread is not None

    def start(self, work: Work) -> None:
        """Ask for a round of `work`; asked for twice before it begins, it is one."""
        with self._lock:
            self._due[work] = None
            if self._thread is None:
                self._thread = Thread(target=self._run, daemon=True, name="sender")
                self._thread.start()

    def stop(self, seconds: float = STOP_SECONDS) -> None:
        """Begin nothing more, and wait for what is under way.

        A process that goes on all the same may start it again after that.
        """
        self._stopping.set()
        if (thread := self._thread) is not None:
            thread.join(seconds)
        if self._thread is None:
            self._stopping.clear()

    def _run(self) -> None:
        while (work := self._next()) is not None:
            try:
                work(Round(self._seconds, self._stopping))
            except Exception:  # the next round tries again
                log.exception("sending failed")
            finally:
                connections.close_all()  # those of this thread

    def _next(self) -> Work | None:
        with self._lock:
            if self._stopping.is_set() or not self._due:
                self._thread = None
                return None
            work = next(iter(self._due))
            del self._due[work]
            return work


sender = Sender()


@worker_process_shutdown.connect
@worker_shutdown.connect
def finish(**_: Any) -> None:
    """A worker process that ends lets the sender finish what is under way."""
    sender.stop()
