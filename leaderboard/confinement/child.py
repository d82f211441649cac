"""Work on a stranger's file in a child process that can harm nobody but itself.

The child is a fork of the process that asks, not a fresh interpreter: parsed gold and
imported modules are there at once (a few milliseconds against a third of a second),
and the gold never has to be written down for somebody else to read. What a fork brings
along and the child must not touch - database, broker, client sockets - is closed
before the work begins, and the child leaves by `_exit`, so that nothing of the
parent's is flushed, committed or closed twice.
"""

import errno
import gc
import logging
import os
import resource
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from types import TracebackType
from typing import NoReturn

from leaderboard.confinement import kernel

log = logging.getLogger(__name__)
DONE, FAILED, NO_MEMORY, TOO_LARGE = 0, 70, 71, 72
PIECE = 1 << 16
DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG
FRAMES_SHOWN = 5
RESET = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD, signal.SIGUSR1)


@dataclass(frozen=True, slots=True)
class Limits:
    """What the child may use. Memory is counted on top of what the parent had."""

    cpu_seconds: int
    wall_seconds: float
    memory_bytes: int
    answer_bytes: int = 256 << 20


class Exceeded(Exception):
    """The work used up a limit: `what` is "cpu", "memory" or "file_size"."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class Broken(Exception):
    """The child ended without an answer, and not because of a limit: our fault."""


class Unwanted(Exception):
    """Whoever asked no longer wants the answer; the child was ended."""


@dataclass(frozen=True, slots=True)
class Watch:
    """`still_wanted` is asked every so many seconds while the child works."""

    still_wanted: Callable[[], bool] = lambda: True
    every: float = 3600.0


def confined(
    work: Callable[[], bytes], limits: Limits, watch: Watch | None = None
) -> bytes:
    """What `work()` returns, computed in a child under `limits`.

    Raises Exceeded, Broken or Unwanted; the child is gone in every case.
    """
    _say_what_is_missing()
    reader, writer = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        _be_the_child(work, limits, writer, parent)
    os.close(writer)
    child = _Child(pid, reader, limits)
    try:
        return child.answer(watch or Watch())
    finally:
        child.end()
        os.close(reader)


@cache
def _say_what_is_missing() -> None:
    if not kernel.can_forbid():
        log.warning(
            "this kernel takes no seccomp filter: children that read strangers' files "
            "could open connections"
        )


class _Child:
    """The parent's side: reads, watches the clock, and ends the child."""

    def __init__(self, pid: int, reader: int, limits: Limits) -> None:
        self.pid = pid
        self.reader = reader
        self.limits = limits
        self.alive = True
        # The child does the same; whoever is first, a kill of the group works.
        _own_group(pid)

    def answer(self, watch: Watch) -> bytes:
        received = bytearray()
        now = time.monotonic()
        deadline, beat = now + self.limits.wall_seconds, now + watch.every
        # poll, not select: a web server's descriptors may have numbers past 1023.
        pipe = select.poll()
        pipe.register(self.reader, select.POLLIN)
        while now < deadline:
            if pipe.poll(max(0.0, min(deadline, beat) - now) * 1000):
                piece = os.read(self.reader, PIECE)
                if not piece:
                    return self._judge(bytes(received))
                received += piece
            if len(received) > self.limits.answer_bytes:
                raise Broken(f"the answer is larger than {self.limits.answer_bytes}")
            now = time.monotonic()
            if now >= beat:
                beat = now + watch.every
                if not watch.still_wanted():
                    raise Unwanted
        raise Broken(f"no answer in {self.limits.wall_seconds:g} s")

    def _judge(self, received: bytes) -> bytes:
        status, cpu = self._wait()
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            # The kernel sends SIGKILL itself once the hard limit is passed as well.
            if number == signal.SIGXCPU or cpu >= self.limits.cpu_seconds:
                raise Exceeded("cpu")
            raise Broken(f"ended by signal {number}")
        code = os.WEXITSTATUS(status)
        if code == NO_MEMORY:
            raise Exceeded("memory")
        if code == TOO_LARGE:
            raise Exceeded("file_size")
        if code != DONE:
            said = received[:2000].decode("utf-8", "replace")
            raise Broken(said or f"exit code {code}")
        return received

    def _wait(self) -> tuple[int, float]:
        """Exit status and processor seconds."""
        _, status, used = os.wait4(self.pid, 0)
        self.alive = False
        return status, used.ru_utime + used.ru_stime

    def end(self) -> None:
        if self.alive:
            try:
                os.killpg(self.pid, signal.SIGKILL)
            except ProcessLookupError:
                os.kill(self.pid, signal.SIGKILL)
            self._wait()


def _own_group(pid: int) -> None:
    with suppress(PermissionError, ProcessLookupError):  # it has ended already
        os.setpgid(pid, pid)


class _Ending:
    """Leaves the process with the code that says how the block ended."""

    def __init__(self, writer: int) -> None:
        self.writer = writer

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> NoReturn:
        if error is None:
            os._exit(DONE)
        if isinstance(error, MemoryError):
            os._exit(NO_MEMORY)
        if isinstance(error, OSError) and error.errno == errno.EFBIG:
            os._exit(TOO_LARGE)
        try:
            _send(self.writer, described(error).encode("utf-8", "replace"))
        finally:
            os._exit(FAILED)


def described(error: BaseException) -> str:
    """Kind and place of an error, without its message, which may quote the gold."""
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES_SHOWN:]
    places = [
        f"{os.path.basename(f.filename)}:{f.lineno} {f.name}" for f in reversed(frames)
    ]
    return f"{type(error).__name__} in {' < '.join(places)}"


def _be_the_child(
    work: Callable[[], bytes], limits: Limits, writer: int, parent: int
) -> NoReturn:
    with _Ending(writer):
        _isolate(parent, writer)
        _restrict(limits)
        _send(writer, work())
    raise AssertionError("the block above ends the process")


def _isolate(parent: int, writer: int) -> None:
    _own_group(0)
    if kernel.PRCTL is not None:
        kernel.PRCTL(DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:  # it died before we could ask
        os._exit(FAILED)
    # A collection would otherwise copy every page that holds an object of the parent.
    gc.freeze()
    signal.set_wakeup_fd(-1)
    for number in RESET:
        signal.signal(number, signal.SIG_DFL)
    os.closerange(3, writer)
    os.closerange(writer + 1, 1 << 16)


def _restrict(limits: Limits) -> None:
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, 0)  # scoring writes nothing
    _limit(resource.RLIMIT_CPU, limits.cpu_seconds, spare=2)
    if sys.platform == "linux":
        _limit(resource.RLIMIT_AS, _address_space() + limits.memory_bytes)
    kernel.forbid()


def _limit(kind: int, value: int, spare: int = 0) -> None:
    """Lower a limit; `spare` is what the hard one is higher."""
    _, hard = resource.getrlimit(kind)
    highest = value + spare if hard < 0 else min(value + spare, hard)
    resource.setrlimit(kind, (min(value, highest), highest))


def _address_space() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def _send(writer: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(writer, view) :]
