"""Celery jobs of operators: clearing out, and watching."""

import logging
import time
from collections.abc import Callable, Iterator
from threading import Thread
from typing import Any

from celery import shared_task
from celery.signals import beat_init
from django.conf import settings
from django.db import close_old_connections

from leaderboard.operations import garbage_collection, incidents, retention

log = logging.getLogger(__name__)
WATCH_SECONDS = 60
RUN_SECONDS = 1.0  # nothing else of upkeep is done meanwhile


class LongWork:
    """Work in pieces that is begun every so many seconds and may take hours: it gives
    way after `RUN_SECONDS`, and goes on when it is called again."""

    def __init__(self, pieces: Callable[[], Iterator[object]], every: float) -> None:
        self._begin, self._every = pieces, every
        self._left: Iterator[object] | None = None
        self._due = float("-inf")

    def go_on(self) -> None:
        until = time.monotonic() + RUN_SECONDS
        if self._left is None and time.monotonic() >= self._due:
            self._left, self._due = self._begin(), time.monotonic() + self._every
        left, self._left = self._left, None  # what fails is begun anew when it is due
        for _piece in left or ():
            if time.monotonic() >= until:
                self._left = left
                return


_clearing = LongWork(retention.pieces, settings.CLEAR_SECONDS)
_collecting = LongWork(garbage_collection.pieces, settings.COLLECT_SECONDS)


@shared_task(name="operations.clear")
def clear() -> None:
    """Remove what was kept long enough."""
    _clearing.go_on()


@shared_task(name="operations.collect")
def collect() -> None:
    """Remove files that no row refers to."""
    _collecting.go_on()


@shared_task(name="operations.watch")
def watch() -> None:
    """Find what is wrong, and order mail about it."""
    incidents.find()


@beat_init.connect
def watch_workers(**_: Any) -> None:
    """The scheduler watches whoever should: the dead cannot say that they are."""
    Thread(target=_watch_workers, daemon=True, name="watch").start()


def _watch_workers() -> None:
    # Those of a site that was stopped for a while have this long to start.
    time.sleep(incidents.LEFT_ALONE.total_seconds())
    while True:
        try:
            incidents.look_without_workers()
        except Exception:  # it is looked at again
            log.exception("upkeep could not be watched")
        finally:
            close_old_connections()
        time.sleep(WATCH_SECONDS)
