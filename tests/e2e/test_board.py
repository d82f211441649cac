"""The board in a browser: choices, charts, names, times."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Participation, Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.e2e.conftest import SignIn
from tests.leaderboard.numbers_task import sent_to_numbers
from tests.leaderboard.small import both, one_wrong, scored

BOARD = "/tasks/otters/test/board/"
HOSTILE = '<img src="http://elsewhere.test/x" onerror="alert(1)">'


@pytest.fixture
def sent(phase: Phase, entry: Participation, cy: User) -> list[Submission]:
    """Two entries of one team, one of another, all complete."""
    other = join(phase.task, Team.found("Cys", cy))
    worse = both({"north": one_wrong(), "south": one_wrong("south")})
    return [
        scored(phase, entry, worse, system="otter-1"),
        scored(phase, entry, both(), system="otter-2"),
        scored(phase, other, both({"north": one_wrong()}), system="heron-1"),
    ]


def systems(page: Page) -> Locator:
    return page.locator(".ranking .name")


def open_filter(page: Page) -> None:
    page.locator("#filter-panel > summary").click()


def test_all_entries_and_back(page: Page, sent: list[Submission]) -> None:
    page.goto(BOARD)
    expect(systems(page)).to_have_text(["otter-2", "heron-1"])
    open_filter(page)
    page.get_by_role("link", name="All entries").click()
    expect(systems(page)).to_have_text(["otter-2", "heron-1", "otter-1"])
    assert page.url.endswith("?entries=all")
    expect(page.get_by_role("link", name="All entries", exact=True)).to_be_focused()
    page.go_back()
    expect(systems(page)).to_have_text(["otter-2", "heron-1"])


def test_one_panel_is_open_until_escape_or_a_click_elsewhere(
    page: Page, sent: list[Submission]
) -> None:
    page.goto(BOARD)
    opened = page.locator("details.panel[open]")
    for name in ("filter", "columns", "export"):
        page.locator(f"#{name}-panel > summary").click()
        expect(opened).to_have_id(f"{name}-panel")
    page.locator("#export-panel a[download]").first.focus()
    page.keyboard.press("Escape")
    expect(opened).to_have_count(0)
    expect(page.locator("#export-panel > summary")).to_be_focused()
    open_filter(page)
    page.get_by_label("As of").click()
    expect(opened).to_have_count(1)
    page.locator("h1").click()
    expect(opened).to_have_count(0)


def test_ways_to_export_are_there_when_their_panel_opens(
    page: Page, sent: list[Submission]
) -> None:
    page.goto(f"{BOARD}?entries=all")
    page.locator("#export-panel > summary").focus()
    link = page.locator("#export-panel a[download]").first
    expect(link).to_be_attached()  # before it opens
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.locator("#export-panel a").first).to_be_focused()
    expect(link).to_have_attribute("href", re.compile(r"\?entries=all$"))
    assert page.url.endswith("?entries=all")
    # The board did not change, so nothing is said of it.
    expect(page.locator("#announcer")).to_be_empty()


def test_without_scripts_a_page_has_the_ways_to_export(
    scriptless: BrowserContext, sent: list[Submission]
) -> None:
    page = scriptless.new_page()
    page.goto(f"{BOARD}?entries=all")
    page.locator("#export-panel > summary").click()
    page.locator("#export-panel a").click()
    link = page.locator('a[href="/tasks/otters/test/board.csv?entries=all"]')
    expect(link).to_be_visible()


@pytest.mark.parametrize("name", ["filter", "export"])
def test_submit_stays_in_sight_of_a_phone_beside_an_open_panel(
    page: Page, sent: list[Submission], name: str
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(BOARD)
    page.locator(f"#{name}-panel > summary").click()
    expect(page.locator("details.panel[open]")).to_have_count(1)
    box = page.get_by_role("link", name="Submit", exact=True).bounding_box()
    assert box is not None
    assert 0 <= box["x"] <= 390 - box["width"]
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide == 390, "the page itself moves sideways"


def test_choices_add_up(page: Page, sent: list[Submission]) -> None:
    page.goto(f"{BOARD}?entries=all")
    page.get_by_role("link", name="South", exact=True).click()
    expect(page.get_by_role("link", name="South")).to_have_attribute(
        "aria-current", "true"
    )
    expect(systems(page)).to_have_text(["otter-2", "heron-1", "otter-1"])
    open_filter(page)
    # Until htmx has looked through what it swapped in, nobody hears the choice.
    expect(page.locator(".htmx-added")).to_have_count(0)
    page.get_by_label("Slice", exact=True).select_option("genre:letter")
    # All are right about the letter: equal scores stand as they arrived.
    expect(systems(page)).to_have_text(["otter-1", "otter-2", "heron-1"])
    expect(page.get_by_label("Slice", exact=True)).to_have_value("genre:letter")
    page.keyboard.press("Escape")
    page.get_by_role("columnheader", name="UAS").get_by_role("link").click()
    expect(page.locator("th[aria-sort]")).to_contain_text("UAS")
    for choice in ("entries=all", "test_set=south", "slice=genre", "measure=uas"):
        assert choice in page.url


def test_choices_are_plain_links(page: Page, sent: list[Submission]) -> None:
    page.route("**/htmx*", lambda route: route.abort())
    page.goto(BOARD)
    open_filter(page)
    page.get_by_role("link", name="All entries").click()
    expect(systems(page)).to_have_count(3)


def test_rows_that_are_ticked_are_compared(page: Page, sent: list[Submission]) -> None:
    page.goto(BOARD)
    expect(page.get_by_role("checkbox", name="Compare otter-2")).to_be_hidden()
    page.locator("#choose-rows > summary").click()
    for name in ("otter-2", "heron-1"):
        page.get_by_role("checkbox", name=f"Compare {name}").check()
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page).to_have_url(re.compile("/compare/"))
    assert page.url.count("system=") == 2


def test_a_team_sees_its_rank_and_its_row(
    page: Page, sign_in: SignIn, ben: User, sent: list[Submission]
) -> None:
    page.goto(BOARD)
    expect(page.locator(".ranking .own, #own-rank:visible")).to_have_count(0)
    sign_in(page.context, ben)
    page.goto(BOARD)
    expect(page.locator(".ranking .own")).to_have_count(1)
    expect(page.locator(".ranking .own .system")).to_contain_text("You")
    page.get_by_role("link", name="You: rank 1 of 2").click()
    expect(page).to_have_url(re.compile(f"#row-{sent[1].pk}$"))


def test_names_stay_when_all_rows_are_moved_sideways(
    page: Page, sent: list[Submission]
) -> None:
    page.set_viewport_size({"width": 660, "height": 600})
    page.goto(f"{BOARD}?entries=all&page=all&rows=wide")
    name = page.get_by_role("rowheader").first
    expect(name).to_have_css("position", "static")
    at_rest = name.bounding_box()
    page.locator(".ranking-region").evaluate("region => { region.scrollLeft = 9999 }")
    expect(name).to_have_css("position", "sticky")
    # It goes as far as the rank, over its range, and no farther.
    rank, moved = page.locator("tbody .rank").first.bounding_box(), name.bounding_box()
    assert at_rest and rank and moved and moved["y"] == at_rest["y"]
    assert rank["x"] + rank["width"] <= moved["x"] + 1 <= at_rest["x"] + 1


def test_all_of_a_board_is_in_sight_at_every_width(
    page: Page, sent: list[Submission]
) -> None:
    """Columns that have no room are named below it."""
    for width in (390, 660, 768, 800, 820, 1024, 1440):
        page.set_viewport_size({"width": width, "height": 600})
        page.goto(f"{BOARD}?entries=all")
        region = page.locator(".ranking-region")
        assert region.evaluate("r => r.scrollWidth - r.clientWidth") <= 0, width


def test_charts_follow_choices_and_colours(page: Page, sent: list[Submission]) -> None:
    page.emulate_media(color_scheme="light")
    page.goto(BOARD)
    assert page.locator("script[src*=plotly]").count() == 0
    open_filter(page)
    page.get_by_role("link", name="All entries").click()
    expect(systems(page)).to_have_count(3)
    page.get_by_role("link", name="Charts", exact=True).click()
    chart = page.get_by_role("img", name="LAS of each system")
    expect(chart.locator(".mark")).to_have_count(3)
    light = colour_of(chart)
    page.emulate_media(color_scheme="dark")
    expect(chart.locator(".mark").first).not_to_have_css("fill", light)


def colour_of(chart: Locator) -> str:
    fill: str = chart.locator(".mark").first.evaluate(
        "node => getComputedStyle(node).fill"
    )
    return fill


def test_names_are_only_text(
    page: Page, phase: Phase, entry: Participation, sent: list[Submission]
) -> None:
    Team.objects.filter(pk=entry.team_id).update(name=HOSTILE[:60])
    Submission.objects.update(system=r"$\frac{<b>1</b>}{2}$")
    page.goto(BOARD)
    expect(page.get_by_role("rowheader").first).to_contain_text("<img src=")
    page.goto(f"{BOARD.removesuffix('board/')}charts/")
    chart = page.get_by_role("img", name="LAS of each system")
    expect(chart.locator(".mark")).to_have_count(2)
    expect(chart).to_contain_text("<img")
    assert page.locator("main img").count() == 0


@pytest.fixture
def tokyo(browser: Browser, live_server: Any) -> Iterator[BrowserContext]:
    context = browser.new_context(base_url=live_server.url, timezone_id="Asia/Tokyo")
    yield context
    context.close()


def test_times_are_the_readers_own(
    tokyo: BrowserContext, sign_in: SignIn, ben: User, sent: list[Submission]
) -> None:
    sign_in(tokyo, ben)
    page = tokyo.new_page()
    page.goto(sent[0].get_absolute_url())
    received = page.get_by_role("main").locator("time").first
    expect(received).to_contain_text("GMT+9")
    expect(received).to_have_attribute(
        "datetime", sent[0].received_at.isoformat(timespec="seconds")
    )


def test_the_readers_clock_beside_a_time_moves_no_row(
    tokyo: BrowserContext, sent: list[Submission]
) -> None:
    """A script adds it, often after the page was painted."""
    page, clock = tokyo.new_page(), "**/times*.js"

    def tops() -> list[float]:
        """Where the table begins at each width of the window."""
        found = []
        for width in range(800, 1500, 100):
            page.set_viewport_size({"width": width, "height": 900})
            box = page.locator(".ranking").bounding_box()
            found.append(box["y"] if box else 0)
        return found

    page.route(clock, lambda route: route.abort())
    page.goto(BOARD)
    before = tops()
    assert page.locator(".board-head .own-clock").count() == 0
    page.unroute(clock)
    page.reload()
    expect(page.locator(".board-head .own-clock")).to_be_visible()
    assert tops() == before


def test_numbers_of_a_systems_page_are_in_sight_on_a_phone(
    page: Page, sent: list[Submission]
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/submissions/{sent[1].pk}/system/")
    numbers = page.locator(".stacked td.number")
    expect(page.locator("#system-slices")).to_be_visible()
    expect(page.locator("#system-history")).to_be_visible()
    for number in numbers.all():
        box = number.bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= 390
    hidden = ".table-region:has(.stacked)"
    for region in page.locator(hidden).all():
        assert region.evaluate("one => one.scrollWidth <= one.clientWidth")


WORDS_AND_CONTROLS = """() => {
  const visible = (e) => e.checkVisibility({visibilityProperty: true})
    && e.getBoundingClientRect().width > 2;
  const main = document.querySelector("main");
  const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  const words = [];
  while (texts.nextNode()) {
    const {parentElement, data} = texts.currentNode;
    if (visible(parentElement)) words.push(...(data.match(/\\p{L}{2,}/gu) ?? []));
  }
  const clickable = "a:not([aria-current]), button, summary, input, select";
  const controls = [...main.querySelectorAll(clickable)];
  return [words.length, controls.filter(visible).length];
}"""


def test_a_board_of_nine_has_few_words_and_few_things_to_click(
    page: Page, phase: Phase, entry: Participation
) -> None:
    scored(phase, entry, both(), system="otter-1")
    for name in "abcdefgh":
        user = User.objects.create_user(f"{name}@example.org", name=name)
        team = join(phase.task, Team.found(f"Team {name}", user))
        scored(phase, team, both(), system=f"{name}-1")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(BOARD)
    expect(systems(page)).to_have_count(9)
    words, controls = page.evaluate(WORDS_AND_CONTROLS)
    assert words <= 150 and controls <= 40


def answers_off_by(most: float) -> bytes:
    """Answers to the numbers of the task, each about so far from right."""
    lines = (f"i{n},{n * n + most * (-1) ** n * (1 + n / 40)}\n" for n in range(20))
    return ("id,value\n" + "".join(lines)).encode()


@pytest.mark.parametrize("off", [0.4, 400.0, 3e6, 4e11])
def test_no_score_stands_on_its_bar_however_large(page: Page, off: float) -> None:
    answers = {f"off by {off:g} and {n}": answers_off_by(off + n) for n in range(3)}
    sent_to_numbers(answers, headline="rmse")
    for width in (1440, 1024, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"{BOARD}?entries=all")
        expect(systems(page)).to_have_count(3)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for line in page.locator(".ranking tbody tr:has(.estimate)").all():
            bar = line.locator(".bar").bounding_box()
            assert bar
            for part in (".value", ".interval"):
                text = line.locator(f".estimate {part}").bounding_box()
                assert text
                beside = text["x"] + text["width"] <= bar["x"] + 1
                beside |= text["x"] >= bar["x"] + bar["width"] - 1
                below = bar["y"] >= text["y"] + text["height"] - 1
                assert beside or below, (width, part)
