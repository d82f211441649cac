"""`python -m benchmarks.growth.memory --database URL`: memory of a web process.

The database is one that `benchmarks.growth.pages` filled. Printed is the memory of the
process in MiB (PSS): at its start, after one board, and after each round of all. It
keeps memory as a web process does, and leaves to others what that leaves to them.
"""

import argparse
import gc
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin

if TYPE_CHECKING:
    from django.test.client import ClientHandler

THREADS = 4
PAGES = ("board/", "board/?entries=all", "board/?q=7", "charts/", "../feed/")
COLLECT = (sys.executable, "manage.py", "collectstatic", "--noinput", "-v0")
COMPUTE = "from benchmarks.site.alone import compute_awaited; compute_awaited()"
MEBIBYTE = 1 << 20


def main(arguments: list[str] | None = None) -> int:
    called = argparse.ArgumentParser(prog="python -m benchmarks.growth.memory")
    called.add_argument("--database", required=True, help="URL of a PostgreSQL")
    called.add_argument("--boards", type=int, default=10)
    called.add_argument("--rounds", type=int, default=4)
    options = called.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="plumbline-growth-") as data:
        os.environ["PLUMBLINE_DATA"] = data
        os.environ["DATABASE_URL"] = options.database
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
        import django

        django.setup()
        _keep_memory()
        for stage, used in _stages(options.boards, options.rounds):
            print(f"{stage}: {used / MEBIBYTE:.0f}", flush=True)
    return 0


def _keep_memory() -> None:
    """As leaderboard/web_server.py does."""
    from leaderboard import urls  # noqa: F401
    from scoring.sandbox.kernel import keep_little_free_memory

    keep_little_free_memory()
    gc.freeze()


def _stages(boards: int, rounds: int) -> Iterator[tuple[str, int]]:
    """Each stage, named by what was asked for until then, with the memory in use."""
    from django.conf import settings
    from django.core.cache import caches
    from django.db.models import Count

    from leaderboard.tasks.models import Phase

    settings.ALLOWED_HOSTS = [*settings.ALLOWED_HOSTS, "testserver"]
    subprocess.run(COLLECT, check=True)
    sent = Phase.objects.annotate(sent=Count("submissions")).order_by("-sent", "pk")
    phases = list(sent.select_related("task")[:boards])
    addresses = [
        urljoin(f"/tasks/{phase.task.slug}/{phase.name}/", page)
        for phase in phases
        for page in PAGES
    ]
    _handler()
    yield "start", memory_in_use()
    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(_status, addresses))
        subprocess.run([sys.executable, "-c", COMPUTE], check=True)
        list(threads.map(_ask, addresses[: len(PAGES)]))
        yield "one board", memory_in_use()
        for number in range(rounds):
            list(threads.map(_ask, addresses))
            caches["at-hand"].clear()  # so that the next round makes all pages again
            yield f"{boards} boards, round {number + 1}", memory_in_use()


@cache
def _handler() -> "ClientHandler":
    """One for all requests, as a web process has: each has all middleware."""
    from django.test.client import ClientHandler

    handler = ClientHandler()
    handler.load_middleware()
    return handler


def _status(address: str) -> int:
    from django.db import connection
    from django.test import Client

    try:
        client = Client(headers={"Accept-Encoding": "gzip"})
        client.handler = _handler()
        return client.get(address, follow=True).status_code
    finally:
        connection.close()


def _ask(address: str) -> None:
    if (status := _status(address)) != HTTPStatus.OK:
        raise RuntimeError(f"{address}: {status}")


def memory_in_use() -> int:
    """Bytes of this process; pages that it shares with others in part (PSS)."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    kilobytes = next(line.split()[1] for line in lines if line.startswith("Pss:"))
    return 1024 * int(kilobytes)


if __name__ == "__main__":
    sys.exit(main())
