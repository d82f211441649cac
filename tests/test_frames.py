"""Calls that have room for their frames."""

import resource
import threading

import pytest

from tests.frames import with_room

CALLS, DEEPEST = 500, 300
# Of this thread alone, where the system tells them apart: servers of tests have others.
MEASURED = getattr(resource, "RUSAGE_THREAD", resource.RUSAGE_SELF)


def faults_at(depth: int) -> int:
    """Pages of memory that `CALLS` calls are given, from so many frames down."""
    if depth:
        return faults_at(depth - 1)
    before = resource.getrusage(MEASURED).ru_minflt
    for _ in range(CALLS):
        leaf(0, 0, 0, 0, 0)
    return resource.getrusage(MEASURED).ru_minflt - before


def leaf(a: int, b: int, c: int, d: int, e: int) -> None:
    """As large a frame as most."""


@pytest.mark.parametrize("start", range(0, DEEPEST, 100))
def test_no_depth_asks_for_memory_at_each_call(start: int) -> None:
    """In a thread of its own: whatever called this test may have made room already."""
    found: dict[int, int] = {}

    def note() -> None:
        found.update({n: with_room(faults_at, n) for n in range(start, start + 100)})

    thread = threading.Thread(target=note)
    thread.start()
    thread.join()
    assert len(found) == 100 and max(found.values()) < CALLS / 10, found


def test_tests_have_room() -> None:
    found = {n: faults_at(n) for n in range(DEEPEST)}
    assert max(found.values()) < CALLS / 10, found
