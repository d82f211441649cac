"""The optional column of a board: scores expected on new data; and "best of m"."""

import csv
import re

import pytest
from django.test import Client

from leaderboard.boards.expected import expected_scores
from leaderboard.boards.query import BoardQuery
from leaderboard.boards.render import ranking_table
from leaderboard.boards.stored_board import board, newest_board
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.tasks.policy import Disclosure
from tests.leaderboard.judged import sent
from tests.leaderboard.test_lasting_differences import UNITS, bundle, send


def five_sent(phase: Phase, entry: Participation) -> None:
    """One attempt of each of five teams."""
    for i, wrong in enumerate((2, 9, 14, 20, 28)):
        send(phase.task, f"s{i}", wrong, start=7 * i)


pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_stage(of=bundle, then=five_sent),
]


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


def test_of_one_attempt_its_score_is_expected(task: Task) -> None:
    wrong = {"s0": 2, "s1": 9, "s2": 14, "s3": 20, "s4": 28}
    expected = {name: 100 * (60 - n) / 60 for name, n in wrong.items()}
    assert values(task) == pytest.approx(expected, abs=0.005)


def test_equally_good_attempts_that_err_elsewhere_lower_what_is_expected(
    task: Task,
) -> None:
    before = values(task)
    for start in (1, 20, 40):
        again(task, "s1", 9, start)
    found = values(task)
    assert before["s1"] - 8 < found.pop("s1") < before.pop("s1") - 2
    assert found == before


def test_far_worse_attempts_hardly_lower_what_is_expected(task: Task) -> None:
    """The spread between attempts is no luck: nobody would have chosen these."""
    before = values(task)["s0"]
    for start in (1, 20, 40):
        again(task, "s0", 30, start)
    assert before - 0.2 < values(task)["s0"] <= before


def test_nothing_is_expected_where_single_attempts_are_closed(task: Task) -> None:
    """What is taken off would tell of them."""
    again(task, "s1", 9, 20)
    query = BoardQuery(task.phases.get())
    assert expected_scores(board(query))
    assert not expected_scores(newest_board(query, Disclosure(everything=False)))


def test_the_board_says_best_of_and_has_the_column_where_it_is_asked_for(
    task: Task, client: Client
) -> None:
    again(task, "s1", 12, 1)
    address = "/tasks/lasting/test/board/"
    plain = client.get(address).content.decode()
    assert re.search(r'class="number[^"]*"><abbr title="best of 2">2<', plain)
    assert "Without what luck adds" not in plain
    text = client.get(address, {"expected": "1"}).content.decode()
    assert "Without what luck adds" in text
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
    assert found["s0"] == round(100 * rows[0]["scores"]["accuracy"]["value"], 2)
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
