"""Questions to teams that join: asked everywhere, answered to organizers alone."""

import csv
import io
from collections.abc import Callable

import pytest
from django.test import Client

from leaderboard.organize.baselines import whole_plan
from leaderboard.organize.bundle import apply
from leaderboard.tasks.bundle.dump import bundle_of_plan
from leaderboard.tasks.bundle.load import load
from leaderboard.tasks.models import (
    Participant,
    Participation,
    Phase,
    RegistrationQuestion,
    Task,
)
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Membership, Team, User
from scoring.errors import SetupError
from tests.leaderboard.channels import bearer
from tests.organize.phase_fields import text

pytestmark = [pytest.mark.django_db, pytest.mark.thorough]

Login = Callable[[User], Client]
JOIN, TEAM = "/tasks/otters/join/", "/tasks/otters/team/"
ORGANIZE = "/tasks/otters/organize/registration/"
TABLE = "/tasks/otters/organize/people/teams.csv"
CANARY = "=Institute of Otters"


@pytest.fixture
def asks(task: Task) -> Task:
    for values in (
        {"title": "Affiliation", "name": "affiliation", "required": True},
        {"title": "May we name you?", "name": "named", "kind": "yes_no"},
    ):
        RegistrationQuestion.objects.create(task=task, **values)
    return task


def answers() -> dict[str, object]:
    return Participation.objects.get().answers


def test_a_team_answers_when_it_joins_and_only_organizers_read_it(
    asks: Task, phase: Phase, ben: User, cy: User, ada: User, as_user: Login
) -> None:
    bens = as_user(ben)
    refused = bens.post(JOIN, {"name": "Bens"})
    assert "This field is required" in text(refused)
    assert not Participation.objects.exists()
    given = {"name": "Bens", "answer_affiliation": CANARY, "answer_named": "no"}
    assert bens.post(JOIN, given).status_code == 302
    assert answers() == {"affiliation": CANARY, "named": False}
    entry = Participation.objects.get()
    organizer = as_user(ada)
    assert CANARY in text(organizer.get(f"/tasks/otters/organize/people/{entry.pk}/"))
    table = organizer.get(TABLE).content.decode("utf-8-sig")
    (row,) = csv.DictReader(io.StringIO(table))
    assert (row["team"], row["email"]) == ("Bens", ben.email)
    # No spreadsheet runs it.
    assert (row["answer.affiliation"], row["answer.named"]) == (f"'{CANARY}", "no")
    for reader in (as_user(cy), Client()):
        assert reader.get(TABLE).status_code == 404
        for page in ("", "rules/", "test/board/", "log/", "teams/"):
            assert CANARY not in text(reader.get(f"/tasks/otters/{page}"))
        assert CANARY not in reader.get("/api/v1/tasks/otters/").content.decode()
    assert (
        CANARY not in organizer.get("/tasks/otters/organize/history/").content.decode()
    )
    assert b"Institute" not in b"".join(bundle_of_plan(whole_plan(asks)).files.values())


def test_a_program_answers_in_the_call_that_joins(asks: Task, ben: User) -> None:
    client = bearer(ben, "submit")
    asked = client.get("/api/v1/tasks/otters/").json()["registration"]
    assert [(one["name"], one["required"]) for one in asked] == [
        ("affiliation", True),
        ("named", False),
    ]
    address = "/api/v1/tasks/otters/team/"
    refused = client.post(address, {"name": "Bens"}, "application/json")
    assert refused.status_code == 422
    assert "answer_affiliation" in refused.content.decode()
    given = {"name": "Bens", "answer_affiliation": "Quay", "answer_named": True}
    told = client.post(address, given, "application/json").json()
    assert told["answers"] == {"affiliation": "Quay", "named": True}


def test_who_joined_before_answers_later(
    entry: Participation, asks: Task, ben: User, as_user: Login
) -> None:
    client = as_user(ben)
    assert "has not answered" in text(client.get("/tasks/otters/"))
    refused = client.post(TEAM, {"action": "answer", "answer_named": "yes"})
    assert refused.status_code == 422
    given = {"action": "answer", "answer_affiliation": "Quay 7"}
    assert client.post(TEAM, given).status_code == 302
    assert answers() == {"affiliation": "Quay 7"}
    assert "has not answered" not in text(client.get("/tasks/otters/"))


def test_an_answered_question_is_hidden_not_removed(
    entry: Participation, asks: Task, ada: User, as_user: Login
) -> None:
    Participation.objects.update(answers={"affiliation": "Quay"})
    client = as_user(ada)
    refused = client.post(f"{ORGANIZE}affiliation/change/", {"to": "remove"})
    assert "hide it instead" in text(refused)
    plan = whole_plan(asks)
    assert load(bundle_of_plan(plan)).registration == plan.registration
    with pytest.raises(SetupError, match="was answered"):
        apply(asks, plan.with_values(registration=()), ada)
    client.post(f"{ORGANIZE}affiliation/change/", {"to": "hide"})
    assert "Affiliation" not in text(client.get("/tasks/otters/join/"))
    assert "answer.affiliation" not in client.get(TABLE).content.decode()


def test_teams_can_be_counted_in_the_list_of_their_members(
    task: Task, phase: Phase, ben: User, cy: User, ada: User, as_user: Login
) -> None:
    for user, name in ((ben, "Bens"), (cy, "Cys")):
        join(task, Team.found(name, user))
    member = User.objects.create_user("dee@example.org", "x")
    team = Team.objects.get(name="Bens")
    Membership.objects.create(team=team, user=member)
    entry = team.participations.get()
    Participant.objects.create(task=task, participation=entry, user=member)
    table = as_user(ada).get(TABLE).content.decode("utf-8-sig")
    rows = [(row["team"], row["member"]) for row in csv.DictReader(io.StringIO(table))]
    assert rows == [("Bens", "1"), ("Bens", "2"), ("Cys", "1")]
