"""Guessing passwords is limited, for all web processes together and for each client."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client

from leaderboard.settings import cache_stores
from leaderboard.teams.models import User
from leaderboard.web.cache import SharedCache

pytestmark = pytest.mark.django_db
Try = Callable[[str], int]


@pytest.fixture
def guess(db: None) -> Try:
    """One try at somebody's password from an address; the status."""

    def guessed(address: str, mail: str = "ben@example.org") -> int:
        headers = {"X-Forwarded-For": f"203.0.113.9, {address}"}
        data = {"login": mail, "password": "guess"}
        client = Client(REMOTE_ADDR="127.0.0.1")
        return client.post("/accounts/login/", data, headers=headers).status_code

    return guessed


def test_guessing_at_one_account_ends_wherever_it_comes_from(
    guess: Try, ben: User, settings: Any
) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    said = [guess(f"192.0.2.{i}") for i in range(7)]
    assert said[0] == 200 and Client().get("/accounts/login/").status_code == 200
    right = {"login": ben.email, "password": "x"}
    answer = Client().post("/accounts/login/", right)
    assert answer.status_code == 200, "not even the right one, for a while"
    assert "Too many failed login attempts" in answer.content.decode()


def test_behind_a_proxy_a_client_is_limited_and_its_neighbours_are_not(
    guess: Try, settings: Any
) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    flood = [guess("192.0.2.1", f"p{i}@example.org") for i in range(40)]
    assert flood[-1] == 429
    assert guess("192.0.2.2", "q@example.org") == 200


@pytest.fixture
def two_processes(redis_url: str) -> tuple[SharedCache, SharedCache]:
    """The caches of two of them, which share no memory."""
    given = cache_stores(redis_url)["default"]
    options = {key: value for key, value in given.items() if key != "BACKEND"}
    first, second = (SharedCache(redis_url, options) for _ in range(2))
    first.clear()
    return first, second


@pytest.mark.broker
def test_what_one_process_counts_the_other_knows(
    two_processes: tuple[SharedCache, SharedCache],
) -> None:
    first, second = two_processes
    first.set("tries", [1, 2])
    assert second.get("tries") == [1, 2]
    assert first.add("lock", 1) and not second.add("lock", 1)
    assert second.delete("lock") and first.add("lock", 1) and second.touch("lock")
    caches["default"].set("page", "kept")
    first.clear()
    assert second.get("tries") is None
    assert caches["default"].get("page") == "kept", "of somebody else"


@pytest.mark.broker
def test_nobody_who_counts_at_the_same_time_is_lost(
    two_processes: tuple[SharedCache, SharedCache],
) -> None:
    two_processes[0].add("calls", 0)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: two_processes[i % 2].incr("calls"), range(400)))
    assert two_processes[1].incr("calls", 0) == 400


def test_without_redis_each_counts_for_itself_and_nobody_is_locked_out() -> None:
    gone = SharedCache("redis://127.0.0.1:9/0", {"OPTIONS": {"socket_timeout": 0.2}})
    gone.add("tries", 0)
    assert gone.incr("tries") == 1 and gone.get("nothing", 7) == 7
    gone.clear()
    assert gone.get("tries") is None
    assert "redis" not in str(cache_stores("")).lower()
