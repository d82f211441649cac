"""Memory of web processes, with their many threads and large arrays: limits of the C
library's heap, and how often Python collects garbage."""

import ctypes
import gc
import sys
import time
from typing import Any

# mallopt(3) of glibc
TRIM_THRESHOLD, MMAP_THRESHOLD, ARENA_MAX = -1, -3, -8
ARENAS = 2
PAUSE = 1.0
MOST_NEW = 20_000  # objects before the new ones are looked through; usual are 700
LARGE = 1 << 20  # bytes; an array of that size or more is given back once it is freed


_given_back = 0.0


def give_back(**_sent: Any) -> None:
    """Give the system back the holes that small things left between those that stay.

    A board of thousands of rows leaves tens of megabytes of them. Called at the end of
    each request, and of what a thread renders; takes a few milliseconds, and so is done
    every PAUSE seconds.
    """
    global _given_back
    trim = sys.platform == "linux" and getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim and time.monotonic() > _given_back + PAUSE:
        trim(0)
        _given_back = time.monotonic()


def limit_heap() -> None:
    """Give the system back what large arrays took, as soon as they are freed.

    By default glibc keeps up to a heap for each thread and raises the size of what it
    gives back to the largest block that was ever freed. A process that computes boards
    of a thousand systems in its threads would keep gigabytes of free memory. Does
    nothing where the C library has no such limits.
    """
    mallopt = sys.platform == "linux" and getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt:
        mallopt(ARENA_MAX, ARENAS)
        mallopt(MMAP_THRESHOLD, LARGE)
        mallopt(TRIM_THRESHOLD, LARGE)


def tune_collector() -> None:
    """Collect garbage less often, and leave out what is loaded by now.

    That stays for good, and to look through all of it takes longer than to make a
    page. Of the tens of thousands of objects that a board makes, reference counts free
    nearly all; collecting the rest as often as usual takes a twelfth of its time.
    """
    gc.freeze()
    gc.set_threshold(MOST_NEW)
