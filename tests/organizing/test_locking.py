"""Organizers who act on one task at once: each is done after the other."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from threading import Barrier, BrokenBarrierError
from typing import Any

import pytest
from django.db import connections

from leaderboard.organizing import applying, deadlines, people
from leaderboard.organizing.bundles import whole_plan
from leaderboard.tasks.models import Letter, Notice, Participation, Phase, Task
from leaderboard.teams.models import User

pytestmark = pytest.mark.django_db(transaction=True)
MEETING_SECONDS = 1.0


@pytest.fixture
def meet(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any, str], None]:
    """Makes two functions wait for each other, though not where a lock forbids it."""
    both = Barrier(2)

    def patch(owner: Any, name: str) -> None:
        plain = getattr(owner, name)

        def met(*given: Any, **named: Any) -> Any:
            with suppress(BrokenBarrierError):
                both.wait(timeout=MEETING_SECONDS)
            return plain(*given, **named)

        monkeypatch.setattr(owner, name, met)

    return patch


def at_once(*acts: Callable[[], object]) -> None:
    def run(act: Callable[[], object]) -> None:
        try:
            act()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(acts)) as pool:
        list(pool.map(run, acts))


def test_a_deadline_moves_while_a_bundle_is_applied(
    phase: Phase, ada: User, meet: Callable[[Any, str], None]
) -> None:
    task = phase.task
    plan, closes = whole_plan(task), phase.closes
    assert closes is not None
    later = closes + timedelta(days=1)
    meet(deadlines.phase_rules, "check")
    meet(applying, "obstacles")
    at_once(
        lambda: deadlines.move(phase, later, "", ada, known=closes),
        lambda: applying.apply(task, plan, ada),
    )
    assert Notice.objects.filter(phase=phase).exists()


def test_a_team_is_admitted_while_a_bundle_is_applied(
    phase: Phase, entry: Participation, ada: User, meet: Callable[[Any, str], None]
) -> None:
    task = Task.objects.get(pk=phase.task_id)
    Participation.objects.update(status=Participation.Status.PENDING)
    plan = whole_plan(task)
    entry.refresh_from_db()
    meet(people, "_said")
    meet(applying, "obstacles")
    at_once(
        lambda: people.decide(entry, "admit", ada, ""),
        lambda: applying.apply(task, plan, ada),
    )
    assert Letter.objects.filter(task=task).exists()
