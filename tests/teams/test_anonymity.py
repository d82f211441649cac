"""A team that hides its name is named nowhere until the end of the task."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core import mail
from django.db import IntegrityError, transaction
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from leaderboard.boards import snapshots
from leaderboard.boards.exports.formats import all_formats
from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.mail import outbox
from leaderboard.submissions.models import Submission
from leaderboard.tasks import participation, policy
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Participation, Phase, Snapshot, Task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from leaderboard.teams.refusal import Refusal
from tests.cast import built_once
from tests.joined import joined
from tests.leaderboard.small import both, bundle, manifest, one_wrong, scored
from tests.organize.crawling import Crawl, text_of

CANARY = "kanarienest"
Login = Callable[[User], Client]
ALIAS = 417


class Site(SimpleNamespace):
    task: Task
    phase: Phase
    hidden: Participation
    sent: Submission
    kept: Snapshot
    people: dict[str, User | None]


@pytest.fixture(scope="module")
def built(django_db_setup: None, django_db_blocker: Any) -> Iterator[Site]:
    """A board with a hidden team, a known one, and a snapshot of both."""
    with built_once(django_db_blocker):
        yield build()


@pytest.fixture
def site(built: Site, db: None) -> Site:
    return built


def person(name: str) -> User:
    return User.objects.create_user(f"{name}@example.org", "x", name=name)


def build() -> Site:
    ada, ben, nest = person("ada"), person("ben"), person(CANARY)
    task = create_task(bundle(allows_anonymous=True), ada)
    phase = task.phases.get()
    hidden = join(task, Team.found("Kanarienest", nest), anonymous=True)
    Participation.objects.filter(pk=hidden.pk).update(alias=ALIAS)
    hidden.refresh_from_db()
    sent = scored(phase, hidden, both(), system="bird")
    scored(phase, join(task, Team.found("Bens", ben)), both({"north": one_wrong()}))
    at = timezone.now()
    values = snapshots.as_values(snapshots.public_boards(phase, at))
    kept = snapshots.take(phase, values, snapshots.Wanted(by=ada, at=at, title="Now"))
    people = {
        "anonymous": None,
        "stranger": person("cy"),
        "rival": ben,
        "owner": ada,
        "own": nest,
    }
    return Site(
        task=task, phase=phase, hidden=hidden, sent=sent, kept=kept, people=people
    )


def visitor(site: Site, role: str) -> Client:
    client, user = Client(), site.people[role]
    if user is not None:
        client.force_login(user)
    return client


class Watch(Crawl):
    """Notes where the hidden name stands."""

    def _is_new_kind(self, address: str) -> bool:
        """How rows are chosen and sorted changes no name: those typed are enough."""
        return "?" not in address and "/scorers/" not in address

    def note(self, address: str, answer: HttpResponse) -> None:
        assert answer.status_code < 500 or address == "/readyz", address
        self.statuses[answer.status_code] = self.statuses.get(answer.status_code, 0) + 1
        shown = text_of(address, answer)
        for said in (CANARY, f"Anonymous {ALIAS}"):
            if said.casefold() in shown.casefold():
                self.found.setdefault(said, []).append(address)


def starts(site: Site) -> list[str]:
    test = "/tasks/otters/test"
    sent, kept = site.sent.pk, snapshots.address_of(site.kept)
    pks = Submission.objects.values_list("pk", flat=True)
    both_sent = "&".join(f"system={pk}" for pk in pks)
    plain = [
        "/",
        "/api/",
        "/tasks/otters/",
        "/tasks/otters/log/",
        f"{test}/compare/?{both_sent}",
        f"{test}/across/",
        f"{test}/separation/",
        kept,
        f"{kept}rows.json",
        f"{test}/board/?q=kana",
        f"{test}/board/?entries=all",
        f"/submissions/{sent}/",
        f"/submissions/{sent}/system/",
        "/tasks/otters/join/",
        "/tasks/otters/team/",
        "/api/v1/tasks/otters/test/board/",
        f"/teams/{site.hidden.team_id}/",
        *(one for of in joined("of_submission") for one in of(sent)),
        *(one for pages in joined("PAGES") for one in pages),
    ]
    formats = list(all_formats())
    return [
        *plain,
        *(f"{test}/board.{name}" for name in formats),
        *(f"{kept}board.{name}" for name in formats),
    ]


@pytest.mark.thorough
@pytest.mark.parametrize("role", ["anonymous", "rival"])
def test_nothing_that_others_read_has_the_name(site: Site, role: str) -> None:
    crawl = Watch(visitor(site, role)).open(starts(site))
    # What was asked for comes back: a search for it, and the address typed.
    found = [one for one in crawl.found.get(CANARY, ()) if "q=kana" not in one]
    assert found == []
    assert len(crawl.found[f"Anonymous {ALIAS}"]) > 10
    assert crawl.statuses[200] > 30


def test_a_search_for_the_name_finds_nothing_and_one_for_the_number_does(
    site: Site,
) -> None:
    rows = board(BoardQuery(site.phase, search=CANARY)).rows
    assert [row.team for row in rows] == []
    rows = board(BoardQuery(site.phase, search=str(ALIAS))).rows
    assert [row.team for row in rows] == [f"Anonymous {ALIAS}"]


def test_organizers_read_the_name_unless_they_look_as_anybody(site: Site) -> None:
    owner = visitor(site, "owner")
    page = "/tasks/otters/test/board/"
    assert "Kanarienest" in owner.get(page).text
    assert "Kanarienest" not in owner.get(f"{page}?as=public").text
    assert "Kanarienest" in owner.get(f"/submissions/{site.sent.pk}/system/").text


def test_the_team_reads_its_name_and_what_others_call_it(site: Site) -> None:
    own = visitor(site, "own")
    text = own.get("/tasks/otters/team/").text
    assert "<h1>Kanarienest</h1>" in text and f"Anonymous {ALIAS}" in text
    assert "Kanarienest" in own.get(f"/submissions/{site.sent.pk}/").text


def test_the_name_is_told_at_the_end_of_the_last_phase(site: Site) -> None:
    now = timezone.now()
    later = Phase.objects.get(pk=site.phase.pk)
    later.pk, later.name = None, "later"
    later.opens, later.closes = now, now + timedelta(days=9)
    later.save()
    over = Phase.objects.get(pk=site.phase.pk)
    over.closes = now - timedelta(hours=1)
    over.save()
    names = [row.team for row in board(BoardQuery(over)).rows]
    assert "Kanarienest" not in names
    Phase.objects.filter(pk=later.pk).update(closes=None)
    over = Phase.objects.get(pk=site.phase.pk)
    assert "Kanarienest" in [row.team for row in board(BoardQuery(over)).rows]


def test_a_task_without_an_end_never_tells_the_name(site: Site) -> None:
    Phase.objects.filter(task=site.task).update(closes=None)
    phase = Phase.objects.get(pk=site.phase.pk)
    far = timezone.now() + timedelta(days=9999)
    assert policy.names_from(phase.task) is None
    assert not policy.disclosure(AnonymousUser(), phase, far).names


def test_nobody_hides_what_stood_on_a_board_already(site: Site) -> None:
    known = Participation.objects.get(task=site.task, team__name="Bens")
    with pytest.raises(Refusal, match="under its name"):
        participation.hide(known)
    participation.show(site.hidden)
    with pytest.raises(Refusal):
        participation.hide(site.hidden)


def test_where_the_task_does_not_allow_it_nobody_hides(site: Site) -> None:
    Task.objects.filter(pk=site.task.pk).update(allows_anonymous=False)
    task = Task.objects.get(pk=site.task.pk)
    with pytest.raises(Refusal, match="cannot hide"):
        join(task, Team.found("Shy", person("shy")), anonymous=True)
    assert not Participation.objects.filter(team__name="Shy").exists()
    rows = board(BoardQuery(Phase.objects.get(pk=site.phase.pk))).rows
    assert "Kanarienest" not in [row.team for row in rows]


def test_numbers_tell_no_order_and_are_no_ones_twice(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = iter([ALIAS - 100, ALIAS - 100, 77])
    monkeypatch.setattr(participation, "randbelow", lambda room: next(drawn))
    shy = join(site.task, Team.found("Shy", person("shy")), anonymous=True)
    assert shy.alias == 177
    with pytest.raises(IntegrityError), transaction.atomic():
        Participation.objects.filter(pk=shy.pk).update(alias=ALIAS)
    participation.show(shy)
    participation.hide(shy)
    assert participation.alias_of(shy) == "Anonymous 177"


def test_others_are_not_told_with_whom_a_member_takes_part(site: Site) -> None:
    both_in = Team.found("Two", site.people["rival"])
    both_in.members.add(site.people["own"])
    Participation.objects.get(team__name="Bens").participants.all().delete()
    with pytest.raises(Refusal, match="with another team"):
        join(site.task, both_in)


def test_the_form_offers_to_hide_only_where_it_is_allowed(site: Site) -> None:
    client = visitor(site, "stranger")
    assert "Hide our name" in client.get("/tasks/otters/join/").text
    client.post("/tasks/otters/join/", {"name": "Cys", "anonymous": "on"})
    assert Participation.objects.get(team__name="Cys").anonymous
    client.post("/tasks/otters/team/", {"action": "show"})
    assert not Participation.objects.get(team__name="Cys").anonymous
    client.post("/tasks/otters/team/", {"action": "hide"})
    assert Participation.objects.get(team__name="Cys").anonymous
    outbox.send()
    assert not [m for m in mail.outbox if "Cys" in m.subject + str(m.body)]
    assert manifest().get("allows_anonymous") is None
