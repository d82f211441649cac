"""Feeds tell what is new, with the ranks of the board, and nothing that is withheld.

tests/exports/test_policy.py asks them for what no export may hold.
"""

import re
from datetime import timedelta
from typing import Any
from xml.etree import ElementTree

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.extras.feeds.views import FRESH_SECONDS
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Notice, Phase, Task
from leaderboard.tasks.models.records import announce
from leaderboard.teams.models import User
from tests.exports.conftest import NASTY, renamed, two_sent
from tests.leaderboard.cache_clock import later
from tests.leaderboard.small import both, scored

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage(then=two_sent)]
ATOM = "{http://www.w3.org/2005/Atom}"
FEED = "/tasks/otters/feed/"
Sent = list[Submission]


@pytest.mark.usefixtures("pages_made_anew")
def test_a_feed_tells_results_notices_and_rankings(
    task: Task, phase: Phase, sent: Sent, ada: User
) -> None:
    announce(task, Notice.Kind.RULES, "No <b>rain</b>.", ada, None)
    for address in ("/tasks/otters/feed/", "/feed/"):
        feed = ElementTree.fromstring(Client().get(address).content)
        entries = feed.findall(f"{ATOM}entry")
        titles = [one.findtext(f"{ATOM}title") for one in entries]
        assert titles == [
            "Otter Parsing: Rules",
            "Otter Parsing: Test: Dans, large",
            "Otter Parsing: Test: Bens, small",
            "Otter Parsing: Test: opened",
        ]
        told = [one.findtext(f"{ATOM}summary") or "" for one in entries]
        assert told[0] == "No &lt;b&gt;rain&lt;/b&gt;."
        assert (
            told[1] == "LAS 93.75 [7.5, 100.0]†, rank 2 (version 1 of the answer key)"
        )
        links = {one.findtext(f"{ATOM}id") for one in entries}
        assert len(links) == 4
    Phase.objects.update(closes=timezone.now() - timedelta(seconds=1))
    feed = Client().get("/tasks/otters/feed/").content.decode()
    assert "Otter Parsing: Test: closed" in feed


def test_feeds_say_who_writes_them(phase: Phase) -> None:
    """RFC 4287, 4.1.1: a feed whose entries have no author has one itself."""
    for address in ("/feed/", "/tasks/otters/feed/"):
        feed = ElementTree.fromstring(Client().get(address).content)
        assert feed.findtext(f"{ATOM}author/{ATOM}name") == "Plumbline"


def test_the_feed_says_the_rank_of_the_board(phase: Phase, sent: Sent) -> None:
    """A team's better entry takes its place; another one of it has no rank."""
    scored(phase, sent[1].participation, both(), system="second")
    rows = Client().get("/api/v1/tasks/otters/test/board/").json()["rows"]
    ranks = {row["submission"]: row["rank"] for row in rows}
    feed = Client().get("/tasks/otters/feed/").content.decode()
    told = dict(re.findall(r"board/#([0-9a-f-]{36})<[^§]*?<summary[^>]*>([^<]*)", feed))
    assert len(told) == 3
    for submission, text in told.items():
        place = re.search(r", rank (\d+)", text)
        assert (place and int(place[1])) == ranks.get(submission), text


def test_a_result_leads_to_the_page_of_its_system(phase: Phase, sent: Sent) -> None:
    """Where only the best entry of a team stands on the board, a result that does not
    has no row there."""
    scored(phase, sent[1].participation, both(), system="second")
    feed = ElementTree.fromstring(Client().get(FEED).content)
    links = [one.attrib["href"] for one in feed.iterfind(f"{ATOM}entry/{ATOM}link")]
    systems = [link for link in links if link.endswith("/system/")]
    assert len(systems) == 3
    assert {Client().get(link).status_code for link in systems} == {200}


def test_results_of_a_feed_are_read_again_once_the_board_is_another(
    phase: Phase, sent: Sent, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.BOARD_SECONDS, settings.ANONYMOUS_SECONDS = 4, 0
    first = queries()
    later(monkeypatch, FRESH_SECONDS / 2)
    assert queries() < first
    scored(phase, sent[1].participation, both(), system="heron")
    assert "heron" in Client().get(FEED).text


def queries() -> int:
    with CaptureQueriesContext(connection) as seen:
        assert Client().get(FEED).status_code == 200
    return len(seen)


def test_no_name_is_more_than_a_name(sent: Sent) -> None:
    for name in NASTY:
        renamed(sent[0], name)
        for cache in caches.all():
            cache.clear()  # no version counts the names that are changed here
        feed = ElementTree.fromstring(Client().get(FEED).content)
        titles = [one.text or "" for one in feed.iter()]
        assert any(one.endswith(f"T{name}, {name}") for one in titles)


def test_an_entry_of_one_test_set_leads_to_its_board(phase: Phase, sent: Sent) -> None:
    Phase.objects.update(separate_test_sets=True)
    assert "?test_set=south" in Client().get(FEED).text


def test_pages_name_the_feeds_in_their_heads() -> None:
    assert 'type="application/atom+xml" href="/feed/"' in Client().get("/").text
    page = Client().get("/tasks/otters/log/").text
    assert page.count(f'href="{FEED}"') == 2
