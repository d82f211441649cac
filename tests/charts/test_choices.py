"""Pages and files that follow the board's address name every choice it makes."""

import csv
import io
import re
from dataclasses import replace
from datetime import timedelta
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.boards.charts.kinds import kinds_of
from leaderboard.boards.charts.pins import MOST_SYSTEMS
from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import GoldRevision, Phase, Task
from leaderboard.teams.models import User
from tests.organize.disclosing import unrevealed

pytestmark = pytest.mark.django_db
TASK = "/tasks/otters/test"
DROP = re.compile(r'<li>\s*([^<]+?)\s+<a href="([^"]*)">')
# A choice of the address, and how a page says it.
CHOICES = {
    "slice": ("genre:letter", "Slice: genre: letter"),
    "part": ("all", "Units: All"),
    "level": ("99", "Intervals: 99%"),
    "measure": ("uas", "Measure: UAS"),
    "test_set": ("south", "Test set: South"),
    "entries": ("all", "Entries: All entries"),
    "q": ("ced", "Team or system: ced"),
}


@pytest.fixture
def split(phase: Phase) -> Phase:
    """Over, so that every part may be chosen; the private half stands first."""
    now = timezone.now()
    phase.opens, phase.closes = now - timedelta(days=9), now - timedelta(hours=1)
    phase.private_share, phase.split_salt = 0.5, "salt"
    phase.save()
    Submission.objects.update(received_at=now - timedelta(days=2))
    return phase


def page(kind: str, client: Client | None = None, **choices: object) -> str:
    address = f"{TASK}/{kind}/?{urlencode(choices, doseq=True)}"
    answer = (client or Client()).get(address)
    assert answer.status_code == 200, address
    return answer.content.decode()


def named(html: str) -> dict[str, dict[str, str]]:
    """Choices that a page names, each with those that dropping it leaves."""
    found = DROP.findall(html.partition('id="chosen"')[2].partition("</ul>")[0])
    return {
        unescape(one): dict(parse_qsl(unescape(address).removeprefix("?")))
        for one, address in found
    }


@pytest.mark.parametrize("kind", ["charts", "compare"])
def test_every_choice_is_named_and_can_be_dropped(
    kind: str, split: Phase, sent: list[Submission]
) -> None:
    asked = {name: value for name, (value, _words) in CHOICES.items()}
    told = named(page(kind, **asked))
    assert set(told) == {words for _value, words in CHOICES.values()}
    for name, (_value, words) in CHOICES.items():
        left = {other: value for other, value in asked.items() if other != name}
        assert told[words] == left, name


@pytest.mark.parametrize("kind", ["charts", "compare", "across"])
def test_the_plain_board_names_nothing(kind: str, sent: list[Submission]) -> None:
    assert 'id="chosen"' not in page(kind)
    assert 'id="chosen"' not in page(kind, measure="las", level="95")


@pytest.mark.parametrize("kind", ["charts", "compare"])
def test_the_day_and_the_gold_in_force_then_are_named(
    kind: str, phase: Phase, sent: list[Submission]
) -> None:
    (words,) = named(page(kind, at="2026-01-02"))
    assert words == "As of: 2 Jan 2026, 23:59 UTC, with version 1 of the answer key"


@pytest.mark.parametrize("kind", ["charts", "compare"])
def test_another_gold_revision_is_named(
    kind: str, task: Task, sent: list[Submission]
) -> None:
    GoldRevision.objects.create(task=task, number=2)
    organizer = Client()
    organizer.force_login(User.objects.get(name="ada"))
    assert named(page(kind, organizer, revision="2")) == {"Answer key: 2": {}}


def test_choices_go_on_to_the_next_comparison(sent: list[Submission]) -> None:
    """The form of the page sends them again."""
    chosen = {"slice": "genre:letter", "level": "99", "at": "2030-01-01"}
    form = page("compare", **chosen).partition('class="group"')[2]
    hidden = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form)
    assert chosen.items() <= dict(hidden).items()


def test_a_chart_is_titled_with_what_was_chosen(sent: list[Submission]) -> None:
    html = page("charts", slice="genre:letter")
    title = "LAS of each system · Slice: genre: letter"
    assert f'<h2 id="chart-title">{title}' in html
    assert f"<title>{title}" in html


def test_a_chart_does_not_name_what_it_does_not_follow(sent: list[Submission]) -> None:
    """It shows each test set, whichever the board was of; slices likewise."""
    assert named(page("charts", chart="test-sets", test_set="south")) == {}
    assert named(page("across", test_set="south")) == {}
    assert named(page("charts", chart="slices", slice="genre:letter")) == {}


def test_exports_say_what_was_chosen(sent: list[Submission]) -> None:
    query = "slice=genre:letter&level=99"
    words = "Slice: genre: letter; Intervals: 99%"
    for form in ("md", "tex", "bib", "svg", "dark.svg"):
        text = Client().get(f"{TASK}/board.{form}?{query}").content.decode()
        assert words in text.replace("\\", ""), form
        assert "Chosen" not in Client().get(f"{TASK}/board.{form}").content.decode()
    told = Client().get(f"{TASK}/board.json?{query}").json()
    assert told["chosen"] == {"slice": "genre:letter", "level": "99"}
    for kind in ("embed", "badge.svg"):
        address = f"{TASK}/embed/" if kind == "embed" else f"{TASK}/badge.svg"
        assert words in Client().get(f"{address}?{query}").content.decode(), kind


def test_a_csv_file_says_what_was_chosen(sent: list[Submission]) -> None:
    answer = Client().get(f"{TASK}/board.csv?slice=genre:letter&level=99")
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert [row["chosen.slice"] for row in rows] == ["genre:letter"] * 2
    assert [row["chosen.level"] for row in rows] == ["99"] * 2
    assert "otters-test-genreletter-99.csv" in answer["Content-Disposition"]


def test_more_systems_than_fit_are_answered_with_a_sentence(
    sent: list[Submission],
) -> None:
    nine = [str(sent[0].pk)] * 8 + [str(sent[1].pk)]
    answer = Client().get(f"{TASK}/compare/", {"system": nine})
    html = answer.content.decode()
    assert answer.status_code == 422
    assert "At most 8 systems are compared at once; 9 were chosen." in html
    assert html.count(" checked>") == 2
    told = Client().get(f"/api/v1{TASK}/compare/", {"system": nine})
    assert told.status_code == 422
    assert told.json()["detail"].startswith("At most 8 systems")


@pytest.mark.usefixtures("world")
def test_charts_draw_measures_that_are_no_columns_of_the_table() -> None:
    assert "UAS" in page("charts", chart="measures", show="las", against="uas")


def chart_page(**choices: Any) -> Any:
    return Client().get(f"{TASK}/charts/", choices)


def test_a_click_pins_a_system_in_every_chart_and_another_unpins_it(
    sent: list[Submission],
) -> None:
    _alder, birch, cedar = sent
    plain = chart_page(level="99").text
    assert f'<a href="?level=99&amp;pin={cedar.pk}" tabindex="-1">' in plain
    pinned = {"level": "99", "pin": str(cedar.pk)}
    for kind in kinds_of(board(BoardQuery(cedar.phase))):
        if kind.name in ("correlation", "variance"):
            continue
        html = chart_page(chart=kind.name, **pinned).text
        if kind.name != "slice-intervals":
            assert "pinned hue-0" in html or "dash-0 pinned" in html, kind.name
        assert f"pin={cedar.pk}" in html
    html = chart_page(**pinned).text
    both = f"?level=99&amp;pin={cedar.pk}&amp;pin={birch.pk}"
    assert f'<a href="{both}" tabindex="-1">' in html
    assert '<a href="?level=99"' in html
    two = {"pin": [str(cedar.pk), str(birch.pk)]}
    assert f"/compare/?pin={cedar.pk}&amp;pin={birch.pk}" in chart_page(**two).text
    compared = Client().get(f"{TASK}/compare/", two).context["chosen"]
    assert compared == two["pin"]


@pytest.mark.usefixtures("pages_made_anew")
def test_pins_that_the_board_does_not_show_are_left_out(
    phase: Phase, sent: list[Submission]
) -> None:
    alder, _birch, cedar = sent
    keys = [str(cedar.pk), "nobody", str(alder.pk), str(cedar.pk)]
    pins = chart_page(pin=keys).context["pins"]
    assert pins.keys == [str(cedar.pk), str(alder.pk)]  # an earlier entry, too
    filtered = chart_page(pin=keys, q="birch").context["pins"]
    assert filtered.keys == []
    unrevealed(phase, "best")
    assert chart_page(pin=keys).context["pins"].keys == [str(cedar.pk)]


def test_a_file_marks_what_its_address_pins(sent: list[Submission]) -> None:
    choices = {"chart": "measures", "pin": str(sent[2].pk)}
    text = Client().get(f"{TASK}/chart.svg", choices).content.decode()
    assert "pinned hue-0" in text and "<a " not in text


def test_eight_are_pinned_at_most(sent: list[Submission]) -> None:
    pins = chart_page(pin=str(sent[2].pk)).context["pins"]
    full = replace(pins, rows=[replace(pins.rows[0])] * MOST_SYSTEMS)
    assert full.full and full.toggled("another") == ""
    assert full.toggled(str(sent[2].pk)).count("pin=") == MOST_SYSTEMS - 1
