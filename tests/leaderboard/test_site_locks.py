"""Locks of the site: work that one process does at a time, and that ends with it."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

import pytest
from django.conf import settings
from django.db import connections

from leaderboard.boards import computation
from leaderboard.submissions.models import ComputedBoards
from leaderboard.tasks.models import Participation, Phase
from leaderboard.web.site_locks import try_lock
from tests.campaigns.site import environment
from tests.leaderboard.small import both, scored
from tests.waiting import wait_until

HOLD = """
import django
django.setup()
from leaderboard.web.site_locks import try_lock
with try_lock("counting otters") as ours:
    print("ours" if ours else "theirs", flush=True)
    input()
"""


@contextmanager
def locked_elsewhere(name: str) -> Iterator[None]:
    """Somebody else, on a connection of their own, is at that work."""
    claimed, done = Event(), Event()

    def claim() -> None:
        try:
            with try_lock(name) as ours:
                assert ours
                claimed.set()
                done.wait()
        finally:
            connections.close_all()

    thread = Thread(target=claim)
    thread.start()
    try:
        assert claimed.wait(20)
        yield
    finally:
        done.set()
        thread.join()


@pytest.mark.databases("locks")
def test_what_somebody_else_is_at_is_not_ours_until_they_have_done(db: None) -> None:
    with locked_elsewhere("counting otters"):
        with try_lock("counting otters") as ours:
            assert not ours
        with try_lock("counting gulls") as ours:
            assert ours
    with try_lock("counting otters") as ours:
        assert ours


@pytest.mark.databases("locks")
def test_a_claim_ends_with_an_error(db: None) -> None:
    with pytest.raises(ZeroDivisionError), try_lock("counting otters"):
        _ = 1 / 0
    with locked_elsewhere("counting otters"):
        pass


@pytest.mark.databases("locks")
def test_a_claim_ends_at_once_with_a_process_that_is_killed(
    transactional_db: None,
) -> None:
    env = environment(DJANGO_SETTINGS_MODULE="tests.settings")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    words = [sys.executable, "-c", HOLD]
    process = subprocess.Popen(words, cwd=settings.BASE_DIR, env=env, **pipes)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == b"ours\n"
        with try_lock("counting otters") as ours:
            assert not ours
    finally:
        process.kill()
        process.wait()

    def ours_now() -> bool:
        with try_lock("counting otters") as ours:
            return ours

    wait_until(ours_now, 5, "the dead process has it no more")


@pytest.mark.databases("locks")
def test_boards_that_another_process_computes_are_left_to_it(
    phase: Phase, entry: Participation
) -> None:
    scored(phase, entry, both())
    with locked_elsewhere(f"boards-of-{phase.pk}"):
        assert computation.compute_due() == 0
    assert not ComputedBoards.objects.exists()
    assert computation.compute_due() == 1
