"""The public page of a team, and what it does not tell."""

import json
import re
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.boards import team_results
from leaderboard.boards.team_results import results_of
from leaderboard.tasks.models import Participation, Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.leaderboard.small import both, one_wrong, scored

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]


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


@pytest.mark.usefixtures("pages_made_anew")
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
    for form in ("/teams/results/", "/api/v1/teams/results/"):
        hidden, unknown = (Client().get(form, {"team": t}) for t in ("Bens", "Nobody"))
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
    own = page("Bens", as_user(ben))
    assert own.status_code == 200 and "No public results yet" in own.content.decode()
    assert page("Bens", as_user(cy)).status_code == page("Bens").status_code == 404
    settings = as_user(ben).get(f"/teams/{entry.team_id}/").content.decode()
    assert "/teams/results/?team=Bens" in settings
    scored(phase, entry, both())
    assert "Members and settings" in page("Bens", as_user(ben)).content.decode()
    assert "Members and settings" not in page("Bens", as_user(cy)).content.decode()


def test_a_page_made_again_asks_for_no_board(
    phase: Phase,
    entry: Participation,
    settings: Any,
    django_assert_num_queries: Any,
) -> None:
    settings.BOARD_SECONDS, settings.ANONYMOUS_SECONDS = 60, 0
    scored(phase, entry, both())
    page("Bens")
    (line,) = (one.line for one in results_of("Bens", timezone.now()).results)
    assert json.loads(json.dumps(line)) == line  # as Redis keeps it
    with CaptureQueriesContext(connection) as asked:
        page("Bens")
    number = len(asked)
    second = another(phase)
    scored(second, entry, both(), system="heron-1")
    page("Bens")
    with django_assert_num_queries(number):
        assert "heron-1" in page("Bens").content.decode()
    assert 0 < number <= 4


def another(phase: Phase) -> Phase:
    """A newer phase on the same test sets."""
    test_sets = list(phase.test_sets.all())
    again = Phase.objects.get(pk=phase.pk)
    again.pk, again.name, again.position = None, "again", phase.position + 1
    again.opens = phase.opens + timedelta(hours=1)
    again.save()
    again.test_sets.set(test_sets)
    return again


@pytest.mark.usefixtures("pages_made_anew")
def test_results_beyond_the_newest_phases_are_said_to_be_left_out(
    phase: Phase, entry: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    scored(phase, entry, both(), system="otter-9")
    assert "are left out" not in page("Bens").content.decode()
    scored(another(phase), entry, both(), system="heron-1")
    monkeypatch.setattr(team_results, "MOST_PHASES", 1)
    text = page("Bens").content.decode()
    assert "the newest 1 phases" in text and "are left out" in text
    assert "heron-1" in text and "otter-9" not in text
    told = Client().get("/api/v1/teams/results/?team=Bens").json()
    assert [one["phase"] for one in told["results"]] == ["again"]
    assert told["since"] is not None


def test_names_of_teams_lead_to_their_results_where_a_page_has_rows(
    phase: Phase, entry: Participation, ben: User, cy: User, as_user: Any
) -> None:
    sent = [scored(phase, entry, both(), system="otter-9")]
    sent += [scored(phase, join(phase.task, Team.found("Cys", cy)), both())]
    systems = "&".join(f"system={one.pk}" for one in sent)
    board = "/tasks/otters/test"
    for address, links in (
        (f"{board}/compare/?{systems}", 2),
        ("/?q=otter-9", 1),
        (f"{board}/charts/", 2),
        (sent[0].get_absolute_url(), 1),
    ):
        text = as_user(ben).get(address).content.decode()
        assert len(set(re.findall(r'"(/teams/results/[^"]+)"', text))) == links, address


def test_the_api_tells_of_a_team_what_its_page_does(
    phase: Phase, entry: Participation
) -> None:
    sent = scored(phase, entry, both({"north": one_wrong()}), system="otter-9")
    told = Client().get("/api/v1/teams/results/?team=Bens").json()
    (one,) = told["results"]
    assert (one["rank"], one["ranked"], one["submission"]) == (1, 1, str(sent.pk))
    # One of eight heads is wrong on one of two test sets.
    assert one["score"]["value"] == pytest.approx(0.9375)
    assert Client().get(told["page"]).status_code == 200
