"""Comparison pages print what the engine says of stored counts."""

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from django.template.loader import render_to_string
from django.test import Client

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board, newest_board
from leaderboard.extras.comparison.pairs import pairs
from leaderboard.results.board_sample import slices_of
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.teams.models import User
from scoring import Counts
from tests.leaderboard.small import both, one_wrong, scored

Login = Callable[[User], Client]
COMPARE = "/tasks/otters/test/compare/"
SEPARATION = "/tasks/otters/test/separation/"


def two_sent(phase: Phase, entry: Participation) -> None:
    scored(phase, entry, both(), system="good")
    scored(phase, entry, both({"north": one_wrong()}), system="bad")


pytestmark = [pytest.mark.django_db, pytest.mark.one_stage(then=two_sent)]


@pytest.fixture
def two(task: Task) -> list[str]:
    """Submission ids of a perfect system and of one with a wrong word."""
    return [str(sent.pk) for sent in Submission.objects.order_by("received_at")]


def test_a_comparison_shows_the_difference_with_its_interval(
    two: list[str], client: Client
) -> None:
    text = client.get(COMPARE, {"system": two}).content.decode()
    assert "+6.25" in text
    assert "not significantly different" in text


def test_systems_that_answer_alike_do_not_differ_by_nothing_for_sure(
    two: list[str], client: Client
) -> None:
    """Both are right in the south, whose two sentences exclude next to nothing."""
    chosen = {"system": two, "test_set": "south"}
    (found,) = client.get(
        "/api/v1/tasks/otters/test/compare/", {**chosen, "measure": "las"}
    ).json()
    assert (found["difference"], found["p_value"]) == (0, 1)
    assert found["low"] == -1 and found["high"] == 1
    text = client.get(COMPARE, chosen).content.decode()
    assert "[0.00, 0.00]" not in text and "[\u2212100.00, +100.00]" in text
    assert "where it and p disagree about 0, p decides" in text


@pytest.mark.usefixtures("pages_made_anew")
def test_a_comparison_counts_units_while_single_ones_are_open(
    phase: Phase, two: list[str], client: Client
) -> None:
    """One sentence of four is better; the counts go when units are closed."""
    answer = "/api/v1/tasks/otters/test/compare/"
    (found,) = client.get(answer, {"system": two}).json()
    assert (found["won"], found["lost"], found["tied"]) == (1, 0, 3)
    said = "Units: 1 won, 0 lost, 3 tied"
    assert said in client.get(COMPARE, {"system": two}).content.decode()
    phase.private_share = 0.5
    phase.save()
    (found,) = client.get(answer, {"system": two}).json()
    assert found["difference"] is not None
    assert {found["won"], found["lost"], found["tied"]} == {None}
    text = client.get(COMPARE, {"system": two}).content.decode()
    assert "P(first better)" in text
    assert "Units:" not in text
    assert "A unit is won" not in text


def test_a_comparison_says_on_how_many_test_sets_it_holds(
    phase: Phase, two: list[str], client: Client
) -> None:
    """Two of them; on one of its own choosing there is nothing to count."""
    answer = "/api/v1/tasks/otters/test/compare/"
    (found,) = client.get(answer, {"system": two}).json()
    assert (found["test_sets"], found["better_on"], found["worse_on"]) == (2, 0, 0)
    assert (found["new_low"], found["new_high"]) == (None, None)
    said = "First better on 0 of 2 test sets, second on 0"
    text = client.get(COMPARE, {"system": two}).content.decode()
    assert said in text
    assert "on a new test set" not in text
    chosen = {"system": two, "test_set": "north"}
    assert client.get(answer, chosen).json()[0]["test_sets"] is None
    text = client.get(COMPARE, chosen).content.decode()
    assert "test sets, second" not in text
    assert "tested by itself" not in text


def test_a_difference_on_a_new_test_set_is_in_points(
    phase: Phase, two: list[str]
) -> None:
    shown = board(BoardQuery(phase, everything=True))
    (found,) = pairs(shown, two)
    many = replace(
        found.exact, test_sets=12, better_on=7, worse_on=1, new_low=-0.012, new_high=0.2
    )
    context = {"board": shown, "pairs": [replace(found, exact=many)]}
    text = render_to_string("comparison/_pairs.html", context)
    for sentence in (
        "Units: 1 won, 0 lost, 3 tied",
        "First better on 7 of 12 test sets, second on 1",
        "Difference on a new test set: [\u22121.20, +20.00]",
    ):
        assert sentence in text


@pytest.mark.usefixtures("pages_made_anew")
def test_a_stated_margin_tells_equivalent_from_not_known(
    phase: Phase, two: list[str], client: Client
) -> None:
    """Two sentences of each test set exclude next to nothing: t has one degree of
    freedom, and any of them may differ."""
    answer = "/api/v1/tasks/otters/test/compare/"
    for points, equivalent, said in (
        (None, None, "not significantly different"),
        (0.5, False, "not known: 0.5 points apart are possible"),
        (5000, True, "equivalent within 5000 points"),
    ):
        phase.task.margin = points
        phase.task.save()
        (found,) = client.get(answer, {"system": two}).json()
        margin = None if points is None else points / 100
        assert (found["margin"], found["equivalent"]) == (margin, equivalent)
        text = client.get(COMPARE, {"system": two}).content.decode()
        assert said in text
        assert ("two one-sided tests" in text) == (points is not None)
    other = {"system": two, "measure": "uas"}
    assert client.get(answer, other).json()[0]["margin"] is None
    text = client.get(COMPARE, other).content.decode()
    assert "not significantly different" in text
    assert "two one-sided tests" not in text


def test_a_margin_takes_nothing_from_who_is_better(
    phase: Phase, two: list[str]
) -> None:
    (found,) = pairs(board(BoardQuery(phase, everything=True)), two)
    clear = replace(found.exact, adjusted=0.001).at(50.0)
    assert clear.equivalent
    assert replace(found, exact=clear).in_words == "good is better"


def test_without_a_choice_the_systems_are_offered(
    two: list[str], client: Client
) -> None:
    text = client.get(COMPARE).content.decode()
    assert all(pk in text for pk in two)
    assert "+6.25" not in text


def test_a_pair_is_compared_once_in_the_order_of_the_board(
    phase: Phase, two: list[str]
) -> None:
    shown = board(BoardQuery(phase, everything=True))
    found = pairs(shown, two[::-1])
    assert [(pair.first.system, pair.second.system) for pair in found] == [
        ("good", "bad")
    ]


def test_pages_say_the_level_that_the_task_has(
    phase: Phase, two: list[str], client: Client
) -> None:
    phase.task.level = 0.9
    phase.task.save()
    for page in ("test/board/", ""):
        text = client.get(f"/tasks/otters/{page}").content.decode()
        assert "90%" in text
        offered = re.sub(r'<a id="level-[^<]*</a>', "", text)
        assert "95%" not in offered


def test_fifty_seven_lexelts_can_be_chosen_from() -> None:
    names = tuple(f"word{i}.n" for i in range(57))
    counts = Counts(names, ("score",), np.zeros((57, 1)), {"lexelt": names})
    assert len(slices_of([counts])["lexelt"]) == 57


@pytest.mark.parametrize(("level", "told"), [(0.9, True), (0.95, False)])
def test_a_pair_is_told_apart_at_the_level_of_the_cluster_lines(
    phase: Phase, two: list[str], level: float, told: bool
) -> None:
    phase.task.level = level
    (found,) = pairs(newest_board(BoardQuery(phase, everything=True)), two)
    doubtful = replace(found, exact=replace(found.exact, adjusted=0.07))
    assert (doubtful.in_words == "good is better") is told


def test_what_cannot_be_compared_is_told_with_its_reason(
    phase: Phase, two: list[str], client: Client
) -> None:
    answer = "/api/v1/tasks/otters/test/compare/"
    for asked, status, said in (
        ({}, 422, "Name two systems or more, each as system="),
        ({"system": two[:1]}, 422, "Name two systems or more"),
        ({"system": [two[0], two[0]]}, 422, "Name two systems or more"),
        ({"system": [two[0], "foo"]}, 404, "shows no system of that submission"),
    ):
        found = client.get(answer, asked)
        assert found.status_code == status, asked
        assert said in found.json()["detail"]
