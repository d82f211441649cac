"""The web server as `serve` runs it, and workers, on the database of the test."""

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import dj_database_url
from django.conf import settings as site
from django.contrib.auth import (
    BACKEND_SESSION_KEY,
    HASH_SESSION_KEY,
    SESSION_KEY,
    load_backend,
)
from django.contrib.sessions.backends.db import SessionStore
from django.db import connections

from leaderboard.embedded import web_server as web
from leaderboard.embedded.processes import Process, spawn, stop
from leaderboard.teams.models import User
from tests.conftest import _url_of_test_database
from tests.waiting import wait_until

TOKEN = "x" * 32
STOP_SECONDS = 5.0


def environment(database: str | None = None, **more: str) -> dict[str, str]:
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.campaigns.settings",
        "DATABASE_URL": database or _url_of_test_database(),
        **more,
    }


@contextmanager
def on_database(url: str) -> Iterator[None]:
    """This process works on another database than that of the tests."""
    kept, before = connections["default"], connections.settings["default"]
    other = dj_database_url.parse(url)
    if other["ENGINE"] != before["ENGINE"]:
        other = {"OPTIONS": {}, **other}
    connections.settings["default"] = before | other
    del connections["default"]
    try:
        yield
    finally:
        connections["default"].close()
        connections.settings["default"] = before
        connections["default"] = kept


@contextmanager
def web_server(database: str | None = None, **more: str) -> Iterator[int]:
    """gunicorn with the processes and threads of a site; gives its port."""
    with web.listen(20_000) as listener:
        port: int = listener.getsockname()[1]
        argv, links = web.command(listener), [listener.fileno()]
        log = site.TEST_DATA / f"web-{port}.log"
        server = spawn(argv, log, env=environment(database, **more), pass_fds=links)
        try:
            wait_until(lambda: web.is_ready(port), 60, f"a site, {log}")
            yield port
        finally:
            stop(server, STOP_SECONDS)


@contextmanager
def brokerless_worker(database: str | None = None, **more: str) -> Iterator[Process]:
    """`manage.py work` in a process of its own."""
    argv = [sys.executable, str(site.BASE_DIR / "manage.py"), "work", "--poll", "0.1"]
    log = site.TEST_DATA / "work.log"
    process = spawn(argv, log, env=environment(database, **more))
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def workers(number: int, database: str | None = None) -> Iterator[None]:
    with ExitStack() as stack:
        for _ in range(number):
            stack.enter_context(brokerless_worker(database))
        yield


def cookies_of(user: User) -> str:
    """Header of a browser that is logged in and has seen a form."""
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    # Others of them only keep somebody out.
    backends = site.AUTHENTICATION_BACKENDS
    knowing = (name for name in backends if hasattr(load_backend(name), "get_user"))
    session[BACKEND_SESSION_KEY] = next(knowing)
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    names = {site.SESSION_COOKIE_NAME: session.session_key, "csrftoken": TOKEN}
    return "; ".join(f"{name}={value}" for name, value in names.items())
