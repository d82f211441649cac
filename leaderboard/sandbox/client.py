"""The client of the sandbox: one call for work on strangers' files.

A web process has threads, and a fork of it may find a lock taken for ever by a thread
that the child does not have. So it asks a sandbox server: a small process, started
clean and with one thread only, which forks per job and which web processes share. A
worker forks itself: what it has read is at hand in its child. The one thread beside it
(`mail.sender`) lets no fork happen while it may hold a lock that the child needs.
"""

import logging
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path

from django.conf import settings

from leaderboard.sandbox import jobs
from leaderboard.sandbox.jobs import ELSEWHERE, OTHER, PRIORITIES, load, perform
from leaderboard.sandbox.queue import JobQueue
from leaderboard.web import requests
from leaderboard.web.extras import SandboxJob, joined, modules_in
from scoring import Refused
from scoring.sandbox.codec import (
    Request,
    Values,
    decode,
    encode,
    problems_of,
    receive,
)
from scoring.sandbox.fork import (
    JobFailed,
    LimitExceeded,
    Limits,
    Supervision,
    describe_error,
    run_in_fork,
)

log = logging.getLogger(__name__)
KNOCK = b"!"
# All that the process is told of the site: how to find Python, its modules, extras
# among them, and the folder of a site's data, which settings make if it is not there.
# No secret.
ENVIRONMENT = (
    "PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LD_LIBRARY_PATH",
    "PYTHONPATH",
    "PYTHONDONTWRITEBYTECODE",
    "DJANGO_SETTINGS_MODULE",
    "PLUMBLINE_DATA",
    "PLUMBLINE_EXTRA_PACKAGES",
)
SPARE_SECONDS = 10.0  # above the wall clock that the sandbox server itself watches


ROOT = Path(__file__).resolve().parents[2]


# Every job of a request waits here, as each may take the published memory. A slot is
# waited for a little longer than a check may take of a processor.
queue = JobQueue(slots=3, seconds=30, owner=requests.asker)


def run(
    job: str, request: Request, limits: Limits | None = None
) -> tuple[Values, list[bytes]]:
    """Values and files that a job answers, run by a sandbox server.

    Waits in the queue first. Raises Refused with the problems of its files (one that
    used up a limit with LimitExceeded, which is one of them), JobFailed where the
    fault is ours, and QueueFull, which ErrorPages turns into an answer.
    """
    limits, priority = limits or check_limits(), PRIORITIES.get(job, OTHER)
    with queue.slot(priority):
        try:
            answer = _perform(_path_of(job), request, limits, priority.nice)
            values, files = decode(answer)
            if not isinstance(values, dict) or len(values) != 1:
                raise JobFailed("an answer that no job gives")
            problems = problems_of(values.get("problems", []))
        except JobFailed as fault:
            # Where it broke, without what was said, in which gold could stand.
            log.error("sandbox job %s failed: %s", job, str(fault)[:300])
            raise
    if problems:
        raise Refused(problems)
    return values["answer"], files


def run_in_child(
    work: Callable[[], bytes], limits: Limits, watch: Supervision | None = None
) -> bytes:
    """Run `work` in a child of this process, which must be a worker.

    Raises LimitExceeded, JobFailed and Abandoned.
    """
    if settings.SANDBOX_INLINE:
        return _inline(work, limits)
    return run_in_fork(work, limits, watch)


def check_limits() -> Limits:
    return Limits(
        cpu_seconds=settings.CHECK_CPU_SECONDS,
        wall_seconds=settings.CHECK_WALL_SECONDS,
        memory_bytes=settings.SCORE_MEMORY_MB << 20,
    )


def _path_of(job: str) -> str:
    """The path of the function of a job, of one that an extra adds too."""
    if job in ELSEWHERE:
        return ELSEWHERE[job]
    for added in joined(SandboxJob):
        if added.name == job:
            path: str = added.path
            return path
    module, _, function = job.partition(".")
    return f"{jobs.__name__}.{module}:{function or module}"


def _perform(path: str, request: Request, limits: Limits, nice: int) -> bytes:
    if settings.SANDBOX_INLINE:
        return _inline(lambda: perform(load(path), request), limits)
    kept: SandboxServer = getattr(_series, "server", server)
    for link in (server, kept):
        if path in link.paths or path.partition(":")[0] in link.paths:
            return link.ask(path, request, limits, nice)
    own = SandboxServer(path)  # such jobs are rare: it ends with the job
    try:
        return own.ask(path, request, limits, nice)
    finally:
        own.stop()


@contextmanager
def series(job: str) -> Iterator[None]:
    """Jobs of an extra that this thread asks for one after the other share a sandbox
    server, which ends with the last."""
    _series.server = own = SandboxServer(_path_of(job))
    try:
        yield
    finally:
        del _series.server
        own.stop()


def _inline(work: Callable[[], bytes], limits: Limits) -> bytes:
    """Run a job in this very process, which no limit holds: for tests."""
    try:
        return work()
    except MemoryError:
        raise LimitExceeded("memory", limits) from None
    except Exception as error:
        raise JobFailed(describe_error(error)) from None


class _Gone(Exception):
    """The sandbox server ended before it answered."""


class SandboxServer:
    """A process that runs the jobs at `paths`, each in a child of its own: those of
    one function ("module:function"), or of whole modules."""

    def __init__(self, *paths: str) -> None:
        self.paths = paths
        self._lock = threading.Lock()
        self._link: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, path: str, request: Request, limits: Limits, nice: int = 0) -> bytes:
        """The encoded answer of a job. Raises LimitExceeded and JobFailed.

        A sandbox server that was killed is started anew, once.
        """
        about = {"path": path, "values": request.values, "nice": nice}
        message = encode({**about, "limits": asdict(limits)}, request.files)
        link = self.start()
        try:
            return _answer_by_helper(link, message, limits)
        except _Gone:
            log.error("the sandbox server is gone; starting another")
        self._forget(link)
        try:
            return _answer_by_helper(self.start(), message, limits)
        except _Gone:
            raise JobFailed("the sandbox server ended before it answered") from None

    def start(self) -> socket.socket:
        """Start the process unless it is there; does not wait until it is ready."""
        with self._lock:
            if self._link is None:
                self._link, theirs = socket.socketpair()
                with theirs:
                    self._process = _start(self.paths, theirs.fileno())
            return self._link

    def stop(self) -> None:
        if self._link is not None:
            self._forget(self._link)

    def _forget(self, link: socket.socket) -> None:
        with self._lock:
            if self._link is not link:
                return  # another thread was first
            link.close()  # which ends the sandbox server, if it is still there
            if self._process is not None:
                self._process.wait()
            self._link = self._process = None


_series = threading.local()
server = SandboxServer(*modules_in(jobs.__name__))


def _start(paths: tuple[str, ...], link: int) -> "subprocess.Popen[bytes]":
    argv = [sys.executable, "-m", f"{__package__}.server", str(link), *paths]
    places = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    env = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    env["PYTHONPATH"] = os.pathsep.join(filter(None, places))
    return subprocess.Popen(
        argv, env=env, stdin=subprocess.DEVNULL, pass_fds=[link], start_new_session=True
    )


def _answer_by_helper(link: socket.socket, message: bytes, limits: Limits) -> bytes:
    """Each job has a connection of its own, handed over with a knock."""
    ours, theirs = socket.socketpair()
    with ours:
        with theirs, suppress(OSError):  # a link that broke shows in the answer
            socket.send_fds(link, [KNOCK], [theirs.fileno()])
        ours.settimeout(limits.wall_seconds + SPARE_SECONDS)
        try:
            ours.sendall(message)
            ours.shutdown(socket.SHUT_WR)
            answer = receive(ours)
        except TimeoutError:
            raise JobFailed("the sandbox server did not answer") from None
        except OSError:
            raise _Gone from None
    if not answer:
        raise _Gone
    outcome, files = decode(answer)
    if "exceeded" in outcome:
        raise LimitExceeded(outcome["exceeded"], limits)
    if "failed" in outcome:
        raise JobFailed(outcome["failed"])
    return files[0]
