"""Affiliations of a team: told by its leaders, shown where its name is."""

from collections.abc import Callable

import pytest
from django.test import Client

from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.teams.models import Team, User
from tests.leaderboard.small import both, scored

pytestmark = pytest.mark.django_db
TOLD = "University of the Estuary; Tidal Labs"
RESULTS = "/teams/results/"


def told(client: Client, team: Team, text: str = TOLD) -> str:
    address = f"/teams/{team.pk}/"
    client.post(address, {"action": "affiliations", "affiliations": text})
    return Team.objects.get(pk=team.pk).affiliations


def test_leaders_tell_affiliations(
    entry: Participation, ben: User, cy: User, as_user: Callable[[User], Client]
) -> None:
    team = entry.team
    assert told(as_user(ben), team, f"  {TOLD} \n") == TOLD
    assert TOLD in as_user(ben).get(f"/teams/{team.pk}/").text
    assert told(as_user(cy), team, "Elsewhere") == TOLD
    for wrong in ("a" * 301, "Tidal\u200b Labs"):
        assert told(as_user(ben), team, wrong) == TOLD
    assert told(as_user(ben), team, ";Tidal Labs ;; ; Reed") == "Tidal Labs; Reed"
    assert told(as_user(ben), team, "") == ""


def test_refused_affiliations_stand_in_the_form_again(
    entry: Participation, ben: User, as_user: Callable[[User], Client]
) -> None:
    wrong = "Tidal\u200b Labs; University of the Estuary"
    sent = {"action": "affiliations", "affiliations": wrong}
    answer = as_user(ben).post(f"/teams/{entry.team_id}/", sent)
    assert answer.status_code == 422
    assert f'value="{wrong}"' in answer.text
    assert "cannot be seen" in answer.text


def test_affiliations_stand_where_the_name_does(
    phase: Phase,
    task: Task,
    entry: Participation,
    ada: User,
    ben: User,
    as_user: Callable[[User], Client],
) -> None:
    told(as_user(ben), entry.team)
    name = {"team": entry.team.name}
    assert Client().get(RESULTS, name).status_code == 404
    scored(phase, entry, both(), system="otter-1")
    assert TOLD in Client().get(RESULTS, name).text
    api = Client().get("/api/v1/teams/results/", name).json()
    assert api["affiliations"] == TOLD
    (own,) = as_user(ben).get("/api/v1/teams/").json()
    assert own["affiliations"] == TOLD
    people = as_user(ada).get(f"/tasks/{task.slug}/organize/people/teams.csv").text
    assert TOLD in people


def test_a_hidden_name_hides_them(phase: Phase, entry: Participation) -> None:
    Team.objects.filter(pk=entry.team_id).update(affiliations=TOLD)
    Participation.objects.filter(pk=entry.pk).update(anonymous=True, alias=1)
    scored(phase, entry, both(), system="otter-1")
    for team in (entry.team.name, "Anonymous 1"):
        answer = Client().get(RESULTS, {"team": team})
        assert TOLD not in answer.text
