"""`python -m benchmarks.growth.pages --database URL`: what a large site costs.

Of each page and regular job the queries and processor seconds.

The database is an empty PostgreSQL: it is filled, by default with 500 tasks and 100,000
submissions. With --keep it is one that was filled before.
"""

import argparse
import gc
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from time import process_time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmarks.growth.large_site import LargeSite, Size
    from leaderboard.teams.models import User

READS_FILES = "files to judge"
PLAIN = "tasks that are over"  # reads almost nothing: how quick the processor is
LIMIT = 0.3  # processor seconds of a page
ENOUGH = LIMIT / 3  # what took less is not looked at again, but for the plain page

Query = tuple[str, Any]


@dataclass(frozen=True)
class Cost:
    """Queries of the database, and processor seconds of this process."""

    name: str
    queries: int
    seconds: float
    status: int = 200
    size: int = 0


def main(arguments: list[str] | None = None) -> int:
    """0 where each page keeps the limit, and no job reads a whole growing table."""
    called = argparse.ArgumentParser(prog="python -m benchmarks.growth.pages")
    called.add_argument("--database", required=True, help="URL of a PostgreSQL")
    called.add_argument("--tasks", type=int, default=500)
    called.add_argument("--submissions", type=int, default=100_000)
    called.add_argument("--large", type=int, default=10_000, help="of one task")
    called.add_argument("--keep", action="store_true", help="it was filled before")
    called.add_argument("--only", default="", help="pages with this in their name")
    called.add_argument(
        "--looks", type=int, default=1, help="at most, of which the least counts"
    )
    called.add_argument(
        "--json", action="store_true", help="pages alone, one on a line"
    )
    options = called.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="plumbline-growth-") as data:
        os.environ["PLUMBLINE_DATA"] = data
        os.environ["DATABASE_URL"] = options.database
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
        import django

        django.setup()
        from benchmarks.growth.large_site import Size

        size = Size(options.tasks, options.submissions, options.large)
        site = _ready(size, options.keep)
        costs = costs_of_pages(site, options.only, options.looks)
        if options.json:
            for cost in costs:
                print(json.dumps(asdict(cost)), flush=True)
            return 0
        return _reported(costs, options.only)


def _ready(size: "Size", keep: bool) -> "LargeSite":
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection

    from benchmarks.growth import large_site

    settings.ALLOWED_HOSTS = [*settings.ALLOWED_HOSTS, "testserver"]
    call_command("collectstatic", "--noinput", verbosity=0)
    if not keep:
        call_command("migrate", "--noinput", verbosity=0)
        with connection.cursor() as cursor:
            cursor.execute("SET statement_timeout = 0")
        large_site.build(size)
    site = large_site.of_database()
    gc.freeze()  # as leaderboard/web_server.py does
    return site


def _reported(costs: Iterable[Cost], only: str) -> int:
    slow = 0
    print("| page | queries | processor s | bytes | status |")
    print("|---|--:|--:|--:|--:|")
    for cost in costs:
        slow += cost.seconds > LIMIT
        numbers = f"{cost.queries} | {cost.seconds:.2f} | {cost.size:,} | {cost.status}"
        print(f"| {cost.name} | {numbers} |", flush=True)
    from benchmarks.growth.jobs import jobs, plans_of

    names = [name for name in jobs() if only in name]
    if names:
        _report_first_minutes()
    print("\n| job | statements | reads the whole of |\n|---|--:|---|")
    for name in names:
        asked = statements_of(jobs()[name])
        whole = plans_of(asked)
        slow += bool(whole)
        print(f"| {name} | {len(asked)} | {', '.join(sorted(whole))} |", flush=True)
    return int(slow > 0)


def _report_first_minutes() -> None:
    """After an upgrade every board is due; what jobs take until none is."""
    from benchmarks.growth.jobs import first_minutes

    print("\n| due | of them | jobs | statements | processor s |")
    print("|---|--:|--:|--:|--:|")
    for name, runs in first_minutes().items():
        spent = sum(run.seconds for run in runs)
        longest = max(run.seconds for run in runs)
        done, asked = sum(run.done for run in runs), sum(run.asked for run in runs)
        seconds = f"{spent:.1f}, {longest:.1f} in the longest job"
        print(f"| {name} | {done} | {len(runs)} | {asked} | {seconds} |", flush=True)


def pages_of(site: "LargeSite") -> "dict[str, tuple[str, User | None]]":
    """Addresses by name, and who asks; None is anybody."""
    task, phase = site.task, site.phase
    board = f"/tasks/{task.slug}/{phase.name}/board/"
    api = f"/api/v1/tasks/{task.slug}/"
    pair = phase.submissions.order_by("-received_at").values_list("pk", flat=True)[:2]
    systems = "&".join(f"system={pk}" for pk in pair)
    return {
        "front page": ("/", None),
        "search for a system": ("/?q=system+55.7", None),
        "front page of a participant": ("/", site.member),
        PLAIN: ("/?state=over", None),
        "feed of the site": ("/feed/", None),
        "feed of the large task": (f"/tasks/{task.slug}/feed/", None),
        "own submission": (f"/submissions/{site.submission.pk}/", site.member),
        "own submissions": (f"/tasks/{task.slug}/submissions/", site.member),
        "own submissions, best first": (
            f"/tasks/{task.slug}/submissions/?sort=score",
            site.member,
        ),
        "own submissions, API": (f"{api}submissions/", site.member),
        "page of a system": (f"/submissions/{site.submission.pk}/system/", None),
        "board": (board, None),
        "every entry": (f"{board}?entries=all", None),
        "board, API": (f"{api}{phase.name}/board/", None),
        "every entry, API": (f"{api}{phase.name}/board/?entries=all", None),
        "comparison of two systems": (
            f"/tasks/{task.slug}/{phase.name}/compare/?{systems}",
            None,
        ),
        "form of a phase": (
            f"/tasks/{task.slug}/organize/phases/{phase.name}/edit/",
            site.organizer,
        ),
        "organizers' page": (f"/tasks/{task.slug}/organize/", site.organizer),
        "submissions in the admin site": (
            "/admin/submissions/submission/",
            site.operator,
        ),
        "evaluations in the admin site": (
            "/admin/submissions/evaluation/",
            site.operator,
        ),
        "metrics": ("/metrics", site.operator),
        "kit for the paper": (f"/tasks/{task.slug}/{phase.name}/paper-kit.zip", None),
        "files of the kit": (f"/tasks/{task.slug}/organize/paper/", site.organizer),
        "preview of corrected gold": (
            f"/tasks/{task.slug}/organize/gold/1/preview/",
            site.organizer,
        ),
        READS_FILES: (
            f"/tasks/{task.slug}/organize/judgements/{phase.name}/files/",
            site.organizer,
        ),
    }


def costs_of_pages(site: "LargeSite", only: str, looks: int) -> Iterator[Cost]:
    """The look at each page that took least: what runs beside it can only add."""
    from benchmarks.growth.large_site import stored_files

    for name, (address, user) in pages_of(site).items():
        if only in name:
            with stored_files(site) if name == READS_FILES else nullcontext():
                costs = list(_costs_of(name, address, user, looks))
            yield min(costs, key=lambda cost: cost.seconds)


def _costs_of(
    name: str, address: str, user: "User | None", looks: int
) -> Iterator[Cost]:
    """Costs in a process that was asked before, when no page is in the cache. Of what
    is sent in pieces that of its beginning: others are served between two of them."""
    from django.conf import settings
    from django.core.cache import caches
    from django.test import Client

    from benchmarks.site.alone import first_look

    client = Client(headers={"Accept-Encoding": "gzip"})
    if user is not None:
        client.force_login(user, settings.AUTHENTICATION_BACKENDS[-1])
    first_look(client, address)
    for _ in range(looks):
        caches["at-hand"].clear()
        gc.collect()
        with _asked() as asked:
            start = process_time()
            response = client.get(address)
            seconds = process_time() - start
        size = 0 if response.streaming else len(response.content)
        yield Cost(name, len(asked), seconds, response.status_code, size)
        if seconds < ENOUGH and name != PLAIN:
            return


def statements_of(work: Callable[[], object]) -> list[Query]:
    with _asked() as asked:
        work()
    return asked


@contextmanager
def _asked() -> Iterator[list[Query]]:
    from django.db import connection

    queries: list[Query] = []

    def note(execute: Any, sql: str, values: Any, *rest: Any) -> Any:
        queries.append((sql, values))
        return execute(sql, values, *rest)

    with connection.execute_wrapper(note):
        yield queries


if __name__ == "__main__":
    sys.exit(main())
