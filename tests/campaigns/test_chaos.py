"""P1: workers and broker are killed while uploads come in; P5: there is no broker."""

import math
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings as site
from django.db.models.functions import Now

from leaderboard.submissions import accept, quota
from leaderboard.submissions.broker import broker
from leaderboard.submissions.models import (
    Evaluation,
    EvaluationState,
    QuotaCounter,
    Submission,
)
from leaderboard.tasks.models import Participation, Phase
from tests.campaigns.chaos import (
    Broker,
    Client,
    Storm,
    Striker,
    Sweeper,
    everything_ended,
    report,
    send_all,
)
from tests.campaigns.conftest import TEAMS, sizes
from tests.campaigns.invariants import violations
from tests.campaigns.site import brokerless_worker
from tests.conftest import _url_of_test_database
from tests.leaderboard.small import both, upload
from tests.waiting import wait_until
from tests.worker import Worker

pytestmark = pytest.mark.databases("locks", by_day="postgresql")

BRIEF = {"worker": (0.4, 0.8), "broker": (0.8, 1.2), "queue": (0.3, 1.0)}
HARD = {"worker": (3.0, 6.0), "broker": (8.0, 12.0), "queue": (1.0, 30.0)}
SHORT = Storm(12, 0, BRIEF, abating=1.2)
FULL = Storm(2000, 600, HARD)
BACKLOG = 600
MOST_TIMES_CALM = 2.5


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
def short_times(settings: Any) -> Iterator[None]:
    settings.LEASE_SECONDS = 3
    settings.HINT_SECONDS = 2
    settings.BACK_OFF_SECONDS = 0.1
    settings.MOST_ATTEMPTS = 10
    yield
    broker.forget()  # what was seen of a broker that was killed


def striker(storm: Storm, worker: Worker, broker: Broker) -> Striker:
    def meanwhile() -> None:
        worker.start()
        broker.look()

    blows = {
        "worker": worker.kill,
        "broker": broker.kill_and_restart,
        "queue": broker.flush,
    }
    return Striker(blows, storm, meanwhile)


@pytest.mark.broker
@pytest.mark.parametrize(
    "storm",
    [
        pytest.param(SHORT, id="short"),
        pytest.param(FULL, id="full", marks=pytest.mark.campaign),
    ],
)
def test_nothing_is_lost_or_doubled_while_everything_is_killed(
    storm: Storm,
    chaos_worker: Worker,
    redis_url: str,
    open_phase: Phase,
    teams: list[Participation],
) -> None:
    open_phase.daily_limit = math.ceil(storm.uploads / TEAMS)
    open_phase.save()
    broker, began = Broker(redis_url), time.monotonic()
    blows = striker(storm, chaos_worker, broker)
    client = Client(storm, open_phase, teams)
    with Sweeper():
        client.start()
        blows.strike_until(
            lambda: not client.is_alive() and everything_ended(),
            # On a busy machine a worker that was killed takes long to be up again.
            storm.seconds + 240 + storm.uploads,
        )
    took = time.monotonic() - began
    report("P1", storm.uploads, took, f"{blows.dealt}, queue {broker.longest}")
    all_scored_once(client.acknowledged, storm.uploads)
    assert broker.longest <= 2 * site.HINT_WINDOW
    with pytest.raises(quota.QuotaUsed):
        accept.submit(upload(open_phase, teams[0], both()))


def all_scored_once(acknowledged: list[str], size: int) -> None:
    assert violations(acknowledged) == []
    assert len(set(acknowledged)) == size == Evaluation.objects.count()
    assert set(Evaluation.objects.values_list("state", flat=True)) == {"scored"}


@pytest.mark.broker
@pytest.mark.campaign
def test_a_backlog_drains_in_time_while_everything_is_killed(
    chaos_worker: Worker,
    redis_url: str,
    open_phase: Phase,
    teams: list[Participation],
) -> None:
    broker, took = Broker(redis_url), {}
    storm = Storm(BACKLOG, 0, HARD)
    for weather in ("calm", "storm"):
        chaos_worker.kill()
        Submission.objects.all().delete()
        QuotaCounter.objects.all().delete()
        sent = send_all(storm, open_phase, teams)
        began = time.monotonic()
        with Sweeper():
            chaos_worker.start()
            if weather == "calm":
                wait_until(everything_ended, 20 * BACKLOG, "everything ended")
            else:
                blows = striker(storm, chaos_worker, broker)
                blows.strike_until(everything_ended, 20 * BACKLOG)
        took[weather] = time.monotonic() - began
        report(f"P1 {weather}", BACKLOG, took[weather])
        all_scored_once(sent, BACKLOG)
    print(f"P1: storm takes {took['storm'] / took['calm']:.2f} times the calm")
    assert took["storm"] <= MOST_TIMES_CALM * took["calm"]


@sizes(12, 200)
def test_without_any_broker_killed_workers_lose_nothing(
    size: int,
    open_phase: Phase,
    teams: list[Participation],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(broker, "answers", lambda: False)
    sent = send_all(Storm(size, 0, {}), open_phase, teams)
    began = time.monotonic()
    for _ in range(2):
        with brokerless_worker() as worker:
            # On a busy machine it may have done all before we look.
            wait_until(lambda: some_running() or everything_ended(), 60, "it works")
            worker.kill()
    with brokerless_worker():
        wait_until(everything_ended, 180 + size, "everything ended")
    report("P5", size, time.monotonic() - began)
    all_scored_once(sent, size)


def some_running() -> bool:
    """Started just now: what an earlier worker left has an older lease."""
    young = Now() + timedelta(seconds=site.LEASE_SECONDS - 0.5)
    running = Evaluation.objects.filter(state=EvaluationState.RUNNING)
    return running.filter(lease_until__gt=young).exists()
