"""Lanes: processes that each take one kind of work alone, beside those that score.

Boards, and everything that tells people or keeps the site, wait neither for what is
scored nor for each other. The scheduler has these processes, and so has `manage.py
work`. A keeper forks them: a process without threads, in which what they need is
loaded already, so that each takes the memory of what it changes alone. It starts one
that ended anew, and ends with its parent, as they end with it, however that ends.
"""

import atexit
import gc
import logging
import os
import resource
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from celery.beat import PersistentScheduler, ScheduleEntry
from celery.signals import task_postrun, task_prerun
from celery.worker import state
from django.core.cache import caches
from django.db import connections

from leaderboard.celery import LANES, app
from leaderboard.submissions.broker import broker
from scoring.sandbox.fork import end_with_parent

log = logging.getLogger(__name__)
PAUSES = (0.0, 1.0, 3.0, 7.0, 15.0, 30.0)  # seconds before one starts once more
HEALTHY_SECONDS = 60.0  # one that lived so long starts again without a pause
LOOK_SECONDS = 1.0
# Less than the ten that `manage.py serve` gives a program, more than mail takes.
STOP_SECONDS = 8.0
WAKING = {signal.SIGCHLD, signal.SIGTERM}

Run = Callable[[str], None]


class Lanes:
    """A keeper and its processes: `run` is called in each, with the name of its lane.

    To be made before this process has threads.
    """

    def __init__(self, run: Run, names: Sequence[str] = LANES) -> None:
        connections.close_all()
        caches.close_all()
        gc.collect()
        gc.freeze()  # pages that nothing writes to stay shared
        self._pid = _fork(_Keeper(run, names).keep)

    @property
    def has_ended(self) -> bool:
        """Whether the process that keeps the lanes has ended; True once."""
        if self._pid and os.waitpid(self._pid, os.WNOHANG)[0]:
            self._pid = 0
            return True
        return False

    def stop(self) -> None:
        """Let them finish what they are at, within seconds."""
        if self._pid:
            with suppress(ProcessLookupError, ChildProcessError):
                os.kill(self._pid, signal.SIGTERM)
                os.waitpid(self._pid, 0)
            self._pid = 0


def _fork(work: Callable[[], None]) -> int:
    parent = os.getpid()
    if child := os.fork():
        return child
    status = 1
    try:
        end_with_parent(parent)
        work()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:
        log.exception("a lane broke")
    finally:
        # Nothing of the parent's is run at the end of a child.
        os._exit(status)


class _Lane:
    def __init__(self, name: str) -> None:
        self.name, self.pid, self.began, self.due = name, 0, 0.0, 0.0
        self.failures = 0

    def start(self, run: Run) -> None:
        self.began = time.monotonic()
        self.pid = _fork(lambda: _run(run, self.name))

    def note_end(self, status: int) -> None:
        now = time.monotonic()
        if status == 0 or now - self.began > HEALTHY_SECONDS:
            self.failures = 0
        pause = PAUSES[min(self.failures, len(PAUSES) - 1)]
        self.failures += 1
        self.due = now + pause
        level = logging.ERROR if status else logging.INFO
        words = "lane %s ended with %s, starts again in %g s"
        log.log(level, words, self.name, os.waitstatus_to_exitcode(status), pause)


class _Keeper:
    def __init__(self, run: Run, names: Sequence[str]) -> None:
        self._run, self._lanes = run, [_Lane(name) for name in names]

    def keep(self) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started us decides
        # Waited for, not handled: a handler may come while its own lock is held.
        signal.pthread_sigmask(signal.SIG_BLOCK, WAKING)
        parent, received = os.getppid(), None
        while os.getppid() == parent and not _is_end(received):
            for lane in self._lanes:
                if not lane.pid and time.monotonic() >= lane.due:
                    lane.start(self._run)
            received = signal.sigtimedwait(WAKING, LOOK_SECONDS)
            for lane, status in self._ended_lanes():
                lane.note_end(status)
        self._end()

    def _ended_lanes(self) -> Iterator[tuple[_Lane, int]]:
        """Lanes whose process has ended, and its status."""
        for lane in self._lanes:
            if lane.pid and (ended := os.waitpid(lane.pid, os.WNOHANG))[0]:
                lane.pid = 0
                yield lane, ended[1]

    def _end(self) -> None:
        until = time.monotonic() + STOP_SECONDS
        for lane in self._lanes:
            if lane.pid:
                os.kill(lane.pid, signal.SIGTERM)
        while any(lane.pid for lane in self._lanes) and time.monotonic() < until:
            signal.sigtimedwait({signal.SIGCHLD}, 0.1)
            list(self._ended_lanes())  # as they were told to: nothing to tell of
        for lane in self._lanes:
            if lane.pid:
                os.kill(lane.pid, signal.SIGKILL)


def _is_end(received: signal.struct_siginfo | None) -> bool:
    return received is not None and received.si_signo == signal.SIGTERM


def _run(run: Run, name: str) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, WAKING)
    run(name)


# Of a site with a broker: the scheduler has them


def take(name: str) -> None:
    """Take what comes to the queue of a lane, one by one, until told to end."""
    task_prerun.connect(_limit)
    task_postrun.connect(_mark_finished)
    alone = ("--without-mingle", "--without-gossip", "--pool", "solo")
    words = ("--queues", name, "--hostname", f"{name}@%h", "--loglevel", "WARNING")
    app.worker_main(["--quiet", "worker", *words, *alone])


def _limit(**_: Any) -> None:
    """A job that hangs ends its process, which the keeper starts anew."""
    signal.alarm(int(app.conf.task_time_limit))


def _mark_finished(**_: object) -> None:
    signal.alarm(0)
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if used > app.conf.worker_max_memory_per_child:
        state.should_stop = os.EX_OK


_kept: list[Lanes] = []


def keep() -> None:
    """Start, in the scheduler, the processes that take boards and upkeep alone."""
    app.loader.import_default_modules()
    import celery.apps.worker
    import celery.concurrency.solo
    import celery.worker.consumer  # noqa: F401

    lanes = Lanes(take)
    _kept.append(lanes)
    atexit.register(lanes.stop)


class Clock(PersistentScheduler):
    """Celery's scheduler, which sends nothing twice, and ends without its lanes.

    Where nobody takes a list, one message of each kind lies in it, however long that
    lasts; so none has to expire.
    """

    def tick(self, *args: Any, **options: Any) -> Any:
        if any(lanes.has_ended for lanes in _kept):
            log.critical("the lanes are gone: the scheduler starts anew")
            raise SystemExit(1)
        return super().tick(*args, **options)

    def apply_async(self, entry: ScheduleEntry, *args: Any, **options: Any) -> Any:
        if broker.has_waiting(entry.task):
            return None
        return super().apply_async(entry, *args, **options)
