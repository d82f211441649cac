"""Room on the stack of a request: where the interpreter asks the system for memory."""

import resource
from collections.abc import Callable
from types import SimpleNamespace

from leaderboard.embedded.gunicorn_worker import with_beginning

DEPTHS, CALLS = range(200), 1000


def listed(*numbers: int) -> list[int]:
    return [*numbers]


# More than one level of `deeper` takes, so that no end of a block is passed over.
listed.__code__ = listed.__code__.replace(co_stacksize=60)


def deeper(by: int, work: Callable[[], None]) -> None:
    if by:
        deeper(by - 1, work)
    else:
        work()


def most_faults() -> int:
    """Pages of memory that a loop of calls is given, at the depth where it is most."""
    found: list[int] = []

    def work() -> None:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for number in range(CALLS):
            listed(number)
        found.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)

    for depth in DEPTHS:
        deeper(depth, work)
    return max(found)


def test_calls_of_a_request_ask_the_system_for_no_memory_at_any_depth() -> None:
    faults: list[int] = []
    site = with_beginning(lambda _environ, _start: faults.append(most_faults()))
    site({"gunicorn.socket": SimpleNamespace(began=0.0)}, None)
    assert faults[0] < CALLS / 10
