"""Servers, worker, database and browser for the tests, each started when asked for."""

import gc
import importlib
import os
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import LazySettings, settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.backends.db import SessionStore
from django.core.cache import caches
from django.core.signals import setting_changed
from django.db import connection, connections
from django.http import HttpRequest
from django.template import Context, RequestContext, Template
from django.test import Client, TransactionTestCase
from django.utils import timezone, translation
from hypothesis import HealthCheck
from hypothesis import settings as properties
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    expect,
    sync_playwright,
)
from pytest_django.live_server_helper import LiveServer
from redis import Redis

from leaderboard import garbage
from leaderboard.boards import computation, stored_board
from leaderboard.embedded.broker import socket_of
from leaderboard.sandbox import client
from leaderboard.settings import extras_of
from leaderboard.submissions.broker import broker
from tests.browsing import watch
from tests.cast import (
    ada,
    as_user,
    ben,
    channel,
    cy,
    entry,
    no_otters,
    nothing_sent,
    over,
    phase,
    stage,
    task,
    upcoming,
)
from tests.many import Servers, Workers
from tests.marks import check_databases, left_out_of_sample, runs_by_day
from tests.scoring.outside import lacking
from tests.servers import find_chromium, redis_server
from tests.transactions import instead_of_flush
from tests.worker import Worker, WorkerWithoutBroker

pytest_plugins = ["tests.forked"]

# Fixtures of all folders
__all__ = [
    "ada",
    "as_user",
    "ben",
    "channel",
    "cy",
    "entry",
    "no_otters",
    "nothing_sent",
    "over",
    "phase",
    "stage",
    "task",
    "upcoming",
]

# Playwright's synchronous interface runs an event loop in the thread of the test,
# which Django would take for asynchronous code.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

# A busy machine makes a property slow, not wrong: none fails by the clock.
properties.register_profile(
    "whole", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
# Of properties that do not say themselves how many examples they take
properties.register_profile("by day", properties.get_profile("whole"), max_examples=40)

# As it is before Django's environment of tests wraps it
RENDER = Template._render
TESTS = Path(__file__).parent
SLOWEST_PAGE = 30_000  # ms, as Playwright waits for what is clicked
SLOW_FIXTURES = {"browser", "chromium", "live_server", "production", "worker"}
SLOW_FOLDERS = {
    "acceptance",
    "campaigns",
    "changes",
    "documents",
    "e2e",
    "embedded",
    "operations",
}
SLOW_MARKS = ("thorough", "slow", "campaign")
MAIN_PATH_FOLDERS = {"e2e"}
ENGINE = TESTS / "scoring"
# The engine has no database.
WITHOUT = {
    "fast": {TESTS / name for name in SLOW_FOLDERS - MAIN_PATH_FOLDERS},
    "postgresql": {ENGINE},
}
# Of which a file has one at least in which tests of a part are
WORDS = {
    "thorough": (*SLOW_FIXTURES, *SLOW_MARKS),
    "postgresql": ("mark.databases",),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--part",
        choices=list(PARTS),
        help="fast: before every commit; thorough: the rest; postgresql: what may"
        " come out otherwise on another database (without it, all tests)",
    )
    parser.addoption(
        "--no-broker",
        action="store_true",
        help="no Redis, and `manage.py work` as worker: the same must come out (P5)",
    )
    parser.addoption(
        "--many",
        action="store_true",
        help="only tests with a worker or a live server, on three and on two of them",
    )
    parser.addoption(
        "--whole",
        action="store_true",
        help="all cases of tests that are marked `sampled`, and Hypothesis's own number"
        " of examples, as every night",
    )
    parser.addoption(
        "--record-answers",
        action="store_true",
        help="write the answers that the page of the API shows, as they are now",
    )


def pytest_configure(config: pytest.Config) -> None:
    gc.disable()  # while tests are collected, which stay
    properties.load_profile("whole" if config.getoption("--whole") else "by day")


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    check_databases(items)
    check_files(items)
    by_day = not (config.getoption("--whole") or any("::" in a for a in config.args))
    if by_day:
        gone = left_out_of_sample(items)
        _keep(config, items, lambda item: item not in gone)
    if lacking():
        _keep(config, items, lambda item: item.get_closest_marker("published") is None)
    if len(settings.EXTRAS) < len(extras_of("")):
        _keep(config, items, lambda one: one.get_closest_marker("all_extras") is None)
    part = config.getoption("--part")
    if part and not config.getoption("--many"):
        _keep(config, items, PARTS[part])
        if by_day:
            _keep(config, items, lambda item: runs_by_day(item, part))
    if config.getoption("--no-broker"):
        _keep(config, items, lambda item: item.get_closest_marker("broker") is None)
    if config.getoption("--many"):
        _keep(config, items, can_be_many)
    items.sort(key=comes_late)


def check_files(items: list[pytest.Item]) -> None:
    """Raises UsageError where a test would run in no part, as its file is left out."""
    held = cache(may_hold)
    for item in items:
        for part in WORDS:
            if PARTS[part](item) and not held(part, item.path):
                raise pytest.UsageError(
                    f"{item.nodeid} is {part}: its file has to have one of the words "
                    f"{', '.join(WORDS[part])}"
                )


def comes_late(item: pytest.Item) -> bool:
    """The engine's tests are many and short: last, they let all workers end together.

    Behind them a test of a minute would keep one core busy and the other idle.
    """
    return ENGINE in item.path.parents


def pytest_collection_finish() -> None:
    """What is loaded by now stays: looking through it for rubbish takes a tenth."""
    garbage.begin()
    gc.set_threshold(50_000, 20, 100)


def pytest_worker_forked(name: str) -> None:
    """A worker shares neither database, broker nor files with the others.

    What it inherited are settings whose paths are its parent's. Those that apps have
    added to meanwhile stay.
    """
    del os.environ["PYTEST_XDIST_WORKER"]
    inherited = _settings_anew()
    os.environ["PYTEST_XDIST_WORKER"] = name
    for key, value in _settings_anew().items():
        if value == inherited[key]:
            continue
        if key == "DATABASES":
            # Connections keep the dictionary itself, with what Django puts into it.
            completed = connections.configure_settings(value)
            connections.databases["default"] |= completed["default"]
            continue
        setattr(settings, key, value)
        setting_changed.send(type(settings), setting=key, value=value, enter=True)


def _settings_anew() -> dict[str, Any]:
    """What the files of the settings say in this environment."""
    ours = sys.modules["tests.settings"]
    del sys.modules["leaderboard.settings"]
    importlib.reload(ours)
    return {name: getattr(ours, name) for name in dir(ours) if name.isupper()}


def _keep(
    config: pytest.Config, items: list[pytest.Item], wanted: Callable[..., bool]
) -> None:
    config.hook.pytest_deselected(items=[one for one in items if not wanted(one)])
    items[:] = [item for item in items if wanted(item)]


def is_thorough(item: pytest.Item) -> bool:
    """Whether a test needs a browser, a worker, a server or its time.

    One that says `main_path` is fast whatever it needs.
    """
    if item.get_closest_marker("main_path") is not None:
        return False
    needs = not SLOW_FIXTURES.isdisjoint(getattr(item, "fixturenames", ()))
    marked = any(item.get_closest_marker(name) for name in SLOW_MARKS)
    return needs or marked or is_in_slow_folder(item.path)


def is_in_slow_folder(path: Path) -> bool:
    return path.relative_to(TESTS).parts[0] in SLOW_FOLDERS


PARTS: dict[str, Callable[[pytest.Item], bool]] = {
    "fast": lambda item: not is_thorough(item),
    "thorough": is_thorough,
    "postgresql": lambda item: item.get_closest_marker("databases") is not None,
}


def can_be_many(item: pytest.Item) -> bool:
    """Whether a test needs programs that can be several, and looks into none."""
    if item.get_closest_marker("in_process") is not None:
        return False
    several = {"live_server", "worker", "production"}
    used = not several.isdisjoint(getattr(item, "fixturenames", ()))
    return used or item.path.parent.name == "campaigns"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Files without a test of the part that is asked for take seconds to collect.

    Tests of an extra that this site does not have are left out.
    """
    extra = collection_path.parent == TESTS / "extras" and collection_path.is_dir()
    if extra and collection_path.name not in settings.EXTRAS:
        return True
    part = config.getoption("--part")
    if collection_path in WITHOUT.get(part, ()):
        return True
    by_part = part in WORDS and not config.getoption("--many")
    return (by_part and not may_hold(part, collection_path)) or None


def may_hold(part: str, path: Path) -> bool:
    """Whether tests of this part may be in a file."""
    if path.is_dir() or not path.name.startswith("test_"):
        return True
    if part == "thorough" and is_in_slow_folder(path):
        return True
    text = path.read_text("utf-8")
    return any(word in text for word in WORDS[part])


def pytest_runtest_setup() -> None:
    """A request leaves its language to whatever this thread does next."""
    translation.deactivate()


@pytest.fixture
def pages_made_anew(settings: Any) -> None:
    """No page is cached, for a test that changes what anybody sees and looks again
    within the second for which the site would show what was there before."""
    settings.BOARD_SECONDS = settings.ANONYMOUS_SECONDS = 0


@pytest.fixture(autouse=True)
def known_content_types() -> None:
    """A flush gives content types new keys; what was kept of them would be wrong."""
    ContentType.objects.clear_cache()


@pytest.fixture(scope="session", autouse=True)
def contexts_of_pages(django_test_environment: None) -> None:
    """`answer.context` is that of the page.

    Django would copy that of each part and field of a form too, which takes as long as
    a tenth of the page.
    """
    record = Template._render

    def render(template: Template, context: Context) -> str:
        # What a tag includes has a context that no processor has filled.
        is_page = isinstance(context, RequestContext) and context.template is template
        recorded = is_page and hasattr(context, "_processors_index")
        return (record if recorded else RENDER)(template, context)

    Template._render = render


@pytest.fixture(scope="session", autouse=True)
def quick_logins() -> Iterator[None]:
    """`force_login` writes the row of a session and nothing else.

    Django's own writes and deletes an empty session first, then the date of the login.
    It also takes over a session that there is, and does so here.
    """
    whole = Client.force_login

    def force_login(client: Client, user: Any, backend: str | None = None) -> None:
        if settings.SESSION_COOKIE_NAME in client.cookies:
            whole(client, user, backend)
            return
        user.backend = backend or client._get_backend()
        request = HttpRequest()
        request.session = SessionStore()
        request.session[SESSION_KEY] = str(user.pk)
        request.session[BACKEND_SESSION_KEY] = user.backend
        request.session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        request.session.create()
        client._set_login_cookies(request)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Client, "force_login", force_login)
        yield


@pytest.fixture(scope="session", autouse=True)
def quick_flushes() -> Iterator[None]:
    """Tables are emptied row by row after a test that commits."""
    quick = instead_of_flush(TransactionTestCase._fixture_teardown)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", quick)
        yield


@pytest.fixture(scope="session", autouse=True)
def cache_server(request: pytest.FixtureRequest) -> Iterator[Redis | None]:
    """The Redis of the caches, as `make demo` has one; none with --no-broker."""
    if request.config.getoption("--no-broker"):
        yield None
        return
    at = socket_of(settings.CACHE_URL)
    assert at is not None
    with redis_server(at), Redis(unix_socket_path=str(at)) as client:
        yield client


@pytest.fixture(autouse=True)
def empty_caches(cache_server: Redis | None, request: pytest.FixtureRequest) -> None:
    """Pages, logins and calls of other tests would be shown or count towards limits.

    The engine has no caches: half of all tests need not ask the Redis.
    """
    if ENGINE in request.path.parents:
        return
    if cache_server:
        cache_server.flushdb()
    for name in settings.CACHES:
        cache = caches[name]
        getattr(cache, "local", cache).clear()


@pytest.fixture(scope="session", autouse=True)
def sandbox_outside_transactions() -> Iterator[None]:
    """Nothing is asked of the sandbox while rows are locked: others wait for them, and
    of SQLite's one lock everybody."""
    performed = client._perform

    def watched(*asked: Any) -> bytes:
        blocks = connection.atomic_blocks
        assert not blocks or blocks[-1]._from_testcase, asked[0]
        return performed(*asked)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "_perform", watched)
        yield


class Kept(client.SandboxServer):
    """A sandbox server that stays when its job has ended, as the next needs it."""

    def stop(self) -> None:
        """Its process ends with ours."""


@pytest.fixture(scope="session", autouse=True)
def rare_sandbox_servers() -> Iterator[None]:
    """The server of a rare job is started once, not for each test that asks for it.

    It imports Django first, which takes longer than most tests.
    """
    kept: dict[tuple[str, ...], Kept] = {}

    def server(*paths: str) -> Kept:
        return kept.setdefault(paths, Kept(*paths))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "SandboxServer", server)
        yield
    for one in kept.values():
        super(Kept, one).stop()


@pytest.fixture(autouse=True)
def boards_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker runs beside a test: boards are computed as soon as they are asked
    for."""

    def compute(_task: object) -> None:
        computation.compute_wanted(timezone.now() + timedelta(hours=1))

    monkeypatch.setattr(stored_board, "ask", compute)


@pytest.fixture(autouse=True)
def unknown_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    """How long the queue was in another test would decide what is told to it."""
    monkeypatch.setattr(broker, "_lengths", {})


@pytest.fixture
def no_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is told of work: what is scored, the test scores."""
    monkeypatch.setattr(broker, "answers", lambda: False)


@pytest.fixture(scope="session")
def redis_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a real Redis that lives as long as the session."""
    if request.config.getoption("--no-broker"):
        yield settings.REDIS_URL
        return
    at = socket_of(settings.REDIS_URL)
    assert at is not None
    with redis_server(at):
        yield settings.REDIS_URL


@pytest.fixture(scope="session")
def worker_process(
    request: pytest.FixtureRequest, redis_url: str, django_db_setup: None
) -> Iterator[Worker]:
    process = _kind_of_worker(request.config)(
        _environment("tests.settings"), redis_url, settings.TEST_DATA / "worker.log"
    )
    yield process
    process.stop()


def _kind_of_worker(config: pytest.Config) -> type[Worker]:
    if config.getoption("--no-broker"):
        return WorkerWithoutBroker
    return Workers if config.getoption("--many") else Worker


def _environment(settings_module: str) -> dict[str, str]:
    """Environment of a program that works on the database of the tests."""
    return {
        "DJANGO_SETTINGS_MODULE": settings_module,
        "DATABASE_URL": _url_of_test_database(),
    }


def _url_of_test_database() -> str:
    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}"
    return urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}").geturl()


@pytest.fixture
def worker(worker_process: Worker, transactional_db: None) -> Iterator[Worker]:
    """A running Celery worker on the test's database; idle when the test ends.

    It is ended then: left running, it would take what other tests mean to score.
    Idle it has nothing to lose, and asked to stop it would take four seconds.
    """
    worker_process.start()
    yield worker_process
    worker_process.drain()
    worker_process.kill()


@pytest.fixture(scope="session")
def live_server(
    request: pytest.FixtureRequest, django_db_setup: None
) -> Iterator[LiveServer | Servers]:
    """The site at an address: a thread of this process or, with --many, servers.

    Instead of pytest-django's fixture of this name.
    """
    if request.config.getoption("--many"):
        request.getfixturevalue("redis_url")
        server: LiveServer | Servers = Servers(_environment("tests.many_settings"))
    else:
        server = LiveServer("localhost")
    yield server
    server.stop()


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a browser; without one the test is skipped."""
    found = find_chromium()
    if found is None:
        pytest.skip("no Chromium: install chromium-headless-shell or set CHROMIUM")
    return found


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    expect.set_options(timeout=SLOWEST_PAGE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium)
        yield browser
        browser.close()


@pytest.fixture
def browser_context(browser: Browser, live_server: Any) -> Iterator[BrowserContext]:
    """A fresh visitor of the live server.

    Fails the test afterwards if a page asked another host for anything, broke
    the content security policy, or raised an error in a script.
    """
    context = browser.new_context(base_url=live_server.url)
    complaints = watch(context, live_server.url)
    yield context
    context.close()
    assert complaints == []


@pytest.fixture
def page(browser_context: BrowserContext) -> Page:
    """A browser page; `page.goto("/")` opens the front page."""
    return browser_context.new_page()


@pytest.fixture
def share(request: pytest.FixtureRequest) -> int:
    """Of how many cases of a `sampled` test one runs."""
    whole = request.config.getoption("--whole")
    return 1 if whole else request.node.get_closest_marker("sampled").args[0]


@pytest.fixture
def sandbox_inline(settings: LazySettings) -> None:
    """Uploads are read in this process: one for every file of a test takes long."""
    settings.SANDBOX_INLINE = True
