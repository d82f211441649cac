"""The front page opens on a board, and tells members of teams where they stand."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import Count
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.boards import computation, front_page, stored_board
from leaderboard.boards.front_page import own_tasks, that_entered
from leaderboard.boards.leaders import BoardHead, head_of
from leaderboard.boards.stored_board import board
from leaderboard.submissions.models import StoredBoard, Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.leaderboard.small import both, bundle, conllu, one_wrong, scored
from tests.organize.disclosing import unrevealed

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("pages_made_anew"),
    pytest.mark.one_stage,
]
DAY = timedelta(days=1)
COUNTED = Count("participations", filter=that_entered("participations"), distinct=True)
HALF = both({"north": one_wrong()})
WORST = both({"north": conllu((4, 4, 0, 3, 2, 0, 2, 3)).encode()})


def sent_at(days_ago: float, sent: Submission) -> Submission:
    at = timezone.now() - days_ago * DAY
    Submission.objects.filter(pk=sent.pk).update(received_at=at)
    return sent


def head(phase: Phase, rows: bool = False) -> BoardHead:
    found = head_of(Phase.objects.get(pk=phase.pk), timezone.now(), rows)
    assert found is not None
    return found


def other_team(task: Task, name: str, person: User) -> Participation:
    return join(task, Team.found(name, person))


def busiest(client: Client) -> str:
    """The board with which the front page begins; empty without one."""
    _before, _begins, after = client.get("/").text.partition('<section class="leaders"')
    return after.partition("</section>")[0]


def test_the_open_task_of_most_teams_is_the_one_whose_board_is_shown(
    phase: Phase, entry: Participation, ada: User, cy: User
) -> None:
    scored(phase, entry, both(), system="alone")
    quiet = Task.objects.get()
    busy = create_task(bundle(slug="herons", title="Heron Parsing"), ada)
    second = busy.phases.get()
    for name, person in (("Reeds", cy), ("Stones", ada)):
        scored(second, other_team(busy, name, person), HALF, system=name.lower())
    found = busiest(Client())
    assert busy.title in found and quiet.title not in found
    assert "reeds" in found and "alone" not in found
    unrevealed(second, "blind")
    found = busiest(Client())
    assert quiet.title in found


def test_a_site_without_a_board_to_show_opens_without_one(
    phase: Phase, entry: Participation
) -> None:
    assert not busiest(Client())
    scored(phase, entry, both(), system="canary")
    unrevealed(phase, "blind")
    assert not busiest(Client())
    assert "canary" not in Client().get("/").text


def test_a_score_of_another_phase_than_that_of_the_dates_is_said_to_be_of_it(
    phase: Phase, entry: Participation
) -> None:
    scored(phase, entry, both())
    named = f"· {phase.title}</span>"
    assert named not in Client().get("/").text
    phase.closes = timezone.now() - DAY
    phase.save()
    Phase.objects.create(
        task=phase.task,
        name="final",
        title="Final",
        gold_revision=phase.gold_revision,
        position=1,
        opens=timezone.now() + DAY,
    )
    assert named in Client().get("/").text


def test_five_rows_are_shown_and_baselines_are_none_of_them(
    phase: Phase, task: Task, entry: Participation, ada: User
) -> None:
    scored(phase, entry, HALF, system="first")
    best = scored(phase, entry, both(), system="the-baseline")
    Submission.objects.filter(pk=best.pk).update(baseline=True)
    for number in range(5):
        person = User.objects.create_user(f"p{number}@example.org")
        scored(phase, other_team(task, f"Team {number}", person), HALF, system="s")
    shown = head(phase, rows=True)
    assert shown.rows.count("<tr") == 5 and shown.of_all == 6
    assert "the-baseline" not in shown.rows


def test_the_line_of_the_best_score_goes_up_in_steps(
    phase: Phase, entry: Participation
) -> None:
    """Of three entries over ten days the second, half way, is no better; the third
    comes after eight days. The drawing is 110 wide and 24 high, 3 of it left free."""
    for days_ago, files in ((10, HALF), (5, WORST), (2, both())):
        sent_at(days_ago, scored(phase, entry, files))
    Phase.objects.update(opens=timezone.now() - 20 * DAY)
    found = head(phase)
    assert found.best == "0,21 88,21 88,3 110,3"
    assert (found.begun, found.value) == ("93.75", "100.00")


def test_one_entry_draws_a_level_line(phase: Phase, entry: Participation) -> None:
    sent_at(1, scored(phase, entry, HALF))
    assert head(phase).best == "0,12 110,12"


def test_an_unpublished_entry_moves_no_line(phase: Phase, entry: Participation) -> None:
    """Where only the best of each team is shown, what was before is not drawn."""
    sent_at(3, scored(phase, entry, HALF))
    sent_at(1, scored(phase, entry, both()))
    unrevealed(phase, "best", opens=timezone.now() - 9 * DAY)
    assert head(phase).best == "0,12 110,12"
    assert "93.75" not in Client().get("/").text


def test_a_member_is_told_the_rank_and_who_overtook(
    phase: Phase,
    task: Task,
    entry: Participation,
    ben: User,
    cy: User,
    as_user: Callable[[User], Client],
) -> None:
    sent_at(2, scored(phase, entry, HALF, system="mine"))
    (one,) = own_tasks(ben, timezone.now())
    assert one.place and (one.place.rank, one.place.of_all) == (1, 1)
    assert one.place.overtaken.teams == []
    reeds = other_team(task, "Reeds", cy)
    sent_at(1, scored(phase, reeds, both(), system="theirs"))
    (one,) = own_tasks(ben, timezone.now())
    assert one.place and (one.place.rank, one.place.of_all) == (2, 2)
    assert one.place.overtaken.teams == ["Reeds"]
    page = as_user(ben).get("/").text
    assert "Rank 2 of 2" in page
    assert "range 1–2" in page
    assert "Overtaken since you submitted it: Reeds" in page
    (theirs,) = own_tasks(cy, timezone.now())
    assert theirs.place and (theirs.place.rank, theirs.place.overtaken.teams) == (1, [])


def test_a_member_is_told_who_overtook_since_the_last_visit(
    phase: Phase,
    task: Task,
    entry: Participation,
    ben: User,
    cy: User,
    as_user: Callable[[User], Client],
) -> None:
    now = timezone.now()
    sent_at(3, scored(phase, entry, HALF, system="mine"))
    sent_at(2, scored(phase, other_team(task, "Reeds", cy), both(), system="theirs"))
    client = as_user(ben)
    assert "since your last visit" not in client.get("/").text  # there was none
    assert "since your last visit" not in client.get("/").text  # it is still the same
    seen(client, now - DAY)
    page = client.get("/").text
    assert "since your last visit" not in page
    assert "Overtaken since you submitted it: Reeds" in page
    dee = User.objects.create_user("dee@example.org")
    sent_at(0.5, scored(phase, other_team(task, "Sedges", dee), both(), system="late"))
    seen(client, now - DAY)
    for _again in range(2):  # as long as this visit lasts
        assert "Overtaken since your last visit: Sedges" in client.get("/").text
    unrevealed(phase, "best", freeze_from=now - DAY)
    assert "Sedges" not in client.get("/").text
    unrevealed(phase, "blind")
    assert "Overtaken" not in client.get("/").text


@pytest.mark.parametrize("seconds", [0, 4])
def test_who_overtook_is_told_from_the_cache_too(
    phase: Phase,
    task: Task,
    entry: Participation,
    ben: User,
    cy: User,
    as_user: Callable[[User], Client],
    settings: Any,
    seconds: int,
) -> None:
    settings.BOARD_SECONDS = seconds
    sent_at(2, scored(phase, entry, HALF, system="mine"))
    sent_at(1, scored(phase, other_team(task, "Reeds", cy), both(), system="theirs"))
    for _again in range(2):
        assert "you submitted it: Reeds" in as_user(ben).get("/").text


def seen(client: Client, moment: datetime) -> None:
    """Let the reader's visit before this one have ended then."""
    session = client.session
    session["visit"] = {"seen": moment.isoformat(), "before": None}
    session.save()


def test_whoever_was_ahead_before_has_overtaken_nobody(
    phase: Phase, task: Task, entry: Participation, ben: User, cy: User
) -> None:
    reeds = other_team(task, "Reeds", cy)
    sent_at(3, scored(phase, reeds, both(), system="theirs"))
    sent_at(2, scored(phase, entry, HALF, system="mine"))
    sent_at(1, scored(phase, reeds, both(), system="theirs-again"))
    (one,) = own_tasks(ben, timezone.now())
    assert one.place and (one.place.rank, one.place.overtaken.teams) == (2, [])


def test_no_rank_is_told_of_a_hidden_board(
    phase: Phase, entry: Participation, ben: User, as_user: Callable[[User], Client]
) -> None:
    scored(phase, entry, HALF)
    unrevealed(phase, "blind")
    page = as_user(ben).get("/")
    (one,) = page.context["own_tasks"]
    assert one.place is None and "Rank 1" not in page.text


def test_more_systems_ask_the_front_page_for_no_more(
    phase: Phase, task: Task, entry: Participation, ben: User
) -> None:
    def asked() -> int:
        with CaptureQueriesContext(connection) as seen:
            assert Client().get("/").status_code == 200
            own_tasks(ben, timezone.now())
        return len(seen)

    scored(phase, entry, HALF)
    asked()
    before = asked()
    for number in range(4):
        person = User.objects.create_user(f"p{number}@example.org")
        scored(phase, other_team(task, f"Team {number}", person), both())
    asked()
    assert asked() == before


@pytest.fixture
def herons(phase: Phase, entry: Participation, ada: User, cy: User) -> None:
    """Two systems of one name, on boards of two tasks."""
    scored(phase, entry, both(), system="heron one")
    task = create_task(bundle(slug="herons", title="Heron Parsing"), ada)
    scored(task.phases.get(), other_team(task, "Cys", cy), both(), system="heron 2")


def test_a_search_reads_no_board_for_hits_that_are_not_shown(
    herons: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Any] = []
    monkeypatch.setattr(front_page, "board", lambda *of: read.append(of) or board(*of))
    assert len(Client().get("/?q=heron").context["found"].hits) == 2
    assert len(read) == 2
    read.clear()
    monkeypatch.setattr(front_page, "MOST_SYSTEMS", 1)
    assert len(Client().get("/?q=heron").context["found"].hits) == 1
    assert len(read) == 1


def test_a_search_asks_at_once_for_all_boards_that_nobody_computed(
    herons: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_board, "ask", lambda _task: None)  # no worker
    monkeypatch.setattr(stored_board, "WAIT_SECONDS", 0)
    assert Client().get("/?q=heron").status_code == 202
    assert StoredBoard.objects.filter(wanted_at__isnull=False).count() == 2
    computation.compute_due()
    assert len(Client().get("/?q=heron").context["found"].hits) == 2


def test_organizers_find_the_tasks_that_they_run_and_not_their_own_team(
    phase: Phase,
    task: Task,
    entry: Participation,
    ada: User,
    ben: User,
    as_user: Callable[[User], Client],
) -> None:
    """It said of the team of the organizers that it had submitted nothing."""
    scored(phase, entry, HALF)
    other_team(task, "Organizers", ada)
    page = as_user(ada).get("/")
    # However many tasks they run, of which the page lists the newest.
    assert own_tasks(ada, timezone.now()) == []
    (one,) = page.context["organized"]
    assert (one.task, one.phase, one.sent) == (task, phase, 1)
    assert page.context["own_tasks"] == []
    assert "Tasks you organize" in page.text and "1 submission" in page.text
    assert f'href="/tasks/{task.slug}/organize/"' in page.text
    assert "Nothing submitted" not in page.text
    for reader in (as_user(ben), Client()):
        assert "Tasks you organize" not in reader.get("/").text
    for fields, said in (
        ({"closes": timezone.now()}, "Over"),
        ({"opens": timezone.now() + timedelta(days=3), "closes": None}, "opens in"),
    ):
        Phase.objects.update(**fields)
        assert said in as_user(ada).get("/").text
    Task.objects.update(draft=True)
    assert "Draft" in as_user(ada).get("/").text


def test_a_member_goes_on_in_the_phase_that_the_team_has_begun(
    phase: Phase, entry: Participation, ben: User, as_user: Callable[[User], Client]
) -> None:
    """The newest of two that close together was shown, as if nothing had been sent."""
    later = Phase.objects.get()
    later.pk, later.name, later.title = None, "final", "Final"
    later.opens += timedelta(seconds=1)
    later.save()
    client = as_user(ben)
    assert "Nothing submitted to Test yet" in client.get("/").text
    scored(phase, entry, HALF, system="begun")
    (one,) = own_tasks(ben, timezone.now())
    assert one.phase == phase and one.last is not None
    later.closes -= timedelta(minutes=1)
    later.save()
    assert "Nothing submitted to Final yet" in client.get("/").text


def test_a_team_counts_by_people_or_results_and_not_by_baselines(
    phase: Phase, task: Task, entry: Participation, ben: User
) -> None:
    """The team of an account that was deleted stood on the board and in no count."""
    bare = Team.objects.create(name="Organizers", key="organizers")
    theirs = Participation.objects.create(task=task, team=bare)
    scored(phase, theirs, HALF, sender=ben, baseline=True)
    scored(phase, entry, HALF)
    assert Task.objects.annotate(n=COUNTED).get().n == 1
    entry.team.memberships.all().delete()
    assert Task.objects.annotate(n=COUNTED).get().n == 1
