"""`python -m benchmarks.site.public`: readers of all public pages of a large site.

500 tasks and 100,000 submissions on a PostgreSQL of its own, or on one that is named by
--database and filled there, once. Kinds of pages come in turn; of the tasks with
submissions the first is asked for most, the second half as often, and so on.
"""

import argparse
import itertools
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http import HTTPStatus
from pathlib import Path

RATE, SECONDS = 200, 20
OF_SITE = (
    "/",
    "/?state=over",
    "/?state=over&page=3",
    "/?q=large+7",
    "/?q=system+4",
    "/feed/",
    "/scorers/",
    "/docs/",
    "/api/v1/tasks/",
)
OF_TASK = (
    "",
    "test/board/",
    "test/board/?entries=all",
    "test/board.csv",
    "test/charts/",
    "test/snapshots/",
    "feed/",
    "results/",
    "data/",
    "rules/",
    "log/",
)
TASK, API_BOARD = "/tasks/{slug}/", "/api/v1/tasks/{slug}/test/board/"
SYSTEM = "/submissions/{pk}/system/"
KINDS = (*OF_SITE, *(TASK + rest for rest in OF_TASK), API_BOARD, SYSTEM)
SLOWEST = 3
MOST_SYSTEMS = 1000


def main(arguments: list[str] | None = None) -> int:
    called = argparse.ArgumentParser(prog="python -m benchmarks.site.public")
    called.add_argument("--database", help="URL of an empty PostgreSQL")
    called.add_argument("--keep", action="store_true", help="it was filled before")
    called.add_argument("--tasks", type=int, default=500)
    called.add_argument("--submissions", type=int, default=100_000)
    called.add_argument("--seconds", type=int, default=SECONDS)
    called.add_argument("--rate", type=int, default=RATE, help="requests a second")
    called.add_argument("--kinds", action="store_true", help="a row for each kind")
    options = called.parse_args(arguments)
    with ExitStack() as stack:
        folder = tempfile.TemporaryDirectory(prefix="plumbline-bench-")
        data = stack.enter_context(folder)
        os.environ["PLUMBLINE_DATA"] = data
        os.environ["DJANGO_SETTINGS_MODULE"] = "leaderboard.settings"
        os.environ["DATABASE_URL"] = options.database or stack.enter_context(private())
        import django

        django.setup()
        if not options.keep:
            fill(options.tasks, options.submissions)
        for row in rows(Path(data), options.rate, options.seconds, options.kinds):
            print(row, flush=True)
    return 0


@contextmanager
def private() -> Iterator[str]:
    """A PostgreSQL for this measurement alone."""
    from tests.servers import find_postgres, postgres_server

    programs = find_postgres()
    if programs is None:
        raise SystemExit("no PostgreSQL: set PG_BIN, or name one by --database")
    with postgres_server(programs) as url:
        yield url


def fill(tasks: int, submissions: int) -> None:
    from django.core.management import call_command
    from django.db import connection

    from benchmarks.growth.large_site import Size, build

    print(f"making {submissions:,} submissions ...", file=sys.stderr, flush=True)
    call_command("migrate", "--noinput", verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
    build(Size(tasks, submissions, submissions // 10))


def rows(data: Path, rate: int, seconds: int, by_kind: bool) -> Iterator[str]:
    """Lines of a table: of all pages, and of the slowest kinds or of each."""
    from benchmarks.site import serving
    from benchmarks.site.alone import line
    from benchmarks.site.readers import Ask, answers_of

    asked = [*itertools.islice(addresses(), rate * seconds)]
    asks = [Ask(n / rate, path) for n, (_kind, path) in enumerate(asked)]
    kinds = {path: kind for kind, path in asked}
    first = dict.fromkeys(path for _kind, path in asked[: 2 * len(KINDS)])
    load = os.getloadavg()[0]
    with serving.site(data) as site:
        answers_of(site.address, [], list(first))
        before = site.seconds()
        told = answers_of(site.address, asks)
        used, memory = site.seconds() - before, site.web_memory()
    by: dict[str, list[float]] = {}
    for answer in told:
        by.setdefault(kinds[answer.path], []).append(answer.milliseconds)
    failed = sum(answer.status != HTTPStatus.OK for answer in told)
    every = [answer.milliseconds for answer in told]
    what = f"{rate} readers/s for {seconds} s over {len(kinds):,} public pages"
    yield line(f"{what} of {len(KINDS)} kinds, PostgreSQL", every, "p95 200 ms")
    yield f"| of {len(told):,} requests failed | {failed} | | 0 |"
    each = used * 1000 / len(told)
    yield f"| processor time of web processes for one of them | {each:.1f} ms | | |"
    yield f"| memory of a web process after it (PSS) | {memory.share} MiB | | 200 MiB |"
    now = os.getloadavg()[0]
    yield f"| load of the machine before; after | {load:.1f} | {now:.1f} | |"
    slowest = sorted(by, key=lambda kind: -sum(by[kind]) / len(by[kind]))
    for kind in slowest if by_kind else slowest[:SLOWEST]:
        yield line(f"of these `{kind}`", by[kind], "")


def addresses() -> Iterator[tuple[str, str]]:
    """Kind and path of each request, without end."""
    from leaderboard.submissions.models import Submission
    from leaderboard.tasks.models import Task

    dice = random.Random(41)
    busy = Task.objects.filter(phases__submissions__isnull=False).distinct()
    slugs = [*busy.order_by("pk").values_list("slug", flat=True)]
    often = [1 / place for place in range(1, len(slugs) + 1)]
    newest = Submission.objects.order_by("-received_at").values_list("pk", flat=True)
    systems = [*newest[:MOST_SYSTEMS]]
    for kind in itertools.cycle(KINDS):
        (slug,) = dice.choices(slugs, often)
        yield kind, kind.format(slug=slug, pk=dice.choice(systems))


if __name__ == "__main__":
    sys.exit(main())
