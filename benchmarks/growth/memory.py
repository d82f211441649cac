"""`python -m benchmarks.growth.memory --database URL`: memory of a web process.

The database is one that `benchmarks.growth.pages` filled. Printed is the memory of the
process in MiB (PSS) after each round; it keeps memory as a web process does.
"""

import argparse
import gc
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urljoin

THREADS = 4
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
        for used in _rounds(options.boards, options.rounds):
            print(f"{used / MEBIBYTE:.0f}", flush=True)
    return 0


def _keep_memory() -> None:
    """As leaderboard/web_server.py does."""
    from leaderboard import urls  # noqa: F401
    from scoring.sandbox.kernel import share_free_memory

    share_free_memory()
    gc.freeze()


def _rounds(boards: int, rounds: int) -> list[int]:
    from django.conf import settings
    from django.core.cache import caches
    from django.core.management import call_command
    from django.db.models import Count

    from leaderboard.tasks.models import Phase

    settings.ALLOWED_HOSTS = [*settings.ALLOWED_HOSTS, "testserver"]
    call_command("collectstatic", "--noinput", verbosity=0)
    sent = Phase.objects.annotate(sent=Count("submissions")).order_by("-sent", "pk")
    phases = list(sent.select_related("task")[:boards])
    pages = ("board/", "board/?entries=all", "board/?q=7", "charts/", "../feed/")
    addresses = [
        urljoin(f"/tasks/{phase.task.slug}/{phase.name}/", page)
        for phase in phases
        for page in pages
    ]
    sizes = []
    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(_status, addresses))
        # By a process of its own, as in a site.
        subprocess.run([sys.executable, "-c", COMPUTE], check=True)
        for _round in range(rounds):
            list(threads.map(_ask, addresses))
            caches["at-hand"].clear()  # so that the next round makes all pages again
            sizes.append(memory_in_use())
    return sizes


def _status(address: str) -> int:
    from django.db import connection
    from django.test import Client

    try:
        client = Client(headers={"Accept-Encoding": "gzip"})
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
