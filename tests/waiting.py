"""Waiting for a condition, with a deadline."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

POLL_SECONDS = 0.02

Found = TypeVar("Found")


def wait_until(
    condition: Callable[[], Found],
    seconds: float = 120.0,
    what: str = "",
    every: float = POLL_SECONDS,
) -> Found:
    """The first true value of `condition()`; AssertionError after `seconds`."""
    deadline = time.monotonic() + seconds
    never = threading.Event()
    while not (found := condition()):
        name = what or getattr(condition, "__name__", "condition")
        assert time.monotonic() < deadline, f"not within {seconds:g} s: {name}"
        never.wait(every)
    return found
