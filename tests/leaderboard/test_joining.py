"""Joining: one team per person and task, whatever the order of clicks."""

from collections.abc import Callable

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.tasks.participation import join, participation_of
from leaderboard.teams.models import Membership, Team, User
from leaderboard.teams.refusal import Refusal

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_stage,
    pytest.mark.databases("constraints"),
]
Login = Callable[[User], Client]
URL = "/tasks/otters/join/"


def test_a_new_team_is_founded_while_joining(
    task: Task, cy: User, as_user: Login
) -> None:
    answer = as_user(cy).post(URL, {"name": "Cy  and Co"})
    assert answer.url == "/tasks/otters/"
    assert participation_of(cy, task).team.name == "Cy and Co"


def test_a_team_of_ones_own_can_be_chosen(task: Task, cy: User, as_user: Login) -> None:
    team = Team.found("Cys", cy)
    as_user(cy).post(URL, {"team": team.pk})
    assert participation_of(cy, task).team == team


def test_the_only_team_is_chosen_beforehand_and_never_instead_of_a_new_one(
    task: Task, cy: User, as_user: Login
) -> None:
    team, client = Team.found("Cys", cy), as_user(cy)
    assert f'<option value="{team.pk}" selected>' in client.get(URL).content.decode()
    answer = client.post(URL, {"team": team.pk, "name": "Stone Carriers"})
    assert "Choose your team, or" in answer.content.decode()
    assert not task.participations.exists()


def test_the_team_of_others_cannot_be_chosen(
    task: Task, entry: Participation, cy: User, as_user: Login
) -> None:
    Team.found("Cys", cy)
    as_user(cy).post(URL, {"team": entry.team.pk})
    assert participation_of(cy, task) is None


def test_joining_twice_changes_nothing(
    task: Task, entry: Participation, ben: User
) -> None:
    assert join(task, entry.team) == entry
    assert Participation.objects.count() == 1


def test_nobody_takes_part_with_two_teams(
    task: Task, entry: Participation, ben: User
) -> None:
    with pytest.raises(Refusal, match="Bens"):
        join(task, Team.found("Others", ben))


def test_who_joins_the_team_later_takes_part_too(
    task: Task, entry: Participation, cy: User
) -> None:
    assert participation_of(cy, task) is None
    Membership.objects.create(team=entry.team, user=cy)
    assert participation_of(cy, task) == entry


@pytest.mark.parametrize(
    "name", ["bens", "BENS", " Bens ", "B e n s", "\uff22\uff45\uff4e\uff53"]
)
def test_a_name_like_that_of_another_team_is_refused(
    entry: Participation, cy: User, name: str
) -> None:
    with pytest.raises(ValidationError):
        Team.found(name, cy)


@pytest.mark.parametrize("name", ["", "***", "a\u202eb", "a\u200bb"])
def test_a_name_nobody_could_read_is_refused(
    task: Task, cy: User, as_user: Login, name: str
) -> None:
    assert as_user(cy).post(URL, {"name": name}).status_code == 200
    assert not Team.objects.filter(memberships__user=cy).exists()


def test_browsers_cut_no_text_that_is_too_long(
    task: Task, phase: Phase, cy: User, as_user: Login
) -> None:
    """With `maxlength` half a name was taken from a paste, in silence."""
    client, long = as_user(cy), "Société des loutres de la rivière " * 3
    answer = client.post(URL, {"name": long})
    assert "maxlength" not in answer.text and long in answer.text
    assert "at most 60 characters" in answer.text
    client.post(URL, {"name": "Cys"})
    for address in (f"/tasks/otters/{phase.name}/submit/", "/accounts/name/"):
        page = client.get(address)
        assert "<input" in page.text and "maxlength" not in page.text


def test_who_has_no_team_yet_is_asked_for_a_name_alone(
    task: Task, cy: User, as_user: Login
) -> None:
    client = as_user(cy)
    assert "Give the team a name." in client.post(URL, {"name": " "}).text
    Team.found("Cys", cy)
    assert "Choose a team or name a new one." in client.post(URL, {"name": " "}).text
