"""How a submission ends when its file is hostile, and what others notice: nothing."""

import os
import signal
from collections.abc import Callable
from typing import Any

import pytest
from django.db.models.functions import Now
from django.test import override_settings

from leaderboard.submissions import accept, evaluation, leases
from leaderboard.submissions.models import Evaluation, EvaluationState
from leaderboard.tasks.models import Participation, Phase
from scoring import Problem
from scoring.sandbox.codec import encode, problem_rows, storable
from scoring.sandbox.fork import Supervision
from tests.leaderboard.small import CANARY, both, upload

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
Scorer = Callable[..., Any]


@pytest.fixture
def waiting(phase: Phase, entry: Participation) -> Evaluation:
    return accept.submit(upload(phase, entry, both())).evaluations.get()


def loop(*_: object) -> None:
    while True:
        pass


def allocate(*_: object) -> bytes:
    return bytes(1 << 30)


def kill_itself(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def stumble(*_: object) -> None:
    raise KeyError(CANARY)


def not_a_number(*_: object) -> dict[str, Any]:
    return {"overall": {"las": {"value": float("nan")}}, "test_sets": {}}


def ended(waiting: Evaluation) -> Evaluation:
    assert evaluation.run(waiting.pk)
    waiting.refresh_from_db()
    return waiting


@override_settings(SCORE_CPU_SECONDS=1)
@pytest.mark.thorough
def test_out_of_processor_time_is_a_timeout_that_states_the_limit(
    waiting: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "count_file", loop)
    assert ended(waiting).state == EvaluationState.TIMEOUT
    (problem,) = waiting.problems
    assert problem["code"] == "cpu_time"
    assert "more than 1 s of processor time" in problem["message"]


@override_settings(SCORE_MEMORY_MB=64)
def test_out_of_memory_is_invalid_and_states_the_limit(
    waiting: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "count_file", allocate)
    for _ in range(20):
        Evaluation.objects.update(state=EvaluationState.QUEUED, attempt=0)
        assert ended(waiting).state == EvaluationState.INVALID, (
            "and the worker is still here"
        )
    assert "more than 64 MiB" in waiting.problems[0]["message"]


@pytest.mark.parametrize("poison", [kill_itself, stumble])
def test_a_poison_file_fails_for_good_after_three_starts(
    waiting: Evaluation, poison: Scorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "count_file", poison)
    for _ in range(5):
        Evaluation.objects.update(not_before=Now())
        evaluation.run(waiting.pk)
    waiting.refresh_from_db()
    assert waiting.state == EvaluationState.FAILED_SYSTEM
    assert waiting.attempt == 3
    assert waiting.events.filter(new=EvaluationState.RUNNING).count() == 3
    assert CANARY not in waiting.last_error


def test_between_the_attempts_it_pauses_longer_each_time(
    waiting: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "count_file", stumble)
    pauses = []
    for _ in range(2):
        Evaluation.objects.update(not_before=Now())
        ended(waiting)
        pauses.append((waiting.not_before - waiting.state_since).total_seconds())
    assert pauses == pytest.approx([5, 20], abs=1)


def test_a_score_that_is_no_number_is_never_stored(
    waiting: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "estimates_of", not_a_number)
    assert ended(waiting).state == EvaluationState.QUEUED
    assert waiting.last_error.startswith("ValueError in ")
    assert waiting.results is None


def test_a_worker_that_lost_its_lease_ends_its_scorer_and_writes_nothing(
    waiting: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "count_file", loop)

    def lost(renew: Callable[[], bool], _seconds: float) -> Supervision:
        Evaluation.objects.update(lease_token=None, state=EvaluationState.CANCELLED)
        return Supervision(renew, 0.01)

    monkeypatch.setattr(evaluation, "Supervision", lost)
    assert ended(waiting).state == EvaluationState.CANCELLED
    assert waiting.results is None
    assert not waiting.last_error


def test_the_same_file_gives_the_same_bytes(phase: Phase, entry: Participation) -> None:
    sent = [accept.submit(upload(phase, entry, both())) for _ in range(2)]
    found = [ended(one.evaluations.get()) for one in sent]
    assert found[0].result_sha256 == found[1].result_sha256 != ""
    tables = [[bytes(c.data) for c in one.counts.order_by("pk")] for one in found]
    assert tables[0] == tables[1]


@pytest.mark.parametrize("text", ["a\0b", "\ud800", "x" * 5000, "\u2028"])
def test_findings_can_be_stored_whatever_they_quote(
    waiting: Evaluation, text: str
) -> None:
    lease = leases.claim(waiting.pk)
    assert lease
    packed = encode({"problems": problem_rows([Problem("columns", text, text)])})
    evaluation.finish_refused(lease, evaluation.unpacked_answer(packed, {}).problems)
    waiting.refresh_from_db()
    assert waiting.problems[0]["message"] == storable(Problem("", text)).message
    assert len(waiting.problems[0]["message"]) <= 501
