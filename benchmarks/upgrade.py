"""`python -m benchmarks.upgrade --database URL`: how long an upgrade is down.

The database is an empty PostgreSQL. It is filled with submissions and taken back to the
tables of an earlier commit, of which web server, worker and sweeper are started as its
units say. Then what deploy/README.md does while nobody is served is timed: stop the web
server, change the tables, start this version until a page answers. Beside the seconds
stand those of processors: what others do on the machine is in the first alone.
"""

import argparse
import configparser
import os
import re
import shlex
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil

from leaderboard.embedded import broker
from leaderboard.embedded.directories import private_directory
from leaderboard.embedded.processes import Process, kill_group, spawn, stop

ROOT = Path(__file__).parents[1]
SINCE = "c65eaca4"  # the last state that the migrations of this version start from
CODE = ("leaderboard", "scoring")
SCORING = ("sweeper", "worker")
PYTHON = "/opt/plumbline/.venv/bin/python"
MIGRATION = re.compile(r"leaderboard/(?:extras/)?(\w+)/migrations/(\d+\w*)\.py")
Took = tuple[float, ...]  # seconds, and those of processors
STOP_SECONDS, START_SECONDS = 60.0, 120.0


def main(arguments: list[str] | None = None) -> int:
    called = argparse.ArgumentParser(prog="python -m benchmarks.upgrade")
    called.add_argument("--database", required=True, help="URL of an empty PostgreSQL")
    called.add_argument("--submissions", type=int, default=100_000)
    called.add_argument("--tasks", type=int, default=500)
    called.add_argument("--large", type=int, default=10_000, help="of one task")
    called.add_argument("--keep", action="store_true", help="it was filled before")
    called.add_argument("--since", default=SINCE, help="commit that is upgraded from")
    options = called.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="plumbline-upgrade-") as folder:
        home = Path(folder)
        before = home / "before"
        unpack(options.since, before)
        env = environment(home, options.database)
        os.environ.update(env)
        import django

        django.setup()
        from benchmarks.growth import large_site

        size = large_site.Size(options.tasks, options.submissions, options.large)
        manage(ROOT, env, "migrate", "--noinput", "-v0")
        if not options.keep:
            large_site.build(size)
        due = migrate_back(leaves_of(options.since), env)
        for place in (before, ROOT):  # the new one beside the running one
            compiled = [sys.executable, "-m", "compileall", "-q", *CODE]
            subprocess.run(compiled, cwd=place, env=env, check=True)
            manage(place, env, "collectstatic", "--noinput", "-v0")
        with redis_of(env):
            took = upgraded(before, env)
    print(f"{options.submissions:,} submissions, {due} migrations")
    print("| down | seconds | of processors |\n|---|--:|--:|")
    took["in all"] = tuple(map(sum, zip(*took.values(), strict=True)))
    for what, (seconds, busy) in took.items():
        print(f"| {what} | {seconds:.1f} | {busy:.1f} |")
    return 0


def unpack(commit: str, at: Path) -> None:
    """The files of a commit, as from an archive of that version."""
    packed = subprocess.run(
        ["git", "archive", commit], cwd=ROOT, check=True, capture_output=True
    ).stdout
    subprocess.run(["tar", "-xf", "-", "-C", at], input=packed, check=True)


def leaves_of(commit: str) -> dict[str, str]:
    """The last migration of each app in a commit."""
    listed = subprocess.run(
        ["git", "ls-tree", "-r", "--name-only", commit],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return dict(sorted(MIGRATION.findall(listed)))


def migrate_back(leaves: Mapping[str, str], env: Mapping[str, str]) -> int:
    """The tables as that version left them; the number of migrations since."""
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    known = executor.loader.graph.leaf_nodes()
    ours = [app for app, _name in known if app in {*leaves, *apps_of_ours()}]
    targets = [(app, leaves.get(app)) for app in ours]
    number = len(executor.migration_plan(targets))
    for app, name in targets:
        manage(ROOT, env, "migrate", app, name or "zero", "-v0")
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
        cursor.execute("VACUUM ANALYZE")
    return number


def apps_of_ours() -> set[str]:
    from django.apps import apps

    return {a.label for a in apps.get_app_configs() if a.name.startswith("leaderboard")}


def environment(home: Path, database: str) -> dict[str, str]:
    """The variables in /etc/plumbline/env of a site of one machine."""
    data = private_directory(home / "data")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    return {
        "PATH": os.environ["PATH"],
        "HOME": os.environ.get("HOME", "/"),
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
        "PLUMBLINE_HOSTS": "localhost,127.0.0.1",
        "PLUMBLINE_SECRET_KEY": "a-key-for-one-measurement-of-fifty-letters-or-more-1",
        "PLUMBLINE_DATA": str(data),
        "PLUMBLINE_BIND": f"127.0.0.1:{port}",
        "PLUMBLINE_WEB_PROCESSES": "2",
        "PLUMBLINE_WORKER_PROCESSES": "2",
        "DATABASE_URL": database,
        "REDIS_URL": broker.url_of(home / "redis" / "redis.sock"),
    }


@contextmanager
def redis_of(env: Mapping[str, str]) -> Iterator[None]:
    at, server = broker.socket_of(env["REDIS_URL"]), broker.find_server()
    assert at is not None and server is not None
    log = private_directory(at.parent) / "redis.log"
    process = spawn(broker.command(server, at.parent, at), log)
    try:
        wait_for(lambda: broker.answers(at), "Redis")
        yield
    finally:
        stop(process, STOP_SECONDS)


def upgraded(before: Path, env: Mapping[str, str]) -> dict[str, Took]:
    """Times of the steps while nobody is served."""
    took: dict[str, Took] = {}
    running: list[Process] = []
    with ExitStack() as stack:
        *scoring, web = [
            stack.enter_context(started(name, before, env))
            for name in (*SCORING, "web")
        ]
        wait_for(lambda: answers(env), "the version before")
        for process in scoring:
            stop(process, STOP_SECONDS)
        assert answers(env), "pages are served while workers end"
        with timed(took, "stop", running):
            stop(web, STOP_SECONDS)
        with timed(took, "migrate", running):
            manage(ROOT, env, "migrate", "--noinput", "--skip-checks", "-v0")
        with timed(took, "start, until a page answers", running):
            check = command("web", "ExecStartPre", ROOT, env)
            subprocess.run(check, cwd=ROOT, env=env, check=True, capture_output=True)
            with service_manager(env) as (told, is_ready):
                running.append(stack.enter_context(started("web", ROOT, told)))
                wait_for(is_ready, "the web server")
            for name in SCORING:
                running.append(stack.enter_context(started(name, ROOT, env)))
            wait_for(lambda: answers(env), "this version")
    return took


@contextmanager
def service_manager(
    env: Mapping[str, str],
) -> Iterator[tuple[dict[str, str], Callable[[], bool]]]:
    """A socket as systemd gives it to a unit of the type `notify`: the environment to
    start the unit in, and a function that says whether it is ready."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind("")  # a name that is free, in no folder
        manager.setblocking(False)
        name = manager.getsockname().decode().replace("\0", "@")

        def is_ready() -> bool:
            with suppress(BlockingIOError):
                return b"READY=1" in manager.recv(4096)
            return False

        yield {**env, "NOTIFY_SOCKET": name}, is_ready


@contextmanager
def timed(
    took: dict[str, Took], what: str, running: Sequence[Process]
) -> Iterator[None]:
    """Seconds, and those of processors of commands and of what is running then."""
    began, before = time.monotonic(), os.times()
    yield
    seconds, after = time.monotonic() - began, os.times()
    busy = 0.0
    if what != "stop":  # what ends then has worked before
        busy = after.children_user + after.children_system
        busy -= before.children_user + before.children_system
    for process in running:
        parent = psutil.Process(process.pid)
        for part in (parent, *parent.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                times = part.cpu_times()
                busy += times.user + times.system
    took[what] = seconds, busy


@contextmanager
def started(name: str, folder: Path, env: Mapping[str, str]) -> Iterator[Process]:
    log = Path(env["PLUMBLINE_DATA"]).with_name(f"{name}.log")
    process = spawn(command(name, "ExecStart", folder, env), log, env=env, cwd=folder)
    try:
        yield process
    finally:
        kill_group(process)
        process.wait()


def command(name: str, key: str, folder: Path, env: Mapping[str, str]) -> Sequence[str]:
    """The command of a unit of that version; variables are put in as systemd does."""
    parsed = configparser.ConfigParser(interpolation=None, delimiters=("=",))
    parsed.read(folder / f"deploy/systemd/plumbline-{name}.service", encoding="utf-8")
    said = parsed["Service"][key].replace(PYTHON, sys.executable)
    return [
        re.sub(r"\$\{(\w+)\}", lambda match: env[match[1]], word)
        for word in shlex.split(said)
    ]


def manage(folder: Path, env: Mapping[str, str], *words: str) -> None:
    argv = [sys.executable, "manage.py", *words]
    subprocess.run(argv, cwd=folder, env=env, check=True)


def answers(env: Mapping[str, str]) -> bool:
    try:
        with urllib.request.urlopen(f"http://{env['PLUMBLINE_BIND']}/") as page:
            return bool(page.status == 200)
    except (urllib.error.URLError, ConnectionError):
        return False


def wait_for(ready: Callable[[], bool], what: str) -> None:
    """TimeoutError where it takes too long."""
    until = time.monotonic() + START_SECONDS
    while not ready():
        if time.monotonic() > until:
            raise TimeoutError(f"{what} did not answer")
        time.sleep(0.05)


if __name__ == "__main__":
    sys.exit(main())
