"""Start children, restart those that die, stop all in reverse order."""

import os
import select
import shutil
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from leaderboard.embedded.processes import Process, kill_group, spawn, stop

STOP_SIGNALS = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
POLL_SECONDS = 0.05
TICK_SECONDS = 1.0
GRACE_SECONDS = 10.0
BACK_OFF_SECONDS = (0.0, 1.0, 3.0, 7.0, 15.0, 30.0)
HEALTHY_AFTER = 60.0  # a child that lived this long starts again without delay
LONGEST_LOG = 10_000_000  # bytes; then it starts anew and one older part is kept
TAIL_LINES = 15


def _note(_signum: int, _frame: Any) -> None:
    """Python writes the signal to the wake-up pipe; there is nothing else to do."""


def _meant_to_outlive_terminal(number: signal.Signals) -> bool:
    """Whether a signal is ignored already, as a hang-up is under `nohup`: it must stay
    so."""
    return number is signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN


class Wakeups:
    """Signals as bytes in a pipe, seen only where one waits.

    A handler that raised could strike between starting a child and remembering
    it. Usable in the main thread only.
    """

    def __init__(self, stop: Iterable[signal.Signals] = STOP_SIGNALS) -> None:
        self._stop = frozenset(stop)
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> "Wakeups":
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._reader, False)
        os.set_blocking(self._writer, False)
        for number in {*self._stop, signal.SIGCHLD}:
            if not _meant_to_outlive_terminal(number):
                self._before[number] = signal.signal(number, _note)
        self._fd_before = signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        signal.set_wakeup_fd(self._fd_before)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        os.close(self._reader)
        os.close(self._writer)

    def pause(self, seconds: float) -> bool:
        """Wait until a signal or `seconds` pass; True if we were told to stop."""
        select.select([self._reader], [], [], max(0.0, seconds))
        with suppress(BlockingIOError):
            return not self._stop.isdisjoint(os.read(self._reader, 4096))
        return False


Say = Callable[[str], None]


class StopRequested(Exception):
    """SIGINT, SIGTERM or SIGHUP came."""


class ChildFailed(RuntimeError):
    """A child ended, or did not get ready, before the site was up."""


@dataclass(slots=True)
class Child:
    """One program of the site and the process that runs it now."""

    name: str
    start: Callable[[], Process]
    log: Path
    log_offset: int
    process: Process
    started: float
    once: bool = False
    failures: int = 0
    due: float | None = None  # when it starts again, on the monotonic clock

    def last_lines(self) -> list[str]:
        """The last lines that this run wrote to its log."""
        with self.log.open("rb") as file:
            file.seek(self.log_offset)
            return file.read().decode(errors="replace").splitlines()[-TAIL_LINES:]

    def complaint(self, what: str) -> ChildFailed:
        """`what` happened, with the last lines this run wrote to its log."""
        return ChildFailed("\n".join([what, *self.last_lines(), f"({self.log})"]))


class Supervisor:
    """The children in the order of their start; see `supervising`."""

    def __init__(
        self, logs: Path, env: Mapping[str, str], say: Say, wakeups: Wakeups
    ) -> None:
        self._logs = logs
        self._env = dict(env)
        self._say = say
        self._wakeups = wakeups
        self._children: list[Child] = []

    def start(
        self,
        name: str,
        argv: Sequence[str],
        pass_fds: Sequence[int] = (),
        env: Mapping[str, str] | None = None,
    ) -> Child:
        """Start a child that is to run for as long as we do.

        `env` is all that it is told, for a program that is not the site's own.
        """
        log = self._logs / f"{name}.log"
        log.touch()
        keep_short(log)

        def start() -> Process:
            return spawn(argv, log, env=env or self._env, pass_fds=pass_fds)

        offset, now = log.stat().st_size, time.monotonic()
        child = Child(name, start, log, offset, start(), now)
        self._children.append(child)
        return child

    def start_once(self, name: str, argv: Sequence[str]) -> None:
        """Start a child that is to end by itself, whatever comes of it; what it says
        last is said when it has ended."""
        self.start(name, argv).once = True

    def run(self, **commands: Sequence[str]) -> None:
        """Run named children side by side to their ends; raise ChildFailed if one was
        not a success."""
        children = [self.start(name, argv) for name, argv in commands.items()]
        for child in children:
            while child.process.poll() is None:
                self._wait(TICK_SECONDS)
            self._children.remove(child)
            if status := child.process.returncode:
                raise child.complaint(f"{child.name} ended with {status}:")

    def wait_until(self, ready: Callable[[], bool], name: str, seconds: float) -> None:
        """Wait for `ready()`, as long as no child dies and `seconds` do not pass.

        Raises ChildFailed, with what the child `name` or the dead one last said.
        """
        deadline = time.monotonic() + seconds
        while not ready():
            self._wait(POLL_SECONDS)
            for child in self._children:
                if child.process.poll() is not None:
                    status = child.process.returncode
                    raise child.complaint(f"{child.name} ended with {status}:")
            if time.monotonic() > deadline:
                raise self._child_by_name(name).complaint(
                    f"{name} is not up in {seconds:g} s:"
                )

    def watch(self) -> None:
        """Keep the children running until we are told to stop (StopRequested)."""
        while True:
            self._wait(TICK_SECONDS)
            for child in list(self._children):
                if child.once:
                    self._finish(child)
                else:
                    self._revive(child)
                keep_short(child.log)

    def stop_all(self) -> None:
        """Stop every child, the youngest first."""
        while self._children:
            child = self._children.pop()
            if child.process.poll() is None and not stop(child.process, GRACE_SECONDS):
                self._say(f"{child.name} did not stop in {GRACE_SECONDS:g} s: killed")

    def _child_by_name(self, name: str) -> Child:
        return next(child for child in self._children if child.name == name)

    def _wait(self, seconds: float) -> None:
        if self._wakeups.pause(seconds):
            raise StopRequested

    def _finish(self, child: Child) -> None:
        if child.process.poll() is None:
            return
        self._children.remove(child)
        kill_group(child.process)
        lines = child.last_lines()
        self._say(f"{child.name:<9} {lines[-1] if lines else 'done'}")

    def _revive(self, child: Child) -> None:
        if child.process.poll() is None:
            return
        now = time.monotonic()
        if child.due is None:
            child.due = now + self._back_off(child, now)
        elif now >= child.due:
            child.process, child.started, child.due = child.start(), now, None

    def _back_off(self, child: Child, now: float) -> float:
        kill_group(child.process)
        lived = now - child.started
        child.failures = 0 if lived > HEALTHY_AFTER else child.failures + 1
        delay = BACK_OFF_SECONDS[min(child.failures, len(BACK_OFF_SECONDS) - 1)]
        status = child.process.returncode
        self._say(
            f"{child.name} ended with {status}, starts again in {delay:g} s "
            f"({child.log})"
        )
        return delay


def keep_short(log: Path) -> None:
    """Set a log that got too long aside, under the feet of whoever writes to it.

    Children append, so after the cut they go on at the beginning.
    """
    if log.stat().st_size > LONGEST_LOG:
        shutil.copyfile(log, log.with_suffix(".log.1"))
        os.truncate(log, 0)


@contextmanager
def supervising(logs: Path, env: Mapping[str, str], say: Say) -> Iterator[Supervisor]:
    """A supervisor whose children are gone when the block ends, however it ends."""
    with Wakeups() as wakeups:
        supervisor = Supervisor(logs, env, say, wakeups)
        try:
            yield supervisor
        finally:
            supervisor.stop_all()
