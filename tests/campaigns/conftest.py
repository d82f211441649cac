"""A task with several teams, on real transactions."""

import pytest

from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Participation, Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.leaderboard.small import bundle

TEAMS = 6


@pytest.fixture
def open_phase(transactional_db: None) -> Phase:
    ada = User.objects.create_user("ada@example.org", "x")
    return create_task(bundle(), ada).phases.get()


@pytest.fixture
def teams(open_phase: Phase) -> list[Participation]:
    found = []
    for i in range(TEAMS):
        user = User.objects.create_user(f"member{i}@example.org", "x")
        found.append(join(open_phase.task, Team.found(f"Team {i}", user)))
    return found


def sizes(short: int, full: int) -> pytest.MarkDecorator:
    """Run with `short` in the suite, and with `full` in `make campaigns`."""
    long = pytest.param(full, marks=pytest.mark.campaign)
    return pytest.mark.parametrize("size", [short, long])
