"""The organizers' page on units of the test sets."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from tests.leaderboard.judged import sent
from tests.organize.crowd import entered, person
from tests.organize.marked_items import SYSTEMS, UNITS, WRONG, answers, bundle

pytestmark = pytest.mark.django_db
Login = Callable[[User], Client]
PAGE = "/tasks/marks/organize/units/"


@pytest.fixture
def task(ada: User) -> Task:
    return create_task(bundle(), ada)


def send(task: Task, systems: int) -> None:
    """Systems from bad to good; every second one that errs errs on a hard unit."""
    rng = np.random.default_rng(4)
    hard = rng.normal(0, 1.2, UNITS)
    for i, ability in enumerate(np.linspace(-1.5, 3.5, systems)):
        right = rng.random(UNITS) < 1 / (1 + np.exp(-1.5 * (ability - hard)))
        right[WRONG] = i >= systems / 3
        entry = entered(task, f"Team {i}", person(f"p{i}@example.org"))
        sent(task, entry, answers(i, right), system=f"system-{i}")


def rows_of(text: str) -> list[str]:
    table = text.partition('id="units-title"')[2]
    return re.findall(r'<th scope="row">.*?</tr>', table, re.DOTALL)


def test_a_unit_with_wrong_gold_comes_first_and_is_marked(
    task: Task, ada: User, as_user: Login
) -> None:
    send(task, SYSTEMS)
    client = as_user(ada)
    text = client.get(PAGE).content.decode()
    first, *others = rows_of(text)
    assert "u07" in first
    assert "Gold?" in first
    assert not any("Gold?" in row for row in others[1:])
    assert "−" in first or "-0." in first
    assert "Cronbach" in text
    easiest = rows_of(client.get(PAGE, {"order": "easy"}).content.decode())
    assert "100.0 ± 0.0" in easiest[0]


def test_few_systems_mark_nothing_and_one_is_no_ranking(
    task: Task, ada: User, as_user: Login
) -> None:
    client = as_user(ada)
    assert "Two systems are needed" in client.get(PAGE).content.decode()
    send(task, 3)
    text = client.get(PAGE).content.decode()
    assert "With 3 systems no unit is marked" in text
    assert "Gold?" not in text
    # An order by what nobody can tell yet would be none.
    assert '<option value="hard" selected>' in text
    assert "How many units would separate neighbours" in text


def test_an_unknown_choice_is_not_found(task: Task, ada: User, as_user: Login) -> None:
    organizer = as_user(ada)
    for choice in ({"phase": "x"}, {"test_set": "x"}, {"measure": "x"}):
        assert organizer.get(PAGE, choice).status_code == 404


def test_a_longer_board_asks_no_more_queries(
    task: Task, ada: User, as_user: Login, django_assert_max_num_queries: Any
) -> None:
    client = as_user(ada)
    send(task, 3)
    client.get(PAGE)
    with CaptureQueriesContext(connection) as few:
        client.get(PAGE)
        asked = len(few)
    for i in range(3):
        entry = entered(task, f"More {i}", person(f"m{i}@example.org"))
        sent(task, entry, answers(i, np.arange(UNITS) % (i + 2) > 0), system=f"m{i}")
    client.get(PAGE)
    with django_assert_max_num_queries(asked):
        client.get(PAGE)
