"""A board with thousands of entries comes from the API by pages of rows."""

from typing import Any

import pytest
from django.test import Client

from leaderboard.tasks.models import Participation, Phase
from tests.campaigns.copies import copies_of
from tests.leaderboard.small import both, scored

BOARD = "/api/v1/tasks/otters/test/board/"


def many_sent(phase: Phase, entry: Participation) -> None:
    """501 entries of one team."""
    copies_of(scored(phase, entry, both()), 500)


pytestmark = [pytest.mark.django_db, pytest.mark.one_stage(then=many_sent)]


def ask(**parameters: str) -> Any:
    return Client().get(BOARD, parameters)


def test_every_entry_is_on_exactly_one_page(phase: Phase) -> None:
    first, second = (ask(entries="all", page=page).json() for page in ("1", "2"))
    assert [(p["page"], p["pages"]) for p in (first, second)] == [(1, 2), (2, 2)]
    assert [len(p["rows"]) for p in (first, second)] == [500, 1]
    assert first["rows_in_all"] == second["rows_in_all"] == 501
    named = {row["submission"] for p in (first, second) for row in p["rows"]}
    assert len(named) == 501
    assert first["rule"] == second["rule"]


def test_without_a_page_the_first_comes_and_a_board_of_teams_has_one(
    phase: Phase,
) -> None:
    assert ask(entries="all").json() == ask(entries="all", page="1").json()
    board = ask().json()
    assert (board["page"], board["pages"], len(board["rows"])) == (1, 1, 1)


def test_a_page_that_there_is_not_is_said(phase: Phase) -> None:
    for page in ("0", "3", "-1", "x", "9" * 40):
        answer = ask(entries="all", page=page)
        assert answer.status_code == 404
        assert "the last one is 2" in answer.json()["detail"]
