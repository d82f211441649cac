"""`manage.py serve` as somebody at a terminal meets it."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import cast

import psutil
import pytest

from leaderboard.embedded import broker
from tests.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]
# A test's own settings and servers must not leak into a site of its own.
OURS = ("DATABASE_URL", "DJANGO_SETTINGS_MODULE", "REDIS_URL", "PLUMBLINE_TEST_DATA")
PROGRAM = (sys.executable, str(ROOT / "manage.py"))
LATER = 1.0  # seconds by which a sweep came after something, and not with it


class Site:
    """A served site in a data directory of its own."""

    def __init__(
        self, data: Path, *words: str, program: tuple[str, ...] = PROGRAM, **env: str
    ) -> None:
        self.data = data
        outside = {name: v for name, v in os.environ.items() if name not in OURS}
        place = {"PLUMBLINE_DATA": str(data), "PLUMBLINE_PORT": "18000"}
        self.process = subprocess.Popen(
            [*program, "serve", *words],
            env=outside | place | env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.said: list[str] = []
        self.address = ""

    def wait_for(self, pattern: str) -> str:
        """The first new line that matches; what it said if there is none."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line)
            if re.search(pattern, line):
                return line
        pytest.fail(f"ended without saying {pattern}: {''.join(self.said)}")

    def wait_for_address(self) -> str:
        return self.wait_for("Plumbline is at").split()[-1]

    def family(self) -> list[psutil.Process]:
        """Every process of this site, found by its data directory."""
        return [process for process in psutil.process_iter() if self._ours(process)]

    def _ours(self, process: psutil.Process) -> bool:
        with suppress(psutil.Error):
            return process.environ().get("PLUMBLINE_DATA") == str(self.data)
        return False

    def child(self, words: str) -> psutil.Process:
        """The direct child whose command line has `words`."""
        children = psutil.Process(self.process.pid).children()
        return next(c for c in children if words in " ".join(c.cmdline()))

    def log(self, name: str) -> str:
        return (self.data / "logs" / f"{name}.log").read_text()

    def since_sweep(self) -> float | None:
        """Seconds since the worker looked for what is due; None if it never did."""
        with urllib.request.urlopen(f"{self.address}readyz") as answer:
            return cast(float | None, json.load(answer)["sweep_seconds"])

    def end(self, number: int) -> int:
        assert self.process.stdout is not None
        self.process.send_signal(number)
        self.said.append(self.process.stdout.read())
        return self.process.wait(60)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One demo for all that can share it: each start from nothing takes seconds."""
    site = Site(tmp_path_factory.mktemp("site"), "--demo")
    site.address = site.wait_for_address()
    yield site
    site.process.kill()
    site.process.wait()


def test_the_front_page_is_there_when_it_says_so(site: Site) -> None:
    with urllib.request.urlopen(site.address) as page:
        assert page.status == 200


def test_boards_of_the_demonstration_are_computed_before_anybody_asks(
    site: Site,
) -> None:
    loaded = (site.data / "logs/load_demo.log").stat().st_mtime
    with sqlite3.connect(site.data / "plumbline.sqlite3") as database:
        asked = "SELECT max(at), count(*) FROM submissions_computedboards"
        computed, phases = database.execute(asked).fetchone()
    assert phases > 1
    assert datetime.fromisoformat(f"{computed}+00:00").timestamp() <= loaded
    page = urllib.request.urlopen(f"{site.address}tasks/river-parsing/test/board/")
    with page:
        assert page.status == 200


def test_everybody_in_the_demonstration_has_a_confirmed_address(site: Site) -> None:
    with sqlite3.connect(site.data / "plumbline.sqlite3") as database:
        asked = database.execute(
            "SELECT count(*), sum(verified) FROM teams_user"
            " LEFT JOIN account_emailaddress ON user_id = teams_user.id"
        )
        people, confirmed = asked.fetchone()
    assert people == confirmed > 9


def test_a_second_one_on_the_same_data_is_told(site: Site) -> None:
    second = Site(site.data)
    line = second.wait_for("already serves")
    assert f"{site.data} (process {site.process.pid})" in line
    assert second.process.wait(60) == 1


def test_the_sweeper_reaches_the_worker(site: Site) -> None:
    wait_until(lambda: site.since_sweep() is not None, what="a sweep ran")


def test_a_killed_worker_comes_back(site: Site) -> None:
    before = site.child("celery -A leaderboard worker")
    before.kill()
    site.wait_for("worker ended with -9")
    wait_until(lambda: site.log("worker").count(" ready.") == 2, what="it is back")
    assert site.child("celery -A leaderboard worker").pid != before.pid


def test_a_killed_broker_comes_back_and_the_worker_goes_on(site: Site) -> None:
    at = broker.socket_of(broker.default_url(site.data))
    assert at is not None
    worker = site.child("celery -A leaderboard worker")
    site.child("valkey-server").kill()
    site.wait_for("broker ended with -9")
    wait_until(lambda: broker.answers(at), what="the broker is back")
    back = time.monotonic()

    def swept() -> bool:
        ago = site.since_sweep()
        return ago is not None and ago + LATER < time.monotonic() - back

    wait_until(swept, 90, "a sweep ran")
    assert site.child("celery -A leaderboard worker").pid == worker.pid


def test_a_killed_web_server_comes_back_at_the_same_address(site: Site) -> None:
    site.child("gunicorn").kill()
    site.wait_for("web ended with -9")
    with urllib.request.urlopen(site.address) as page:
        assert page.status == 200


def test_ctrl_c_leaves_no_process_and_the_demo_starts_again_quickly(site: Site) -> None:
    assert len(site.family()) > 5
    assert site.end(signal.SIGINT) == 0
    assert site.said[-1].endswith("stopped\n")
    wait_until(lambda: not site.family(), what="every process is gone")
    prepared = site.log("migrate"), site.log("load_demo")
    again = Site(site.data, "--demo")
    again.wait_for_address()
    assert prepared == (again.log("migrate"), again.log("load_demo"))
    assert again.end(signal.SIGTERM) == 0
    wait_until(lambda: not site.family(), what="every process is gone")
    first, second = ("".join(one.said) for one in (site, again))
    for said in (first, second):
        assert re.search(r"^  organizer +\S+@\S+ +\S+$", said, re.MULTILINE)
        assert re.search(r"^  participant +\S+@\S+ +\S+$", said, re.MULTILINE)
    assert "static    collected" in first
    assert "static    collected" not in second


def test_ctrl_c_during_the_start_leaves_nothing_either(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.wait_for("broker")
    assert site.end(signal.SIGINT) == 0
    wait_until(lambda: not site.family(), what="every process is gone")


def test_a_database_that_is_not_there_is_one_message(site: Site) -> None:
    """Where the static files are collected: that takes longer than all else."""
    if site.process.poll() is None:
        site.end(signal.SIGINT)
    nowhere = "postgresql://nobody@%2Fnowhere/none"
    other = Site(site.data, DATABASE_URL=nowhere)
    other.wait_for("migrate ended with 1")
    other.wait_for("/nowhere")
    other.wait_for(r"migrate\.log")
    assert other.process.wait(60) == 1
    assert other.family() == []
