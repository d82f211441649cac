"""A real Celery worker on the test database."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import redis

from leaderboard.celery import LANES, QUEUES
from leaderboard.embedded.processes import Process, kill_group, spawn, stop
from leaderboard.submissions.management.commands.work import nothing_left
from tests.waiting import wait_until

START_SECONDS = 90.0
DRAIN_SECONDS = 120.0
STOP_SECONDS = 10.0
UNACKED = "unacked"
EVERYTHING = (*QUEUES, *LANES)


class Worker:
    """Start, stop and kill it at will; it starts in about a second."""

    def __init__(self, env: dict[str, str], redis_url: str, log: Path) -> None:
        self._env = {**os.environ, **env}
        self._broker = redis.Redis.from_url(redis_url)
        self._process: Process | None = None
        self.log = log

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Returns once the worker takes jobs."""
        if not self.running:
            self._wait_until_up(self._launch())

    def _launch(self) -> int:
        """How long its log was before."""
        self.log.touch()
        seen = self.log.stat().st_size
        self._process = spawn(self._command(), self.log, env=self._env)
        return seen

    def _command(self) -> list[str]:
        celery = [sys.executable, "-m", "celery", "-A", "leaderboard", "worker"]
        alone = ["--without-mingle", "--without-gossip"]
        takes = ["--queues", ",".join(EVERYTHING)]  # there is no scheduler beside it
        options = ["--concurrency", "2", "--loglevel", "INFO", *takes, *alone]
        return [*celery, *options]

    def _wait_until_up(self, seen: int) -> None:
        wait_until(lambda: self._said(b" ready.", seen), START_SECONDS, "worker is up")

    def stop(self) -> None:
        """Let it finish what it does, as a restart would."""
        if self._process is not None:
            stop(self._process, STOP_SECONDS)

    def kill(self) -> None:
        """End it and its children at once, as a crash would."""
        if self._process is not None:
            kill_group(self._process)
            self._process.wait()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """It takes no job for a while, and does not know."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.killpg(self._process.pid, signal.SIGCONT)

    def drain(self) -> None:
        """Wait until no job waits or runs; forget those nobody will take."""
        if self.running:
            wait_until(self._idle, DRAIN_SECONDS, f"worker is idle ({self.log})")
        else:
            self._broker.delete(*EVERYTHING, UNACKED, f"{UNACKED}_index")

    def _idle(self) -> bool:
        waiting = sum(map(self._broker.llen, EVERYTHING))
        return not waiting and not self._broker.hlen(UNACKED)

    def _said(self, words: bytes, since: int) -> bool:
        if not self.running:
            raise RuntimeError(f"the worker ended: {self.log.read_text()[since:]}")
        return words in self.log.read_bytes()[since:]


class WorkerWithoutBroker(Worker):
    """`manage.py work`, which nobody has to tell anything."""

    def _command(self) -> list[str]:
        return [sys.executable, "manage.py", "work", "--poll", "0.1"]

    def _wait_until_up(self, seen: int) -> None:
        """Nothing is lost before it looks at the database for the first time."""

    def drain(self) -> None:
        if self.running:
            wait_until(nothing_left, DRAIN_SECONDS, f"worker is idle ({self.log})")
