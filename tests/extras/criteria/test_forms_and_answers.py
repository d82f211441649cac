"""The form of combinations, and what programs read of ranks and of the front."""

import csv
import io
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.core.exceptions import ValidationError
from django.test import Client

from leaderboard.extras.criteria.pages import WeightsField
from leaderboard.organize.baselines import whole_plan
from leaderboard.organize.bundle import apply
from leaderboard.tasks.bundle.create import create_task
from leaderboard.teams.models import User
from scoring.errors import SetupError
from tests.extras.criteria.test_front import send as send_with_costs
from tests.extras.criteria.test_front import with_cost
from tests.extras.criteria.test_page import BOTH, send, with_combinations
from tests.organize.marked_items import bundle

pytestmark = pytest.mark.django_db
Login = Callable[[User], Client]
FORM = "/tasks/marks/organize/combinations/"
API = "/api/v1/tasks/marks/test"
NEW = {
    "title": "Both",
    "name": "both",
    "way": "z",
    "measures": ["accuracy", "macro_f1"],
}


def test_an_organizer_adds_orders_changes_and_removes_combinations(
    ada: User, as_user: Login
) -> None:
    task = create_task(bundle(), ada)
    client = as_user(ada)
    assert client.post(FORM, {**NEW, "weights": "2; 1"}).status_code == 302
    more = {**NEW, "name": "ranks", "title": "Ranks", "way": "ranks"}
    assert client.post(FORM, more).status_code == 302
    both, ranks = task.combinations.all()
    assert (both.shares, both.measures) == ([2.0, 1.0], ["accuracy", "macro_f1"])
    assert ranks.weights == []
    client.post(f"{FORM}ranks/change/", {"to": "up"})
    assert [one.name for one in task.combinations.all()] == ["ranks", "both"]
    page = client.get(f"{FORM}both/").content.decode()
    assert 'value="2, 1"' in page
    changed = {**NEW, "title": "Both of them", "weights": ""}
    assert client.post(f"{FORM}both/", changed).status_code == 302
    both.refresh_from_db()
    assert (both.title, both.weights) == ("Both of them", [])
    client.post(f"{FORM}ranks/change/", {"to": "remove"})
    assert [one.name for one in task.combinations.all()] == ["both"]


def test_weights_are_read_as_they_are_written_and_shown_again() -> None:
    field = WeightsField()
    assert field.clean("2, 1") == field.clean("2 1") == field.clean("2; 1") == [2, 1]
    assert field.clean("1,5; 1;") == [1.5, 1]
    with pytest.raises(ValidationError, match="Write numbers, as in"):
        field.clean("1, 5; 1")
    assert field.clean(field.prepare_value([1.2345678, 1e6])) == [1.2345678, 1e6]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"measures": ["accuracy"]}, "Choose two measures or more"),
        ({"measures": ["accuracy", "nothing"]}, "There is no measure “nothing”"),
        ({"weights": "2"}, "There are 2 measures"),
        ({"weights": "2 0"}, "numbers above 0"),
        ({"weights": "2 nan"}, "numbers above 0"),
        ({"weights": "two one"}, "Write numbers"),
        ({"way": "best"}, "Select a valid choice"),
        ({"name": "Beide zusammen"}, "Small letters, digits"),
    ],
)
def test_a_combination_that_cannot_be_says_why(
    changes: dict[str, Any], said: str, ada: User, as_user: Login
) -> None:
    task = create_task(bundle(), ada)
    answer = as_user(ada).post(FORM, NEW | changes)
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert not task.combinations.exists()


def test_an_upgrade_gives_combinations_names_that_addresses_can_hold(ada: User) -> None:
    task = create_task(bundle(), ada)
    for name in ("beide-zusammen", "Beide zusammen", "Ü", "最高", "z"):
        task.combinations.create(name=name, title=name, measures=["accuracy"])
    upgrade = import_module("leaderboard.extras.criteria.migrations.0004_plain_names")
    upgrade.rename(apps, None)
    assert [(one.title, one.name) for one in task.combinations.all()] == [
        ("beide-zusammen", "beide-zusammen"),
        ("Beide zusammen", "beide-zusammen-2"),
        ("Ü", "u"),
        ("最高", "combination"),
        ("z", "z"),
    ]


def test_judgements_that_a_combination_needs_are_not_taken_out(
    ada: User, as_user: Login
) -> None:
    task = create_task(bundle(), ada)
    plan, line = whole_plan(task), "adequacy = mean(adequacy)"
    judged = plan.scoring.with_values(judgements=(line,))
    apply(task, plan.with_values(scoring=judged), ada)
    both = {**NEW, "measures": ["accuracy", "adequacy"]}
    assert as_user(ada).post(FORM, both).status_code == 302
    with pytest.raises(SetupError, match="“Both” needs the measure 'adequacy'"):
        apply(task, whole_plan(task).with_values(scoring=plan.scoring), ada)
    task.refresh_from_db()
    assert task.judgements == [line]


def rows_of(client: Client, address: str) -> list[dict[str, str]]:
    text = client.get(address).content.decode()
    return list(csv.DictReader(io.StringIO(text)))


def test_programs_read_the_numbers_of_the_page(ada: User, client: Client) -> None:
    task = create_task(with_combinations({**BOTH, "way": "mean"}), ada)
    send(task)
    told = client.get(f"{API}/combined/").json()
    assert [row["system"] for row in told["rows"]] == [
        f"system-{i}" for i in (3, 2, 1, 0)
    ]
    assert told["weights"] == {"accuracy": 1.0, "macro_f1": 1.0}
    page = client.get("/tasks/marks/test/combined/").content.decode()
    for row in told["rows"]:
        # The mean of two scores, each as the board has it.
        mean = (row["scores"]["accuracy"] + row["scores"]["macro_f1"]) / 2
        assert row["value"] == pytest.approx(mean)
        assert row["low"] <= row["value"] <= row["high"]
        assert row["rank_low"] <= row["rank"] <= row["rank_high"]
        assert f"{row['value']:.3f}" in page
    lines = rows_of(client, "/tasks/marks/test/combined.csv")
    assert [line["system"] for line in lines] == [r["system"] for r in told["rows"]]
    for line, row in zip(lines, told["rows"], strict=True):
        assert float(line["value"]) == row["value"]
        assert float(line["scores.accuracy"]) == row["scores"]["accuracy"]


def test_a_file_of_no_ranks_names_its_columns(ada: User, client: Client) -> None:
    create_task(with_combinations({**BOTH, "way": "mean"}), ada)
    text = client.get("/tasks/marks/test/combined.csv").content.decode()
    names = "rank,rank_low,rank_high,system,team,submission,value,low,high"
    assert text.split() == [f"{names},scores.accuracy,scores.macro_f1"]


def test_a_file_of_no_costs_names_its_columns(ada: User, client: Client) -> None:
    create_task(with_cost(), ada)
    text = client.get("/tasks/marks/test/front.csv").content.decode()
    names = "system,team,submission,cost,score,low,high,on_front,probability"
    assert text.split() == [names]


def test_programs_read_the_front_with_its_probabilities(
    ada: User, client: Client
) -> None:
    task = create_task(with_cost(), ada)
    send_with_costs(task, (7.0, 3.0, 9.0, 12.5, None))
    told = client.get(f"{API}/front/").json()
    assert (told["cost"], told["left_out"]) == ("size", 1)
    assert [row["cost"] for row in told["rows"]] == [3, 7, 9, 12.5]
    assert [row["on_front"] for row in told["rows"]] == [True, False, True, True]
    # The cheapest is on it whatever the scores are.
    assert told["rows"][0]["probability"] == 1
    assert all(0 <= row["probability"] <= 1 for row in told["rows"])
    lines = rows_of(client, "/tasks/marks/test/front.csv")
    assert [float(line["cost"]) for line in lines] == [3, 7, 9, 12.5]
    assert client.get(f"{API}/front/?cost=weight").status_code == 404
