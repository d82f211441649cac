"""Processor seconds of a piece of work, without those of what runs beside it."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import thread_time

LOOKS, MORE_LOOKS = 3, 12
SHORT = 0.05
LEAST = 0.005  # seconds: below it the clock and the caches of a processor say more


@contextmanager
def _without_collector() -> Iterator[None]:
    """The heap of a long test run is not looked through meanwhile, nor before: that
    takes longer than most of what is timed."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def seconds_of(work: Callable[[], object], looks: int = LOOKS) -> float:
    """The least processor seconds of this thread that several looks took."""
    with _without_collector():
        return min(_look(work) for _ in range(looks))


def seconds_of_short(work: Callable[[], object]) -> float:
    """The same of what may take a few thousandths of a second, in which a processor
    that was at something else says more than the work: then of more looks."""
    seconds = seconds_of(work)
    return seconds if seconds > SHORT else min(seconds, seconds_of(work, MORE_LOOKS))


def _look(work: Callable[[], object]) -> float:
    begun = thread_time()
    work()
    return thread_time() - begun


def grows_linearly(work: Callable[[int], Callable[[], object]], number: int) -> bool:
    """Whether eight times the number takes less than twenty-four times as long.

    By the square it would take sixty-four times as long. ``work`` answers, for a number
    of rows or pieces, what is timed.
    """
    few = max(seconds_of(work(number)), LEAST)
    return takes_less(work(8 * number), 24 * few)


def takes_less(work: Callable[[], object], seconds: float, looks: int = LOOKS) -> bool:
    """Whether one look takes less than so many processor seconds.

    The first that does is enough: the least of several would be no longer.
    """
    with _without_collector():
        return any(_look(work) < seconds for _ in range(looks))
