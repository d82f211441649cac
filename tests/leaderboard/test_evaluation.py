"""Evaluations: claimed once, scored once, freed when stuck."""

import uuid
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from django.conf import settings
from django.db.models.functions import Now
from django.test import override_settings
from django.utils import timezone

from leaderboard.results.status import status_of
from leaderboard.submissions import accept, evaluation, leases, quota
from leaderboard.submissions.evaluation import EngineAnswer
from leaderboard.submissions.leases import Lease
from leaderboard.submissions.models import Evaluation, EvaluationState
from leaderboard.tasks import blobs
from leaderboard.tasks.models import GoldFile, Participation, Phase
from scoring import Counts
from scoring.statistics import bootstrap
from scoring.statistics.bootstrap import mean_estimates
from tests.campaigns.invariants import violations
from tests.leaderboard.small import (
    attempts_left,
    both,
    one_wrong,
    scored,
    scored_anew,
    upload,
)

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_stage,
    pytest.mark.databases("locks"),
]


@pytest.fixture
def waiting(phase: Phase, entry: Participation) -> Evaluation:
    return accept.submit(upload(phase, entry, both())).evaluations.get()


def expire(waiting: Evaluation) -> None:
    past = Now() - timedelta(seconds=1)
    Evaluation.objects.filter(pk=waiting.pk).update(lease_until=past)


def free(waiting: Evaluation) -> None:
    Evaluation.objects.filter(pk=waiting.pk).update(not_before=Now())


def state(waiting: Evaluation) -> str:
    waiting.refresh_from_db()
    return waiting.state


def test_scores_are_right_heads_and_labels_by_words(
    phase: Phase, entry: Participation
) -> None:
    sent = scored_anew(phase, entry, both({"north": one_wrong()}))
    results = sent.evaluations.get().results
    north = results["test_sets"]["north"]["measures"]["las"]
    assert north["value"] == 7 / 8
    assert results["overall"]["las"]["value"] == (7 / 8 + 1) / 2


def test_a_missing_test_set_counts_zero_and_marks_the_row(
    phase: Phase, entry: Participation
) -> None:
    found = scored_anew(phase, entry, {"south": both()["south"]}).evaluations.get()
    assert found.results["overall"]["las"]["value"] == 0.5
    assert not found.complete


def test_counts_are_stored_and_give_the_score_again(
    phase: Phase, entry: Participation
) -> None:
    sent = scored_anew(phase, entry, both({"north": one_wrong()}))
    stored = sent.evaluations.get().counts.get(test_set__name="north")
    counts = Counts.load(bytes(stored.data))
    assert counts.total("las") / counts.total("words") == 7 / 8


def test_each_test_set_is_resampled_by_itself(
    phase: Phase, entry: Participation
) -> None:
    """North and south have two units each: with one seed they would go in step."""
    wrong = {name: one_wrong(name) for name in ("north", "south")}
    waiting = scored(phase, entry, both(wrong)).evaluations.get()
    counts = [
        Counts.load(bytes(stored.data))
        for stored in waiting.counts.order_by("test_set__position")
    ]
    task = phase.task
    strata = [(table, task.plan(place)) for place, table in enumerate(counts)]
    measure = task.headline_measure
    (expected,) = mean_estimates(strata, [measure]).values()
    assert waiting.results["overall"][measure.name] == expected.as_dict()
    in_step = [(table, task.plan(0)) for table in counts]
    (other,) = mean_estimates(in_step, [measure]).values()
    assert other.stddev != expected.stddev


def test_an_answer_given_inline_is_that_of_the_sandbox(
    phase: Phase, entry: Participation
) -> None:
    """Most tests have their files read and scored in their own process."""
    sends = (scored, scored_anew)
    found = [send(phase, entry, both()).evaluations.get() for send in sends]
    kept = [
        (one.results, one.result_sha256, [bytes(of.data) for of in one.counts.all()])
        for one in found
    ]
    assert kept[0] == kept[1]


def test_what_every_child_would_draw_is_drawn_once_by_its_parent(
    phase: Phase, entry: Participation
) -> None:
    bootstrap._stored_weights.cache_clear()
    scored_anew(phase, entry, both())  # in a child, whose memory is lost
    assert bootstrap._stored_weights.cache_info().currsize == 2
    for position in (0, 1):
        plan = phase.task.plan(position)
        list(bootstrap.draws(2, plan.resamples, plan.seed))
    assert bootstrap._stored_weights.cache_info().hits == 2


def test_gold_of_many_tasks_in_turn_is_parsed_once_each_within_bounds(
    phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[str] = []
    data = both()["north"]

    def read(digest: str) -> bytes:
        parsed.append(digest)
        return data

    monkeypatch.setattr(evaluation.blobs, "read", read)
    files = [GoldFile(name="gold.conllu", sha256=f"{n:064x}") for n in range(50)]
    evaluation._gold.clear()
    for file in files * 2:
        evaluation.gold_of(phase.task, file)
    assert parsed == [file.sha256 for file in files]
    # With room for three of them, and then with less than one takes.
    for room, kept in ((3 * len(data), 3), (len(data) // 2, 1)):
        evaluation._gold.clear()
        monkeypatch.setattr(evaluation._gold, "most", room)
        monkeypatch.setattr(evaluation, "MOST_GOLD", room)
        for file in files[:5]:
            evaluation.gold_of(phase.task, file)
        assert len(evaluation._gold.things) == kept
    evaluation._gold.clear()


def test_a_second_delivery_finds_nothing_to_do(waiting: Evaluation) -> None:
    assert evaluation.run(waiting.pk)
    assert not evaluation.run(waiting.pk)
    assert waiting.events.filter(new=EvaluationState.SCORED).count() == 1


def test_only_one_of_two_workers_gets_the_claim(waiting: Evaluation) -> None:
    claims = [leases.claim(waiting.pk), leases.claim(waiting.pk)]
    assert [lease is None for lease in claims] == [False, True]


def test_a_result_of_a_lost_lease_is_discarded(waiting: Evaluation) -> None:
    leases.claim(waiting.pk)
    stale = Lease(waiting.pk, uuid.uuid4())
    assert not evaluation.finish_scored(waiting, stale, EngineAnswer())
    assert not stale.renew()
    assert state(waiting) == EvaluationState.RUNNING


def test_an_undeclared_move_is_an_error() -> None:
    with pytest.raises(ValueError, match="not a move"):
        Evaluation.objects.all().advance(EvaluationState.SCORED, EvaluationState.QUEUED)


def test_a_silent_worker_loses_its_evaluation_to_the_next_attempt(
    waiting: Evaluation,
) -> None:
    Evaluation.objects.filter(pk=waiting.pk).update(published_at=Now())
    leases.claim(waiting.pk)
    assert leases.reap() == 0
    expire(waiting)
    assert leases.reap() == 1
    assert state(waiting) == EvaluationState.QUEUED
    assert waiting.published_at is None, "no hint of the attempt before counts"
    assert not evaluation.run(waiting.pk), "it pauses before the next attempt"
    free(waiting)
    assert evaluation.run(waiting.pk)
    assert state(waiting) == EvaluationState.SCORED
    assert waiting.attempt == 2


def test_what_ended_without_a_fault_waits_as_if_it_had_not_begun(
    waiting: Evaluation,
) -> None:
    """As after a backup was restored in the middle of it."""
    leases.claim(waiting.pk)
    assert leases.put_back(Evaluation.objects.all(), "restored") == 1
    assert state(waiting) == EvaluationState.QUEUED
    assert (waiting.attempt, waiting.published_at) == (0, None)
    assert evaluation.run(waiting.pk)
    assert (state(waiting), waiting.attempt) == (EvaluationState.SCORED, 1)


def test_after_the_last_attempt_the_fault_is_ours_and_the_attempt_given_back(
    phase: Phase, entry: Participation
) -> None:
    phase.daily_limit = 1
    phase.save()
    waiting = accept.submit(upload(phase, entry, both())).evaluations.get()
    for _ in range(settings.MOST_ATTEMPTS):
        free(waiting)
        assert leases.claim(waiting.pk)
        expire(waiting)
        leases.reap()
    assert state(waiting) == EvaluationState.FAILED_SYSTEM
    assert attempts_left(phase, entry, timezone.now()) == 1
    assert not quota.refund(waiting.submission_id), "given back once only"


@override_settings(MOST_ATTEMPTS=1, REFUNDS_PER_DAY=2)
def test_attempts_are_given_back_for_our_faults_up_to_a_bound_of_the_day(
    phase: Phase, entry: Participation
) -> None:
    phase.daily_limit = 9
    phase.save()
    left, texts = [], []
    for _ in range(3):
        failed = accept.submit(upload(phase, entry, both())).evaluations.get()
        assert leases.claim(failed.pk)
        expire(failed)
        leases.reap()
        assert state(failed) == EvaluationState.FAILED_SYSTEM
        left.append(attempts_left(phase, entry, timezone.now()))
        texts.append(status_of(failed.submission, None).text)
    assert left == [9, 9, 8]
    assert ["given back to your team" in text for text in texts] == [True, True, False]
    assert "too often today" in texts[-1]
    assert failed.problems[0]["message"].endswith("2 a day are, which is the limit.")
    assert violations() == []


def test_a_file_that_changed_on_disk_is_not_scored_until_it_is_mended(
    waiting: Evaluation,
) -> None:
    digest = waiting.submission.files.first().sha256
    path = Path(blobs.storages["blobs"].path(blobs.place(digest)))
    original = path.read_bytes()
    path.write_bytes(b"?" + original[1:])
    assert evaluation.run(waiting.pk)
    assert state(waiting) == EvaluationState.QUEUED, (
        "our fault: released for the next attempt"
    )
    assert waiting.last_error.startswith("DamagedBlob in ")
    assert blobs.keep(original) == digest, "storing it again mends it"
    free(waiting)
    assert evaluation.run(waiting.pk)
    assert state(waiting) == EvaluationState.SCORED


def test_events_replay_to_the_state(waiting: Evaluation) -> None:
    evaluation.run(waiting.pk)
    moves = list(waiting.events.values_list("old", "new"))
    assert [new for _, new in moves] == [
        EvaluationState.QUEUED,
        EvaluationState.RUNNING,
        EvaluationState.SCORED,
    ]
    assert all(a[1] == b[0] for a, b in pairwise(moves))
    assert moves[-1][1] == state(waiting)
