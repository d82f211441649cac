"""Values that are kept: how long, who makes them, and what others get meanwhile."""

from threading import Thread

import pytest

from leaderboard.web.page_cache import (
    CHANGED_SECONDS,
    LATE_SECONDS,
    PageKey,
    cached,
)
from tests.leaderboard.keeping import FEW, later

pytestmark = pytest.mark.usefixtures("keeping")


def made_while_another_asks(depends: PageKey, thing: str) -> list[str]:
    """The value that another thread got while one made `thing`."""
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
    later(monkeypatch, 2 * CHANGED_SECONDS)
    assert made_while_another_asks(new, "new") == ["old"]
    assert cached(new, lambda: "made again") == "new"


def test_a_busy_board_is_not_read_for_each_of_its_versions() -> None:
    assert cached(PageKey("page", ("b",), 1), lambda: "old") == "old"
    assert cached(PageKey("page", ("b",), 2), lambda: "new") == "old"


def test_what_no_version_counts_is_made_anew_after_its_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = PageKey("page", ("c",), 1)
    assert cached(asked, lambda: "first") == "first"
    later(monkeypatch, FEW / 2)
    assert cached(asked, lambda: "too early") == "first"
    later(monkeypatch, FEW + LATE_SECONDS / 2)
    assert made_while_another_asks(asked, "second") == ["first"]


def test_what_is_too_late_is_handed_to_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = PageKey("page", ("d",), 1)
    assert cached(asked, lambda: "old") == "old"
    later(monkeypatch, FEW + LATE_SECONDS + 1)
    assert made_while_another_asks(asked, "new") == ["twice"]


def test_what_could_not_be_made_is_tried_again() -> None:
    asked = PageKey("page", ("e",), 1)

    def fails() -> str:
        raise ValueError

    with pytest.raises(ValueError):
        cached(asked, fails)
    assert cached(asked, lambda: "made") == "made"
