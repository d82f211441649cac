"""Two organizers at once: what either does is there, or one of them is told why not."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import combinations_with_replacement, count, islice, product
from threading import Event
from typing import Any

import pytest
from django.db import connection, connections
from django.test import Client

from tests.organize.matrix_asking import WRITES as WRITING
from tests.organize.writes import CORE, WRITES, World, Write
from tests.waiting import wait_until

pytestmark = [
    pytest.mark.usefixtures("no_queue"),
    pytest.mark.django_db(transaction=True),
    pytest.mark.databases("locks"),
]
# Of the pairs: one test of all of them takes minutes on a loaded machine.
SHARES = 8
REFUSALS = (409, 412, 422)
# What a page says that was asked for too late and shows what it would do now.
LOOK_AGAIN = "changed meanwhile: look again"


class Hand:
    """One organizer's browser, with a connection to the database of its own."""

    def __init__(self, user: Any) -> None:
        self.client = Client()
        self.client.force_login(user)
        self.pool = ThreadPoolExecutor(1)
        self.waits_for: Callable[[], bool] = lambda: False

    def close(self) -> None:
        self.pool.submit(connections.close_all).result()
        self.pool.shutdown()

    def pauses_before_commit(
        self, act: Callable[[], Any], inside: Event, go_on: Event
    ) -> "Future[Any]":
        """Does it, and waits with all its changes made and none to be seen yet."""

        def run() -> Any:
            with _pausing(inside, go_on):
                return act()

        return self.pool.submit(run)

    def does(self, act: Callable[[], Any], begun: list[str]) -> "Future[Any]":
        """Does it; `begun` holds what it last asked of the database, and as whom."""

        def note(execute: Any, sql: str, *rest: Any) -> Any:
            begun[:] = [sql, _backend()]
            return execute(sql, *rest)

        def run() -> Any:
            with connection.execute_wrapper(note):
                return act()

        return self.pool.submit(run)


@contextmanager
def _pausing(inside: Event, go_on: Event) -> Iterator[None]:
    plain, wrote = connection.commit, Event()

    def note(execute: Any, sql: str, *rest: Any) -> Any:
        if WRITING.match(sql):
            wrote.set()
        return execute(sql, *rest)

    def commit() -> None:
        if wrote.is_set() and not inside.is_set():
            inside.set()
            assert go_on.wait(60)
        plain()

    connection.commit = commit  # type: ignore[method-assign]
    try:
        with connection.execute_wrapper(note):
            yield
    finally:
        connection.commit = plain  # type: ignore[method-assign]


def _backend() -> str:
    inner: Any = connection.connection
    return str(inner.info.backend_pid) if connection.vendor == "postgresql" else ""


def _is_stuck(begun: list[str]) -> bool:
    """Whether whoever began that waits for somebody else's lock."""
    if len(begun) < 2:
        return False
    sql, backend = begun
    if connection.vendor != "postgresql":
        return sql.startswith("BEGIN")
    with connection.cursor() as cursor:
        cursor.execute("SELECT cardinality(pg_blocking_pids(%s))", [int(backend)])
        return bool(cursor.fetchone()[0])


def meet(one: Write, other: Write) -> bool:
    return not one.needs or not other.needs or one.needs == other.needs


def told_no(answer: Any) -> bool:
    text = answer.content.decode()
    return answer.status_code in REFUSALS or (
        answer.status_code == 200 and LOOK_AGAIN in text
    )


def together(
    world: World, hands: tuple[Hand, Hand], writes: tuple[Write, Write], number: int
) -> Iterator[str]:
    """Changes lost when the second began while the first was not yet to be seen."""
    numbers = (number, number + 1)
    world.reset()
    for write, n in zip(writes, numbers, strict=True):
        write.ready(world, n)
    first, second = (
        write.prepared(world, hand.client, n)
        for write, hand, n in zip(writes, hands, numbers, strict=True)
    )
    inside, go_on, begun = Event(), Event(), []  # type: ignore[var-annotated]
    one = hands[0].pauses_before_commit(first.send, inside, go_on)
    wait_until(lambda: inside.is_set() or one.done(), what="the first is inside")
    other = hands[1].does(second.send, begun)
    wait_until(lambda: other.done() or _is_stuck(begun), what="the second waits")
    go_on.set()
    answers = one.result(60), other.result(60)
    if any(answer.status_code >= 500 for answer in answers):
        yield f"answers {[answer.status_code for answer in answers]}"
    if told_no(answers[0]) or not writes[0].done(world, numbers[0]):
        yield f"the first was lost: {answers[0].status_code}"
    if not writes[1].done(world, numbers[1]) and not told_no(answers[1]):
        yield f"the second was lost: {answers[1].status_code}"


def pairs() -> Iterator[tuple[Write, Write]]:
    """Each two that can meet, once; those of CORE in both orders.

    Who comes second may have read what the first is changing, so what reads most is
    second. On SQLite nobody reads inside of a transaction while another one writes:
    there only pages may be out of date, and CORE shows that.
    """
    core, rest = WRITES[:CORE], WRITES[CORE:]
    yield from product(core, core)
    if connection.vendor == "postgresql":
        yield from product(rest, core)
        yield from combinations_with_replacement(rest, 2)


@pytest.mark.thorough
@pytest.mark.sampled(16, by="share")  # one of the eight
@pytest.mark.parametrize("share", range(SHARES))
def test_two_organizers_at_once_lose_nothing(db: None, share: int) -> None:
    world = World.made()
    hands = Hand(world.ada), Hand(world.cy)
    numbers = count(0, 2)
    lost = []
    try:
        met = (pair for pair in pairs() if meet(*pair))
        for pair in islice(met, share, None, SHARES):
            what = f"{pair[0].name}, then {pair[1].name}"
            found = together(world, hands, pair, next(numbers))
            lost += [f"{what}: {one}" for one in found]
    finally:
        for hand in hands:
            hand.close()
    assert not lost, "\n".join(lost)
