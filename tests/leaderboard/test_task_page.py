"""The first page of a task: its leaders, its phases in time, and what to do first."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.boards.front_page import recent_results
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.tasks.participation import join
from leaderboard.tasks.timeline import timeline
from leaderboard.teams.models import Team, User
from tests.leaderboard.small import both, bundle, manifest, scored
from tests.organize.disclosing import unrevealed

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("pages_made_anew"),
    pytest.mark.one_stage,
]
Login = Callable[[User], Client]
DAY = timedelta(days=1)


def between(opens: float, closes: float | None) -> Phase:
    """A phase that opens and closes so many days from now."""
    now = timezone.now()
    return Phase(
        opens=now + opens * DAY, closes=None if closes is None else now + closes * DAY
    )


def places(*phases: Phase) -> list[tuple[str, str]]:
    line = timeline(phases, timezone.now())
    return [(bar.start, bar.width) for bar in line.bars]


def test_phases_stand_where_they_are_in_time() -> None:
    """Ten days in all, of which four are over."""
    phases = between(-4, 1), between(0, 6)
    assert places(*phases) == [("0%", "50%"), ("40%", "60%")]
    line = timeline(phases, timezone.now())
    assert (line.now, line.now_at) == ("40%", "middle")


def test_a_phase_without_an_end_goes_on_beyond_now() -> None:
    """Ten days until now, and a fifth of that more."""
    phases = between(-10, -4), between(-5, None)
    line = timeline(phases, timezone.now())
    assert line.now == "83%"
    assert places(*phases)[1] == ("42%", "58%")


def test_before_and_behind_all_phases_there_is_no_now() -> None:
    assert timeline([between(2, 5)], timezone.now()).now == ""
    assert timeline([between(-5, -2)], timezone.now()).now == ""
    assert timeline([], timezone.now()).bars == []


def test_a_short_phase_among_long_ones_is_still_seen() -> None:
    start, width = places(between(-400, 0), between(-0.01, 0))[1]
    assert (start, width) == ("99%", "1%")


def test_the_page_shows_who_leads_as_far_as_everybody_may_see(
    phase: Phase, task: Task, entry: Participation
) -> None:
    assert Client().get(task.get_absolute_url()).context["head"] is None
    scored(phase, entry, both(), system="canary")
    page = Client().get(task.get_absolute_url())
    assert page.context["head"].of_all == 1 and "canary" in page.text
    unrevealed(phase, "blind")
    page = Client().get(task.get_absolute_url())
    assert page.context["head"] is None and "canary" not in page.text


@pytest.mark.parametrize(
    ("opens", "closes", "newest"),
    [
        ((-2, -3), (3, 3), "dev"),
        ((-3, -2), (3, 3), "test"),
        ((-9, -9), (-2, -1), "test"),
        ((-9, -8), (None, -1), "test"),
    ],
)
def test_front_page_and_task_page_show_the_board_of_the_same_phase(
    opens: tuple[int, int],
    closes: tuple[int | None, int | None],
    newest: str,
    ada: User,
    ben: User,
) -> None:
    """The one that opened last, or the later of the task, whatever ended since."""
    table = manifest()
    (one,) = table["phases"]
    dev = {**one, "name": "dev", "title": "Development"}
    task = create_task(bundle(slug="herons", phases=[dev, one]), ada)
    entry = join(task, Team.found("Otters", ben))
    for phase in task.phases.all():
        scored(phase, entry, both())
    for name, first, last in zip(("dev", "test"), opens, closes, strict=True):
        times = between(first, last)
        own = task.phases.filter(name=name)
        own.update(opens=times.opens, closes=times.closes, board_version=9)
    assert Client().get(task.get_absolute_url()).context["head"].phase.name == newest
    (shown,) = recent_results(timezone.now(), {task.pk: 1})
    assert shown.phase.name == newest


def test_a_reader_is_told_the_first_step(
    phase: Phase, task: Task, entry: Participation, ben: User, cy: User, as_user: Login
) -> None:
    address = task.get_absolute_url()
    assert "Start with Test" in (anybody := Client().get(address).text)
    assert f"/accounts/signup/?next={address}join/" in anybody
    assert "Join with a team" in as_user(cy).get(address).text
    assert "Submit to Test" not in as_user(cy).get(address).text
    member = as_user(ben).get(address).text
    assert "Start with Test" in member and "Submit to Test" in member
    scored(phase, entry, both())
    later = as_user(ben).get(address).text
    assert "Start with Test" not in later and "Submit to Test" in later


def test_who_waits_to_be_admitted_is_not_told_to_submit(
    task: Task, phase: Phase, entry: Participation, ben: User, as_user: Login
) -> None:
    Participation.objects.update(status=Participation.Status.PENDING)
    assert "Submit to Test" not in as_user(ben).get(task.get_absolute_url()).text


@pytest.mark.parametrize(
    "fields",
    [
        {"paused": True},
        {"who": Phase.Who.ORGANIZERS},
        {"opens": timezone.now() + DAY, "closes": timezone.now() + 2 * DAY},
    ],
)
def test_nobody_is_sent_to_a_phase_that_takes_nothing(
    fields: dict[str, object], phase: Phase, task: Task
) -> None:
    Phase.objects.update(**fields)
    assert "Start with Test" not in Client().get(task.get_absolute_url()).text


def test_who_is_not_in_a_task_that_is_over_is_told_what_becomes_of_a_late_file(
    task: Task, phase: Phase, entry: Participation, ben: User, cy: User, as_user: Login
) -> None:
    Phase.objects.update(closes=timezone.now() - DAY, opens=timezone.now() - 2 * DAY)
    page = " ".join(as_user(cy).get(task.get_absolute_url()).text.split())
    assert "kept as late: it is not scored and stays off the board unless" in page
    address = f"{task.get_absolute_url()}{phase.name}/submit/"
    upload = " ".join(as_user(ben).get(address).text.split())
    assert "kept as late: it is not scored and stays off the board unless" in upload
    # No attempts are counted and nothing closes any more.
    assert "<dt> Closed </dt>" in upload and "Closes" not in upload
    assert "<dt>Attempts</dt>" not in upload and "costs no attempt" not in upload
    phase.refresh_from_db()
    sent = scored(phase, entry, both())
    assert sent.late and not sent.evaluations.exists()
