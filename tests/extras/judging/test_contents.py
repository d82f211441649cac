"""Code, tables, pictures and scripts from right to left in what judges see."""

import base64
import csv
import io
import struct
import zlib
from typing import Any
from urllib.parse import parse_qs
from uuid import UUID

import pytest
from django.test import Client
from playwright.sync_api import BrowserContext, Route, expect

from leaderboard.extras.judging.assignment import Sent, vote
from leaderboard.extras.judging.contents import Content, contents
from leaderboard.extras.judging.models import Campaign, JudgedAnswer, Vote
from leaderboard.sandbox.jobs.answers_to_judge import LONGEST_PICTURE
from leaderboard.tasks.bundle.create import create_task
from leaderboard.teams.models import User
from tests.e2e.conftest import static_files
from tests.e2e.test_accessibility import complaints, too_wide, violations
from tests.extras.judging.campaigns import MEASURES, campaign_of
from tests.extras.judging.test_in_browser import pictured
from tests.leaderboard.judged import _bundle, entry_of, sent

__all__ = ["static_files"]
CODE = "Try this:\n```python\nfor boat in boats:\n\tprint(boat | 3)\n```\nIt works."
TABLE = "| port | boats |\n|---|---:|\n| Ostrel | 3 |\n| a \\| b |  |"
ARABIC = "كل قارب يغادر الميناء في التاسعة."


def picture(width: int = 160, height: int = 100, noise: bool = False) -> str:
    """A PNG as an address, drawn here."""
    rows = b"".join(
        b"\0"
        + bytes(
            ((x * y * 7919 + y) % 251 if noise else 255 * (x < y) + 0) & 255
            for x in range(width)
        )
        for y in range(height)
    )

    def chunk(name: bytes, data: bytes) -> bytes:
        whole = name + data
        return (
            struct.pack(">I", len(data)) + whole + struct.pack(">I", zlib.crc32(whole))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head)
    data += chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return "data:image/png;base64," + base64.b64encode(data).decode()


def table_of(*rows: tuple[str, ...]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def shown_campaign(ada: User, ben: User, **more: Any) -> Campaign:
    """One campaign whose inputs and answers are of every kind."""
    texts = {"u1": CODE, "u2": TABLE, "u3": ARABIC, "u4": picture()}
    gold = table_of(("id", "source"), *texts.items())
    options = {"measure": list(MEASURES), "missing": "leave", "inputs": ["source"]}
    task = create_task(
        _bundle("signs", {"name": "table", "options": options}, gold), ada
    )
    entry = entry_of(task, ben, "Bens")
    for number in (1, 2):
        rows = [(unit, f"{text}\n{number}") for unit, text in texts.items()]
        rows[3] = ("u4", picture(40 * number))
        sent(task, entry, table_of(("id", "text"), *rows), system=f"system {number}")
    return campaign_of(task, **more)


def test_code_stands_between_fences_and_keeps_its_tabs() -> None:
    first, code, last = contents(CODE)
    assert code == Content("code", "for boat in boats:\n\tprint(boat | 3)")
    assert (first.text, last.text) == ("Try this:", "It works.")


def test_a_table_has_bars_or_tabs() -> None:
    (table,) = contents(TABLE)
    assert table.head == ["port", "boats"]
    assert [list(row) for row in table.rows] == [["Ostrel", "3"], ["a | b", ""]]
    text, table = contents("Boats:\nport\tboats\nOstrel\t3")
    assert text.text == "Boats:" and table.rows == [["Ostrel", "3"]]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a | b",
        "one\ttab",
        "\tset in\n\ttwice",
        "```\nno end",
        "either | or\nnothing | else",
        "x\n-- | --",
        "a\tb\nc\td\te",
        "data:image/svg+xml;base64,PHN2Zz4=",
        'data:image/png;base64,AAAA" onerror="alert(1)',
        "see data:image/png;base64,AAAA",
        ARABIC,
        "<script>alert(1)</script>",
    ],
)
def test_all_else_is_text_as_it_is(text: str) -> None:
    assert contents(text) == [Content("text", text)]


def test_a_picture_is_an_address_that_holds_it() -> None:
    assert contents(picture()) == [Content("picture", picture())]


@pytest.mark.django_db
def test_a_page_shows_what_units_hold_and_fetches_nothing(ada: User, ben: User) -> None:
    campaign = shown_campaign(ada, ben, per_unit=1)
    client, address = Client(), campaign.get_absolute_url()
    client.post(address)
    seen = set()
    for _unit in range(4):
        page = client.get(address).text
        seen |= {part for part in ("<pre", "<img", "<th scope", ARABIC) if part in page}
        images = page.split("<img")[1:]
        assert all(' src="data:image/png;base64,' in image for image in images)
        one = campaign.judges.get().assignments.get(voted_at=None)
        key = page.partition('name="key" value="')[2].partition('"')[0]
        client.post(
            address, {"assignment": one.key, "key": key, "choice": "left", "shown": "1"}
        )
    assert len(seen) == 4


@pytest.mark.django_db
def test_a_picture_that_is_too_large_is_told_by_its_beginning(
    ada: User, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = "leaderboard.sandbox.jobs.answers_to_judge.LONGEST_PICTURE"
    assert len(picture(300, 200, noise=True)) < LONGEST_PICTURE
    monkeypatch.setattr(module, 100)
    shown_campaign(ada, ben)
    texts = JudgedAnswer.objects.filter(unit__name="u4").values_list("text", flat=True)
    assert all(text.endswith("…") and len(text) < 40 for text in texts)


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_items_of_every_kind_are_pages_for_everybody(
    browser_context: BrowserContext, sandbox_inline: None, ada: User, ben: User
) -> None:
    campaign = shown_campaign(ada, ben, per_unit=1)
    address = campaign.get_absolute_url()
    page = browser_context.new_page()
    page.goto(address)
    page.get_by_role("button", name="Begin").click()
    for number in range(4):
        expect(page.get_by_text(f"{number} of 200 today")).to_be_visible()
        unit = campaign.judges.get().assignments.get(voted_at=None).unit.name
        assert complaints(page, address) == [] and too_wide(page, address) == []
        page.goto(address)
        pictured(page, f"item-{unit}")
        if unit == "u4":
            widths = page.locator("img").evaluate_all(
                "all => all.map(one => one.naturalWidth)"
            )
            assert sorted(widths) == [40, 80, 160]
        if unit == "u3":
            text = page.locator(".judging-answer .judging-text").first
            assert text.evaluate("one => getComputedStyle(one).direction") == "rtl"
        page.wait_for_load_state()
        page.keyboard.press("1")
    expect(page.get_by_text("There is nothing more to judge")).to_be_visible()


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_a_vote_that_meets_a_lost_connection_is_kept_and_counts_once(
    browser_context: BrowserContext, sandbox_inline: None, ada: User, ben: User
) -> None:
    """The request is lost, only its answer is, or the server is away for a moment.

    The browser's requests are held from the beginning: one that it sends while it is
    told to hold them may go past, and only the page after it would be lost.
    """
    campaign = shown_campaign(ada, ben, per_unit=1)
    address = campaign.get_absolute_url()
    page = browser_context.new_page()

    def fine(route: Route) -> None:
        route.continue_()

    now = [fine]
    page.route(f"**{address}", lambda route: now[0](route))
    page.goto(address)
    page.get_by_role("button", name="Begin").click()

    def lost(route: Route) -> None:
        route.abort("internetdisconnected")

    def answer_lost(route: Route) -> None:
        body = parse_qs(route.request.post_data or "")
        keys = (UUID(body[name][0]) for name in ("assignment", "key"))
        vote(campaign.judges.get(), Sent(*keys, {"choice": "left"}))
        route.abort("connectionreset")

    def away(route: Route) -> None:
        route.fulfill(status=502, body="away")

    ways = (lost, answer_lost, away)
    for number, way in enumerate(ways):
        expect(page.get_by_text(f"{number} of 200 today")).to_be_visible()
        page.wait_for_load_state()
        now[0] = way
        page.keyboard.press("1")
        notice = page.get_by_text("The connection was lost.")
        expect(notice, str(way)).to_be_visible(timeout=9000)
        expect(page.get_by_text("saved", exact=True)).to_be_hidden()
        assert violations(page) == []
        page.keyboard.press("3")  # is no second vote
        expect(page.locator(".judging form button").first).to_be_disabled()
        now[0] = fine
        if way is lost:
            page.evaluate("dispatchEvent(new Event('online'))")
        else:
            page.get_by_role("button", name="Send it now").click()
        expect(notice).to_be_hidden()
    expect(page.get_by_text(f"{len(ways)} of 200 today")).to_be_visible()
    votes = Vote.objects.filter(assignment__judge__campaign=campaign)
    assert [one.values for one in votes] == [{"choice": "left"}] * len(ways)


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_a_vote_that_is_not_whole_is_said_by_a_page(
    browser_context: BrowserContext, sandbox_inline: None, ada: User, ben: User
) -> None:
    campaign = shown_campaign(ada, ben, per_unit=1)
    page = browser_context.new_page()
    page.goto(campaign.get_absolute_url())
    page.get_by_role("button", name="Begin").click()
    page.locator("[name=assignment]").first.evaluate("one => one.value = 'x'")
    page.get_by_role("button", name="Skip").click()
    expect(page.get_by_text("This page was not whole.")).to_be_visible()
