"""The queue is a hint: with, without and despite it everything gets scored."""

import os
from datetime import timedelta
from pathlib import Path

import psutil
import pytest
from celery import current_app
from django.conf import settings
from django.db.models.functions import Now
from django.test import override_settings

from leaderboard.submissions import accept, dispatch, jobs
from leaderboard.submissions.broker import broker
from leaderboard.submissions.models import Evaluation, EvaluationState, Sweep
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Participation, Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.leaderboard.small import both, bundle, upload
from tests.waiting import wait_until
from tests.worker import Worker

pytestmark = pytest.mark.databases("locks")

WORKER_NICE = min(19, os.nice(0) + settings.CELERY_WORKER_NICE)


@pytest.fixture
def open_phase(transactional_db: None) -> Phase:
    ada = User.objects.create_user("ada@example.org", "x")
    return create_task(bundle(), ada).phases.get()


@pytest.fixture
def team(open_phase: Phase) -> Participation:
    ben = User.objects.create_user("ben@example.org", "x")
    return join(open_phase.task, Team.found("Bens", ben))


def scored_all(count: int) -> bool:
    return Evaluation.objects.filter(state=EvaluationState.SCORED).count() == count


@pytest.mark.main_path
def test_an_upload_is_scored_by_the_worker(
    worker: Worker, open_phase: Phase, team: Participation
) -> None:
    accept.submit(upload(open_phase, team, both()))
    wait_until(lambda: scored_all(1), what="scored")


def test_a_worker_gives_way_to_whoever_waits_for_a_page(worker: Worker) -> None:
    process = psutil.Process(worker.pid)
    wait_until(lambda: process.nice() == WORKER_NICE, what="it gives way")
    assert all(child.nice() == WORKER_NICE for child in process.children())
    group = Path(f"/proc/{worker.pid}/autogroup")  # of its session; not every kernel's
    steps = settings.CELERY_WORKER_NICE
    assert not group.exists() or group.read_text().endswith(f" nice {steps}\n")


def test_what_was_sent_while_the_worker_was_stopped_is_scored_when_it_starts(
    worker: Worker, open_phase: Phase, team: Participation
) -> None:
    worker.stop()
    for _ in range(3):
        accept.submit(upload(open_phase, team, both()))
    assert Evaluation.objects.filter(state=EvaluationState.QUEUED).count() == 3
    worker.start()
    wait_until(lambda: scored_all(3), what="scored after the restart")


def test_a_queue_that_forgot_everything_costs_nothing(
    worker: Worker, open_phase: Phase, team: Participation
) -> None:
    worker.stop()
    for _ in range(3):
        accept.submit(upload(open_phase, team, both()))
    worker.drain()
    worker.start()
    with override_settings(HINT_SECONDS=0):
        dispatch.hint_waiting()
    wait_until(lambda: scored_all(3), what="scored after the queue was emptied")


def test_an_upload_is_accepted_without_a_queue(
    open_phase: Phase, team: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(*_: object, **__: object) -> None:
        raise ConnectionRefusedError(os.strerror(111))

    monkeypatch.setattr(dispatch.app, "send_task", unreachable)
    sent = accept.submit(upload(open_phase, team, both()))
    assert sent.evaluations.get().published_at is None


def test_the_window_of_hints_is_not_exceeded(
    open_phase: Phase, team: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[object] = []
    monkeypatch.setattr(broker, "answers", lambda: True)
    monkeypatch.setattr(
        dispatch.app, "send_task", lambda _name, args, **_: told.append(args)
    )
    with override_settings(HINT_WINDOW=3, MOST_PER_TEAM=9):
        for _ in range(5):
            accept.submit(upload(open_phase, team, both()))
        dispatch.hint_waiting()
        assert len(told) == 3


def test_a_sweep_frees_what_a_dead_worker_left(
    open_phase: Phase, team: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dispatch.app, "send_task", lambda *_, **__: None)
    waiting = accept.submit(upload(open_phase, team, both())).evaluations.get()
    Evaluation.objects.filter(pk=waiting.pk).update(
        state=EvaluationState.RUNNING, attempt=1, lease_until=Now()
    )
    wait_until(
        lambda: jobs.sweep() or _state(waiting) == EvaluationState.QUEUED, what="freed"
    )


def test_a_worker_sweeps_where_the_scheduler_is_lost_and_not_where_it_runs(
    open_phase: Phase, team: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dispatch.app, "send_task", lambda *_, **__: None)
    monkeypatch.setattr(jobs, "_swept", float("-inf"))
    monkeypatch.setattr(jobs, "ask", lambda _task: None)
    swept: list[None] = []
    monkeypatch.setattr(jobs, "sweep", lambda: swept.append(None))
    Sweep.note()
    jobs.score(0)
    assert not swept
    Sweep.objects.update(at=Now() - timedelta(seconds=3 * settings.SWEEP_SECONDS))
    jobs.score(0)
    assert len(swept) == 1


def test_several_results_that_come_together_ask_for_boards_once(
    open_phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(jobs, "_asked", float("-inf"))
    monkeypatch.setattr(jobs, "ask", lambda task: asked.append(task.task))
    for _ in range(3):
        jobs.score(0)
    assert asked == ["boards.compute"]


def test_jobs_of_a_worker_follow_each_other_on_one_connection() -> None:
    """Celery closes none, so that Django does, when one is old or broke."""
    jobs_of_a_process = current_app.conf.worker_max_tasks_per_child
    assert current_app.conf.get("CELERY_DB_REUSE_MAX") >= jobs_of_a_process


def _state(waiting: Evaluation) -> str:
    return Evaluation.objects.get(pk=waiting.pk).state
