"""Judges vote while PostgreSQL and web processes are ended hard: each acknowledged vote
counts once."""

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from django.db import connection
from pytest_django import DjangoDbBlocker

from leaderboard.api import tokens
from leaderboard.api.models import Scope
from leaderboard.extras.judging.models import Assignment, Campaign, Vote
from leaderboard.teams.models import User
from tests.campaigns.restarts import Restartable, postgres_site
from tests.campaigns.site import web_server
from tests.extras.judging.campaigns import campaign_of, people_task, system

pytestmark = pytest.mark.thorough
JUDGES, VOTES = 6, 6
RESTARTS, RESTART_EVERY = 2, 1.5
PATIENCE, MOST_TRIES = 0.3, 200
AGAIN = (429, 500, 502, 503, 507)


@dataclass
class Log:
    """Keys of votes that were acknowledged, and statuses of the other answers."""

    acknowledged: list[str] = field(default_factory=list)
    troubles: list[int] = field(default_factory=list)


@pytest.fixture
def database(django_db_blocker: DjangoDbBlocker) -> Iterator[Restartable]:
    with django_db_blocker.unblock(), postgres_site() as server:
        yield server


def made(judges: int) -> tuple[Campaign, list[str]]:
    """A campaign of three systems, and a token of each judge."""
    ada, ben = (User.objects.create_user(f"{x}@example.org", "x") for x in ("a", "b"))
    task = people_task(ada)
    for quality in (1, 2, 3):
        system(task, ben, quality)
    people = [
        User.objects.create_user(f"judge{i}@example.org", "x") for i in range(judges)
    ]
    made = [tokens.make(one, "judging", [Scope.SUBMIT])[1] for one in people]
    return campaign_of(task, per_unit=20), made


def judging(place: str, token: str, log: Log) -> None:
    """One judge, who sends everything again until it is answered, and votes twice."""
    head = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=place, headers=head, timeout=30) as client:
        for _turn in range(VOTES):
            item = answered(client, "", {}, log)["item"]
            body = {
                "assignment": item["assignment"],
                "key": str(uuid4()),
                "values": {"choice": "left"},
            }
            for _again in range(2):
                assert answered(client, "votes/", body, log)["key"] == body["key"]
            log.acknowledged.append(str(body["key"]))


def answered(client: httpx.Client, path: str, body: object, log: Log) -> dict:  # type: ignore[type-arg]
    for _try in range(MOST_TRIES):
        try:
            answer = client.post(path, json=body)
        except httpx.TransportError:
            log.troubles.append(0)
        else:
            if answer.status_code not in AGAIN:
                assert answer.is_success, answer.text
                return dict(answer.json())
            log.troubles.append(answer.status_code)
        threading.Event().wait(PATIENCE)
    raise AssertionError("no answer")


def children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii")
    return [int(word) for word in text.split()]


def end_web_processes() -> int:
    """End the processes that answer, of the server that this one started; how many."""
    servers = [
        pid
        for thread in Path("/proc/self/task").iterdir()
        for pid in map(int, (thread / "children").read_text("ascii").split())
        if b"gunicorn" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
    ended = [pid for server in servers for pid in children(server)]
    for pid in ended:
        os.kill(pid, signal.SIGKILL)
    return len(ended)


def test_each_vote_that_was_acknowledged_counts_once_when_processes_are_ended(
    database: Restartable,
) -> None:
    campaign, texts = made(JUDGES)
    log, ended = Log(), 0
    with web_server(database.url) as port, ThreadPoolExecutor(JUDGES) as pool:
        place = f"http://127.0.0.1:{port}/api/v1/judging/{campaign.token}/"
        judges = [pool.submit(judging, place, text, log) for text in texts]
        for _restart in range(RESTARTS):
            threading.Event().wait(RESTART_EVERY)
            database.restart()
            threading.Event().wait(RESTART_EVERY)
            ended += end_web_processes()
        for one in judges:
            one.result()
    connection.close()  # ours was broken as well
    assert ended >= RESTARTS
    assert len(set(log.acknowledged)) == len(log.acknowledged) == JUDGES * VOTES
    kept = Vote.objects.filter(replaced_at=None)
    assert sorted(str(one.key) for one in kept) == sorted(log.acknowledged)
    assert Assignment.objects.count() == JUDGES * VOTES
    assert campaign.judges.count() == JUDGES
    assert set(log.troubles) <= {0, 503}, "nothing ends in another error"
