"""Someone who writes to Redis what they like changes no page and runs no code."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from django.core.cache import caches
from django.test import Client

from leaderboard.settings import cache_stores
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Participation, Phase
from leaderboard.web import cache as shared_cache
from leaderboard.web.cache import MOST_BYTES, open_value, seal_value
from tests.leaderboard.small import both, one_wrong, scored
from tests.organize.disclosing import logged_in

pytestmark = [pytest.mark.django_db, pytest.mark.broker]
BOARD = "/tasks/otters/test/board/"
PAGES = ("/", BOARD, "/tasks/otters/test/badge.svg", "/tasks/otters/test/embed/")
API = "/api/v1/tasks/"
Store = redis.Redis


def pickled(at: Path) -> bytes:
    """Makes a folder where it is loaded."""
    call = f"cos\nmkdir\n(V{at}\ntR."
    return call.encode()


def bad_pickle(store: Store, key: bytes, mark: Path) -> None:
    store.set(key, pickled(mark))


def half(store: Store, key: bytes, mark: Path) -> None:
    if store.type(key) == b"string":
        store.set(key, store.get(key)[:-7])


def another_kind(store: Store, key: bytes, mark: Path) -> None:
    store.delete(key)
    store.rpush(key, "x")


def number(store: Store, key: bytes, mark: Path) -> None:
    store.set(key, 7)


def enormous(store: Store, key: bytes, mark: Path) -> None:
    store.set(key, b"1" * (MOST_BYTES + 100))


def of_another_key(store: Store, key: bytes, mark: Path) -> None:
    """Something that this site wrote itself, under another name."""
    store.set(key, seal_value("elsewhere", {"page": b"<h1>forged</h1>", "at": 0}))


BLOWS = (bad_pickle, half, another_kind, number, enormous, of_another_key)


@pytest.fixture
def shared(
    redis_url: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Store]:
    """The site keeps its pages and counts in a Redis, which is given."""
    # A number of its own: the queue of the tests' worker lies beside it.
    url = redis_url.split("?")[0] + "?db=5"
    settings.CACHES = cache_stores(url)
    monkeypatch.setattr(shared_cache, "REST_SECONDS", 0)
    store = redis.Redis.from_url(url)
    store.flushdb()
    yield store
    store.flushdb()


@pytest.fixture
def sent(phase: Phase, entry: Participation) -> Submission:
    return scored(phase, entry, both({"north": one_wrong()}), system="kingfisher")


def crawled(reader: Client) -> list[str]:
    """The pages, without what differs from one answer to the next."""
    wrong = {"login": "ben@example.org", "password": "guess"}
    assert Client().post("/accounts/login/", wrong).status_code == 200
    assert Client().get(API).status_code == 200
    found = [one.get(path) for path in PAGES for one in (Client(), reader)]
    assert {answer.status_code for answer in found} == {200}
    return [answer.content.decode() for answer in found]


@pytest.mark.parametrize("blow", BLOWS)
def test_whatever_stands_in_every_key_pages_are_the_same(
    blow: Callable[[Store, bytes, Path], None],
    shared: Store,
    sent: Submission,
    ben: Any,
    tmp_path: Path,
) -> None:
    reader, mark = logged_in(ben), tmp_path / "mark"
    before = crawled(reader)
    keys = shared.keys()
    assert {key.split(b":")[0] for key in keys} >= {b"site"}
    for key in keys:
        blow(shared, key, mark)
    after = crawled(reader)
    assert not mark.exists()
    assert "forged" not in "".join(after)
    assert ["kingfisher" in page for page in after] == [
        "kingfisher" in page for page in before
    ]


def test_what_was_kept_comes_back_and_nothing_else_does(shared: Store) -> None:
    cache = caches["default"]
    thing = {"page": b"\x00\xff", "text": "ä", "list": [1, 2.5, None, True]}
    cache.set("one", thing)
    assert cache.get("one") == thing
    assert cache.get_many(["one", "two"]) == {"one": thing}
    packed = seal_value("a", thing)
    assert open_value("a", packed) == thing
    assert open_value("b", packed, 7) == 7
    assert all(open_value("a", packed[:size]) is None for size in range(len(packed)))


def test_a_worker_takes_json_alone(shared: Store, settings: Any) -> None:
    from leaderboard.celery import app

    assert set(app.conf.accept_content) == {"json"}
    assert set(app.conf.result_accept_content or app.conf.accept_content) == {"json"}
    assert app.conf.task_serializer == app.conf.result_serializer == "json"
    assert app.conf.event_serializer == "json"
