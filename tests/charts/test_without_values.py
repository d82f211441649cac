"""Boards whose rows have nothing to draw: every score n/a, or baselines alone."""

from collections.abc import Mapping

import pytest
import yaml
from django.test import Client

from leaderboard.boards.charts.kinds import kinds_of
from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.submissions.models import Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from scoring.source import Source
from tests.leaderboard.small import manifest, scored

HERE = "/tasks/otters/test"
GOLD = "id,value,genre\n" + "".join(
    f"i{n},{n * n},{'tale' if n % 2 else 'letter'}\n" for n in range(20)
)
# No correlation with an answer that never changes.
CONSTANT = ("id,value\n" + "".join(f"i{n},1\n" for n in range(20))).encode()
GROWING = ("id,value\n" + "".join(f"i{n},{n}\n" for n in range(20))).encode()
NAMES = ("north", "south", "west")


def sent_to_numbers(answers: Mapping[str, bytes]) -> Phase:
    """A phase of three test sets, and each answer sent to it as a system."""
    ada = User.objects.create_user("ada@example.org", "x", name="Ada")
    sets = [{"name": n, "title": n, "gold": f"gold/{n}.csv"} for n in NAMES]
    scorer = {"name": "numbers", "measures": ["pearson", "rmse"]}
    table = manifest(scorer=scorer | {"headline": "pearson"}, test_sets=sets)
    files = {f"gold/{name}.csv": GOLD.encode() for name in NAMES}
    about = {"task.yaml": yaml.safe_dump(table).encode(), "description.md": b"Numbers."}
    task = create_task(Source("otters", {**about, **files}), ada)
    entry = join(task, Team.found("Adas", ada))
    for system, answer in answers.items():
        whole = dict.fromkeys(NAMES, answer)
        scored(task.phases.get(), entry, whole, system=system)
    return task.phases.get()


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
