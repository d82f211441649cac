"""Processes that take boards and upkeep alone, and lists with nothing twice."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from celery.beat import ScheduleEntry
from django.conf import settings

from leaderboard.celery import BOARDS, LANES, QUEUES, UPKEEP, app, lane_of
from leaderboard.lanes import Clock, Lanes
from leaderboard.mail.jobs import send
from leaderboard.submissions.broker import ask, broker
from leaderboard.submissions.jobs import sweep
from tests.waiting import wait_until


def lives(pid: int) -> bool:
    """Whether it runs: what ended may wait for somebody to take note."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


class Kept:
    """Lanes that write down which processes they are, and wait to be told to end."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lanes = Lanes(self._wait, ("first", "second"))

    def _wait(self, name: str) -> None:
        written = self.folder / f"{name}.new"
        written.write_text(f"{os.getpid()} {os.getppid()}")
        written.rename(self.folder / name)
        signal.pause()

    def pids(self) -> list[int]:
        """The processes of both lanes, when they are up; then that of the keeper."""
        files = [self.folder / name for name in ("first", "second")]
        wait_until(lambda: all(file.exists() for file in files), 20, "both are up")
        first, second = (file.read_text().split() for file in files)
        return [int(first[0]), int(second[0]), int(first[1])]


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    kept = Kept(tmp_path)
    yield kept
    kept.lanes.stop()


def test_each_lane_has_a_process_that_comes_back_alone(kept: Kept) -> None:
    first, second, _ = kept.pids()
    assert first != second
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: kept.pids()[0] != first, 20, "it is back")
    assert kept.pids()[1] == second and not kept.lanes.has_ended


def test_they_end_when_they_are_told_to(kept: Kept) -> None:
    pids = kept.pids()
    kept.lanes.stop()
    assert not any(map(lives, pids))


def test_they_end_with_whoever_keeps_them_and_that_is_told(kept: Kept) -> None:
    *pids, keeper = kept.pids()
    os.kill(keeper, signal.SIGKILL)
    wait_until(lambda: not any(map(lives, pids)), 20, "they are gone")
    assert kept.lanes.has_ended


def test_no_job_on_the_clock_ends_unseen_and_no_worker_takes_it_from_the_lanes() -> (
    None
):
    entries = app.conf.beat_schedule.values()
    assert [entry for entry in entries if "expires" in entry.get("options", {})] == []
    assert {lane_of(entry["task"]) for entry in entries} == set(LANES)
    assert {queue.name for queue in app.conf.task_queues} == set(QUEUES)


@pytest.fixture
def lists(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[redis.Redis]:
    broker.forget()
    server = redis.Redis.from_url(redis_url)
    server.delete(*LANES)
    yield server
    server.delete(*LANES)


@pytest.mark.broker
def test_a_hint_is_given_once_until_somebody_takes_it(lists: redis.Redis) -> None:
    for _ in range(3):
        ask(send.signature())
        ask(app.signature("boards.compute"))
    assert (lists.llen(UPKEEP), lists.llen(BOARDS)) == (1, 1)
    lists.lpop(UPKEEP)
    ask(send.signature())
    assert lists.llen(UPKEEP) == 1


@pytest.mark.broker
def test_with_nobody_at_work_the_clock_leaves_one_message_of_each_kind(
    lists: redis.Redis, tmp_path: Path
) -> None:
    clock = Clock(app=app, schedule_filename=str(tmp_path / "clock"), lazy=True)
    schedule = settings.CELERY_BEAT_SCHEDULE
    entries = [
        ScheduleEntry(name=name, app=app, **entry) for name, entry in schedule.items()
    ]
    for _ in range(3):
        for entry in entries:
            clock.apply_async(entry, advance=False)
    tasks = [entry.task for entry in entries]
    assert lists.llen(BOARDS) == 1
    assert lists.llen(UPKEEP) == len(set(tasks)) - 1 < 10


@pytest.mark.broker
def test_what_lies_in_a_list_is_seen_behind_others(lists: redis.Redis) -> None:
    sweep.apply_async()
    assert broker.has_waiting(sweep.name) and not broker.has_waiting(send.name)
    send.apply_async()
    assert broker.has_waiting(sweep.name) and broker.has_waiting(send.name)
