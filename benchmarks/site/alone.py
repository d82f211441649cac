"""Times of the server by itself: a request through every layer but the network."""

import gc
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from http import HTTPStatus
from math import ceil
from statistics import median

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.core.cache import caches  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402
from django.utils import timezone  # noqa: E402

from benchmarks.site.filling import SLUG, SUBMISSIONS, fill  # noqa: E402
from leaderboard.boards.computation import compute_wanted  # noqa: E402
from leaderboard.boards.query import BoardQuery  # noqa: E402
from leaderboard.boards.stored_board import board  # noqa: E402
from leaderboard.results import waiting_pages  # noqa: E402
from leaderboard.results.queue_progress import QueueProgress, Span  # noqa: E402
from leaderboard.submissions.models import (  # noqa: E402
    Evaluation,
    EvaluationState,
    StoredBoard,
    Submission,
)
from leaderboard.tasks.models import Phase  # noqa: E402

BOARD = f"/tasks/{SLUG}/test/board/"
TIMES = 40
MOST_BOARDS = 10  # that a page asks for one after the other
WAITING, HALF_AN_HOUR = 1000, timedelta(minutes=30)
PACKED = {"Accept-Encoding": "gzip"}


def prepare(waiting: int, submissions: int = SUBMISSIONS) -> None:
    call_command("migrate", "--noinput", verbosity=0)
    call_command("collectstatic", "--noinput", verbosity=0)
    with transaction.atomic():
        fill(waiting, submissions)
    # The test client's name for itself.
    settings.ALLOWED_HOSTS = [*settings.ALLOWED_HOSTS, "testserver"]


def left_to_score() -> int:
    return Evaluation.objects.filter(state=EvaluationState.QUEUED).count()


def rows() -> list[str]:
    """Board and all entries, made anew each time and handed out from the cache."""
    client = Client(headers=PACKED)
    lines = []
    for name, address in (("board", BOARD), ("all entries", f"{BOARD}?entries=all")):
        first_look(client, address)
        new = times(lambda a=address: client.get(a), forget)
        old = times(lambda a=address: client.get(a), lambda: None)
        lines.append(line(f"{name}, made anew", new, "p95 25 ms"))
        lines.append(line(f"{name}, from the cache", old, "p95 5 ms"))
    phase = Phase.objects.get()
    bare = times(lambda: board(BoardQuery(phase)), lambda: None)
    lines.append(line("rows and ranks of the board alone, no page", bare, ""))
    for name, address in others():
        first_look(client, address)
        new = times(lambda a=address: client.get(a), forget)
        lines.append(line(f"{name}, made anew", new, "p95 50 ms"))
    lines += waiting()
    forget()
    with CaptureQueriesContext(connection) as seen:
        size = len(client.get(BOARD).content)
    lines.append(f"| queries, made anew | {len(seen)} | | constant |")
    lines.append(f"| board, compressed | {size / 1000:.0f} kB | | 120 kB |")
    return lines


def others() -> list[tuple[str, str]]:
    """Names and addresses of the other pages that show what stands on the board."""
    scored = Submission.objects.filter(evaluations__state=EvaluationState.SCORED)
    first, second = scored.order_by("received_at").values_list("pk", flat=True)[:2]
    compared = BOARD.replace("board/", f"compare/?system={first}&system={second}")
    return [
        ("front page", "/"),
        ("search for a task", f"/?q={SLUG}"),
        ("search on the board", f"{BOARD}?q=07"),
        ("charts", BOARD.replace("board/", "charts/")),
        ("comparison of two", compared),
    ]


def waiting() -> list[str]:
    """A page whose submission waits for half an hour asks for its state: as it was
    shown before, with nothing happened since, and a thousand of them all the time."""
    queued = Evaluation.objects.filter(state=EvaluationState.QUEUED).order_by("pk")
    evaluation = queued[queued.count() // 2]
    sent = evaluation.submission
    client = Client(headers=PACKED | {"HX-Request": "true"})
    client.force_login(sent.sender, settings.AUTHENTICATION_BACKENDS[-1])
    watch = QueueProgress([], ahead=WAITING, wait=Span(HALF_AN_HOUR, HALF_AN_HOUR))
    address = f"{sent.get_absolute_url()}?part=status"
    token = waiting_pages.token_of(evaluation, watch.held)
    if client.get(f"{address}&unless={token}").status_code != HTTPStatus.NO_CONTENT:
        raise RuntimeError("something happened to a submission that nobody scores")
    whole = times(lambda: client.get(address), lambda: None)
    unchanged = times(lambda: client.get(f"{address}&unless={token}"), lambda: None)
    asks = watch.milliseconds / 1000
    of_both = watch.held.total_seconds()
    busy = median(whole) + median(unchanged) * (ceil(of_both / asks) - 1)
    share = WAITING * busy / 1000 / (ceil(of_both / asks) * asks)
    return [
        line("a page that waits asks for its state", whole, ""),
        line("the same, nothing happened", unchanged, ""),
        f"| {WAITING:,} pages waiting half an hour, of a core | {share:.1%} | | 5% |",
    ]


def of_ten_thousand() -> list[str]:
    client = Client(headers=PACKED)
    lines = []
    for name, address in (("board", BOARD), ("all entries", f"{BOARD}?entries=all")):
        first_look(client, address)
        new = times(lambda a=address: client.get(a), forget)
        lines.append(line(f"{name} of 10,000, made anew", new, "p95 250 ms"))
    return lines


def first_look(client: Client, address: str) -> None:
    """Look until boards are computed, templates made, and all else that a process
    keeps. Raises RuntimeError for a page that does not come."""
    client.get(address)
    for _ in range(MOST_BOARDS):
        compute_awaited()
        if (status := client.get(address, follow=True).status_code) == HTTPStatus.OK:
            return
    raise RuntimeError(f"{address}: {status}")


def compute_awaited() -> None:
    """Compute the boards that readers wait for, as the process for boards does."""
    wanted = StoredBoard.objects.filter(replaced_at=None)
    while wanted.filter(wanted_at__lte=(now := timezone.now())).exists():
        compute_wanted(now)


def forget() -> None:
    """Pages and what they show of boards are rendered and read anew."""
    caches["at-hand"].clear()


def times(work: Callable[[], object], before: Callable[[], None]) -> list[float]:
    """Milliseconds of each run; what `before` does is not counted."""
    times = []
    for _ in range(TIMES):
        before()
        gc.collect()
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1000)
    return times


def line(what: str, times: Sequence[float], target: str) -> str:
    ordered = sorted(times)
    half, most = (ordered[int(share * (len(ordered) - 1))] for share in (0.5, 0.95))
    return f"| {what} | {half:.1f} ms | {most:.1f} ms | {target} |"
