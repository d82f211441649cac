"""The task of the demonstration whose teams send code."""

import csv
import io
from datetime import UTC, datetime
from typing import Any

import pytest

from leaderboard.extras.code.demo import MARKS, SENT, SIZES, _gold, load
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Task
from leaderboard.teams.models import Membership, Team, User

NOW = datetime(2026, 3, 4, 15, 30, tzinfo=UTC)
# By hand, from the descriptions of the systems.
RULES = {
    "always-river": lambda text: "river",
    "first-word": lambda text: "river" if text.split()[0] == "ve" else "hill",
    "gate-marks": lambda text: (
        "hill"
        if text.split()[3].endswith("lir") or text.split()[0] == "va"
        else "river"
    ),
}


def rows(test_set: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(_gold(test_set).decode())))


def accuracy(system: str) -> float:
    own = rows("hidden")
    return sum(RULES[system](row["text"]) == row["label"] for row in own) / len(own)


def test_phrases_of_the_test_are_no_copy_of_those_for_practice() -> None:
    own = {name: [row["text"] for row in rows(name)] for name in SIZES}
    assert {name: len(texts) for name, texts in own.items()} == SIZES
    assert own["practice"] != own["hidden"][: len(own["practice"])]
    assert {row["label"] for row in rows("hidden")} == set(MARKS)


@pytest.mark.django_db
@pytest.mark.thorough  # the real sandbox
def test_its_board_shows_what_the_code_of_each_says(ada: User, settings: Any) -> None:
    settings.PROGRAMS = "everyone"
    teams = {}
    for name in ("organizers", "northgate"):
        user = User.objects.create(email=f"{name}@example.org")
        team = Team.objects.create(name=name, key=name)
        Membership.objects.create(team=team, user=user)
        teams[name] = (team, user)
    load(NOW, ada, teams)
    sent = Submission.objects.filter(phase__task__slug="river-or-hill")
    values = {
        each.system: each.evaluations.get().results["overall"]["accuracy"]["value"]
        for each in sent
    }
    assert values == {s.system: pytest.approx(accuracy(s.system)) for s in SENT}
    assert sent.filter(baseline=True).count() == 2


@pytest.mark.django_db
def test_a_site_that_runs_no_code_has_no_such_task(ada: User, settings: Any) -> None:
    settings.PROGRAMS = ""
    load(NOW, ada, {})
    assert not Task.objects.filter(slug="river-or-hill")
