"""The programs of a grown site, started as its systemd units say."""

import configparser
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from django.conf import settings as site

from benchmarks.upgrade import service_manager
from leaderboard.embedded import web_server as web
from leaderboard.embedded.processes import kill_group, spawn, stop
from tests.servers import free_ports
from tests.waiting import wait_until

UNITS = Path(site.BASE_DIR) / "deploy" / "systemd"
PYTHON = "/opt/plumbline/.venv/bin/python"


def command(name: str, env: Mapping[str, str]) -> list[str]:
    """ExecStart of a unit; variables are put in as systemd does."""
    parsed = configparser.ConfigParser(interpolation=None, delimiters=("=",))
    parsed.read(UNITS / f"plumbline-{name}.service", encoding="utf-8")
    said = parsed["Service"]["ExecStart"].replace(PYTHON, sys.executable)
    words = shlex.split(said)
    return [re.sub(r"\$\{(\w+)\}", lambda found: env[found[1]], word) for word in words]


@contextmanager
def started(
    name: str, number: int, env: Mapping[str, str], grace: float = 0
) -> Iterator[Path]:
    """One process of a unit, with nothing but an environment; gives its log.

    It is killed, as with nothing under way there is nothing to wait for, or asked to
    end, which it must within `grace` seconds.
    """
    log = site.TEST_DATA / f"unit-{name}-{number}.log"
    log.unlink(missing_ok=True)
    process = spawn(command(name, env), log, env=env, cwd=site.BASE_DIR)
    try:
        yield log
        if grace:
            assert stop(process, grace), f"{name} ended within {grace:g} s"
    finally:
        kill_group(process)
        process.wait()


@contextmanager
def grown_site(
    env: Mapping[str, str], webs: int, workers: int, grace: float = 0
) -> Iterator[list[int]]:
    """Web servers, then workers and one sweeper; gives the ports when all are ready.

    `grace`: see `started`.
    """
    ports = free_ports(webs)
    with ExitStack() as stack:
        for number, port in enumerate(ports):
            own = {**env, "PLUMBLINE_BIND": f"{web.HOST}:{port}"}
            told, is_ready = stack.enter_context(service_manager(own))
            stack.enter_context(started("web", number, told, grace))
            wait_until(is_ready, 60, "a web server says that it is ready")
        logs = [
            stack.enter_context(started("worker", number, env, grace))
            for number in range(workers)
        ]
        stack.enter_context(started("sweeper", 0, env, grace))
        for port in ports:
            wait_until(lambda at=port: web.is_ready(at), 60, "a site")
        for log in logs:
            wait_until(lambda at=log: b" ready." in at.read_bytes(), 60, f"{log}")
        yield ports


def environment(**values: str) -> dict[str, str]:
    """Environment of one machine of the site: of ours only what finds programs."""
    kept = ("PATH", "HOME", "PLUMBLINE_TEST_DATA", "PYTEST_XDIST_WORKER")
    return {key: os.environ[key] for key in kept if key in os.environ} | values


def manage(*words: str, env: Mapping[str, str]) -> None:
    argv = [sys.executable, "manage.py", *words]
    subprocess.run(argv, cwd=site.BASE_DIR, env=env, check=True)
