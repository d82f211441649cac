"""Waiting that a signal cuts short."""

import os
import select
import signal
from collections.abc import Iterable
from contextlib import suppress
from types import TracebackType
from typing import Any

STOP_SIGNALS = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})


def _note(_signum: int, _frame: Any) -> None:
    """Python writes the signal to the wake-up pipe; there is nothing else to do."""


def _meant_to_outlive_terminal(number: signal.Signals) -> bool:
    """Under `nohup` a hang-up is ignored already and must stay so."""
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
