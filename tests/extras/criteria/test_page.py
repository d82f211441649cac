"""The page of several measures in one rank, and the key of the bundle behind it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import yaml
from django.test import Client

from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.bundle.dump import bundle_of_plan, plan_of
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.teams.models import User
from scoring.errors import SetupError
from scoring.source import Source
from tests.leaderboard.judged import sent
from tests.organize.crowd import entered, person
from tests.organize.marked_items import UNITS, answers, bundle
from tests.organize.sheets import two_systems, with_sheet

pytestmark = pytest.mark.django_db
Login = Callable[[User], Client]
PAGE = "/tasks/marks/test/combined/"
BOARD = "/tasks/marks/test/board/"
BOTH = {"name": "both", "title": "Both", "measures": ["accuracy", "macro_f1"]}


def with_combinations(*combinations: Any, **phase: Any) -> Source:
    made = bundle(**phase)
    table = yaml.safe_load(made.files["task.yaml"])
    table["combinations"] = list(combinations)
    return Source("marks", {**made.files, "task.yaml": yaml.safe_dump(table).encode()})


def send(task: Task, systems: int = 4) -> None:
    for i in range(systems):
        right = np.arange(UNITS) % 10 < 4 + 2 * i
        entry = entered(task, f"Team {i}", person(f"p{i}@example.org"))
        sent(task, entry, answers(i, right), system=f"system-{i}")


@pytest.mark.parametrize("way", ["ranks", "borda", "z", "min-max", "mean"])
def test_every_way_ranks_the_systems_with_ranges(
    ada: User, client: Client, way: str
) -> None:
    task = create_task(with_combinations({**BOTH, "way": way}), ada)
    send(task)
    text = client.get(PAGE).content.decode()
    first, last = text.index(">system-3<"), text.index(">system-0<")
    assert first < last
    assert "does not depend on the choice" in text
    assert PAGE in client.get(BOARD).content.decode()


def test_the_bundle_keeps_combinations(ada: User) -> None:
    weighed = {**BOTH, "way": "z", "weights": [2, 1]}
    task = create_task(with_combinations(weighed), ada)
    (found,) = task.combinations.all()
    assert found.shares == [2, 1]
    again = yaml.safe_load(bundle_of_plan(plan_of(task)).files["task.yaml"])
    assert again["combinations"] == [{**weighed, "weights": [2.0, 1.0]}]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"measures": ["accuracy"]}, "2"),
        ({"measures": ["accuracy", "nothing"]}, "nothing"),
        ({"measures": ["accuracy", "accuracy"]}, "each measure once"),
        ({"weights": [1]}, "2 numbers above 0"),
        ({"weights": [1, 0]}, "2 numbers above 0"),
        ({"way": "best"}, "ranks"),
    ],
)
def test_a_wrong_combination_is_refused_with_its_place(
    ada: User, wrong: dict[str, Any], words: str
) -> None:
    with pytest.raises(SetupError) as refused:
        create_task(with_combinations({**BOTH, **wrong}), ada)
    said = "\n".join(map(str, refused.value.problems))
    assert "combinations" in said
    assert words in said


def test_without_a_combination_there_is_no_page(ada: User, client: Client) -> None:
    create_task(bundle(), ada)
    assert client.get(PAGE).status_code == 404
    assert PAGE not in client.get(BOARD).content.decode()


def test_more_systems_ask_no_more_queries(
    ada: User, client: Client, django_assert_max_num_queries: Any
) -> None:
    task = create_task(with_combinations(BOTH), ada)
    send(task, 3)
    client.get(PAGE)
    with django_assert_max_num_queries(30):
        assert client.get(PAGE).status_code == 200


def test_the_front_names_the_unit_of_what_systems_cost(
    phase: Phase, entry: Participation, client: Client
) -> None:
    with_sheet(phase.task)
    phase.task.questions.filter(name="size").update(
        title="Energy", unit="kWh", public=True
    )
    two_systems(phase, entry)
    assert "Energy (kWh)" in client.get("/tasks/otters/test/front/").text
