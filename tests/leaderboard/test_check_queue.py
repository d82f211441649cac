"""Checks of uploads wait in a fair queue, and not for ever."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from threading import Event, local

import pytest

from leaderboard.sandbox.client import CheckQueue, QueueFull
from leaderboard.submissions import accept
from leaderboard.tasks.models import Participation
from leaderboard.teams.models import User
from tests.leaderboard.channels import Channel
from tests.waiting import wait_until

FOREVER = 60.0
asking = local()


class Line:
    """People with files that take as long as the test says."""

    def __init__(self, pool: ThreadPoolExecutor, seconds: float = FOREVER) -> None:
        self.queue = CheckQueue(2, 4, seconds, lambda: asking.name)
        self._pool = pool
        self.began: list[str] = []
        self.ends: dict[str, Event] = {}

    def come(self, name: str) -> Future[None]:
        """`name` is that of a file; it begins with its owner's."""
        self.ends[name] = Event()
        known = len(self.queue) + len(self.began)
        done = self._pool.submit(self._check, name)
        wait_until(
            lambda: done.done() or len(self.queue) + len(self.began) > known, FOREVER
        )
        return done

    def _check(self, name: str) -> None:
        asking.name = name[0]
        with self.queue.slot():
            self.began.append(name)
            assert self.ends[name].wait(FOREVER)

    def end(self, name: str, next_one: str) -> None:
        self.ends[name].set()
        wait_until(lambda: self.began[-1] == next_one, FOREVER, f"{next_one} begins")


@pytest.fixture
def line() -> Iterator[Line]:
    with ThreadPoolExecutor(20) as pool:
        made = Line(pool)
        yield made
        for event in made.ends.values():
            event.set()


def test_four_long_checks_of_one_do_not_hold_up_another(line: Line) -> None:
    for name in ("a1", "a2", "a3", "a4", "b1"):
        line.come(name)
    wait_until(lambda: len(line.began) == 2, FOREVER)
    assert line.began == ["a1", "b1"]


def test_a_free_slot_goes_to_whoever_was_served_longest_ago(line: Line) -> None:
    for name in ("a1", "b1", "a2", "a3", "b2", "c1"):
        line.come(name)
    line.end("a1", "c1")
    line.end("b1", "a2")
    line.end("c1", "b2")


def test_who_has_enough_waiting_is_told_at_once(line: Line) -> None:
    waiting = [line.come(f"a{number}") for number in range(6)]
    with pytest.raises(QueueFull):
        waiting[5].result(FOREVER)
    line.come("b1")
    assert line.began == ["a0", "b1"]


def test_nobody_waits_for_ever() -> None:
    with ThreadPoolExecutor(3) as pool:
        short = Line(pool, seconds=0.1)
        running = [short.come("a1"), short.come("b1")]
        with pytest.raises(QueueFull):
            short.come("c1").result(FOREVER)
        assert len(short.queue) == 0
        for name in ("a1", "b1"):
            short.ends[name].set()
        assert [one.result(FOREVER) for one in running] == [None, None]


@pytest.mark.django_db
def test_an_upload_that_found_no_slot_can_be_sent_again_and_cost_nothing(
    entry: Participation,
    channel: Channel,
    ben: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    owners = iter(range(100))
    full = CheckQueue(2, 4, 0.05, lambda: next(owners))
    monkeypatch.setattr(accept, "CHECK_QUEUE", full)
    with ExitStack() as held:
        for _ in range(2):
            held.enter_context(full.slot())
        told = channel.send(ben, key="once")
    assert (told.status, told.code, told.retry_after) == (503, "busy", "30")
    assert "Too many files wait to be checked" in told.text
    assert told.stored == 0 and told.charged == {}
    again = channel.send(ben, key="once")
    assert again.sent and again.stored == 1
