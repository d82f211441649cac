"""P3: PostgreSQL is ended hard, again and again, while uploads come in."""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from uuid import uuid4

import pytest
from django.db import connection
from pytest_django import DjangoDbBlocker

from leaderboard.submissions.models import FINAL, Evaluation, Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.campaigns.browsers import Answer, Request, pause, post
from tests.campaigns.invariants import violations
from tests.campaigns.restarts import Restartable, postgres_site
from tests.campaigns.site import cookies_of, web_server, workers
from tests.leaderboard.small import both, bundle
from tests.waiting import wait_until

URL = "/tasks/otters/test/submit/"
CLIENTS = 8
PATIENCE = 0.3  # until a client asks again, with the same key
MOST_TRIES = 100
# A request may find the server gone a little before and after we know it.
EDGE_SECONDS = 2.0


@dataclass(frozen=True)
class Weather:
    uploads: int
    seconds: float
    restart_every: float
    restarts: int


SHORT = Weather(16, 1.6, 0.5, restarts=2)
FULL = Weather(500, 125, 15, restarts=9)


@dataclass
class Log:
    """Acknowledged uploads, every answer, and the times without a database."""

    acknowledged: list[str] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    away: list[tuple[float, float]] = field(default_factory=list)

    def was_away(self, answer: Answer) -> bool:
        return any(
            begin - EDGE_SECONDS <= answer.ended and answer.began <= end + EDGE_SECONDS
            for begin, end in self.away
        )


@pytest.fixture
def database(django_db_blocker: DjangoDbBlocker) -> Iterator[Restartable]:
    with django_db_blocker.unblock(), postgres_site() as server:
        yield server


class Restarter(threading.Thread):
    def __init__(self, server: Restartable, weather: Weather, log: Log) -> None:
        super().__init__(daemon=True)
        self.server, self.weather, self.log = server, weather, log
        self.done = threading.Event()

    def run(self) -> None:
        for _ in range(self.weather.restarts):
            if self.done.wait(self.weather.restart_every):
                return
            began = time.time()
            self.server.restart()
            self.log.away.append((began, time.time()))

    def __enter__(self) -> None:
        self.start()

    def __exit__(self, *_: object) -> None:
        self.done.set()
        self.join()


def requests(weather: Weather) -> list[Request]:
    ada = User.objects.create_user("ada@example.org", "x")
    task = create_task(bundle(), ada)
    users = [
        User.objects.create_user(f"member{i}@example.org", "x") for i in range(CLIENTS)
    ]
    for number, user in enumerate(users):
        join(task, Team.found(f"Team {number}", user))
    cookies = [cookies_of(user) for user in users]
    files = {f"file_{name}": data for name, data in both().items()}
    return [
        Request(
            URL,
            cookies[i % CLIENTS],
            {"system": "x", "key": uuid4().hex, "again": "on"},
            files,
        )
        for i in range(weather.uploads)
    ]


async def send_all(
    port: int, asked: Sequence[Request], weather: Weather, log: Log
) -> None:
    """Each of the clients sends its share at an even pace, until it is accepted."""
    began = time.time()

    async def client(number: int) -> None:
        for i in range(number, len(asked), CLIENTS):
            await pause(began + i * weather.seconds / len(asked) - time.time())
            for _ in range(MOST_TRIES):
                answer = await post(port, asked[i])
                log.answers.append(answer)
                if answer.status == 302:
                    break
                await pause(PATIENCE)
            if answer.location:
                log.acknowledged.append(answer.location.split("/")[-2])

    await asyncio.gather(*map(client, range(CLIENTS)))


@pytest.mark.parametrize(
    "weather",
    [
        pytest.param(SHORT, id="short"),
        pytest.param(FULL, id="full", marks=pytest.mark.campaign),
    ],
)
def test_what_was_acknowledged_survives_a_database_that_is_ended_hard(
    weather: Weather, database: Restartable
) -> None:
    log, asked = Log(), requests(weather)
    with web_server(database.url) as port, workers(2, database.url):
        # A thread of its own: a browser of other tests has a loop in this one.
        with Restarter(database, weather, log), ThreadPoolExecutor(1) as apart:
            apart.submit(
                lambda: asyncio.run(send_all(port, asked, weather, log))
            ).result()
        report(log)
        connection.close()  # ours was broken as well
        wait_until(everything_ended, 180 + weather.uploads, "everything is scored")
    troubles = [answer for answer in log.answers if answer.status != 302]
    assert log.away, "it was restarted"
    assert len(set(log.acknowledged)) == weather.uploads == Submission.objects.count()
    assert violations(log.acknowledged) == []
    assert set(Evaluation.objects.values_list("state", flat=True)) == {"scored"}
    for answer in troubles:
        assert answer.status == 503 and answer.header("retry-after"), answer.head
        assert log.was_away(answer)


def everything_ended() -> bool:
    return not Evaluation.objects.exclude(state__in=FINAL).exists()


def report(log: Log) -> None:
    print(
        f"P3: {len(log.acknowledged)} uploads, {len(log.away)} restarts, answers "
        f"{Counter(a.status for a in log.answers)}, slowest "
        f"{max(a.seconds for a in log.answers):.1f} s"
    )
