"""P4: the broker is hung or gone; uploads are accepted all the same, and scored."""

import math
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest
import redis
from django.db.models import Q

from leaderboard.submissions import accept, jobs
from leaderboard.submissions.broker import broker
from leaderboard.submissions.models import Evaluation, EvaluationState
from leaderboard.tasks.models import Participation
from tests.campaigns.conftest import sizes
from tests.campaigns.invariants import violations
from tests.leaderboard.small import both, upload
from tests.waiting import wait_until
from tests.worker import Worker

pytestmark = pytest.mark.databases("locks")

# In the campaign; in the suite other tests have the cores too.
MOST_SECONDS, PATIENCE = 3.0, 60.0
FULL = 300


Trouble = AbstractContextManager[None]


@pytest.fixture
def broken(worker: Worker, redis_url: str, settings: Any) -> Callable[[str], Trouble]:
    """A running worker, and what happens to its broker.

    As on a site, a broker that failed is left alone for a while.
    """
    settings.QUEUE_REST_SECONDS = 5
    return lambda name: hung(redis_url) if name == "hung" else gone(settings)


@contextmanager
def hung(redis_url: str) -> Iterator[None]:
    pid = redis.Redis.from_url(redis_url).info("server")["process_id"]
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@contextmanager
def gone(settings: Any) -> Iterator[None]:
    """Nobody listens at the address."""
    before, settings.REDIS_URL = settings.REDIS_URL, "redis://127.0.0.1:1/0"
    broker.forget()
    try:
        yield
    finally:
        settings.REDIS_URL = before
        broker.forget()


def send_all(size: int, teams: list[Participation]) -> tuple[list[str], list[float]]:
    """Ids that were acknowledged, and how long each took in seconds."""
    ids, took = [], []
    phase = teams[0].task.phases.get()
    for number in range(size):
        request = upload(phase, teams[number % len(teams)], both())
        began = time.monotonic()
        ids.append(str(accept.submit(request).pk))
        took.append(time.monotonic() - began)
    return ids, took


def p95(took: list[float]) -> float:
    return sorted(took)[math.ceil(0.95 * len(took)) - 1]


@sizes(6, FULL)
@pytest.mark.broker
@pytest.mark.parametrize("trouble", ["hung", "gone"])
def test_uploads_go_on_and_everything_is_scored_afterwards(
    trouble: str,
    size: int,
    broken: Callable[[str], Trouble],
    teams: list[Participation],
) -> None:
    with broken(trouble):
        ids, took = send_all(size, teams)
    print(f"P4 {trouble}: {size} uploads, p95 {p95(took):.2f} s, max {max(took):.2f} s")
    assert p95(took) < (MOST_SECONDS if size == FULL else PATIENCE)
    wait_until(scored_all_after_sweeps, 180 + size, "all scored")
    assert violations(ids) == []


def scored_all_after_sweeps() -> bool:
    broker.forget()
    jobs.sweep()
    return not Evaluation.objects.filter(~Q(state=EvaluationState.SCORED)).exists()
