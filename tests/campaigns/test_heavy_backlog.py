"""Light work waits for one heavy job at most, however many programs wait to be run."""

import pytest
import redis
from django.conf import settings as site

from leaderboard.celery import UPKEEP
from tests.campaigns import backlog
from tests.campaigns.backlog import FULL, SHORT, Backlog
from tests.campaigns.invariants import held_up
from tests.campaigns.site import brokerless_worker
from tests.conftest import _url_of_test_database
from tests.operations.units import environment, started
from tests.waiting import wait_until

pytestmark = pytest.mark.databases("locks", by_day="sqlite")

sizes = pytest.mark.parametrize(
    "size",
    [
        pytest.param(SHORT, id="short"),
        pytest.param(FULL, id="full", marks=pytest.mark.campaign),
    ],
)


@sizes
@pytest.mark.broker
# Two of them have work of all kinds by day in test_three_kinds.
@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.campaign)])
def test_light_work_waits_for_one_heavy_job_at_most(
    processes: int, size: Backlog, redis_url: str, transactional_db: None
) -> None:
    env = environment(
        DJANGO_SETTINGS_MODULE="tests.settings",
        DATABASE_URL=_url_of_test_database(),
        PLUMBLINE_DATA=str(site.TEST_DATA),
        PLUMBLINE_WORKER_PROCESSES=str(processes),
    )
    queues, longest = redis.Redis.from_url(redis_url), 0

    def look() -> None:
        nonlocal longest
        longest = max(longest, queues.llen(UPKEEP))

    queues.flushall()
    with started("worker", 0, env) as log, started("sweeper", 0, env):
        wait_until(lambda: b" ready." in log.read_bytes(), 60, f"{log}")
        broken = backlog.run(size, look)
    queues.flushall()
    print(f"{processes} processes, {size}: at most {longest} jobs of the scheduler")
    assert [*broken, *held_up(processes)] == []


@sizes
def test_it_waits_no_longer_without_a_broker(
    size: Backlog, no_queue: None, transactional_db: None
) -> None:
    with brokerless_worker(DJANGO_SETTINGS_MODULE="tests.settings"):
        broken = backlog.run(size, lambda: None)
    assert [*broken, *held_up(1)] == []
