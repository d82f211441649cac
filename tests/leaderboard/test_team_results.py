"""The public page of a team, and what it does not tell."""

import json
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.boards.team_results import results_of
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import User
from tests.leaderboard.small import both, one_wrong, scored

pytestmark = pytest.mark.django_db


def page(team: str, client: Client | None = None) -> Any:
    address = f"/teams/results/?{urlencode({'team': team})}"
    return (client or Client()).get(address)


def test_a_team_has_its_public_results_on_one_page(
    phase: Phase, entry: Participation
) -> None:
    scored(phase, entry, both({"north": one_wrong()}), system="otter-9")
    answer = page("Bens")
    text = answer.content.decode()
    assert answer.status_code == 200
    assert "otter-9" in text and "93.75" in text and "1 of 1" in text
    board = Client().get("/tasks/otters/test/board/").content.decode()
    assert "/teams/results/?team=Bens" in board


def hide_board(phase: Phase, entry: Participation) -> None:
    phase.policy = "blind"
    phase.closes = timezone.now() + timedelta(days=1)
    phase.save()


def hide_task(phase: Phase, entry: Participation) -> None:
    phase.task.draft = True
    phase.task.save()


def hide_name(phase: Phase, entry: Participation) -> None:
    entry.anonymous, entry.alias = True, 7
    entry.save()
    phase.closes = timezone.now() + timedelta(days=1)
    phase.save()


def withdraw(phase: Phase, entry: Participation) -> None:
    phase.submissions.update(withdrawn_at=timezone.now())
    Phase.objects.filter(pk=phase.pk).touch_boards()


def disqualify(phase: Phase, entry: Participation) -> None:
    entry.status = Participation.Status.DISQUALIFIED
    entry.save()


HIDING = [hide_board, hide_task, hide_name, withdraw, disqualify]


@pytest.mark.parametrize("hide", HIDING)
def test_no_more_is_asked_for_a_hidden_team_than_for_none(
    phase: Phase, entry: Participation, hide: Any
) -> None:
    """Or else the time of an answer would tell that it is there."""
    scored(phase, entry, both())
    hide(phase, entry)
    numbers = set()
    for name in ("Bens", "Nobody"):
        with CaptureQueriesContext(connection) as asked:
            page(name)
        numbers.add(len(asked))
    assert len(numbers) == 1


def test_systems_without_a_page_are_not_linked(
    phase: Phase, entry: Participation
) -> None:
    sent = scored(phase, entry, both())
    assert f"/submissions/{sent.pk}/system/" in page("Bens").content.decode()
    Phase.objects.filter(pk=phase.pk).update(policy="best")
    assert f"{sent.pk}" not in page("Bens").content.decode()


def test_organizers_are_led_to_no_page_that_the_public_has_not(
    phase: Phase, entry: Participation, ada: User, as_user: Any
) -> None:
    scored(phase, entry, both())
    hide_board(phase, entry)
    board = as_user(ada).get("/tasks/otters/test/board/").content.decode()
    assert "Bens" in board and "/teams/results/" not in board


@pytest.mark.parametrize("hide", HIDING)
def test_what_no_board_shows_has_no_page(
    phase: Phase, entry: Participation, hide: Any
) -> None:
    """Not even whether there is such a team."""
    scored(phase, entry, both())
    hide(phase, entry)
    hidden, unknown = page("Bens"), page("Nobody")
    assert hidden.status_code == unknown.status_code == 404
    assert hidden.content.replace(b"Bens", b"Nobody") == unknown.content


def test_an_alias_and_a_baseline_have_no_page(
    phase: Phase, entry: Participation
) -> None:
    scored(phase, entry, both())
    hide_name(phase, entry)
    board = Client().get("/tasks/otters/test/board/").content.decode()
    assert "Anonymous 7" in board and "/teams/results/" not in board
    assert page("Anonymous 7").status_code == 404


def test_members_find_their_settings_and_others_do_not(
    phase: Phase, entry: Participation, ben: User, cy: User, as_user: Any
) -> None:
    scored(phase, entry, both())
    assert "Members and settings" in page("Bens", as_user(ben)).content.decode()
    assert "Members and settings" not in page("Bens", as_user(cy)).content.decode()


def test_a_page_made_again_asks_for_no_board(
    phase: Phase,
    entry: Participation,
    settings: Any,
    django_assert_max_num_queries: Any,
) -> None:
    settings.BOARD_SECONDS = 60
    scored(phase, entry, both())
    page("Bens")
    (line,) = (one.line for one in results_of("Bens", timezone.now()))
    assert json.loads(json.dumps(line)) == line  # as Redis keeps it
    with django_assert_max_num_queries(4):
        page("Bens")
