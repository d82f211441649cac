"""Correlations over test sets come from the same units as the board."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from scoring.source import Source
from tests.leaderboard.small import both, bundle, one_wrong, perfect, scored
from tests.organize.disclosing import API, HOUR, salted, under, unrevealed

pytestmark = pytest.mark.django_db
NAMES = ("north", "south", "west")


@pytest.fixture
def three(ada: User, ben: User) -> tuple[Phase, str]:
    """A phase of three test sets, and a submission with one wrong word in north."""
    sets = [
        {"name": name, "title": name.title(), "gold": f"gold/{name}.conllu"}
        for name in NAMES
    ]
    plain = bundle(test_sets=sets)
    files = {**plain.files, "gold/west.conllu": perfect("south")}
    phase = create_task(Source(plain.name, files), ada).phases.get()
    entry = join(phase.task, Team.found("Bens", ben))
    sent = both({"north": one_wrong(), "west": perfect("south")})
    return phase, str(scored(phase, entry, sent).pk)


def spread(submission: str, **choices: Any) -> list[float]:
    asked = {"system": submission, **choices}
    found = Client().get(f"{API}/across/", asked).json()["cumulative_variance"]
    return [one["value"] for one in found]


def test_before_the_reveal_they_come_from_the_public_part(
    three: tuple[Phase, str],
) -> None:
    phase, submission = three
    assert spread(submission) == [1.0, 1.0, 0.875]
    salted(phase)
    unrevealed(phase)
    assert spread(submission) == [1.0, 1.0, 1.0]
    assert Client().get(f"{API}/across/", {"part": "all"}).status_code == 404


def test_afterwards_each_part_can_be_looked_at(three: tuple[Phase, str]) -> None:
    phase, submission = three
    salted(phase)
    under(phase, reveal_at=timezone.now() - HOUR)
    assert spread(submission) == [1.0, 1.0, 0.75]
    assert spread(submission, part="public") == [1.0, 1.0, 1.0]
    assert spread(submission, part="all") == [1.0, 1.0, 0.875]


def test_scores_without_details_are_not_looked_at_over_test_sets(
    three: tuple[Phase, str],
) -> None:
    phase, submission = three
    asked = {"system": submission}
    assert Client().get(f"{API}/across/", asked).status_code == 200
    unrevealed(phase, "best")
    assert Client().get(f"{API}/across/", asked).status_code == 404
