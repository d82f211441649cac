"""The optional column of a board: scores expected on new data; and "best of m"."""

import csv
import re

import pytest
from django.test import Client

from leaderboard.boards.expected import expected_scores
from leaderboard.boards.query import BoardQuery
from leaderboard.boards.render import ranking_table
from leaderboard.boards.stored_board import board
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Participation, Task
from leaderboard.teams.models import User
from tests.leaderboard.judged import sent
from tests.leaderboard.test_lasting_differences import UNITS, bundle, send

pytestmark = pytest.mark.django_db


@pytest.fixture
def task(ada: User) -> Task:
    task = create_task(bundle(), ada)
    for i, wrong in enumerate((2, 9, 14, 20, 28)):
        send(task, f"s{i}", wrong, start=7 * i)
    return task


def again(task: Task, name: str, wrong: int, start: int) -> None:
    """One more attempt of a team."""
    entry = Participation.objects.get(team__name=f"Team {name}")
    missed = {(start + i) % UNITS for i in range(wrong)}
    rows = "".join(f"u{i:02},{'ab'[(i + (i in missed)) % 2]}\n" for i in range(UNITS))
    sent(task, entry, f"id,label\n{rows}", system=f"{name}-{start}")


def values(task: Task) -> dict[str, float]:
    found = board(BoardQuery(task.phases.get()))
    names = {row.submission: row.system for row in found.rows}
    return {names[pk]: float(text) for pk, text in expected_scores(found).items()}


def test_the_first_is_expected_lower_and_the_last_higher(task: Task) -> None:
    found = values(task)
    assert found["s0"] < 100 * 58 / 60
    assert found["s4"] > 100 * 32 / 60
    assert list(found) == sorted(found, key=found.__getitem__, reverse=True)


def test_more_attempts_that_differ_lower_what_is_expected(task: Task) -> None:
    once = values(task)["s1"]
    for start in (1, 20, 40):
        again(task, "s1", 12, start)
    assert values(task)["s1"] < once


def test_the_board_says_best_of_and_has_the_column_where_it_is_asked_for(
    task: Task, client: Client
) -> None:
    again(task, "s1", 12, 1)
    address = "/tasks/lasting/test/board/"
    plain = client.get(address).content.decode()
    assert re.search(r'class="number[^"]*"><abbr title="best of 2">2<', plain)
    assert "Without the luck" not in plain
    text = client.get(address, {"expected": "1"}).content.decode()
    assert "Without the luck" in text
    assert f'<span class="value">{values(task)["s0"]:.2f}</span>' in text


def test_the_column_that_was_asked_for_keeps_its_room_longest(task: Task) -> None:
    found = board(BoardQuery(task.phases.get(), expected=True))
    table = ranking_table(found)
    measures = len(table.columns) - 1
    rooms = [int(name.removeprefix("room-")) for name in table.rooms]
    assert measures and rooms[measures] == min(rooms)
    assert rooms[:measures] == sorted(rooms[:measures])


def test_api_and_csv_have_the_same_numbers_where_they_are_asked_for(
    task: Task, client: Client
) -> None:
    address = "/api/v1/tasks/lasting/test/board/"
    assert "expected" not in client.get(address).json()["rows"][0]
    rows = client.get(address, {"expected": "1"}).json()["rows"]
    found = {row["system"]: round(100 * row["expected"], 2) for row in rows}
    assert found == values(task)
    assert found["s0"] < 100 * rows[0]["scores"]["accuracy"]["value"]
    export = "/tasks/lasting/test/board.csv"
    assert ",expected" not in client.get(export).text
    head, *lines = csv.reader(client.get(export, {"expected": "1"}).text.splitlines())
    assert [float(line[head.index("expected")]) for line in lines] == [
        row["expected"] for row in rows
    ]


def test_a_search_changes_nothing_of_what_is_expected(
    task: Task, client: Client
) -> None:
    address = "/api/v1/tasks/lasting/test/board/"
    (row,) = client.get(address, {"expected": "1", "q": "s3"}).json()["rows"]
    assert round(100 * row["expected"], 2) == values(task)["s3"]
