"""Kept pages: whose they are, how long they stay, and what happens without a store."""

import gzip
from typing import Any

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.safestring import mark_safe

from leaderboard.settings import cache_stores
from leaderboard.submissions.models import EvaluationState, Submission
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.teams.models import Team, User
from leaderboard.web.cache import NotCacheable
from leaderboard.web.page_cache import CHANGED_SECONDS
from tests.leaderboard.cache_clock import FEW, later
from tests.leaderboard.small import both, one_wrong, scored
from tests.loops import loop_over
from tests.organize.disclosing import HOUR, logged_in, unrevealed

URL = "/tasks/otters/test/board/"


def three_sent(phase: Phase, entry: Participation) -> None:
    """Entries of one team: a score, a better one, and one no better than the first."""
    wrong = both({"north": one_wrong()})
    for system, files in (("heron", wrong), ("canary", both()), ("canary-2", wrong)):
        scored(phase, entry, files, system=system)


pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("keeping"),
    pytest.mark.one_stage(then=three_sent),
]


@pytest.fixture
def three(phase: Phase, ada: User, ben: User) -> dict[str, User]:
    return {"ada": ada, "ben": ben}


@pytest.fixture
def sent(nothing_sent: None, phase: Phase, entry: Participation) -> Submission:
    return scored(phase, entry, both({"north": one_wrong()}), system="kingfisher")


def page(client: Client | None = None, choice: str = "") -> str:
    return (client or Client()).get(f"{URL}{choice}").content.decode()


def lists_it(client: Client) -> bool:
    """Whether the task stands in the list of all."""
    _before, _begins, listed = client.get("/").text.partition('class="task-list"')
    return "/tasks/otters/" in listed


def queries(client: Client, address: str = URL) -> int:
    with CaptureQueriesContext(connection) as seen:
        assert client.get(address).status_code == 200
    return len(seen)


def test_the_front_page_finds_who_leads_until_another_does(
    phase: Phase,
    entry: Participation,
    sent: Submission,
    monkeypatch: pytest.MonkeyPatch,
    settings: Any,
) -> None:
    settings.ANONYMOUS_SECONDS = 0  # the page is made anew, what it shows is not
    first = queries(Client(), "/")
    assert queries(Client(), "/") < first - 3
    assert "kingfisher" in Client().get("/").text
    scored(phase, entry, both(), system="heron")
    later(monkeypatch, 2 * CHANGED_SECONDS)
    page = Client().get("/").text
    assert "heron" in page and "kingfisher" not in page


@pytest.mark.parametrize(
    ("kept_from_lists", "readers"), [("unlisted", ("ada", "ben")), ("draft", ("ada",))]
)
def test_the_list_of_tasks_that_is_kept_for_all_names_none_of_a_few(
    kept_from_lists: str,
    readers: tuple[str, ...],
    three: dict[str, User],
    cy: User,
    settings: Any,
) -> None:
    settings.ANONYMOUS_SECONDS = 0
    Task.objects.update(**{kept_from_lists: True})
    few, all_others = [logged_in(three[name]) for name in readers], logged_in(cy)
    for _ in range(2):
        assert all(map(lists_it, few))
        assert not lists_it(all_others) and not lists_it(Client())


@pytest.mark.parametrize("what", ["badge.svg", "embed/"])
def test_what_stands_on_other_pages_is_made_once_and_for_anybody(
    what: str, phase: Phase, three: dict[str, User]
) -> None:
    unrevealed(phase, "blind")
    address = URL.replace("board/", what)
    first = Client().get(address).text
    assert queries(Client(), address) == 0
    assert logged_in(three["ada"]).get(address).text == first
    assert "canary" not in first


def test_a_change_that_no_version_counts_waits_for_seconds(
    sent: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    page()
    Team.objects.update(name="Renamed")
    assert "Renamed" not in page()
    later(monkeypatch, FEW + 1)
    assert "Renamed" in page()


POLICIES: dict[str, dict[str, Any]] = {
    "canary": {"policy": "blind"},
    "canary-2": {"policy": "best"},
}


@pytest.mark.parametrize("first", ["organizer", "public"])
@pytest.mark.parametrize("canary", POLICIES)
def test_nobody_is_given_what_another_may_see(
    first: str, canary: str, phase: Phase, three: dict[str, User]
) -> None:
    """The mark is what the organizers see of the phase and nobody else does."""
    unrevealed(phase, **POLICIES[canary])
    owner, others = logged_in(three["ada"]), (Client(), logged_in(three["ben"]))
    readers = [owner, *others] if first == "organizer" else [*others, owner]
    choices = ("", "?entries=all", "?measure=uas", "?page=all")
    pages = {one: [page(one, choice) for choice in choices] for one in readers}
    assert any(canary in text for text in pages[owner])
    assert all("As an organizer you see everything" in text for text in pages[owner])
    assert not any(canary in text for one in others for text in pages[one])
    assert canary not in page(owner, "?as=public")


def test_what_is_revealed_is_shown_after_seconds(
    phase: Phase, sent: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    unrevealed(phase, "blind")
    assert "kingfisher" not in page()
    Phase.objects.update(closes=timezone.now() - HOUR, reveal_at=timezone.now() - HOUR)
    assert "kingfisher" in page(logged_in(sent.sender)), "their page is not cached"
    later(monkeypatch, FEW + 1)
    assert "kingfisher" in page()


def test_a_page_one_has_is_not_sent_again(
    sent: Submission, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = Client().get(URL)
    again = Client().get(URL, headers={"If-None-Match": answer["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again["ETag"] == answer["ETag"]
    Phase.objects.update(title="Final test", board_version=99)
    later(monkeypatch, FEW + 1)
    changed = Client().get(URL, headers={"If-None-Match": answer["ETag"]})
    assert changed.status_code == 200
    assert "ETag" not in logged_in(ben).get(URL)


def test_compressed_or_not_it_is_the_same_page(sent: Submission) -> None:
    packed = Client().get(URL, headers={"Accept-Encoding": "gzip, br"})
    assert packed["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content).decode() == page()
    assert "Accept-Encoding" in packed["Vary"] and "Cookie" in packed["Vary"]


def test_languages_are_kept_apart(sent: Submission) -> None:
    english = page()
    Client().get(URL, headers={"Accept-Language": "ru"})
    assert page() == english


@pytest.mark.broker
@pytest.mark.parametrize("earlier", ["ada", "ben", None])
def test_a_participant_finds_their_rank_at_every_look(
    earlier: str | None, three: dict[str, User]
) -> None:
    """Whoever looked before: a visitor, somebody else who is signed in, or they."""
    before = logged_in(three[earlier]) if earlier else Client()
    client = logged_in(three["ben"])
    for reader in (before, client, client, before, client):
        answer = reader.get(URL)
        assert answer.status_code == 200
    assert answer.text.count("You: rank ") == 1
    assert answer.text.count("badge-own") > 0


@pytest.mark.parametrize("store", ["redis", "memory"])
@loop_over(
    "value",
    [
        (1, 2),
        {"rows": [(1, 2)]},
        {1: "one"},
        {"at": timezone.now()},
        mark_safe("<b>"),
        float("nan"),
        EvaluationState.SCORED,
        {"bytes:base64": "eA=="},
    ],
)
def test_what_a_cache_would_change_is_not_taken(
    store: str, value: object, settings: Any
) -> None:
    if store == "memory":  # of a site without Redis
        settings.CACHES = cache_stores("")
    for write in (caches["default"].set, caches["default"].add):
        with pytest.raises(NotCacheable):
            write("key", value, 5)
    assert caches["default"].get("key") is None


def test_what_a_cache_takes_comes_back_as_it_was() -> None:
    value = {"a": [1, 2.5, None, True, b"\0\xff", "ä\n"], "b": {"c": {}}}
    caches["default"].set("key", value, 5)
    assert caches["default"].get("key") == value
