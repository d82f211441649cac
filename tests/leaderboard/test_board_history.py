"""The board as of a day: what had come, under the gold then in force."""

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.submissions.models import Evaluation, Submission
from leaderboard.tasks.models import GoldRevision, Participation, Phase, Task
from leaderboard.teams.models import User
from tests.leaderboard.small import both, one_wrong, scored
from tests.organize.disclosing import logged_in, unrevealed

URL, API = "/tasks/otters/test/board/", "/api/v1/tasks/otters/test/board/"
HOUR = timedelta(hours=1)


def two_sent(phase: Phase, entry: Participation) -> None:
    """Entries of one team: the worse two days ago, the better one an hour ago."""
    now = timezone.now()
    files = both({"north": one_wrong()})
    scored(phase, entry, files, system="early", arrived_at=now - 48 * HOUR)
    scored(phase, entry, both(), system="late", arrived_at=now - HOUR)


pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_stage(then=two_sent),
    pytest.mark.databases("time"),
]


@pytest.fixture
def two(task: Task) -> list[Submission]:
    return list(Submission.objects.order_by("received_at"))


def told(at: datetime | str, client: Client | None = None, **choices: str) -> Any:
    text = at if isinstance(at, str) else at.isoformat()
    return (client or Client()).get(API, {"at": text, **choices}).json()


def systems(*asked: Any, **choices: str) -> list[tuple[str, int]]:
    rows = told(*asked, **choices)["rows"]
    return [(row["system"], row["entries"]) for row in rows]


def test_what_had_not_come_yet_is_not_there(two: list[Submission]) -> None:
    now = timezone.now()
    assert systems(now - 2 * HOUR) == [("early", 1)]
    assert systems(now - 49 * HOUR) == []
    assert systems(now - HOUR / 2) == [("late", 2)]


def test_today_and_later_are_the_board_as_it_is(two: list[Submission]) -> None:
    now = timezone.now()
    assert systems(now + HOUR) == [("late", 2)]
    assert systems((now + 24 * HOUR).strftime("%Y-%m-%d")) == [("late", 2)]


def test_a_day_ends_at_midnight_of_the_phase(
    phase: Phase, two: list[Submission]
) -> None:
    Phase.objects.update(time_zone="Pacific/Kiritimati")
    phase.refresh_from_db()
    there = two[0].received_at.astimezone(phase.zone)
    day = there.date().isoformat()
    before = (there.date() - timedelta(days=1)).isoformat()
    assert [row.system for row in board(BoardQuery(phase, at=day)).rows] == ["early"]
    assert not board(BoardQuery(phase, at=before)).rows


def test_history_shows_nothing_that_a_freeze_hides(
    phase: Phase, two: list[Submission], ada: User
) -> None:
    unrevealed(phase, freeze_from=timezone.now() - 24 * HOUR)
    then = timezone.now() - HOUR / 2
    assert systems(then) == [("early", 1)]
    assert systems(then, logged_in(ada)) == [("late", 2)]


def test_history_shows_nothing_of_a_blind_phase(
    phase: Phase, two: list[Submission]
) -> None:
    unrevealed(phase, "blind")
    assert systems(timezone.now() - HOUR / 2) == []


def test_what_was_withdrawn_since_is_left_out(two: list[Submission]) -> None:
    two[0].withdrawn_at = timezone.now()
    two[0].save()
    assert systems(timezone.now() - 2 * HOUR) == []


def live(phase: Phase, revision: GoldRevision) -> datetime:
    """Make it live, and give a moment just after."""
    phase.gold_revision = revision
    phase.board_version += 1
    phase.save(update_fields=["gold_revision", "board_version"])
    return timezone.now()


@pytest.mark.usefixtures("two")
def test_a_moment_is_shown_under_the_gold_then_in_force(phase: Phase) -> None:
    """First gold, corrected gold, and the first again."""
    first = phase.gold_revision
    second = GoldRevision.objects.create(
        task=phase.task, number=2, live_at=timezone.now()
    )
    for one in Evaluation.objects.all():
        one.pk, one.gold_revision = None, second
        one.save()
    moments = [timezone.now()]
    for revision in (second, first):
        moments.append(live(phase, revision))
    assert [told(one)["gold_revision"] for one in moments] == [1, 2, 1]
    assert [len(told(one)["rows"]) for one in moments] == [1, 1, 1]
    asked = told(moments[0], revision="2")
    assert asked["gold_revision"] == 2


def test_the_page_says_which_moment_it_shows_and_leads_to_the_log(
    two: list[Submission],
) -> None:
    at = {"at": f"{two[0].received_at:%Y-%m-%d}", "measure": "uas"}
    page = Client().get(f"{URL}?{urlencode(at)}").content.decode()
    assert (
        "Submissions received by" in page and "with version 1 of the answer key" in page
    )
    assert 'href="/tasks/otters/log/"' in page
    assert 'href="?measure=uas">Today' in page
    assert "early" in page and "late</div>" not in page
