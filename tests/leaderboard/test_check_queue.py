"""Jobs of the sandbox wait in a fair queue, and not for ever."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from threading import Event, local
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.sandbox import client
from leaderboard.sandbox.jobs import LONG, OTHER, UPLOAD
from leaderboard.sandbox.queue import JobQueue, Priority, QueueFull
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.teams.models import User
from scoring.formats.bundle import zip_files
from tests.leaderboard.channels import Channel, bearer
from tests.leaderboard.small import bundle
from tests.waiting import wait_until

FOREVER = 60.0
asking = local()


class Line:
    """People with files that take as long as the test says."""

    def __init__(
        self, pool: ThreadPoolExecutor, seconds: float = FOREVER, slots: int = 2
    ) -> None:
        self.queue = JobQueue(slots, seconds, lambda: asking.name)
        self._pool = pool
        self.began: list[str] = []
        self.ends: dict[str, Event] = {}

    def come(self, name: str, priority: Priority = UPLOAD) -> Future[None]:
        """`name` is that of a file; it begins with its owner's."""
        self.ends[name] = Event()
        known = len(self.queue) + len(self.began)
        done = self._pool.submit(self._check, name, priority)
        wait_until(
            lambda: done.done() or len(self.queue) + len(self.began) > known, FOREVER
        )
        return done

    def _check(self, name: str, priority: Priority) -> None:
        asking.name = name[0]
        with self.queue.slot(priority):
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


@pytest.fixture
def three() -> Iterator[Line]:
    """As many slots as a web process has."""
    with ThreadPoolExecutor(20) as pool:
        made = Line(pool, slots=client.queue.slots)
        yield made
        for event in made.ends.values():
            event.set()


def test_a_slot_is_kept_for_uploads_and_one_from_what_takes_long(three: Line) -> None:
    three.come("a1", LONG)
    three.come("b1", LONG)
    three.come("c1", OTHER)
    three.come("d1", OTHER)
    three.come("e1")
    wait_until(lambda: len(three.began) == 3, FOREVER)
    assert three.began == ["a1", "c1", "e1"]
    three.end("a1", "b1")
    three.end("b1", "d1")


def test_uploads_take_every_slot(three: Line) -> None:
    for name in ("a1", "b1", "c1"):
        three.come(name)
    wait_until(lambda: len(three.began) == 3, FOREVER)


def test_of_what_takes_long_one_of_a_person_waits(three: Line) -> None:
    three.come("a1", LONG)
    three.come("a2", LONG)
    with pytest.raises(QueueFull):
        three.come("a3", LONG).result(FOREVER)


@pytest.mark.django_db
def test_an_upload_that_found_no_slot_can_be_sent_again_and_cost_nothing(
    entry: Participation,
    channel: Channel,
    ben: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    owners = iter(range(100))
    full = JobQueue(2, 0.05, lambda: next(owners))
    monkeypatch.setattr(client, "queue", full)
    with ExitStack() as held:
        for _ in range(2):
            held.enter_context(full.slot(UPLOAD))
        told = channel.send(ben, key="once")
    assert (told.status, told.code, told.retry_after) == (503, "busy", "30")
    assert "Too many files wait to be checked" in told.text
    assert told.stored == 0 and told.charged == {}
    again = channel.send(ben, key="once")
    assert again.sent and again.stored == 1


@pytest.mark.django_db
def test_any_request_that_finds_no_slot_is_told_when_to_come_back(
    phase: Phase,
    as_user: Any,
    ada: User,
    monkeypatch: pytest.MonkeyPatch,
    settings: Any,
    tmp_path: Path,
) -> None:
    settings.DATA = tmp_path  # where no kit lies
    full = JobQueue(1, 0.05, lambda: object())
    monkeypatch.setattr(client, "queue", full)
    given = zip_files("bundle.zip", bundle(slug="seals").files).single()

    def sent() -> dict[str, Any]:
        return {"bundle": SimpleUploadedFile("bundle.zip", given)}

    with full.slot(UPLOAD):
        page = as_user(ada).post("/tasks/new/", sent())
        answer = bearer(ada, "organize").post("/api/v1/tasks/", sent())
        kit = Client().get(f"/tasks/otters/{phase.name}/kit/")
    assert [one.status_code for one in (page, answer, kit)] == [503] * 3
    assert [one["Retry-After"] for one in (page, answer, kit)] == ["30"] * 3
    assert "Too many files wait to be checked" in page.content.decode()
    assert answer.json()["code"] == "busy"
    assert "send it again in half a minute" in answer.json()["detail"]
    assert not Task.objects.filter(slug="seals").exists()
