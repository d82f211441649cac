"""Celery jobs of operators: clearing out, and watching."""

import logging
import time
from threading import Thread
from typing import Any

from celery import shared_task
from celery.signals import beat_init
from django.db import close_old_connections

from leaderboard.operations import garbage_collection, incidents, retention

log = logging.getLogger(__name__)
WATCH_SECONDS = 60


@shared_task(name="operations.clear")
def clear() -> None:
    """Remove what was kept long enough."""
    retention.clear()


@shared_task(name="operations.collect")
def collect() -> None:
    """Remove files that no row refers to."""
    garbage_collection.collect()


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
        except Exception:
            log.exception("upkeep could not be watched")
        finally:
            close_old_connections()
        time.sleep(WATCH_SECONDS)
