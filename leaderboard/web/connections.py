"""Connections to SQLite that threads keep from one request to the next."""

from threading import Lock
from typing import Any
from weakref import WeakSet

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper

MOST = 16  # of a process, so that a burst leaves no hundreds of them behind
_kept: WeakSet[BaseDatabaseWrapper] = WeakSet()
_lock = Lock()


def close_surplus(**_: Any) -> None:
    """Close the connection of this thread where others keep MOST of them already."""
    own = connections[DEFAULT_DB_ALIAS]
    if own.in_atomic_block:
        return
    with _lock:
        _kept.discard(own)
        if own.connection is not None and len(_kept) < MOST:
            _kept.add(own)
            return
    own.close()
