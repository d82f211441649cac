"""Changes of ranks since last week, beside the ranks of a board."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.leaderboard.small import both, one_wrong, scored
from tests.organize.disclosing import unrevealed

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
DAY = timedelta(days=1)
WORSE = {"north": one_wrong()}


@pytest.fixture
def rival(task: Task, cy: User) -> Participation:
    return join(task, Team.found("Cys", cy))


@pytest.fixture
def moved(phase: Phase, entry: Participation, rival: Participation) -> Phase:
    """Cys led a week ago with a worse file than Bens has sent since."""
    now = timezone.now()
    Phase.objects.update(opens=now - 20 * DAY)
    phase.refresh_from_db()
    scored(phase, entry, {"north": one_wrong()}, system="a1", arrived_at=now - 9 * DAY)
    scored(phase, rival, both(WORSE), system="c1", arrived_at=now - 8 * DAY)
    scored(phase, entry, both(), system="a2", arrived_at=now - DAY)
    return phase


def changes(phase: Phase, **choices: object) -> dict[str, str]:
    rows = board(BoardQuery(phase, **choices)).rows  # type: ignore[arg-type]
    return {row.system: row.change.in_words if row.change else "" for row in rows}


def test_who_overtook_goes_up_and_nothing_is_told_of_who_sent_nothing(
    moved: Phase,
) -> None:
    assert changes(moved) == {"a2": "up 1 since last week", "c1": ""}
    page = Client().get("/tasks/otters/test/board/").content.decode()
    assert "▲1" in page and "up 1 since last week</span>" in page


def test_a_baseline_takes_no_place_from_which_teams_rise(
    moved: Phase, task: Task, ada: User
) -> None:
    house = join(task, Team.found("House", ada))
    early = timezone.now() - 9 * DAY
    scored(moved, house, both(), system="plain", baseline=True, arrived_at=early)
    assert changes(moved)["a2"] == "up 1 since last week"


def test_who_sent_something_worse_where_the_last_counts_goes_down(
    moved: Phase, rival: Participation
) -> None:
    now = timezone.now()
    Phase.objects.update(counts="last")
    moved.refresh_from_db()
    scored(moved, rival, both(), system="c2", arrived_at=now - 8 * DAY / 2)
    spoilt = both({"north": one_wrong(), "south": one_wrong("south")})
    scored(moved, rival, spoilt, system="c3", arrived_at=now - DAY / 2)
    assert changes(moved)["c3"] == "down 1 since last week"


def test_a_better_file_that_keeps_its_place_tells_no_change(
    moved: Phase, rival: Participation
) -> None:
    scored(moved, rival, both(WORSE), system="c4", arrived_at=timezone.now() - DAY / 2)
    Phase.objects.update(counts="last")
    moved.refresh_from_db()
    assert changes(moved) == {
        "a2": "up 1 since last week",
        "c4": "down 1 since last week",
    }
    Phase.objects.update(counts="best")
    scored(moved, rival, both(), system="c5", arrived_at=timezone.now() - DAY / 3)
    moved.refresh_from_db()
    assert changes(moved)["c5"] == ""


def test_a_team_that_came_this_week_is_new(
    phase: Phase, entry: Participation, rival: Participation
) -> None:
    now = timezone.now()
    Phase.objects.update(opens=now - 20 * DAY)
    phase.refresh_from_db()
    scored(phase, entry, both(), system="a1", arrived_at=now - 9 * DAY)
    scored(phase, rival, both(WORSE), system="c1", arrived_at=now - DAY)
    assert changes(phase) == {"a1": "", "c1": "new since last week"}


def test_nothing_changed_in_a_week_in_which_all_began(
    phase: Phase, entry: Participation
) -> None:
    scored(phase, entry, both(), system="a1", arrived_at=timezone.now() - DAY)
    assert changes(phase) == {"a1": ""}


def test_as_of_a_day_it_is_the_week_before_it(moved: Phase) -> None:
    then = (timezone.now() - 8 * DAY + timedelta(hours=1)).isoformat()
    assert changes(moved, at=then) == {"c1": "", "a1": ""}


def test_all_entries_and_boards_that_hide_entries_have_no_changes(
    moved: Phase,
) -> None:
    assert set(changes(moved, everything=True).values()) == {""}
    unrevealed(moved, "best")
    assert set(changes(moved).values()) == {""}
