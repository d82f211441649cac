"""The chart of the public against the private part: who adapted, and who may see it."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from plotly import graph_objects

from leaderboard.results import board_sample
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Participation, Task
from leaderboard.teams.models import User
from tests.leaderboard.judged import sent
from tests.organize.crowd import entered, person
from tests.organize.disclosing import revealed
from tests.organize.marked_items import UNITS, WRONG, answers, bundle

pytestmark = pytest.mark.django_db
Login = Callable[[User], Client]
BOARD = "/tasks/marks/test/board/"
CHARTS = "/tasks/marks/test/charts/"


@pytest.fixture
def task(ada: User) -> Task:
    made = create_task(bundle(private_share=0.5), ada)
    # One of the rare salts would leave fewer wrong units public than are repaired.
    made.phases.update(salt="otter")
    wrong = np.arange(UNITS) % 4 == 0
    assert (wrong & ~private_units(made)).sum() >= 8
    return made


def private_units(task: Task) -> np.ndarray:
    """Which units (units,) are private, by the product's own split."""
    phase, (test_set,) = task.phases.get(), task.test_sets.all()
    names = tuple(f"u{i:02}" for i in range(UNITS))
    key = f"{phase.salt}/{test_set.name}"
    chosen = board_sample.private_units(key, phase.private_share, names, ())
    return np.isin(np.arange(UNITS), chosen)


def attempt(task: Task, entry: Participation, wrong: np.ndarray, name: str) -> None:
    sent(task, entry, answers(0, ~wrong), system=name)


def crowd(task: Task) -> None:
    """Bens repairs public units only, attempt by attempt; Cys answers once."""
    ben = entered(task, "Bens", person("ben2@example.org"))
    cy = entered(task, "Cys", person("cy2@example.org"))
    private = private_units(task)
    wrong = np.arange(UNITS) % 4 == 0
    for number, repaired in enumerate((0, 4, 8)):
        public = np.flatnonzero(wrong & ~private)[:repaired]
        attempt(task, ben, wrong & ~np.isin(np.arange(UNITS), public), f"b{number}")
    attempt(task, cy, wrong, "c0")


def lines(client: Client, **choice: Any) -> list[Any]:
    return list(client.get(CHARTS, {"chart": "parts", **choice}).context["chart"].lines)


def test_entries_stand_with_both_scores_and_their_attempt(
    task: Task, ada: User, as_user: Login
) -> None:
    crowd(task)
    answer = as_user(ada).get(CHARTS, {"chart": "parts"})
    (figure,), chart = answer.context["figures"], answer.context["chart"]
    assert graph_objects.Figure(json.loads(json.dumps(figure))).data
    assert all(len(line) == len(chart.head) for line in chart.lines)
    assert [(line[1], line[5]) for line in chart.lines] == [
        ("b0", "1 of 3"),
        ("b1", "2 of 3"),
        ("b2", "3 of 3"),
        ("c0", "1 of 1"),
    ]
    private = private_units(task)
    right = np.arange(UNITS) % 4 != 0
    right[WRONG] = False
    assert {line[3].split()[0] for line in chart.lines} == {
        f"{100 * right[private].mean():.2f}"
    }
    public = [float(line[2].split()[0]) for line in chart.lines]
    assert public[0] < public[1] < public[2] and public[3] == public[0]
    gain = f"gained {public[2] - public[0]:.2f} there and 0.00 on the private part"
    assert "1 team with several" in chart.note and gain in chart.note


def test_only_organizers_see_it_until_the_private_part_is_revealed(
    task: Task, ada: User, ben: User, as_user: Login, client: Client
) -> None:
    crowd(task)
    for reader in (client, as_user(ben)):
        assert reader.get(CHARTS, {"chart": "parts"}).status_code == 404
        assert "chart=parts" not in reader.get(CHARTS).text
        assert "chart=parts" not in reader.get(BOARD).text
    organizer = as_user(ada)
    assert "chart=parts" in organizer.get(CHARTS).text
    assert "chart=parts" in organizer.get("/tasks/marks/organize/phases/").text
    asked = organizer.get(CHARTS, {"chart": "parts", "as": "public"})
    assert asked.status_code == 404
    revealed(task.phases.get())
    assert len(lines(Client())) == 4


def test_a_phase_without_a_private_part_has_none(ada: User, as_user: Login) -> None:
    task = create_task(bundle(), ada)
    entry = entered(task, "Bens", person("ben2@example.org"))
    attempt(task, entry, np.zeros(UNITS, dtype=bool), "b0")
    assert as_user(ada).get(CHARTS, {"chart": "parts"}).status_code == 404


def test_more_entries_take_no_more_queries(
    task: Task, ada: User, as_user: Login
) -> None:
    crowd(task)
    client, counted = as_user(ada), []
    for number in range(3):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            lines(client)
        counted.append(len(queries))
        entry = entered(task, f"T{number}", person(f"t{number}@example.org"))
        attempt(task, entry, np.arange(UNITS) % 5 == number, f"t{number}")
    assert counted[1] == counted[2]
