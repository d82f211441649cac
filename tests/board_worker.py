"""A worker for boards, beside servers that run without the site's own."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

from django.db import connection
from django.utils import timezone

from leaderboard.boards import computation

POLL_SECONDS = 0.05


@contextmanager
def board_worker() -> Iterator[None]:
    """Compute the boards that readers ask for, in a thread."""
    over = Event()

    def compute() -> None:
        while not over.wait(POLL_SECONDS):
            computation.compute_wanted(timezone.now())
        connection.close()

    with ThreadPoolExecutor(1) as thread:
        work = thread.submit(compute)
        try:
            yield
        finally:
            over.set()
        work.result()
