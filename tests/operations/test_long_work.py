"""Work on the clock that takes long gives way within its second, and goes on later."""

from collections.abc import Iterator

import pytest

from leaderboard.operations import jobs
from leaderboard.operations.jobs import LongWork


class Clock:
    """A clock that goes on by a second whenever it is looked at."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        self.now += 1.0
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(jobs, "time", clock)
    return clock


def test_each_call_does_what_fits_into_its_time_and_the_next_goes_on(
    clock: Clock,
) -> None:
    done: list[int] = []

    def pieces() -> Iterator[None]:
        for number in range(5):
            done.append(number)
            yield

    work = LongWork(pieces, every=1000.0)
    for most in range(1, 6):
        work.go_on()
        assert done == list(range(most))
    for _ in range(9):
        work.go_on()
    assert done == [0, 1, 2, 3, 4]  # not due again
    clock.now += 1000.0
    work.go_on()
    assert done == [0, 1, 2, 3, 4, 0]


def test_what_breaks_is_begun_anew_when_it_is_due(clock: Clock) -> None:
    begun: list[int] = []

    def pieces() -> Iterator[None]:
        begun.append(1)
        raise OSError("the disk")
        yield

    work = LongWork(pieces, every=1000.0)
    with pytest.raises(OSError, match="disk"):
        work.go_on()
    work.go_on()
    assert len(begun) == 1
    clock.now += 1000.0
    with pytest.raises(OSError, match="disk"):
        work.go_on()
    assert len(begun) == 2
