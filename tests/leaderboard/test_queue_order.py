"""Fair turns between teams, decided in the database alone."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import override_settings
from django.utils import timezone

from leaderboard.submissions import accept, dispatch, evaluation, leases
from leaderboard.submissions.broker import broker
from leaderboard.submissions.models import Evaluation, EvaluationState
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.leaderboard.small import both, upload

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_stage,
    pytest.mark.databases("sql"),
]
Found = Callable[[str], Participation]


@pytest.fixture
def team(phase: Phase) -> Found:
    def found(name: str) -> Participation:
        user = User.objects.create_user(f"{name}@example.org", "x")
        return join(phase.task, Team.found(name, user))

    return found


def send(phase: Phase, team: Participation, number: int) -> list[int]:
    """Uploads of a team; the ids of their evaluations."""
    sent = [accept.submit(upload(phase, team, both())) for _ in range(number)]
    return [one.evaluations.get().pk for one in sent]


def next_one() -> int:
    return dispatch.in_turn(Evaluation.objects.ready(), 1)[0]


@pytest.mark.thorough
def test_a_flood_of_one_team_delays_another_by_at_most_two(
    phase: Phase, team: Found
) -> None:
    flood = send(phase, team("flood"), 20)
    (single,) = send(phase, team("single"), 1)
    started = []
    for _ in range(3):
        started.append(next_one())
        assert leases.claim(started[-1])
    assert single in started
    assert started[0] == flood[0]


def test_a_team_has_no_more_than_two_under_way(phase: Phase, team: Found) -> None:
    ids = send(phase, team("flood"), 5)
    for pk in ids[:2]:
        leases.claim(pk)
    assert dispatch.in_turn(Evaluation.objects.ready(), 9) == []
    waiting = Evaluation.objects.get(pk=ids[0])
    leases.release(Evaluation.objects.filter(pk=waiting.pk), "test")
    assert dispatch.in_turn(Evaluation.objects.ready(), 9) == [ids[2]]


def test_a_team_has_one_run_of_a_program_under_way(phase: Phase, team: Found) -> None:
    flood, other = send(phase, team("flood"), 3), send(phase, team("other"), 2)
    Task.objects.update(scorer_name="program")
    leases.claim(flood[0])
    assert dispatch.in_turn(Evaluation.objects.ready(), 9) == [other[0]]


@pytest.mark.thorough
def test_turns_go_round(phase: Phase, team: Found) -> None:
    ids = {name: send(phase, team(name), 3) for name in ("a", "b", "c")}
    owner = {pk: name for name, own in ids.items() for pk in own}
    order = []
    for _ in range(9):
        pk = next_one()
        order.append(owner[pk])
        assert evaluation.run(pk)
    assert order == ["a", "b", "c"] * 3


def test_a_turn_of_an_hour_ago_is_forgotten(phase: Phase, team: Found) -> None:
    first, waiting = send(phase, team("a"), 2)
    assert evaluation.run(first)
    (other,) = send(phase, team("b"), 1)
    assert next_one() == other, "who was never served comes first"
    an_hour_ago = timezone.now() - timedelta(hours=1)
    Evaluation.objects.filter(pk=first).update(state_since=an_hour_ago)
    assert next_one() == waiting, "who waits longest comes first"


def test_a_turn_looks_at_the_latest_alone(
    phase: Phase, team: Found, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, waiting = send(phase, team("a"), 2)
    second, _ = send(phase, team("b"), 2)
    for pk in (first, second):
        assert evaluation.run(pk)
    assert next_one() == waiting, "who was served longest ago comes first"
    (other,) = send(phase, team("c"), 1)
    assert next_one() == other, "who was never served comes first"
    monkeypatch.setattr(dispatch, "LATEST", 1)
    assert next_one() == waiting, "who is not among the latest waits since it was sent"


def test_hints_follow_the_turns(
    phase: Phase, team: Found, monkeypatch: pytest.MonkeyPatch
) -> None:
    flood = send(phase, team("flood"), 5)
    single = send(phase, team("single"), 1)
    told: list[int] = []
    monkeypatch.setattr(broker, "answers", lambda: True)
    monkeypatch.setattr(
        dispatch.app, "send_task", lambda _name, args, **_: told.extend(args)
    )
    with override_settings(HINT_WINDOW=4):
        dispatch.hint_waiting()
        dispatch.hint_waiting()
    assert told == [flood[0], *single, flood[1]]
    hinted = Evaluation.objects.filter(
        published_at__isnull=False, state=EvaluationState.QUEUED
    )
    assert hinted.count() == dispatch.outstanding() == 3


def test_who_has_scored_asks_for_turns_once_half_of_the_window_was_taken(
    phase: Phase, team: Found, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b", "c", "d"):
        send(phase, team(name), 2)
    told: list[int] = []
    monkeypatch.setattr(broker, "answers", lambda: True)
    monkeypatch.setattr(
        dispatch.app, "send_task", lambda _name, args, **_: told.extend(args)
    )
    with override_settings(HINT_WINDOW=4):
        assert dispatch.hint_next() == 4
        assert leases.claim(told[0])
        assert dispatch.hint_next() == 0, "three of four wait in the queue"
        assert leases.claim(told[1])
        assert dispatch.hint_next() == 2
