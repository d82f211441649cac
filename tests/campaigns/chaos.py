"""Faults, their victims and their rhythm: the machinery of P1 and P5."""

import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import redis
from django.db import connection
from django.db.models import Count
from redis.exceptions import RedisError

from leaderboard.celery import LIGHT
from leaderboard.embedded.broker import answers, command, socket_of
from leaderboard.embedded.processes import spawn
from leaderboard.submissions import accept, jobs
from leaderboard.submissions.models import FINAL, Evaluation
from leaderboard.tasks.models import Participation, Phase
from tests.leaderboard.small import both, upload
from tests.servers import find_redis
from tests.waiting import wait_until

REPEATED = 0.2  # of the requests are sent twice
SWEEP_SECONDS = 0.5
LOOK_SECONDS = 0.1


class Broker:
    """The tests' broker; killed without persistence it comes back empty."""

    def __init__(self, url: str) -> None:
        at = socket_of(url)
        assert at is not None
        self.at: Path = at
        self.link = redis.Redis.from_url(url)
        self.longest = 0

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

    def look(self) -> None:
        with suppress(RedisError):
            self.longest = max(self.longest, self.link.llen(LIGHT))


@dataclass(frozen=True)
class Storm:
    """Uploads, the seconds they are spread over, and seconds between blows by kind.

    Each gap is `abating` times the one before it: blows quicker than a busy machine
    scores anything would go on for ever.
    """

    uploads: int
    seconds: float
    gaps: Mapping[str, tuple[float, float]]
    abating: float = 1.0


@dataclass
class Striker:
    """Deals the blows of a storm, each kind in its own random rhythm."""

    blows: Mapping[str, Callable[[], object]]
    storm: Storm
    meanwhile: Callable[[], object]
    dealt: Counter[str] = field(default_factory=Counter)
    chance: random.Random = field(default_factory=lambda: random.Random(2026))

    def strike_until(self, over: Callable[[], bool], seconds: float) -> None:
        """Until `over()` and every kind was dealt; AssertionError after `seconds`."""
        pause, began = threading.Event(), time.monotonic()
        due = {kind: self._next(kind) for kind in self.storm.gaps}
        while len(self.dealt) < len(due) or not over():
            kind = min(due, key=lambda k: due[k])
            left = due[kind] - time.monotonic()
            if left > 0:
                pause.wait(min(left, LOOK_SECONDS))
            else:
                self.blows[kind]()
                self.dealt[kind] += 1
                # Counted from when it is up again: on a busy machine that takes long,
                # and what is never up can do nothing.
                self.meanwhile()
                due[kind] = self._next(kind)
            self.meanwhile()
            assert time.monotonic() - began < seconds, f"no end after {self.dealt}"

    def _next(self, kind: str) -> float:
        gap = self.chance.uniform(*self.storm.gaps[kind])
        return time.monotonic() + gap * self.storm.abating ** self.dealt[kind]


class Sweeper(threading.Thread):
    """The scheduler of a site."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.done = threading.Event()

    def run(self) -> None:
        while not self.done.wait(SWEEP_SECONDS):
            jobs.sweep()
        connection.close()

    def __enter__(self) -> None:
        self.start()

    def __exit__(self, *_: object) -> None:
        self.done.set()
        self.join()


class Client(threading.Thread):
    """Uploads at an even pace; `acknowledged` are the ids it was told."""

    def __init__(self, storm: Storm, phase: Phase, teams: list[Participation]) -> None:
        super().__init__(daemon=True)
        self.storm, self.phase, self.teams = storm, phase, teams
        self.acknowledged: list[str] = []

    def run(self) -> None:
        self.acknowledged.extend(send_all(self.storm, self.phase, self.teams))
        connection.close()


def send_all(storm: Storm, phase: Phase, teams: list[Participation]) -> list[str]:
    """Everything that was acknowledged; some requests are sent twice."""
    chance, pause, began = random.Random(2026), threading.Event(), time.monotonic()
    acknowledged = []
    for number in range(storm.uploads):
        due = began + storm.seconds * number / storm.uploads
        pause.wait(max(0.0, due - time.monotonic()))
        request = upload(phase, teams[number % len(teams)], both())
        for _ in range(2 if chance.random() < REPEATED else 1):
            acknowledged.append(str(accept.submit(request).pk))
    return acknowledged


def everything_ended() -> bool:
    return not Evaluation.objects.exclude(state__in=FINAL).exists()


def report(name: str, size: int, seconds: float, more: str = "") -> None:
    states = dict(
        Evaluation.objects.order_by().values_list("state").annotate(Count("pk"))
    )
    attempts = max(Evaluation.objects.values_list("attempt", flat=True))
    print(
        f"{name}: {size} sent, {states}, {attempts} attempts at most, "
        f"{seconds:.0f} s {more}"
    )
