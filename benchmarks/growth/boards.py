"""Boards of ten, a hundred and a thousand submissions, and what one more costs."""

from collections.abc import Callable
from statistics import median
from time import process_time
from typing import Any

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402
from django.templatetags.static import static  # noqa: E402
from django.test import Client  # noqa: E402

from benchmarks.site import alone  # noqa: E402
from benchmarks.site.filling import SUBMISSIONS  # noqa: E402
from leaderboard.submissions.models import Submission  # noqa: E402
from leaderboard.tasks.models import Phase  # noqa: E402

SIZES = (10, 100, SUBMISSIONS)
Query = tuple[str, Any]


def measured(runs: int) -> dict[str, Any]:
    """Largest first, since rows are only taken away. Milliseconds, and bytes."""
    before = _database_bytes()
    alone.prepare(0)
    grown = _database_bytes() - before
    by_size = {size: _of(size, runs) for size in reversed(SIZES)}
    board = {
        name: [by_size[size][name] for size in SIZES]
        for name in ("ms", "limit", "kept", "queries")
    }
    return {
        "board": {"sizes": list(SIZES), **board, "static": _static(runs)},
        "database_bytes": grown / SUBMISSIONS,
    }


def _of(size: int, runs: int) -> dict[str, float]:
    keys = Submission.objects.order_by("received_at").values("pk")[:size]
    Submission.objects.exclude(pk__in=list(keys.values_list("pk", flat=True))).delete()
    Phase.objects.touch_boards()
    client = Client(headers=alone.PACKED)
    alone.first_look(client, alone.BOARD)

    def ask() -> None:
        client.get(alone.BOARD)

    asked = _asked(ask)
    return {
        "ms": timed(ask, runs, alone.forget),
        "kept": timed(ask, runs),
        "limit": timed(lambda: _bare(asked), runs),
        "queries": len(asked),
    }


def _asked(work: Callable[[], None]) -> list[Query]:
    """The queries of a page that is made anew, without the statements that begin and
    end its transactions."""
    queries: list[Query] = []

    def note(execute: Any, sql: str, values: Any, *rest: Any) -> Any:
        if sql.startswith("SELECT"):
            queries.append((sql, values))
        return execute(sql, values, *rest)

    alone.forget()
    with connection.execute_wrapper(note):
        work()
    return queries


def _bare(asked: list[Query]) -> None:
    with connection.cursor() as cursor:
        for sql, values in asked:
            cursor.execute(sql, values)
            if cursor.description:
                cursor.fetchall()


def _static(runs: int) -> float:
    """A file from the same server: the least that an answer costs."""
    client, address = Client(headers=alone.PACKED), static("base.css")
    return timed(lambda: b"".join(client.get(address).streaming_content), runs)


def _database_bytes() -> int:
    """The size of SQLite's file; before the tables are made there is none."""
    path = settings.DATA / "plumbline.sqlite3"
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path.stat().st_size if path.exists() else 0


def timed(
    work: Callable[[], object], runs: int, before: Callable[[], None] = lambda: None
) -> float:
    """Milliseconds of processor time, SQLite's included; `before` is not counted."""
    times = []
    for _ in range(runs):
        before()
        start = process_time()
        work()
        times.append(1000 * (process_time() - start))
    return median(times)
