"""Acts on one task at once: each is done after the other, and holds what it must."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from threading import Barrier, BrokenBarrierError
from typing import Any

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from leaderboard.organize import bundle, people, phases
from leaderboard.organize.baselines import whole_plan
from leaderboard.submissions.gold import rescore
from leaderboard.submissions.models import Evaluation, Submission
from leaderboard.tasks.models import Message, Notice, Participation, Phase, Task
from leaderboard.teams.models import User
from tests.leaderboard.small import both, scored

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases("locks")]
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
    meet(phases.phase_rules, "check")
    meet(bundle, "blockers")
    at_once(
        lambda: phases.move_end(phase, later, "", ada, expected=closes),
        lambda: bundle.apply(task, plan, ada),
    )
    assert Notice.objects.filter(phase=phase).exists()


def test_a_team_is_admitted_while_a_bundle_is_applied(
    phase: Phase, entry: Participation, ada: User, meet: Callable[[Any, str], None]
) -> None:
    task = Task.objects.get(pk=phase.task_id)
    Participation.objects.update(status=Participation.Status.PENDING)
    plan = whole_plan(task)
    entry.refresh_from_db()
    meet(people, "tell_team")
    meet(bundle, "blockers")
    at_once(
        lambda: people.decide_and_tell(entry, "admit", ada, ""),
        lambda: bundle.apply(task, plan, ada),
    )
    assert Message.objects.filter(task=task).exists()
    entry.refresh_from_db()
    assert entry.status == Participation.Status.ACTIVE


def test_what_counts_again_is_queued_without_holding_what_was_sent(
    phase: Phase, entry: Participation
) -> None:
    scored(phase, entry, both())
    Evaluation.objects.all().delete()
    with CaptureQueriesContext(connection) as asked:
        assert rescore.score_returned(Submission.objects.all()) == 1
    begin = 'SELECT "tasks_phase"'
    phases = [one["sql"] for one in asked if one["sql"].startswith(begin)]
    assert phases and not any("JOIN" in sql for sql in phases)
