"""The client of a sandbox server, for processes that must not fork.

A web process has threads, and a fork of it may find a lock taken for ever by a thread
that the child does not have. So it asks a sandbox server: a small process, started
clean and with one thread only, which forks per job.
"""

import json
import logging
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from leaderboard.sandbox.fork import JobFailed, LimitExceeded, Limits

log = logging.getLogger(__name__)
ROOT = Path(__file__).resolve().parents[2]
KNOCK = b"!"
PIECE = 1 << 20
# All that the process is told of the site: how to find Python, its modules, and the
# folder of a site's data, which settings make if it is not there. No secret.
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
)
SPARE_SECONDS = 10.0  # above the wall clock that the sandbox server itself watches


class _Gone(Exception):
    """The sandbox server ended before it answered."""


@dataclass(frozen=True)
class SandboxJob:
    """Arguments of the work: a head of plain values, and files as bytes."""

    head: dict[str, Any]
    files: Sequence[bytes]
    limits: Limits

    def packed(self) -> bytes:
        """One line of JSON, then the files one after the other."""
        sizes = [len(file) for file in self.files]
        line = {"head": self.head, "sizes": sizes, "limits": asdict(self.limits)}
        return b"".join([json.dumps(line).encode(), b"\n", *self.files])


class SandboxServer:
    """A process that runs the function `work`, named "module:function", confined.

    The function takes head and files of a job and returns bytes.
    """

    def __init__(self, work: str) -> None:
        self.work = work
        self._lock = threading.Lock()
        self._link: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, job: SandboxJob) -> bytes:
        """What the work returned. Raises Exceeded or Broken.

        A sandbox server that was killed is started anew, once.
        """
        link = self.start()
        try:
            return _asked(link, job)
        except _Gone:
            log.error("the sandbox server for %s is gone; starting another", self.work)
        self._forget(link)
        try:
            return _asked(self.start(), job)
        except _Gone:
            raise JobFailed("the sandbox server ended before it answered") from None

    def start(self) -> socket.socket:
        """Start the process unless it is there; does not wait until it is ready."""
        with self._lock:
            if self._link is None:
                self._link, theirs = socket.socketpair()
                with theirs:
                    self._process = _started(self.work, theirs.fileno())
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


def _started(work: str, link: int) -> "subprocess.Popen[bytes]":
    argv = [sys.executable, "-m", "leaderboard.sandbox.server", work, str(link)]
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    env = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    env["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    return subprocess.Popen(
        argv, env=env, stdin=subprocess.DEVNULL, pass_fds=[link], start_new_session=True
    )


def _asked(link: socket.socket, job: SandboxJob) -> bytes:
    """Each job has a connection of its own, handed over with a knock."""
    ours, theirs = socket.socketpair()
    with ours:
        with theirs, suppress(OSError):  # a link that broke shows in the answer
            socket.send_fds(link, [KNOCK], [theirs.fileno()])
        ours.settimeout(job.limits.wall_seconds + SPARE_SECONDS)
        try:
            ours.sendall(job.packed())
            ours.shutdown(socket.SHUT_WR)
            return _judged(received(ours))
        except TimeoutError:
            raise JobFailed("the sandbox server did not answer") from None
        except OSError:
            raise _Gone from None


def received(connection: socket.socket) -> bytes:
    """Everything until the other side has said all."""
    whole = bytearray()
    while piece := connection.recv(PIECE):
        whole += piece
    return bytes(whole)


def _judged(answer: bytes) -> bytes:
    line, found, rest = answer.partition(b"\n")
    if not found:
        raise _Gone
    kind, said = json.loads(line)
    if kind == "exceeded":
        raise LimitExceeded(said)
    if kind == "broken":
        raise JobFailed(said)
    return rest
