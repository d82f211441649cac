"""`manage.py work`: everything happens without a broker, only by the database."""

from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.management import call_command
from django.db import OperationalError
from django.db.models.functions import Now

from leaderboard.submissions import accept, dispatch, leases
from leaderboard.submissions.broker import broker
from leaderboard.submissions.management.commands.work import QueuelessWorker
from leaderboard.submissions.models import Evaluation, EvaluationState, Sweep
from leaderboard.tasks.models import Participation, Phase
from tests.leaderboard.small import both, upload
from tests.waiting import wait_until

# Real transactions: the worker closes its connection between two steps.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases("locks")]


@pytest.fixture(autouse=True)
def no_queue(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    """Nobody is told: a worker of an earlier test must not take part."""
    settings.CELERY_WORKER_NICE = 0  # or this process would keep it
    monkeypatch.setattr(broker, "answers", lambda: False)


def test_what_is_committed_is_accepted_whatever_becomes_of_the_hint(
    phase: Phase, entry: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the database goes right after the commit."""

    def broken(*_: object) -> int:
        raise OperationalError("server closed the connection")

    monkeypatch.setattr(dispatch, "outstanding", broken)
    sent = accept.submit(upload(phase, entry, both()))
    assert sent.evaluations.get().state == EvaluationState.QUEUED


def test_what_waits_is_scored_and_the_command_ends(
    phase: Phase, entry: Participation
) -> None:
    for _ in range(3):
        accept.submit(upload(phase, entry, both()))
    call_command("work", until_empty=True, poll=0.05)
    assert Evaluation.objects.filter(state=EvaluationState.SCORED).count() == 3


def test_hints_that_a_dead_broker_holds_do_not_hold_it_up(
    phase: Phase, entry: Participation
) -> None:
    for _ in range(2):
        accept.submit(upload(phase, entry, both()))
    Evaluation.objects.update(published_at=Now())
    worker = QueuelessWorker()
    assert worker.step() and worker.step()
    assert Evaluation.objects.filter(state=EvaluationState.SCORED).count() == 2


def test_it_frees_what_a_dead_worker_left_and_notes_the_sweep(
    phase: Phase, entry: Participation
) -> None:
    pk = accept.submit(upload(phase, entry, both())).evaluations.get().pk
    leases.claim(pk)
    Evaluation.objects.filter(pk=pk).update(lease_until=Now() - timedelta(seconds=1))
    assert not QueuelessWorker().step()
    assert Evaluation.objects.get(pk=pk).state == EvaluationState.QUEUED
    assert Sweep.objects.exists()


def test_a_database_that_is_away_is_waited_for(
    phase: Phase, entry: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    accept.submit(upload(phase, entry, both()))
    worker = QueuelessWorker()

    def away() -> None:
        raise OperationalError("gone")

    with monkeypatch.context() as patched:
        patched.setattr(leases, "reap", away)
        assert not worker.step()
    assert worker.step()


def test_a_sweep_by_hand_says_what_it_did(
    capsys: pytest.CaptureFixture[str], db: None
) -> None:
    call_command("sweep")
    assert "freed 0, told 0" in capsys.readouterr().out


def test_mail_about_results_goes_out_too(phase: Phase, entry: Participation) -> None:
    accept.submit(upload(phase, entry, both()))
    worker = QueuelessWorker()
    assert worker.step()
    assert mail.outbox == []
    worker.done.clear()
    worker.step()
    wait_until(lambda: mail.outbox, what="the sender has sent it")
    assert [message.to for message in mail.outbox] == [["ben@example.org"]]
