"""Comparison and separation pages print what the engine says of stored counts."""

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from django.test import Client

from leaderboard.boards.comparing import pairs
from leaderboard.boards.rows import View, board
from leaderboard.boards.separating import outlooks
from leaderboard.submissions.ranking import slices_of
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import User
from scoring import Counts
from tests.leaderboard.small import both, one_wrong, scored

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
Login = Callable[[User], Client]
COMPARE = "/tasks/otters/test/compare/"
SEPARATION = "/tasks/otters/test/separation/"


@pytest.fixture
def two(phase: Phase, entry: Participation) -> list[str]:
    """Submission ids of a perfect system and of one with a wrong word."""
    good = scored(phase, entry, both(), system="good")
    bad = scored(phase, entry, both({"north": one_wrong()}), system="bad")
    return [str(good.pk), str(bad.pk)]


def test_a_comparison_shows_the_difference_with_its_interval(
    two: list[str], client: Client
) -> None:
    text = client.get(COMPARE, {"system": two}).content.decode()
    assert "+6.25" in text
    assert "statistically level" in text


def test_without_a_choice_the_systems_are_offered(
    two: list[str], client: Client
) -> None:
    text = client.get(COMPARE).content.decode()
    assert all(pk in text for pk in two)
    assert "+6.25" not in text


def test_a_pair_is_compared_once_in_the_order_of_the_board(
    phase: Phase, two: list[str]
) -> None:
    shown = board(phase, View(everything=True))
    found = pairs(shown, two[::-1])
    assert [(pair.first.system, pair.second.system) for pair in found] == [
        ("good", "bad")
    ]


def test_organizers_learn_what_the_phase_can_tell_apart(
    phase: Phase, two: list[str], ada: User, as_user: Login
) -> None:
    found = outlooks(board(phase, View(everything=True)))
    assert found[0].found.units == 4
    assert found[0].found.smallest > 0
    text = as_user(ada).get(SEPARATION).content.decode()
    assert found[0].smallest in text


def test_the_outlook_is_for_organizers(
    two: list[str], ben: User, as_user: Login, client: Client
) -> None:
    assert as_user(ben).get(SEPARATION).status_code == 404
    assert client.get(SEPARATION).url.startswith("/accounts/login/")


def test_one_system_tells_nothing_apart(
    phase: Phase, ada: User, as_user: Login
) -> None:
    assert "Two systems are needed" in as_user(ada).get(SEPARATION).content.decode()


def test_two_test_sets_are_too_few_to_look_across(
    two: list[str], client: Client
) -> None:
    assert client.get("/tasks/otters/test/across/").status_code == 404


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
    (found,) = pairs(board(phase, View(everything=True)), two)
    doubtful = replace(found, exact=replace(found.exact, adjusted=0.07))
    assert (doubtful.in_words == "good is better") is told
