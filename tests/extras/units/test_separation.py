"""The separation page prints what the engine says of stored counts."""

from collections.abc import Callable

import pytest
from django.test import Client

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.extras.units.statistical_power import about, outlooks
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import User
from scoring.statistics.variance_components import Planned
from tests.leaderboard.small import both, one_wrong, scored

Login = Callable[[User], Client]
SEPARATION = "/tasks/otters/test/separation/"


def two_sent(phase: Phase, entry: Participation) -> None:
    scored(phase, entry, both(), system="good")
    scored(phase, entry, both({"north": one_wrong()}), system="bad")


pytestmark = [pytest.mark.django_db, pytest.mark.one_stage(then=two_sent)]


def test_organizers_learn_what_the_phase_can_tell_apart(
    phase: Phase, ada: User, as_user: Login
) -> None:
    """Of four sentences not even four in favour of one system are evidence."""
    assert outlooks(board(BoardQuery(phase, everything=True)), 2, Planned()) == []
    text = as_user(ada).get(SEPARATION).content.decode()
    assert "differ in too few units" in text
    assert "Two systems are needed" not in text


@pytest.mark.usefixtures("nothing_sent")
def test_one_system_tells_nothing_apart(
    phase: Phase, ada: User, as_user: Login
) -> None:
    assert "Two systems are needed" in as_user(ada).get(SEPARATION).content.decode()


@pytest.mark.parametrize(
    ("units", "told"), [(None, "–"), (63, "63"), (137, "140"), (95_601, "96,000")]
)
def test_needed_units_are_told_as_well_as_pilots_know_them(
    units: int | None, told: str
) -> None:
    assert about(units) == told
