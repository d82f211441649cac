"""Progress of a submission: waiting for its result, and a line that shows it."""

import sys
import time
from types import TracebackType

from plumbline.exits import FINE, NOT_SCORED, SITE_FAILED
from plumbline.output import Values
from plumbline.site import Site

AT_ONCE = 15.0  # seconds that one request waits; the site allows 20
REST = 2.0
WAITING = ("queued", "running")
WIDTH = 24
# How far a state is on the way; nobody knows more.
SHARE = {"queued": 0.35, "running": 0.7}


class ProgressBar:
    """One line on standard error that is written over; nothing where no one looks."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()

    def __enter__(self) -> "ProgressBar":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def show(self, share: float, words: str) -> None:
        if not self._shown:
            return
        full = round(min(max(share, 0.0), 1.0) * WIDTH)
        line = f"[{'#' * full}{'.' * (WIDTH - full)}] {words}"
        print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)


def wait_for(site: Site, pk: str, seconds: float, bar: ProgressBar) -> Values:
    """The submission, scored or as it is when the time is over."""
    end = time.monotonic() + seconds
    while True:
        left = end - time.monotonic()
        seconds_to_wait = max(0.0, min(AT_ONCE, left))
        began = time.monotonic()
        submission: Values = site.get(f"submissions/{pk}/?wait={seconds_to_wait:.1f}")
        state = submission["state"]
        if state not in WAITING or left <= 0:
            return submission
        bar.show(SHARE[state], state)
        if time.monotonic() - began < REST:  # the site had no place to wait at
            time.sleep(min(REST, max(0.0, end - time.monotonic())))


def code_of(submission: Values, under_way: int) -> int:
    """The exit code that a submission's state stands for."""
    state = submission["state"]
    if state in WAITING:
        return under_way
    if state == "failed_system":
        return SITE_FAILED
    return FINE if state in ("scored", "late", "awaiting") else NOT_SCORED
