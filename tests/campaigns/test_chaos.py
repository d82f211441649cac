"""P1: workers and broker are killed while uploads come in; P5: there is no broker."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import redis
from django.conf import settings as site
from django.db import connection
from django.db.models import Count
from django.db.models.functions import Now
from redis.exceptions import RedisError

from leaderboard.embedded.broker import answers, command, socket_of
from leaderboard.embedded.processes import spawn
from leaderboard.submissions import intake, jobs
from leaderboard.submissions.models import FINAL, Evaluation, State
from leaderboard.tasks.models import Participation, Phase
from tests.campaigns.conftest import sizes
from tests.campaigns.invariants import violations
from tests.conftest import _url_of_test_database
from tests.leaderboard.small import both, upload
from tests.servers import find_redis
from tests.waiting import wait_until
from tests.worker import Worker

REPEATED = 0.2  # of the requests are sent twice
SWEEP_SECONDS = 0.5


class Broker:
    """The tests' broker; killed without persistence it comes back empty."""

    def __init__(self, url: str) -> None:
        at = socket_of(url)
        assert at is not None
        self.at: Path = at
        self.link = redis.Redis.from_url(url)

    def kill_and_restart(self) -> None:
        os.kill(self.link.info("server")["process_id"], signal.SIGKILL)
        wait_until(lambda: not answers(self.at), what="the broker is gone")
        server = find_redis()
        assert server is not None
        plain = [*command(server, self.at.parent, self.at), "--appendonly", "no"]
        # It dies with this process, and serves the tests that follow.
        spawn(plain, self.at.parent / "redis.log")
        wait_until(lambda: answers(self.at), what="the broker is back, empty")

    def flush(self) -> None:
        with suppress(RedisError):
            self.link.flushall()


@pytest.fixture
def chaos_worker(redis_url: str, transactional_db: None) -> Iterator[Worker]:
    env = {
        "DJANGO_SETTINGS_MODULE": "tests.campaigns.settings",
        "DATABASE_URL": _url_of_test_database(),
    }
    worker = Worker(env, redis_url, site.TEST_DATA / "chaos.log")
    worker.start()
    yield worker
    worker.kill()


@pytest.fixture(autouse=True)
def short_times(settings: Any) -> None:
    settings.LEASE_SECONDS = 3
    settings.HINT_SECONDS = 2
    settings.BACK_OFF_SECONDS = 0.1
    settings.MOST_ATTEMPTS = 10


class Sweeper(threading.Thread):
    """What the scheduler does on a site."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.done = threading.Event()

    def run(self) -> None:
        while not self.done.wait(SWEEP_SECONDS):
            jobs.sweep()
        connection.close()

    def stop(self) -> None:
        self.done.set()
        self.join()


def send_all(size: int, phase: Phase, teams: list[Participation]) -> list[str]:
    """Everything that was acknowledged; some requests are sent twice."""
    chance = random.Random(2026)
    acknowledged = []
    for number in range(size):
        request = upload(phase, teams[number % len(teams)], both())
        for _ in range(2 if chance.random() < REPEATED else 1):
            acknowledged.append(str(intake.submit(request).pk))
    return acknowledged


def everything_ended() -> bool:
    return not Evaluation.objects.exclude(state__in=FINAL).exists()


def report(name: str, size: int, seconds: float) -> None:
    states = dict(
        Evaluation.objects.order_by().values_list("state").annotate(Count("pk"))
    )
    attempts = max(Evaluation.objects.values_list("attempt", flat=True))
    print(
        f"{name}: {size} sent, {states}, {attempts} attempts at most, {seconds:.0f} s"
    )


@sizes(24, 300)
def test_nothing_is_lost_or_doubled_while_everything_is_killed(
    size: int,
    chaos_worker: Worker,
    redis_url: str,
    open_phase: Phase,
    teams: list[Participation],
) -> None:
    broker, sweeper, began = Broker(redis_url), Sweeper(), time.monotonic()
    sweeper.start()
    sent: list[str] = []
    client = threading.Thread(
        target=lambda: (sent.extend(send_all(size, open_phase, teams)),
                        connection.close())
    )  # fmt: skip
    client.start()
    blows = [chaos_worker.kill, broker.flush, chaos_worker.kill,
             broker.kill_and_restart]  # fmt: skip
    wait_for_some = threading.Event()
    for number in range(max(4, size // 15)):
        wait_for_some.wait(0.7)
        blows[number % len(blows)]()
        chaos_worker.start()
    client.join()
    try:
        wait_until(everything_ended, 60 + size, "everything ended")
    finally:
        sweeper.stop()
    report("P1", size, time.monotonic() - began)
    assert violations(sent) == []
    assert len(set(sent)) == size == Evaluation.objects.count()
    assert set(Evaluation.objects.values_list("state", flat=True)) == {"scored"}


@sizes(12, 200)
def test_without_any_broker_killed_workers_lose_nothing(
    size: int,
    open_phase: Phase,
    teams: list[Participation],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jobs.queue, "answers", lambda: False)
    sent = send_all(size, open_phase, teams)
    began = time.monotonic()
    for _ in range(2):
        with brokerless_worker() as worker:
            wait_until(some_running, 60, "a worker is in the middle of something")
            worker.kill()
    with brokerless_worker():
        wait_until(everything_ended, 60 + size, "everything ended")
    report("P5", size, time.monotonic() - began)
    assert violations(sent) == []
    assert set(Evaluation.objects.values_list("state", flat=True)) == {"scored"}


def some_running() -> bool:
    """Started just now: what an earlier worker left has an older lease."""
    young = Now() + timedelta(seconds=site.LEASE_SECONDS - 0.5)
    running = Evaluation.objects.filter(state=State.RUNNING)
    return running.filter(lease_until__gt=young).exists()


@contextmanager
def brokerless_worker() -> Iterator["subprocess.Popen[bytes]"]:
    """`manage.py work` in a process of its own, whose broker's address is wrong."""
    env = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.campaigns.settings",
        "DATABASE_URL": _url_of_test_database(),
    }
    argv = [sys.executable, "manage.py", "work", "--poll", "0.1"]
    process = subprocess.Popen(argv, cwd=site.BASE_DIR, env=env)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
