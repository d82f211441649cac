"""Connections to the database between two requests of a thread."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from weakref import WeakSet

import pytest
from django.core.signals import request_finished
from django.db import connection, connections

from leaderboard.web.connections import close_surplus

THREADS = 4


@pytest.mark.django_db(transaction=True)
def test_few_threads_keep_their_connection_to_sqlite(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """PostgreSQL's are closed after each request."""
    module = close_surplus.__module__
    monkeypatch.setattr(f"{module}.MOST", 2)
    # Without those that tests before this one left.
    monkeypatch.setattr(f"{module}._kept", WeakSet())
    together = Barrier(THREADS)

    def work(_number: int) -> bool:
        connection.ensure_connection()
        together.wait()
        request_finished.send(None)
        kept = connection.connection is not None
        together.wait()
        connections.close_all()
        return kept

    with ThreadPoolExecutor(THREADS) as threads:
        kept = list(threads.map(work, range(THREADS)))
    assert sum(kept) == (2 if connection.vendor == "sqlite" else 0)
