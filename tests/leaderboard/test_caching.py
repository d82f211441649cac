"""Values that are kept: how long, who makes them, and what others get meanwhile."""

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from threading import Event, Thread
from typing import Any

import pytest

from leaderboard.web import page_cache
from leaderboard.web.page_cache import (
    CHANGED_SECONDS,
    LATE_SECONDS,
    PageKey,
    cached_page,
)
from tests.leaderboard.cache_clock import FEW, later

pytestmark = pytest.mark.usefixtures("keeping")


def fails() -> str:
    raise ValueError


def made_while_another_asks(depends: PageKey, thing: str) -> list[str]:
    """The value that another thread got while one made `thing`."""
    during: list[str] = []

    def make() -> str:
        other = Thread(
            target=lambda: during.append(cached_page(depends, lambda: "twice"))
        )
        other.start()
        other.join()
        return thing

    assert cached_page(depends, make) == thing
    return during


def test_while_one_makes_it_others_get_what_there_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old, new = PageKey("page", ("a",), 1), PageKey("page", ("a",), 2)
    assert cached_page(old, lambda: "old") == "old"
    later(monkeypatch, 2 * CHANGED_SECONDS)
    assert made_while_another_asks(new, "new") == ["old"]
    assert cached_page(new, lambda: "made again") == "new"


def test_a_busy_board_is_not_read_for_each_of_its_versions() -> None:
    assert cached_page(PageKey("page", ("b",), 1), lambda: "old") == "old"
    assert cached_page(PageKey("page", ("b",), 2), lambda: "new") == "old"


def test_what_no_version_counts_is_made_anew_after_its_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = PageKey("page", ("c",), 1)
    assert cached_page(asked, lambda: "first") == "first"
    later(monkeypatch, FEW / 2)
    assert cached_page(asked, lambda: "too early") == "first"
    later(monkeypatch, FEW + LATE_SECONDS / 2)
    assert made_while_another_asks(asked, "second") == ["first"]


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> Event:
    """Set as soon as somebody waits for what another makes."""
    began = Event()

    class Watched(Future[Any]):
        def result(self, timeout: float | None = None) -> Any:
            began.set()
            return super().result(timeout)

    monkeypatch.setattr(page_cache, "Future", Watched)
    return began


def made_while_another_waits(
    depends: PageKey,
    waits: Event,
    make: Callable[[], str],
    theirs: PageKey | None = None,
    meanwhile: Callable[[], None] = lambda: None,
) -> list[str]:
    """What another thread got, by its own key or the same, that began to wait while one
    was at work, after `meanwhile`."""
    got: list[str] = []
    key = theirs or depends
    other = Thread(target=lambda: got.append(cached_page(key, lambda: "anew")))

    def first() -> str:
        meanwhile()
        other.start()
        assert waits.wait(30)
        return make()

    with suppress(ValueError):
        cached_page(depends, first)
    other.join()
    return got


def test_what_is_too_late_is_waited_for_and_made_once(
    monkeypatch: pytest.MonkeyPatch, waits: Event
) -> None:
    asked = PageKey("page", ("d",), 1)
    assert made_while_another_waits(asked, waits, lambda: "old") == ["old"]
    later(monkeypatch, FEW + LATE_SECONDS + 1)
    assert made_while_another_waits(asked, waits, lambda: "new") == ["new"]


def test_of_a_board_that_changed_nobody_waits_for_an_earlier_one(
    monkeypatch: pytest.MonkeyPatch, waits: Event
) -> None:
    before, after = PageKey("page", ("i",), 1), PageKey("page", ("i",), 2)

    def meanwhile() -> None:
        later(monkeypatch, CHANGED_SECONDS + LATE_SECONDS + 1)

    got = made_while_another_waits(before, waits, lambda: "old", after, meanwhile)
    assert got == ["anew"]


def test_what_took_longer_than_it_may_be_old_is_made_anew_for_who_came_later(
    monkeypatch: pytest.MonkeyPatch, waits: Event
) -> None:
    asked = PageKey("page", ("h",), 1)

    def meanwhile() -> None:
        later(monkeypatch, FEW + LATE_SECONDS + 1)

    got = made_while_another_waits(asked, waits, lambda: "old", meanwhile=meanwhile)
    assert got == ["anew"]


def test_whoever_waited_for_what_failed_makes_it(waits: Event) -> None:
    asked = PageKey("page", ("f",), 1)
    assert made_while_another_waits(asked, waits, fails) == ["anew"]


def test_nobody_waits_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_cache, "MAKING_SECONDS", 0.01)
    asked = PageKey("page", ("g",), 1)
    assert made_while_another_asks(asked, "slow") == ["twice"]


def test_what_could_not_be_made_is_tried_again() -> None:
    asked = PageKey("page", ("e",), 1)
    with pytest.raises(ValueError):
        cached_page(asked, fails)
    assert cached_page(asked, lambda: "made") == "made"
