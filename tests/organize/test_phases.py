"""Organizers make phases, change them fairly, pause them and move their end."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.submissions import accept
from leaderboard.tasks.models import Notice, Organizer, Participation, Phase, Task
from leaderboard.teams.models import User
from tests.leaderboard.small import both, upload
from tests.organize.phase_fields import filled, form, text, wall

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
Login = Callable[[User], Client]
LIST = "/tasks/otters/organize/phases/"
NEW, EDIT = LIST + "new/", LIST + "test/edit/"
END = LIST + "test/deadline/"


@pytest.fixture
def later(upcoming: Phase) -> Phase:
    """A phase that has not begun, with times of whole minutes."""
    whole = {"second": 0, "microsecond": 0}
    upcoming.opens = upcoming.opens.replace(**whole)
    upcoming.closes = upcoming.closes.replace(**whole)
    upcoming.save()
    return upcoming


def test_a_second_phase_is_added_with_its_times_in_its_zone(
    task: Task, ada: User, as_user: Login
) -> None:
    fields = filled(
        task.phases.get(),
        title="Final",
        name="final",
        time_zone="Asia/Kathmandu",
        opens="2031-05-01T12:00",
        closes="2031-05-08T23:59",
        daily_limit="3",
        total_limit="30",
    )
    answer = as_user(ada).post(NEW, fields)
    assert answer.status_code == 302, text(answer)
    made = task.phases.get(name="final")
    assert made.opens.isoformat() == "2031-05-01T06:15:00+00:00"
    assert (made.daily_limit, made.total_limit, made.position) == (3, 30, 1)
    assert made.test_sets.count() == 2
    assert made.gold_revision == task.phases.get(name="test").gold_revision


def test_a_deadline_may_be_anywhere_on_earth(
    later: Phase, ada: User, as_user: Login
) -> None:
    """Where the day ends last: 12 hours after it did at Greenwich."""
    changes = {"time_zone": "Etc/GMT+12", "closes": "2099-03-01T23:59"}
    answer = as_user(ada).post(EDIT, filled(later, **changes))
    assert answer.status_code == 302, text(answer)
    later.refresh_from_db()
    assert later.closes.isoformat() == "2099-03-02T11:59:00+00:00"
    assert "1 Mar 2099, 23:59 AoE" in text(as_user(ada).get("/tasks/otters/"))
    assert "AoE: Anywhere on Earth" in text(as_user(ada).get(EDIT))


def test_saving_without_a_change_changes_nothing(
    later: Phase, ada: User, as_user: Login
) -> None:
    before = Phase.objects.filter(pk=later.pk).values().get()
    page = as_user(ada).get(EDIT)
    assert wall(later.closes).removesuffix(":00") in text(page)
    assert as_user(ada).post(EDIT, filled(later)).status_code == 302
    before["board_version"] += 1
    before["oldest_board_version"] = before["board_version"]
    assert Phase.objects.filter(pk=later.pk).values().get() == before


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"closes": "2020-01-01T00:00"}, "has to close after it opens"),
        ({"freeze_from": "2020-01-01T00:00"}, "would freeze before the phase opens"),
        ({"freeze_from": "2090-01-01T00:00"}, "would freeze after the phase has"),
        ({"policy": "blind", "reveal_at": "2020-01-01T00:00"}, "still submit"),
        ({"daily_limit": "0"}, "At least 1"),
        ({"private_share": "0.99"}, "less than or equal to 0.9"),
        ({"test_sets": []}, "required"),
        ({"time_zone": "Mars/Olympus"}, "valid choice"),
        ({"opens": "2026-02-30T12:00"}, "no such date"),
        ({"opens": "2026-06-30T23:59:60"}, "no such date"),
        ({"opens": "1999-12-31T12:00"}, "from 2000 to 2100"),
        ({"opens": "2026-06-30T12:00Z"}, "without a zone"),
        ({"opens": "soon"}, "Write date and time"),
        (
            {"time_zone": "Europe/Berlin", "closes": "2031-03-30T02:30"},
            "There is no 02:30 on 2031-03-30 in Europe/Berlin",
        ),
        (
            {"time_zone": "Europe/Berlin", "closes": "2031-10-26T02:30"},
            "02:30 comes twice on 2031-10-26 in Europe/Berlin",
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_the_reason(
    later: Phase, changes: dict[str, Any], said: str
) -> None:
    asked = form(later, **changes)
    assert not asked.is_valid()
    assert said in asked.errors.as_text()


def test_a_form_that_is_refused_comes_back_and_changes_nothing(
    later: Phase, ada: User, as_user: Login
) -> None:
    before = Phase.objects.filter(pk=later.pk).values().get()
    answer = as_user(ada).post(EDIT, filled(later, closes="2020-01-01T00:00"))
    assert answer.status_code == 422
    assert "has to close after it opens" in text(answer)
    assert Phase.objects.filter(pk=later.pk).values().get() == before


@pytest.mark.parametrize(("which", "utc"), [("0", "00:30"), ("1", "01:30")])
def test_of_a_time_that_comes_twice_one_is_chosen(
    later: Phase, ada: User, as_user: Login, which: str, utc: str
) -> None:
    twice = {"time_zone": "Europe/Berlin", "closes": "2031-10-26T02:30"}
    asked = as_user(ada).post(EDIT, filled(later, **twice))
    assert 'name="closes_which"' in text(asked)
    chosen = filled(later, **twice, closes_which=which)
    assert as_user(ada).post(EDIT, chosen).status_code == 302
    later.refresh_from_db()
    assert f"{later.closes:%H:%M}" == utc
    page = text(as_user(ada).get(EDIT))
    assert f'value="{which}" selected' in page
    untouched = as_user(ada).post(EDIT, filled(later, closes_which=which))
    assert untouched.status_code == 302
    later.refresh_from_db()
    assert f"{later.closes:%H:%M}" == utc


@pytest.mark.parametrize(
    ("changes", "effect"),
    [
        (({"policy": "best"}, {"policy": "open"}), "More is shown than was promised"),
        (({}, {"private_share": "0.5"}), "Other units decide than before"),
        (({"private_share": 0.5}, {"new_salt": "on"}), "drawn anew"),
        (({}, {"counts": "last"}), "Another submission of a team"),
        (({}, {"who": "organizers"}), "no longer can"),
        (({"total_limit": 9}, {"total_limit": "5"}), "cannot send anything more"),
        (({}, {"time_zone": "Asia/Tokyo"}), "Days begin at another moment"),
    ],
)
def test_an_unfair_change_of_a_running_phase_is_confirmed(
    phase: Phase, changes: tuple[dict[str, Any], dict[str, Any]], effect: str
) -> None:
    old, new = changes
    Phase.objects.filter(pk=phase.pk).update(**old)
    phase.refresh_from_db()
    given = {"private_share": phase.private_share or ""}
    asked = form(phase, **given | new)
    assert not asked.is_valid()
    assert any(effect in one for one in asked.effects)
    confirmed = form(phase, **given | new, confirm="on", note="An error.")
    assert confirmed.is_valid(), confirmed.errors


def test_an_unfair_change_of_a_running_phase_is_told(
    phase: Phase, ada: User, as_user: Login
) -> None:
    changed = filled(phase, counts="last")
    answer = as_user(ada).post(EDIT, changed)
    assert answer.status_code == 422
    assert "Another submission of a team" in text(answer)
    assert not Notice.objects.exists()
    answer = as_user(ada).post(EDIT, changed | {"confirm": "on", "note": "An error."})
    assert answer.status_code == 302, text(answer)
    notice = Notice.objects.get()
    assert (notice.kind, notice.text) == ("rules", "Test: An error.")


def test_a_test_set_that_drops_out_of_a_running_phase_is_confirmed(
    phase: Phase, ada: User, as_user: Login
) -> None:
    one = phase.test_sets.first()
    answer = as_user(ada).post(EDIT, filled(phase, test_sets=[one.pk]))
    assert "A test set drops out" in text(answer)
    assert phase.test_sets.count() == 2


def test_fair_changes_of_a_running_phase_need_no_word(
    phase: Phase, ada: User, as_user: Login
) -> None:
    phase.daily_limit = 3
    phase.save()
    fields = filled(phase, title="Testing", daily_limit="5")
    assert as_user(ada).post(EDIT, fields).status_code == 302
    phase.refresh_from_db()
    assert (phase.title, phase.daily_limit) == ("Testing", 5)
    assert not Notice.objects.exists()


def test_the_form_cannot_move_the_end_of_a_running_phase(
    phase: Phase, ada: User, as_user: Login
) -> None:
    closes = phase.closes
    fields = filled(phase, closes="2090-01-01T00:00", time_zone=phase.time_zone)
    assert as_user(ada).post(EDIT, fields).status_code == 302
    phase.refresh_from_db()
    assert phase.closes == closes


def test_the_name_in_addresses_stays_once_something_was_sent(
    phase: Phase, entry: Participation, ada: User, as_user: Login
) -> None:
    accept.submit(upload(phase, entry, both()))
    as_user(ada).post(EDIT, filled(phase, name="other"))
    phase.refresh_from_db()
    assert phase.name == "test"


def test_two_phases_have_two_names(later: Phase, ada: User, as_user: Login) -> None:
    answer = as_user(ada).post(NEW, filled(later))
    assert answer.status_code == 422
    assert "Another phase of this task has that name" in text(answer)


def test_phases_change_places(phase: Phase, ada: User, as_user: Login) -> None:
    client = as_user(ada)
    client.post(NEW, filled(phase, name="b", title="B"))
    client.post(LIST + "b/move/", {"to": "up"})
    assert [one.name for one in phase.task.phases.all()] == ["b", "test"]
    client.post(LIST + "b/move/", {"to": "up"})
    client.post(LIST + "b/move/", {"to": "down"})
    assert [one.name for one in phase.task.phases.all()] == ["test", "b"]


def test_a_phase_without_submissions_is_deleted_and_its_notices_stay(
    phase: Phase, ada: User, as_user: Login
) -> None:
    Notice.objects.create(task=phase.task, phase=phase, text="Kept.")
    page = as_user(ada).get(LIST + "test/delete/")
    assert "Delete Test?" in text(page)
    as_user(ada).post(LIST + "test/delete/")
    assert not Phase.objects.exists()
    assert Notice.objects.get().phase is None


def test_a_phase_with_submissions_is_not_deleted(
    phase: Phase, entry: Participation, ada: User, as_user: Login
) -> None:
    accept.submit(upload(phase, entry, both()))
    answer = as_user(ada).post(LIST + "test/delete/")
    assert answer.status_code == 422
    assert "holds 1 submission." in text(answer)
    assert Phase.objects.exists()


def test_the_list_asks_the_same_number_of_questions_however_much_there_is(
    phase: Phase, entry: Participation, ada: User, as_user: Login
) -> None:
    client = as_user(ada)
    assert client.get(LIST).status_code == 200
    with CaptureQueriesContext(connection) as few:
        client.get(LIST)
    for name in "bcd":
        assert client.post(NEW, filled(phase, name=name, title=name)).status_code == 302
    for one in phase.task.phases.all():
        accept.submit(upload(one, entry, both()))
    with CaptureQueriesContext(connection) as many:
        page = text(client.get(LIST))
    assert re.findall("Move (.*) up", page) == ["b", "c", "d"]
    assert len(many) == len(few)


@pytest.mark.parametrize("verb", ["admit", "pause", "move", "delete", "edit"])
def test_reviewers_see_phases_and_change_none(
    phase: Phase, cy: User, as_user: Login, verb: str
) -> None:
    Organizer.objects.create(task=phase.task, user=cy, role=Organizer.Role.REVIEWER)
    page = text(as_user(cy).get(LIST))
    assert "Test" in page
    assert "Pause" not in page
    assert as_user(cy).post(f"{LIST}test/{verb}/").status_code == 404


LONG = "Société des loutres de la rivière " * 40


def test_no_form_of_organizers_cuts_a_text(
    phase: Phase, entry: Participation, ada: User, as_user: Login
) -> None:
    """What is longer than its field is refused in words, and browsers keep it whole."""
    client, task = as_user(ada), "/tasks/otters/organize/"
    for page in ("phases/", "ranking/", f"people/{entry.pk}/"):
        assert "maxlength" not in client.get(task + page).text, page
    for page, field in (
        ("phases/test/pause/", "note"),
        ("ranking/test/snapshot/", "title"),
        (f"people/{entry.pk}/rank/", "reason"),
    ):
        answer = client.post(task + page, {field: LONG, "ranks": "1"}, follow=True)
        assert "characters" in text(answer), page
    phase.refresh_from_db()
    assert (phase.paused, phase.paused_note) == (False, "")


def test_a_pause_is_told_and_ends(phase: Phase, ada: User, as_user: Login) -> None:
    client = as_user(ada)
    client.post(LIST + "test/pause/", {"note": "The gold is being mended."})
    phase.refresh_from_db()
    assert phase.paused
    assert "The gold is being mended." in text(Client().get("/tasks/otters/"))
    client.post(LIST + "test/pause/", {"go_on": "1"})
    phase.refresh_from_db()
    assert (phase.paused, phase.paused_note) == (False, "")
