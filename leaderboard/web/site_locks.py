"""Locks of the whole site, for work that one process does at a time.

A lock ends with the process that holds it, however that ends: PostgreSQL keeps it for a
connection (an advisory lock) or, where there is one machine, the kernel for an open
file.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b

from django.conf import settings
from django.db import DatabaseError, connection

LOCK, UNLOCK = "SELECT pg_try_advisory_lock(%s)", "SELECT pg_advisory_unlock(%s)"


@contextmanager
def try_lock(name: str) -> Iterator[bool]:
    """Whether the lock is held until the end of the block: not where another process
    holds it. Nobody waits.

    On PostgreSQL a thread that holds it already is given it once more; none should ask.
    """
    by_database = connection.vendor == "postgresql"
    with (_by_connection if by_database else _by_file)(name) as ours:
        yield ours


@contextmanager
def _by_connection(name: str) -> Iterator[bool]:
    digest = blake2b(name.encode(), digest_size=8, person=b"locks").digest()
    key = int.from_bytes(digest, "big", signed=True)
    with connection.cursor() as cursor:
        cursor.execute(LOCK, [key])
        ours: bool = cursor.fetchone()[0]
    try:
        yield ours
    finally:
        # A connection that broke has nothing any more.
        with suppress(DatabaseError):
            if ours:
                with connection.cursor() as cursor:
                    cursor.execute(UNLOCK, [key])


@contextmanager
def _by_file(name: str) -> Iterator[bool]:
    folder = settings.DATA / "locks"
    folder.mkdir(mode=0o700, exist_ok=True)
    # The file stays: without it two processes could lock two files of one name.
    with (folder / name).open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
