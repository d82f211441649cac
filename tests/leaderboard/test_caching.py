"""Things that are kept: how long, who makes them, and what others get meanwhile."""

import time
from threading import Barrier, Thread

import pytest
from django.core.cache import caches
from django.utils.translation import get_language, override

from leaderboard.boards import page_cache
from leaderboard.boards.page_cache import LATE_SECONDS, PageKey, cached
from tests.leaderboard.keeping import FEW, later

pytestmark = pytest.mark.usefixtures("keeping")


def made_while_another_asks(depends: PageKey, thing: str) -> list[str]:
    """What another thread got while one made `thing`."""
    during: list[str] = []

    def make() -> str:
        other = Thread(target=lambda: during.append(cached(depends, lambda: "twice")))
        other.start()
        other.join()
        return thing

    assert cached(depends, make) == thing
    return during


def test_while_one_makes_it_others_get_what_there_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old, new = PageKey("page", ("a",), 1), PageKey("page", ("a",), 2)
    assert cached(old, lambda: "old") == "old"
    later(monkeypatch, FEW / 4)
    assert made_while_another_asks(new, "new") == ["old"]
    assert cached(new, lambda: "made again") == "new"


def test_what_nobody_has_is_made_by_one_of_many() -> None:
    asked, made, told = PageKey("page", ("c",), 1), [], []
    together = Barrier(5)

    def make() -> str:
        made.append(1)
        return "once"

    def reader() -> None:
        together.wait()
        told.append(cached(asked, make))

    readers = [Thread(target=reader) for _ in range(5)]
    for one in readers:
        one.start()
    for one in readers:
        one.join()
    assert (made, told) == ([1], ["once"] * 5)


def test_what_takes_long_is_not_made_for_every_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A second and a half of work rests for the whole life of what it made."""
    old, new = PageKey("page", ("d",), 1), PageKey("page", ("d",), 2)

    def slow() -> str:
        later(monkeypatch, 1.5)
        return "old"

    assert cached(old, slow) == "old"
    later(monkeypatch, 2)
    assert cached(new, lambda: "new") == "old"
    later(monkeypatch, FEW)
    assert cached(new, lambda: "new") == "new"


def test_a_store_that_keeps_things_too_long_is_not_believed() -> None:
    """Whoever holds the Redis can bring an older value back, or claim to make a new."""
    asked = PageKey("page", ("f",), 1)
    assert cached(asked, lambda: "old") == "old"
    stored = caches["boards"].get(asked.key)
    for age in (FEW + LATE_SECONDS + 1, -60):
        past = stored | {"at": time.time() - age, "cost": 1e6}
        caches["boards"].set(asked.key, past, 600)
        caches["boards"].add(f"{asked.key}-making", 1, 600)
        assert cached(asked, lambda: "new") == "new"


def test_one_makes_a_page_anew_before_it_ends_for_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = PageKey("page", ("e",), 1)
    assert cached(asked, lambda: "first") == "first"
    later(monkeypatch, FEW / 2)
    assert cached(asked, lambda: "too early") == "first"
    later(monkeypatch, 0.9 * FEW)
    assert made_while_another_asks(asked, "second") == ["first"]
    later(
        monkeypatch, 1.9 * FEW + LATE_SECONDS / 2
    )  # what is older is handed out only meanwhile
    assert made_while_another_asks(asked, "third") == ["second"]


def test_of_what_is_asked_for_all_the_time_nobody_waits_for_the_next(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    old, new = PageKey("page", ("g",), 1), PageKey("page", ("g",), 2)
    assert cached(old, lambda: "old") == "old"
    with override("de"):  # as its readers see it
        assert cached(new, get_language) == "old"
    page_cache._behind.submit(lambda: None).result()
    assert cached(new, lambda: "again") == "de"

    def fails() -> str:
        raise ValueError

    assert cached(old, fails) == "de"
    page_cache._behind.submit(lambda: None).result()
    assert "could not be rendered" in caplog.text
    later(monkeypatch, FEW / 4)
    assert cached(old, lambda: "mended") == "mended"


def test_what_could_not_be_made_is_tried_again() -> None:
    asked = PageKey("page", ("b",), 1)

    def fails() -> str:
        raise ValueError

    with pytest.raises(ValueError):
        cached(asked, fails)
    assert cached(asked, lambda: "made") == "made"
