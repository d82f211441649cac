"""Teams in which organizers are: marked wherever rows are shown, and not ranked."""

import csv
import io
from collections.abc import Callable
from html import unescape
from importlib import import_module

import pytest
from django.apps import apps
from django.core import mail
from django.test import Client

from leaderboard.boards.snapshots import address_of
from leaderboard.mail import outbox
from leaderboard.organize import final_results
from leaderboard.submissions.models import Submission
from leaderboard.tasks import organizers, participation
from leaderboard.tasks.models import (
    Notice,
    Organizer,
    Participation,
    Phase,
    Task,
)
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.leaderboard.small import both, one_wrong, scored

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
Login = Callable[[User], Client]
BOARD, API = "/tasks/otters/test/board/", "/api/v1/tasks/otters/test/board/"
TEAM, RANK = (
    "/tasks/otters/organize/people/{}/",
    "/tasks/otters/organize/people/{}/rank/",
)
MARK = "Organizers' team"


@pytest.fixture
def innocent(task: Task, ada: User) -> Participation:
    """The owner's own team."""
    return join(task, Team.found("Innocent", ada))


@pytest.fixture
def two(phase: Phase, entry: Participation, innocent: Participation) -> Phase:
    """The owner's gold as a system, and an honest one below it."""
    scored(phase, innocent, both(), system="oracle")
    scored(phase, entry, both({"north": one_wrong()}), system="honest")
    return phase


def rows(**choices: str) -> list[tuple[str, int | None, bool]]:
    found = Client().get(API, choices).json()["rows"]
    return [(one["system"], one["rank"], one["organizers"]) for one in found]


def invited(task: Task, user: User, by: User, role: str = "reviewer") -> str:
    return organizers.address(organizers.invite(task, user.email, role, by))


def test_who_has_the_gold_takes_no_rank(two: Phase) -> None:
    assert rows() == [("oracle", None, True), ("honest", 1, False)]


def test_the_mark_is_on_every_channel(two: Phase, ada: User) -> None:
    board = Client().get(BOARD).content.decode()
    assert MARK in unescape(board)
    assert "Teams in which organizers of the task are have no rank." in board
    table = Client().get("/tasks/otters/test/board.csv").content.decode("utf-8-sig")
    told = {row["system"]: row for row in csv.DictReader(io.StringIO(table))}
    assert (told["oracle"]["organizers"], told["oracle"]["rank"]) == ("yes", "")
    assert told["honest"]["organizers"] == "no"
    frozen = final_results.take_snapshot(two, "Now", ada)
    page = Client().get(address_of(frozen)).content.decode()
    assert MARK in unescape(page)
    oracle = Submission.objects.get(system="oracle")
    system = Client().get(f"/submissions/{oracle.pk}/system/").content.decode()
    assert MARK in unescape(system)
    assert "Somebody of its team organizes the task: it is not ranked." in system


@pytest.mark.all_extras
@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("md", "oracle (Organizers' team)"),
        ("tex", "Organizers' team"),
        ("svg", "Organizers' team"),
    ],
)
def test_the_mark_is_in_what_is_published_elsewhere(
    two: Phase, form: str, words: str
) -> None:
    text = Client().get(f"/tasks/otters/test/board.{form}").content.decode()
    assert words in (unescape(text) if form == "svg" else text)


def test_only_what_came_after_the_role_is_marked(
    phase: Phase, entry: Participation, ada: User, ben: User, as_user: Login
) -> None:
    scored(phase, entry, both({"north": one_wrong()}), system="before")
    as_user(ben).post(invited(phase.task, ben, ada))
    scored(phase, entry, both(), system="after")
    every = rows(entries="all")
    assert every == [("after", None, True), ("before", 1, False)]
    # What competes stands for the team, although the other is better.
    assert rows() == [("before", 1, False)]


def test_a_role_that_ended_still_counts(
    phase: Phase, entry: Participation, ada: User, ben: User, as_user: Login
) -> None:
    as_user(ben).post(invited(phase.task, ben, ada, "editor"))
    organizers.remove(Organizer.objects.get(user=ben))
    scored(phase, entry, both())
    assert rows() == [("otter-1", None, True)]


def test_a_new_member_with_a_role_marks_what_comes_next(
    phase: Phase, entry: Participation, ada: User
) -> None:
    scored(phase, entry, both(), system="before")
    entry.team.members.add(ada)
    scored(phase, entry, both(), system="after")
    assert sorted(rows(entries="all")) == [("after", None, True), ("before", 1, False)]


def test_an_owner_may_let_it_rank_and_the_public_log_says_why(
    two: Phase, innocent: Participation, ada: User, as_user: Login
) -> None:
    browser = as_user(ada)
    assert "It is not ranked" in browser.get(TEAM.format(innocent.pk)).content.decode()
    refused = browser.post(RANK.format(innocent.pk), {"ranks": "1", "reason": " "})
    assert refused.status_code == 422
    assert rows()[0] == ("oracle", None, True)
    browser.post(RANK.format(innocent.pk), {"ranks": "1", "reason": "Made before."})
    assert rows() == [("oracle", 1, True), ("honest", 2, False)]
    notice = Notice.objects.get(task=two.task)
    assert "Innocent" in notice.text and "Made before." in notice.text
    log = Client().get("/tasks/otters/log/").content.decode()
    assert "Made before." in log
    browser.post(RANK.format(innocent.pk), {"reason": "On second thoughts."})
    assert rows()[0] == ("oracle", None, True)


def test_the_team_is_told_before_it_sends(
    innocent: Participation, entry: Participation, ada: User, ben: User, as_user: Login
) -> None:
    words = "Somebody of your team has a role in this task"
    for user, told in ((ada, True), (ben, False)):
        page = as_user(user).get("/tasks/otters/test/submit/").content.decode()
        assert (words in page) == told


def test_only_an_owner_decides_that(
    two: Phase, innocent: Participation, cy: User, as_user: Login
) -> None:
    Organizer.objects.create(task=two.task, user=cy, role="editor")
    browser = as_user(cy)
    asked = {"ranks": "1", "reason": "Please."}
    assert browser.post(RANK.format(innocent.pk), asked).status_code in (403, 404)
    assert (
        "Rank it anyway" not in browser.get(TEAM.format(innocent.pk)).content.decode()
    )
    assert rows()[0] == ("oracle", None, True)


def test_an_anonymous_team_stays_anonymous_in_row_and_log(
    task: Task, phase: Phase, innocent: Participation, ada: User, as_user: Login
) -> None:
    Task.objects.update(allows_anonymous=True)
    innocent.refresh_from_db()
    participation.hide(innocent)
    scored(phase, innocent, both(), system="oracle")
    asked = {"ranks": "1", "reason": "Made before."}
    as_user(ada).post(RANK.format(innocent.pk), asked)
    for page in (BOARD, "/tasks/otters/log/"):
        html = Client().get(page).content.decode()
        assert "Innocent" not in html and "ada" not in html, page
        assert f"Anonymous {innocent.alias}" in html, page


def test_both_sides_are_told(
    task: Task, entry: Participation, ada: User, ben: User, as_user: Login
) -> None:
    page = as_user(ada).post(
        "/tasks/otters/organize/organizers/",
        {"email": ben.email, "role": "reviewer"},
        follow=True,
    )
    assert "ben@example.org is in Bens, which competes." in page.content.decode()
    address = invited(task, ben, ada)
    asked = as_user(ben).get(address).content.decode()
    assert "You are in Bens, which competes in this task." in asked
    outbox.send()
    mail.outbox.clear()
    done = as_user(ben).post(address, follow=True).content.decode()
    assert "marked as that of an organizers&#x27; team and not ranked" in done
    outbox.send()
    (letter,) = mail.outbox
    assert letter.to == [ada.email]
    assert "ben accepted your invitation" in letter.body and "Bens" in letter.body
    listed = as_user(ada).get("/tasks/otters/organize/organizers/").content.decode()
    assert "is in Bens, which competes" in listed
    people = as_user(ada).get("/tasks/otters/organize/people/").content.decode()
    assert "Organizes: ben" in people


def test_who_does_not_compete_is_told_nothing(
    task: Task, ada: User, cy: User, as_user: Login
) -> None:
    address = invited(task, cy, ada)
    assert "competes" not in as_user(cy).get(address).content.decode()
    outbox.send()
    mail.outbox.clear()
    as_user(cy).post(address)
    outbox.send()
    assert mail.outbox == []


def test_the_distance_to_the_best_is_to_the_best_that_ranks(
    two: Phase, ben: User, as_user: Login
) -> None:
    mine = as_user(ben).get("/tasks/otters/submissions/").content.decode()
    assert "the best" in mine.partition("<tbody")[2]


def test_what_was_sent_before_there_was_the_mark_gets_it_in_the_upgrade(
    two: Phase, ada: User, cy: User
) -> None:
    """By the owner's role always, by an invitation from when it was accepted."""
    team = join(two.task, Team.found("Cys", cy))
    for system in ("early", "late"):
        if system == "late":
            organizers.accept(organizers.invite(two.task, cy.email, "editor", ada), cy)
        scored(two, team, both(), system=system)
    Submission.objects.update(by_organizers=False)
    name = "leaderboard.submissions.migrations.0007_submission_by_organizers"
    import_module(name).mark(apps, None)
    marked = Submission.objects.filter(by_organizers=True)
    assert set(marked.values_list("system", flat=True)) == {"oracle", "late"}
