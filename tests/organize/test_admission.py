"""Who may submit, and how often in all; what stands in the way is said beforehand."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.submissions import accept, admin_actions, evaluation, quota
from leaderboard.submissions.models import (
    Evaluation,
    EvaluationState,
    Submission,
)
from leaderboard.tasks.models import Participation, Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.leaderboard.channels import PAGE, ByApi, Channel, text_of
from tests.leaderboard.small import both, upload

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
Login = Callable[[User], Client]
Status = Participation.Status


def changed(phase: Phase, **values: Any) -> Phase:
    for name, value in values.items():
        setattr(phase, name, value)
    phase.save()
    return phase


def refused_with(channel: Channel, user: User, sentence: str, code: str) -> None:
    """It is said before and after sending; nothing is stored and nothing charged."""
    look, told = channel.look(user), channel.send(user)
    assert (look.may_submit, look.code, told.code) == (False, code, code)
    assert told.status in (409, 422)
    assert sentence in look.text and sentence in told.text
    assert (told.stored, told.charged) == (0, {})


@pytest.mark.parametrize(
    "case",
    [
        (Status.PENDING, "Team Bens waits for admission"),
        (Status.REFUSED, "Team Bens was not admitted"),
        (Status.WITHDRAWN, "Team Bens withdrew"),
        (Status.DISQUALIFIED, "Team Bens was disqualified"),
        (Status.MERGED, "Team Bens was merged"),
    ],
)
def test_only_teams_that_take_part_may_submit(
    channel: Channel, entry: Participation, ben: User, case: tuple[str, str]
) -> None:
    entry.status, sentence = case
    entry.save()
    refused_with(channel, ben, sentence, "not_taking_part")


def test_the_reason_of_a_disqualification_is_told_to_the_team(
    channel: Channel, phase: Phase, entry: Participation, ben: User
) -> None:
    entry.status, entry.reason = Status.DISQUALIFIED, "Test data were trained on."
    entry.save()
    sentence = "Reason given: Test data were trained on."
    refused_with(channel, ben, sentence, "not_taking_part")


def test_a_phase_of_organizers_takes_nothing_from_others(
    channel: Channel, phase: Phase, entry: Participation, ben: User, ada: User
) -> None:
    changed(phase, who=Phase.Who.ORGANIZERS)
    refused_with(channel, ben, "Only organizers submit to Test", "not_chosen")
    join(phase.task, Team.found("House", ada))
    assert channel.send(ada).accepted


def test_a_phase_of_chosen_teams_takes_from_them_alone(
    channel: Channel, phase: Phase, entry: Participation, ben: User, cy: User
) -> None:
    changed(phase, who=Phase.Who.CHOSEN)
    chosen = join(phase.task, Team.found("Cys", cy))
    phase.chosen.add(chosen)
    refused_with(channel, ben, "Bens is not among them", "not_chosen")
    assert channel.send(cy).accepted


def test_a_paused_phase_refuses_with_its_note_and_scores_what_runs(
    channel: Channel, phase: Phase, entry: Participation, ben: User
) -> None:
    assert channel.send(ben).accepted
    changed(phase, paused=True, paused_note="Back on Monday.")
    look, told = channel.look(ben), channel.send(ben)
    for text in (look.text, told.text):
        assert "Test is paused" in text and "Back on Monday." in text
    assert (look.may_submit, look.code, told.code) == (False, "paused", "paused")
    assert (told.stored, told.charged) == (1, {"scored": 1, "total": 1})
    assert evaluation.run(Evaluation.objects.get().pk)
    assert Evaluation.objects.get().state == EvaluationState.SCORED


@pytest.fixture
def while_read(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Changes fields of a phase while the file of an upload is looked at."""

    def change(phase: Phase, **values: Any) -> None:
        rows = Phase.objects.filter(pk=phase.pk)
        monkeypatch.setattr(
            accept, "find_problems", lambda *_: rows.update(**values) and []
        )

    return change


def test_a_repeated_request_finds_its_submission_whatever_came_in_between(
    channel: Channel, phase: Phase, entry: Participation, ben: User
) -> None:
    first = channel.send(ben, key="once")
    changed(phase, paused=True, daily_limit=1, total_limit=1)
    entry.status = Status.DISQUALIFIED
    entry.save()
    again = channel.send(ben, key="once")
    assert again.accepted and (again.sent, again.stored) == (first.sent, 1)


def test_a_pause_that_begins_while_the_file_is_read_holds(
    channel: Channel,
    phase: Phase,
    entry: Participation,
    ben: User,
    while_read: Callable[..., None],
) -> None:
    while_read(phase, paused=True)
    told = channel.send(ben)
    assert (told.code, told.stored, told.charged) == ("paused", 0, {})


@pytest.mark.parametrize("changed_sets", [("north",), ("south",), ("north", "south")])
def test_a_test_set_that_changed_while_the_file_was_read_charges_nothing(
    changed_sets: tuple[str, ...],
    channel: Channel,
    phase: Phase,
    entry: Participation,
    ben: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = phase.test_sets.filter(name__in=changed_sets)

    def change(*_: Any) -> list[Any]:
        rows.update(blind_sha256="0" * 64)
        return []

    monkeypatch.setattr(accept, "find_problems", change)
    told = channel.send(ben)
    assert (told.code, told.stored, told.charged) == ("changed_meanwhile", 0, {})


def test_an_end_that_moved_while_the_file_was_read_counts(
    channel: Channel,
    over: Phase,
    entry: Participation,
    ben: User,
    while_read: Callable[..., None],
) -> None:
    while_read(over, closes=timezone.now() + timedelta(days=1))
    told = channel.send(ben)
    assert told.sent is not None and not told.sent.late


def test_baselines_of_organizers_ask_nobody(phase: Phase, ada: User) -> None:
    changed(phase, who=Phase.Who.CHOSEN, paused=True, total_limit=1)
    house = join(phase.task, Team.found("House", ada))
    for _ in range(2):
        assert accept.submit(upload(phase, house, both(), baseline=True)).pk


def test_the_total_holds_over_the_days_and_names_no_next_one(
    channel: Channel, phase: Phase, entry: Participation, ben: User
) -> None:
    changed(phase, daily_limit=2, total_limit=3)
    now = timezone.now()
    begun = [now - timedelta(days=days) for days in (2, 1, 0)]
    for moment in begun:
        assert channel.send(ben, at=moment).accepted
    received = Submission.objects.values_list("received_at", flat=True)
    assert sorted(received) == begun
    told = channel.send(ben)
    assert (told.code, told.stored) == ("total_used", 3)
    assert "All 3 attempts of this phase are used." in told.text
    assert "next day begins" not in told.text
    assert channel.look(ben).left == {"today": 1, "total": 0}


def test_the_api_says_what_of_an_allowance_is_left_in_the_refusal(
    phase: Phase, entry: Participation, ben: User
) -> None:
    changed(phase, daily_limit=2, total_limit=1)
    channel = ByApi()
    channel.send(ben)
    told = channel.send(ben)
    assert told.status == 429
    assert json.loads(told.text) == {
        "type": "/api/docs/#total_used",
        "title": "Too Many Requests",
        "status": 429,
        "detail": "All 1 attempts of this phase are used.",
        "code": "total_used",
        "next_at": None,
        "left": {"today": 1, "total": 0},
    }


def test_what_is_left_stands_on_the_page_and_in_the_api(
    phase: Phase, entry: Participation, ben: User, as_user: Login
) -> None:
    changed(phase, daily_limit=2, total_limit=9)
    api = ByApi()
    assert api.look(ben).left == {"today": 2, "total": 9}
    assert json.loads(api.send(ben).text)["left"] == {"today": 1, "total": 8}
    page = text_of(as_user(ben).get(PAGE))
    assert "1 of 2 left today" in page
    assert "8 of 9 left in all" in page


def test_a_total_set_later_counts_what_was_sent_before(
    channel: Channel, phase: Phase, entry: Participation, ben: User
) -> None:
    for _ in range(3):
        assert channel.send(ben).accepted
    changed(phase, total_limit=3)
    assert channel.send(ben).code == "total_used"
    changed(phase, total_limit=4)
    assert channel.send(ben).accepted


def test_a_refund_gives_back_of_the_day_and_of_the_total_once(
    channel: Channel, phase: Phase, entry: Participation, ben: User
) -> None:
    changed(phase, daily_limit=1, total_limit=1)
    sent = accept.submit(upload(phase, entry, both()))
    use = quota.QuotaUsage(phase, entry, ben, timezone.now())
    assert use.allowance().total == 0 and not channel.send(ben).accepted
    assert quota.refund(sent.pk) == 4, "team and person, day and total"
    assert quota.refund(sent.pk) == 0
    assert (use.allowance().today, use.allowance().total) == (1, 1)
    assert channel.send(ben).accepted


def test_letting_a_late_submission_in_uses_the_total(
    over: Phase, entry: Participation, ada: User, ben: User
) -> None:
    changed(over, total_limit=1)
    first, second = (accept.submit(upload(over, entry, both())) for _ in range(2))
    admin_actions.admit(first, ada)
    with pytest.raises(quota.QuotaUsed, match="attempts of this phase"):
        admin_actions.admit(second, ada)
    second.refresh_from_db()
    assert second.late
