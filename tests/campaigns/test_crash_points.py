"""P2: killed at each of twelve points; nothing is lost, doubled or stuck."""

import os
import signal
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, connections
from django.db.models.functions import Now

from leaderboard.submissions import accept, evaluation, leases, quota
from leaderboard.submissions.models import (
    FINAL,
    Evaluation,
    EvaluationState,
    Event,
    StoredCounts,
    Submission,
    SubmittedFile,
)
from leaderboard.tasks import blobs
from leaderboard.tasks.models import Participation, Phase
from tests.campaigns.conftest import sizes
from tests.campaigns.invariants import violations
from tests.leaderboard.small import attempts_left, both, upload

pytestmark = [pytest.mark.usefixtures("no_queue"), pytest.mark.databases("locks")]
Work = Callable[[], Any]

IN_THE_WEB: dict[str, tuple[object, str]] = {
    "before the file is synced": (blobs.os, "fsync"),
    "before the file has its name": (blobs.os, "replace"),
    "after the file has its name": (blobs, "_sync_directory"),
    "in the transaction, before the files' rows": (SubmittedFile, "__init__"),
    "in the transaction, before the charge": (quota.QuotaUsage, "charge"),
    "in the transaction, before the event": (Event, "__init__"),
    "after the commit, before the hint": (accept.dispatch, "hint_waiting"),
}
IN_THE_WORKER: dict[str, tuple[object, str]] = {
    "after the claim": (evaluation, "_score"),
    "while the child works": (evaluation, "unpacked_answer"),
    "before the result is written": (evaluation, "finish_scored"),
    "in the transaction of the result": (StoredCounts, "__init__"),
}
IN_THE_SWEEP: dict[str, tuple[object, str]] = {
    "before the attempt is given back": (quota, "refund"),
}


def kill_itself(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def killed_at(place: tuple[object, str], work: Work) -> None:
    """Run `work` in a process of its own that is killed at `place`."""
    connections.close_all()
    pid = os.fork()
    if pid == 0:
        setattr(*place, kill_itself)
        try:
            work()
        finally:
            os._exit(1)
    _, status = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(status), f"it was not killed: {status}"


def finish_everything() -> None:
    """Runs what sweeps and workers would do in the following minutes."""
    for _ in range(10):
        past = Now() - timedelta(seconds=1)
        Evaluation.objects.filter(state=EvaluationState.RUNNING).update(
            lease_until=past
        )
        leases.reap()
        Evaluation.objects.update(not_before=Now())
        for pk in Evaluation.objects.ready().values_list("pk", flat=True):
            evaluation.run(pk)
    assert not Evaluation.objects.exclude(state__in=FINAL).exists()


@pytest.fixture
def one_a_day(open_phase: Phase) -> Phase:
    open_phase.daily_limit = 1
    open_phase.save()
    return open_phase


@sizes(1, 25)
@pytest.mark.parametrize("point", IN_THE_WEB)
def test_a_web_process_may_die_anywhere(
    point: str, size: int, one_a_day: Phase, teams: list[Participation]
) -> None:
    for _ in range(size):
        request = upload(one_a_day, teams[0], both())
        killed_at(IN_THE_WEB[point], lambda r=request: accept.submit(r))
        assert violations() == []
        sent = accept.submit(request)  # the client asks again with the same key
        finish_everything()
        assert violations([str(sent.pk)]) == []
        assert Submission.objects.count() == 1
        assert attempts_left(one_a_day, teams[0], request.arrived_at) == 0
        forget()


@sizes(1, 25)
@pytest.mark.parametrize("point", IN_THE_WORKER)
def test_a_worker_may_die_anywhere(
    point: str, size: int, one_a_day: Phase, teams: list[Participation]
) -> None:
    for _ in range(size):
        sent = accept.submit(upload(one_a_day, teams[0], both()))
        waiting = sent.evaluations.get()
        killed_at(IN_THE_WORKER[point], lambda w=waiting: evaluation.run(w.pk))
        assert violations() == []
        finish_everything()
        waiting.refresh_from_db()
        assert (waiting.state, waiting.attempt) == (EvaluationState.SCORED, 2)
        assert violations([str(sent.pk)]) == []
        forget()


@sizes(1, 25)
@pytest.mark.parametrize("point", IN_THE_SWEEP)
def test_a_sweep_may_die_anywhere(
    point: str,
    size: int,
    one_a_day: Phase,
    teams: list[Participation],
    settings: Any,
) -> None:
    settings.MOST_ATTEMPTS = 1
    for _ in range(size):
        sent = accept.submit(upload(one_a_day, teams[0], both()))
        lease = leases.claim(sent.evaluations.get().pk)
        assert lease
        lease.mine.update(lease_until=Now() - timedelta(seconds=1))
        killed_at(IN_THE_SWEEP[point], leases.reap)
        assert violations() == []
        finish_everything()
        assert sent.evaluations.get().state == EvaluationState.FAILED_SYSTEM
        assert attempts_left(one_a_day, teams[0], sent.received_at) == 1
        assert violations([str(sent.pk)]) == []
        forget()


def forget() -> None:
    Submission.objects.all().delete()
    quota.QuotaCounter.objects.all().delete()
    connection.close()
