"""Corrected gold: how far it is, what it would change, and the step to the board."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.organize import gold_preview
from leaderboard.submissions import accept, admin_actions, evaluation, leases
from leaderboard.submissions.gold import publish, rescore
from leaderboard.submissions.models import Evaluation, EvaluationState, Submission
from leaderboard.tasks import participation
from leaderboard.tasks.models import GoldRevision, Notice, Participation, Phase, Task
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from tests.leaderboard.small import both, one_wrong, scored, upload
from tests.organize.gold_changes import make_live, score_all

pytestmark = [
    pytest.mark.usefixtures("no_queue"),
    pytest.mark.django_db,
    pytest.mark.one_stage,
]
Made = Callable[..., GoldRevision]


def test_an_upload_that_began_before_the_switch_is_scored_under_the_new_gold(
    phase: Phase, entry: Participation, propose: Made, ada: User
) -> None:
    request = upload(phase, entry, both())  # holds the phase as it is now
    draft = propose()
    make_live(draft, ada)
    sent = accept.submit(request)
    assert sent.evaluations.get().gold_revision == draft


def test_the_board_changes_with_the_switch_and_not_before(
    phase: Phase, entry: Participation, propose: Made, ada: User, client: Any
) -> None:
    scored(phase, entry, both())
    draft = propose()
    score_all()

    def shown() -> tuple[int, float]:
        found = client.get("/api/v1/tasks/otters/test/board/").json()
        score = found["rows"][0]["scores"]["las"]["value"]
        return found["gold_revision"], score

    assert shown() == (1, 1.0)
    make_live(draft, ada)
    assert shown() == (2, pytest.approx((7 / 8 + 1) / 2))


def test_going_live_is_said_in_public_with_who_moved(
    phase: Phase,
    entry: Participation,
    other: Participation,
    propose: Made,
    ada: User,
) -> None:
    scored(phase, entry, both())
    scored(phase, other, both({"north": one_wrong()}))
    draft = propose()
    score_all()
    version = Phase.objects.get().board_version
    make_live(draft, ada)
    notice = Notice.objects.get(kind=Notice.Kind.GOLD)
    assert "Version 2 of the answer key replaces version 1." in notice.text
    assert "A head was wrong." in notice.text
    assert "2 of 2 systems change their rank: Cys 2 to 1, Bens 1 to 2" in notice.text
    draft.refresh_from_db()
    assert (notice.at, notice.by) == (draft.live_at, ada)
    assert Phase.objects.get().board_version == version + 1


def test_the_preview_says_who_moves_and_who_comes_into_the_prizes(
    phase: Phase, entry: Participation, other: Participation, propose: Made
) -> None:
    Task.objects.update(prizes=1)
    scored(phase, entry, both())
    scored(phase, other, both({"north": one_wrong()}))
    draft = propose()
    score_all()
    draft = GoldRevision.objects.get(pk=draft.pk)
    by_las, by_uas = gold_preview.sheets(draft, AnonymousUser())
    assert (by_las.measure.name, by_uas.measure.name) == ("las", "uas")
    found = {line.row.team: line for line in by_las.lines}
    # Of 8 words each in north and south: 100 and 93.75 before, the other way after.
    assert found["Bens"].change == pytest.approx(-6.25)
    assert found["Cys"].change == pytest.approx(6.25)
    assert (found["Bens"].prize, found["Cys"].prize) == ("lost", "gained")
    assert by_las.counts == {"changed": 2, "moved": 2, "crosses": 0, "prize": 2}
    assert by_las.largest == "6.25"
    come = [replace(line, before=None) for line in by_las.lines]
    assert replace(by_las, lines=come).largest == ""
    assert by_uas.counts["prize"] == 0  # only the headline decides on prizes
    rows = gold_preview.sheets(draft, AnonymousUser(), everything=True)[0].lines
    assert {line.row.team for line in rows} == {"Bens", "Cys"}


@pytest.mark.parametrize("away", ["withdrawn_at", "disqualified_at"])
def test_a_score_that_is_away_stays_the_one_to_beat(
    phase: Phase, entry: Participation, propose: Made, ada: User, away: str
) -> None:
    """What its team sent later, and was not better, stays withheld."""
    Phase.objects.update(policy=Phase.Policy.BEST)
    best = scored(phase, entry, both())
    scored(phase, entry, both({"south": one_wrong()}))
    Submission.objects.filter(pk=best.pk).update(**{away: timezone.now()})
    draft = propose()
    assert score_all() == 2
    make_live(draft, ada)
    assert not board(BoardQuery(Phase.objects.get())).rows
    assert best.evaluations.filter(gold_revision=draft).exists()


def test_another_entry_may_become_the_best_of_a_team(
    phase: Phase, entry: Participation, propose: Made
) -> None:
    scored(phase, entry, both(), system="old-best")
    scored(phase, entry, both({"north": one_wrong()}), system="new-best")
    draft = propose()
    score_all()
    (line,) = gold_preview.sheets(draft, AnonymousUser())[0].lines
    assert (line.row.system, line.other_system) == ("new-best", "old-best")
    assert (line.change, line.has_new_score, line.has_new_rank) == (0.0, False, False)


def test_crossing_a_line_is_another_number_of_lines_above(
    phase: Phase, entry: Participation
) -> None:
    scored(phase, entry, both())
    (row,) = board(BoardQuery(phase)).rows
    first = replace(row, standing=replace(row.standing, cluster=1))
    second = replace(row, standing=replace(row.standing, cluster=2))
    assert gold_preview.GoldChangeLine(first, second, 0).crosses
    assert not gold_preview.GoldChangeLine(second, second, 0).crosses
    assert not gold_preview.GoldChangeLine(None, second, 0).crosses


def test_the_notice_tells_nothing_of_a_hidden_board(
    phase: Phase, entry: Participation, propose: Made
) -> None:
    scored(phase, entry, both())
    draft = propose()
    score_all()
    assert "no rank changes, of 1 on the board" in gold_preview.in_public(draft)
    Phase.objects.update(policy=Phase.Policy.BLIND)
    assert gold_preview.in_public(draft) == ""
    Phase.objects.update(policy=Phase.Policy.OPEN)
    Task.objects.update(draft=True)
    draft = GoldRevision.objects.get(pk=draft.pk)
    assert gold_preview.in_public(draft) == ""


def test_an_incomplete_revision_does_not_go_live(
    phase: Phase, entry: Participation, propose: Made, ada: User
) -> None:
    scored(phase, entry, both())
    draft = propose()
    with pytest.raises(Refusal, match="1 submissions"):
        make_live(draft, ada)
    assert not Notice.objects.filter(kind=Notice.Kind.GOLD).exists()


def test_a_failure_must_be_accepted_by_its_name(
    phase: Phase, entry: Participation, propose: Made, ada: User, settings: Any
) -> None:
    settings.MOST_ATTEMPTS = 1
    sent = scored(phase, entry, both())
    draft = propose()
    lease = leases.claim(draft.evaluations.get().pk)
    assert lease
    leases.release(lease.mine, "gone")
    with pytest.raises(Refusal, match="otter-1"):
        make_live(draft, ada)
    make_live(draft, ada, (str(sent.pk),))
    assert Phase.objects.get().gold_revision == draft


def test_going_back_scores_only_what_was_sent_since(
    phase: Phase, entry: Participation, propose: Made, ada: User
) -> None:
    scored(phase, entry, both())
    first = phase.gold_revision
    draft = propose()
    score_all()
    make_live(draft, ada)
    phase.refresh_from_db()
    later = scored(phase, entry, both())
    rescore.prepare_again(first)
    waiting = Evaluation.objects.get(state=EvaluationState.QUEUED)
    assert (waiting.submission, waiting.gold_revision) == (later, first)
    score_all()
    make_live(GoldRevision.objects.get(pk=first.pk), ada)
    assert Phase.objects.get().gold_revision == first


def test_who_was_away_during_a_switch_is_scored_when_it_counts_again(
    phase: Phase, entry: Participation, propose: Made, ada: User
) -> None:
    sent = scored(phase, entry, both())
    admin_actions.disqualify(sent, ada, "Two accounts.")
    make_live(propose(), ada)
    assert not sent.evaluations.filter(state=EvaluationState.QUEUED).exists()
    admin_actions.reinstate(sent)
    waiting = Evaluation.objects.get(state=EvaluationState.QUEUED)
    assert waiting.gold_revision == Phase.objects.get().gold_revision
    assert rescore.score_returned(Submission.objects.all()) == 0


def test_a_team_that_came_back_after_a_switch_is_scored_by_the_sweep(
    phase: Phase, entry: Participation, propose: Made, ada: User
) -> None:
    scored(phase, entry, both())
    participation.decide(entry, "withdraw", ada, "They asked for it.")
    make_live(propose(), ada)
    participation.decide(entry, "reinstate", ada)
    rescore.upkeep()
    assert score_all() == 1


def test_a_discarded_draft_is_never_scored(
    phase: Phase, entry: Participation, propose: Made, ada: User
) -> None:
    scored(phase, entry, both())
    scored(phase, entry, both())
    draft = propose()
    running = leases.claim(draft.evaluations.earliest("pk").pk)
    assert running
    rescore.discard(draft)
    leases.release(running.mine, "the worker stopped answering")
    rescore.upkeep()
    states = set(draft.evaluations.values_list("state", flat=True))
    assert states == {EvaluationState.CANCELLED}
    with pytest.raises(Refusal):
        make_live(draft, ada)
    assert propose().number == 3


def test_progress_tells_how_far_it_is_and_how_long_the_rest_takes(
    phase: Phase, entry: Participation, propose: Made
) -> None:
    for _ in range(4):
        scored(phase, entry, both())
    draft = propose()
    empty = publish.progress_of(draft)
    assert (empty.total, empty.ended, empty.waiting, empty.rest) == (4, 0, 4, None)
    for number, one in enumerate(draft.evaluations.order_by("pk")[:2]):
        assert evaluation.run(one.pk)
        ended = timezone.now() - timedelta(seconds=10 * (2 - number))
        Evaluation.objects.filter(pk=one.pk).update(finished_at=ended)
    half = publish.progress_of(draft)
    assert (half.ended, half.scored, half.complete) == (2, 2, False)
    # One since the first, twenty seconds ago; two are left.
    assert half.rest and 40 <= half.rest.total_seconds() < 50


def test_progress_asks_a_constant_number_of_questions(
    phase: Phase,
    entry: Participation,
    propose: Made,
    django_assert_max_num_queries: Any,
) -> None:
    for _ in range(5):
        scored(phase, entry, both())
    draft = propose()
    score_all()
    draft = GoldRevision.objects.select_related("task").get(pk=draft.pk)
    with django_assert_max_num_queries(4):
        publish.progress_of(draft)
        list(publish.failures(draft))
