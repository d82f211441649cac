"""Corrected gold: checked at once, scored in the background, after what is new."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from leaderboard.submissions import (
    accept,
    admin_actions,
    dispatch,
    evaluation,
    jobs,
    leases,
)
from leaderboard.submissions.gold import check, rescore
from leaderboard.submissions.models import (
    Evaluation,
    EvaluationState,
    QuotaCounter,
    QuotaEntry,
    Submission,
)
from leaderboard.tasks.models import GoldRevision, Participation, Phase, Task
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from tests.leaderboard.small import attempts_left, both, perfect, scored, upload
from tests.organize.gold_changes import score_all

pytestmark = [
    pytest.mark.usefixtures("no_queue"),
    pytest.mark.django_db,
    pytest.mark.databases("locks"),
]
Made = Callable[..., GoldRevision]


def test_a_draft_takes_over_what_was_not_corrected(task: Task, propose: Made) -> None:
    first = task.gold_revisions.get()
    draft = propose()
    assert (draft.number, draft.preparing, draft.live_at) == (2, True, None)
    north, south = draft.files.order_by("test_set__position")
    assert north.changes == {"since": 1, "count": 1, "units": ["s1"]}
    assert south.changes == {}
    assert south.sha256 == first.files.get(test_set__name="south").sha256
    assert task.phases.get().gold_revision == first


@pytest.mark.parametrize(
    ("data", "said", "line"),
    [
        (perfect(), "byte for byte", None),
        (b"", "empty", None),
        (perfect().replace(b"\t2\tdet", b"\tx\tdet"), "HEAD is 'x'", 2),
        (perfect().replace(b"otter", b"beaver"), "expected 'otter'", 3),
    ],
)
def test_gold_that_cannot_be_used_is_refused_with_file_and_line(
    data: bytes, said: str, line: int | None, task: Task, propose: Made
) -> None:
    with pytest.raises(check.UnfitGold) as caught:
        propose(data)
    problems = [p for p in caught.value.problems if said in p.message]
    assert (problems[0].file, problems[0].line) == ("north.conllu", line)
    assert task.gold_revisions.count() == 1


def test_everything_that_counts_is_scored_again_and_nothing_else(
    phase: Phase, entry: Participation, other: Participation, propose: Made
) -> None:
    kept = scored(phase, entry, both())
    baseline = scored(phase, other, both(), baseline=True)
    gone = scored(phase, other, both())
    Submission.objects.filter(pk=gone.pk).update(withdrawn_at=timezone.now())
    out = scored(phase, entry, both())
    Submission.objects.filter(pk=out.pk).update(disqualified_at=timezone.now())
    Submission.objects.filter(pk=scored(phase, entry, both()).pk).update(late=True)
    draft = propose()
    again = draft.evaluations.filter(background=True)
    assert {one.submission for one in again} == {kept, baseline}
    assert Submission.objects.count() == 5


def test_scoring_again_moves_no_quota_and_no_date(
    phase: Phase, entry: Participation, propose: Made
) -> None:
    phase.daily_limit = 3
    phase.save()
    sent = scored(phase, entry, both())
    charged = list(QuotaEntry.objects.values()), list(QuotaCounter.objects.values())
    propose()
    assert score_all() == 1
    assert charged == (
        list(QuotaEntry.objects.values()),
        list(QuotaCounter.objects.values()),
    )
    same = Submission.objects.get()
    assert same.received_at == sent.received_at


def test_a_failure_in_the_background_gives_no_attempt_back(
    phase: Phase, entry: Participation, propose: Made, settings: Any
) -> None:
    settings.MOST_ATTEMPTS = 1
    phase.daily_limit = 3
    phase.save()
    sent = scored(phase, entry, both())
    draft = propose()
    lease = leases.claim(draft.evaluations.get().pk)
    assert lease
    leases.release(lease.mine, "the worker stopped answering")
    assert draft.evaluations.get().state == EvaluationState.FAILED_SYSTEM
    assert attempts_left(phase, entry, sent.received_at) == 2


def test_an_operator_who_cancels_it_gives_no_attempt_back(
    phase: Phase, entry: Participation, propose: Made, ada: User
) -> None:
    phase.daily_limit = 3
    phase.save()
    sent = scored(phase, entry, both())
    admin_actions.cancel(propose().evaluations.get(), ada)
    assert attempts_left(phase, entry, sent.received_at) == 2


def test_asking_again_makes_no_evaluation_twice(
    phase: Phase, entry: Participation, propose: Made
) -> None:
    for _ in range(3):
        scored(phase, entry, both())
    draft = propose()
    for _ in range(5):
        assert rescore.catch_up(draft) == 0
    assert draft.evaluations.count() == 3


def test_what_is_sent_meanwhile_is_scored_under_both(
    phase: Phase, entry: Participation, propose: Made
) -> None:
    draft = propose()
    sent = accept.submit(upload(phase, entry, both()))
    shown, prepared = sent.evaluations.order_by("pk")
    assert (shown.gold_revision, shown.background) == (phase.gold_revision, False)
    assert (prepared.gold_revision, prepared.background) == (draft, True)
    assert all(one.events.count() == 1 for one in (shown, prepared))


def test_a_new_submission_goes_before_the_background(
    phase: Phase, entry: Participation, propose: Made
) -> None:
    for _ in range(3):
        scored(phase, entry, both())
    propose()
    fresh = accept.submit(upload(phase, entry, both())).evaluations.get(
        background=False
    )
    ready = Evaluation.objects.ready()
    assert dispatch.in_turn(ready, 1) == [fresh.pk]
    # A hint for background work that was told before gives way.
    hinted = ready.filter(background=True).first()
    assert hinted
    assert dispatch.instead_of(hinted.pk) == fresh.pk
    assert evaluation.run(fresh.pk)
    assert dispatch.instead_of(hinted.pk) == hinted.pk


def test_background_work_of_ones_own_does_not_use_up_ones_turns(
    phase: Phase, entry: Participation, propose: Made
) -> None:
    for _ in range(3):
        scored(phase, entry, both())
    for pk in propose().evaluations.values_list("pk", flat=True)[:2]:
        assert leases.claim(pk)
    sent = accept.submit(upload(phase, entry, both()))
    fresh = sent.evaluations.get(background=False)
    assert dispatch.in_turn(Evaluation.objects.ready(), 9)[0] == fresh.pk


def test_only_so_much_background_work_is_under_way(
    phase: Phase, entry: Participation, propose: Made, settings: Any
) -> None:
    settings.MOST_BACKGROUND = 2
    for _ in range(4):
        scored(phase, entry, both())
    ids = list(propose().evaluations.order_by("pk").values_list("pk", flat=True))
    assert dispatch.in_turn(Evaluation.objects.ready(), 9) == ids[:2]
    assert leases.claim(ids[0])
    assert dispatch.in_turn(Evaluation.objects.ready(), 9) == ids[1:2]


def test_only_one_revision_is_prepared_at_a_time(
    phase: Phase, propose: Made, ada: User
) -> None:
    propose()
    with pytest.raises(Refusal, match="being prepared"):
        propose()
    with pytest.raises(Refusal, match="already"):
        rescore.prepare_again(phase.gold_revision)


def test_creation_that_was_cut_short_is_finished_by_the_sweep(
    phase: Phase,
    entry: Participation,
    propose: Made,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for _ in range(3):
        scored(phase, entry, both())
    with monkeypatch.context() as patched:
        patched.setattr(rescore, "catch_up", lambda revision: 0)
        draft = propose()
    assert draft.evaluations.count() == 0
    jobs.sweep()
    assert draft.evaluations.count() == 3


@pytest.mark.django_db(transaction=True)
def test_five_askers_at_once_make_every_evaluation_once(
    phase: Phase, entry: Participation, propose: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(6):
        scored(phase, entry, both())
    with monkeypatch.context() as patched:
        patched.setattr(rescore, "catch_up", lambda revision: 0)
        draft = propose()

    def ask(_: int) -> int:
        try:
            return rescore.catch_up(draft)
        finally:
            connection.close()

    with ThreadPoolExecutor(5) as askers:
        assert sum(askers.map(ask, range(5))) == 6
    assert draft.evaluations.count() == 6
