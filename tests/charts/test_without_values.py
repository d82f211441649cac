"""Boards whose rows have nothing to draw: every score n/a, or baselines alone."""

import pytest
from django.test import Client

from leaderboard.boards.charts.kinds import kinds_of
from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Phase
from tests.leaderboard.numbers_task import CONSTANT, GROWING, HERE, sent_to_numbers


def assert_charts_answer(phase: Phase) -> None:
    kinds = kinds_of(board(BoardQuery(phase)))
    assert {"scores", "rank-history", "time"} <= {kind.name for kind in kinds}
    for kind in kinds:
        answer = Client().get(f"{HERE}/charts/", {"chart": kind.name})
        assert answer.status_code == 200, kind.name
        chart = answer.context["chart"]
        assert chart.lines or "dot" not in chart.note, kind.name
    assert Client().get(f"{HERE}/paper-kit.zip").status_code == 200


@pytest.mark.django_db
def test_a_board_on_which_every_score_is_undefined_has_charts_and_a_kit() -> None:
    phase = sent_to_numbers({"flat": CONSTANT, "level": CONSTANT + b"\n"})
    assert_charts_answer(phase)
    answer = Client().get(f"{HERE}/charts/").content.decode()
    assert "No system here has a value" in answer and "Dots show" not in answer


@pytest.mark.django_db
def test_a_board_of_baselines_alone_has_charts_and_a_kit() -> None:
    phase = sent_to_numbers({"growing": GROWING})
    Submission.objects.update(baseline=True)
    assert_charts_answer(phase)
    answer = Client().get(f"{HERE}/charts/", {"chart": "rank-history"})
    assert "No system here has a value" in answer.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("measure", ["pearson", "rmse"])
def test_charts_of_a_board_with_some_values_leave_out_what_has_none(
    measure: str,
) -> None:
    phase = sent_to_numbers({"flat": CONSTANT, "growing": GROWING})
    assert_charts_answer(phase)
    page = {"measure": measure, "entries": "all"}
    chart = Client().get(f"{HERE}/charts/", page).context["chart"]
    assert len(chart.lines) == (1 if measure == "pearson" else 2)
