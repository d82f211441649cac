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

from scoring.errors import Problem, Refused
from scoring.messages import Messages, _
from scoring.sandbox import kernel
from scoring.sandbox.kernel import Restrictions

MESSAGES = Messages(
    cpu=_(
        "the file needs more than %(seconds)s s of processor time, which "
        "is the published limit"
    ),
    memory=_(
        "the file needs more than %(size)s MiB of memory, which is the published limit"
    ),
    file_size=_("the file makes the scorer write to the disk"),
    limit=_("its limit was used up: %(limit)s"),
)

log = logging.getLogger(__name__)
DONE, FAILED, NO_MEMORY, TOO_LARGE = 0, 70, 71, 72
PIECE = 1 << 16
DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG
FRAMES_SHOWN = 5
SPARE = 16 << 20
MOST_FILES = 64  # open at a time
EXITING = 0x4  # PF_EXITING
NOTHING_NAMED = Restrictions()
RESET = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD, signal.SIGUSR1)


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of the child. Memory is counted on top of what the parent had."""

    cpu_seconds: int
    wall_seconds: float
    memory_bytes: int
    answer_bytes: int = 256 << 20
    file_bytes: int = 0  # of each file that is written


class LimitExceeded(Refused):
    """The work used up a limit: `what` is "cpu", "memory" or "file_size".

    Of a program also "wall", "output", "folder", "files" or "written"; `output` is what
    it had said.
    """

    output = b""

    def __init__(self, what: str, limits: Limits) -> None:
        self.what = what
        super().__init__(over_limit(what, limits))

    def __str__(self) -> str:
        return self.what


def over_limit(what: str, limits: Limits) -> Problem:
    """The finding for a file that used up a limit, with the published number."""
    texts = {
        "cpu": (
            "cpu_time",
            MESSAGES("cpu", seconds=limits.cpu_seconds),
        ),
        "memory": (
            "memory",
            MESSAGES("memory", size=limits.memory_bytes >> 20),
        ),
        "file_size": ("file_size", MESSAGES("file_size")),
    }
    return Problem(*texts.get(what, (what, MESSAGES("limit", limit=what))))


class JobFailed(Exception):
    """The child ended without an answer, and not because of a limit: our fault.

    `output` is what it had said until then.
    """

    output = b""


class TimedOut(JobFailed):
    """The child had not ended when the wall clock had run out."""


class KilledFromOutside(JobFailed):
    """Something beside the sandbox ended the child, as the kernel does without
    memory."""


class DiskFull(JobFailed):
    """A program ended in error, and no room is left for files on the machine."""


class AnswerTooLong(JobFailed):
    """The child wrote more than it may."""


class Abandoned(Exception):
    """The answer is no longer wanted; the child was ended."""


@dataclass(frozen=True, slots=True)
class Supervision:
    """`still_wanted` is asked every so many seconds while the child works, and `begins`
    is told its number.

    What they raise ends the child as well.
    """

    still_wanted: Callable[[], bool] = lambda: True
    every: float = 3600.0
    begins: Callable[[int], None] = lambda _pid: None


def run_in_fork(
    work: Callable[[], bytes],
    limits: Limits,
    watch: Supervision | None = None,
    restrictions: Restrictions = NOTHING_NAMED,
) -> bytes:
    """Run `work` in a child under `limits`; gives the bytes that it returns.

    The child may do what `restrictions` name. Raises LimitExceeded, JobFailed or
    Abandoned; the child is gone in every case.
    """
    _warn_of_what_is_missing()
    code, received = run_child(work, limits, watch or Supervision(), restrictions)
    if code == NO_MEMORY:
        raise LimitExceeded("memory", limits)
    if code == TOO_LARGE:
        raise LimitExceeded("file_size", limits)
    if code != DONE:
        message = received[:2000].decode("utf-8", "replace")
        raise JobFailed(message or f"exit code {code}")
    return received


def run_child(
    work: Callable[[], bytes],
    limits: Limits,
    watch: Supervision,
    restrictions: Restrictions,
) -> tuple[int, bytes]:
    """Exit code of such a child, and what it wrote. Raises as `run_in_fork`."""
    kernel.prepare(restrictions)
    kernel.release_free_memory()
    reader, writer = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        _be_the_child(work, (limits, restrictions), writer, parent)
    os.close(writer)
    child = _Child(pid, reader, limits)
    try:
        watch.begins(pid)
        return child.wait(watch)
    except (LimitExceeded, JobFailed) as error:
        error.output = bytes(child.received)
        raise
    finally:
        child.end()
        os.close(reader)


@cache
def _warn_of_what_is_missing() -> None:
    for part, consequence in kernel.missing().items():
        log.warning(
            "this kernel has no %s: if a file took over the process that reads it, %s",
            part,
            consequence,
        )


class _Child:
    """The parent's side: reads, watches the clock, and ends the child."""

    def __init__(self, pid: int, reader: int, limits: Limits) -> None:
        self.pid = pid
        self.reader = reader
        self.limits = limits
        self.alive = True
        self.received = bytearray()
        # The child does the same; whoever is first, a kill of the group works.
        _own_group(pid)

    def wait(self, watch: Supervision) -> tuple[int, bytes]:
        received = self.received
        now = time.monotonic()
        deadline, beat = now + self.limits.wall_seconds, now + watch.every
        # poll, not select: a web server's descriptors may have numbers past 1023.
        pipe = select.poll()
        pipe.register(self.reader, select.POLLIN)
        while now < deadline:
            if pipe.poll(max(0.0, min(deadline, beat) - now) * 1000):
                piece = os.read(self.reader, PIECE)
                if not piece:
                    return self._exit_code(), bytes(received)
                received += piece
            if len(received) > self.limits.answer_bytes:
                raise AnswerTooLong(
                    f"the answer is larger than {self.limits.answer_bytes}"
                )
            now = time.monotonic()
            if now >= beat:
                beat = now + watch.every
                if not watch.still_wanted():
                    raise Abandoned
        raise TimedOut(f"no answer in {self.limits.wall_seconds:g} s")

    def _exit_code(self) -> int:
        # It has ended, or has closed the pipe to live on: then it ends now.
        lives_on = not _is_exiting(self.pid)
        self._kill()
        status, cpu = self._wait()
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            # The kernel sends SIGKILL itself once the hard limit is passed as well.
            if number == signal.SIGXCPU or cpu >= self.limits.cpu_seconds:
                raise LimitExceeded("cpu", self.limits)
            if number == signal.SIGKILL and lives_on:
                raise JobFailed("ended because it closed its output and went on")
            if number == signal.SIGKILL:  # which it cannot send itself
                raise KilledFromOutside("ended from outside, as without memory")
            raise JobFailed(f"ended by signal {number}")
        return os.WEXITSTATUS(status)

    def _wait(self) -> tuple[int, float]:
        """Exit status and processor seconds."""
        _, status, used = os.wait4(self.pid, 0)
        self.alive = False
        return status, used.ru_utime + used.ru_stime

    def end(self) -> None:
        if self.alive:
            self._kill()
            self._wait()

    def _kill(self) -> None:
        """Kill the child's whole group; how one that is ending already ends does not
        change."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):  # macOS: only zombies are left
            os.kill(self.pid, signal.SIGKILL)


def _is_exiting(pid: int) -> bool:
    """Whether a child is about to end or has ended, not waiting for it.

    Field 9 of its line in /proc has the kernel's flags. Without /proc it counts as so.
    """
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return True
    return bool(int(fields[6]) & EXITING)


def _own_group(pid: int) -> None:
    with suppress(PermissionError, ProcessLookupError):  # it has ended already
        os.setpgid(pid, pid)


class _Ending:
    """A block whose end leaves the process, with the code that says how it ended."""

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
        refused = error.errno if isinstance(error, OSError) else None
        if isinstance(error, MemoryError) or refused == errno.ENOMEM:
            os._exit(NO_MEMORY)
        if refused == errno.EFBIG:
            os._exit(TOO_LARGE)
        try:
            _send(self.writer, describe_error(error).encode("utf-8", "replace"))
        finally:
            os._exit(FAILED)


def describe_error(error: BaseException) -> str:
    """Kind and place of an error, without its message, which may quote the gold."""
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES_SHOWN:]
    places = [
        f"{os.path.basename(f.filename)}:{f.lineno} {f.name}" for f in reversed(frames)
    ]
    return f"{type(error).__name__} in {' < '.join(places)}"


def _be_the_child(
    work: Callable[[], bytes],
    may: tuple[Limits, Restrictions],
    writer: int,
    parent: int,
) -> NoReturn:
    with _Ending(writer):
        _isolate(parent, writer)
        if may[1].programs:  # what the program says is its answer
            os.dup2(writer, 1)
            os.dup2(writer, 2)
        _restrict(*may)
        _send(writer, work())
    raise AssertionError("the block above ends the process")


def _isolate(parent: int, writer: int) -> None:
    _own_group(0)
    end_with_parent(parent)
    # A collection would otherwise copy every page that holds an object of the parent.
    gc.freeze()
    signal.set_wakeup_fd(-1)
    for number in RESET:
        signal.signal(number, signal.SIG_DFL)
    # Not even the parent's log: what is written there would be taken for ours.
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nowhere, standard)
    os.closerange(3, writer)
    os.closerange(writer + 1, 1 << 16)


def end_with_parent(parent: int, by: int = signal.SIGKILL) -> None:
    """Let the kernel end this new child, or ask it to, once its parent is gone."""
    if kernel.LIBC is not None:
        kernel.LIBC.prctl(DEATH_SIGNAL, by, 0, 0, 0)
    if os.getppid() != parent:  # it died before we could ask
        os._exit(FAILED)


def _restrict(limits: Limits, restrictions: Restrictions) -> None:
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, limits.file_bytes)
    _limit(resource.RLIMIT_NOFILE, MOST_FILES)
    _limit(resource.RLIMIT_CPU, limits.cpu_seconds, spare=2)
    if sys.platform == "linux":
        # A second fence: the filter of system calls lets nothing be started at all.
        _limit(resource.RLIMIT_NPROC, 0)
        _limit(resource.RLIMIT_MEMLOCK, 0)
        _limit(resource.RLIMIT_MSGQUEUE, 0)
        _limit(resource.RLIMIT_AS, _most_memory(limits, bool(restrictions.programs)))
    kernel.restrict(restrictions)


def _limit(kind: int, value: int, spare: int = 0) -> None:
    """Lower a limit; `spare` is what the hard one is higher."""
    _, hard = resource.getrlimit(kind)
    highest = value + spare if hard < 0 else min(value + spare, hard)
    resource.setrlimit(kind, (min(value, highest), highest))


def _most_memory(limits: Limits, program: bool) -> int:
    """Beyond what the parent had; a program begins with nothing of the parent's."""
    here = _address_space()
    if program:  # until it begins there must be room to get there
        return max(limits.memory_bytes, here + SPARE)
    return here + limits.memory_bytes


def _address_space() -> int:
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def _send(writer: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(writer, view) :]
