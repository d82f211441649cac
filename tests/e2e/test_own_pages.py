"""Pages of what one has sent, in a browser: long names, and times with their zone."""

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import User
from tests.e2e.conftest import SignIn
from tests.leaderboard.small import both, one_wrong, scored

LIST = "/tasks/otters/submissions/"
HIDDEN = """(regions) => [...document.querySelectorAll(regions)]
  .filter((region) => region.scrollWidth > region.clientWidth)
  .map((region) => [region.innerText.slice(0, 20), region.scrollWidth])"""
EVERY, TALL = (
    ".table-region",
    ".own-list, .table-region:has(> :is(.gain-measures, .scores))",
)
OPEN = "document.querySelectorAll('details').forEach((fold) => { fold.open = true; })"


@pytest.fixture
def two(phase: Phase, entry: Participation) -> list[Submission]:
    """Two of one system, whose names have no place to break a line."""
    name = "otter-large_finetuned-on-everything_seed{}_checkpoint12000_average"
    data = both({"north": one_wrong()}), both()
    return [
        scored(phase, entry, files, system=name.format(number))
        for number, files in enumerate(data)
    ]


@pytest.fixture
def page(browser_context: BrowserContext, sign_in: SignIn, ben: User) -> Page:
    sign_in(browser_context, ben)
    page = browser_context.new_page()
    page.set_viewport_size({"width": 1280, "height": 800})
    return page


def test_a_long_name_pushes_no_column_out_of_sight(
    page: Page, two: list[Submission]
) -> None:
    """Actions and verdicts stood beyond the edge, without a sign of it."""
    query = "&".join(f"submission={sent.pk}" for sent in two)
    own = two[0].get_absolute_url()
    for address in (LIST, f"{LIST}compare/?{query}", own, f"{own}system/"):
        for width, regions in ((1280, EVERY), (390, TALL)):
            page.set_viewport_size({"width": width, "height": 800})
            page.goto(address)
            assert page.locator(EVERY).count()
            assert page.evaluate(HIDDEN, regions) == [], (width, address)


def test_a_long_word_in_the_title_of_a_task_widens_no_page(
    page: Page, two: list[Submission], phase: Phase
) -> None:
    phase.task.title = "Von Donaudampfschifffahrtsgesellschaftskapitänsprotokollen"
    phase.task.save()
    page.set_viewport_size({"width": 390, "height": 800})
    for address in (LIST, "/tasks/otters/", "/tasks/otters/test/board/", "/"):
        page.goto(address)
        title = page.get_by_text(phase.task.title).first
        expect(title).to_be_visible()
        box = title.bounding_box()
        assert box and box["x"] + box["width"] <= 390, address


def test_every_time_names_its_zone(page: Page, two: list[Submission]) -> None:
    """Those of the time line had none once the script had put them into one."""
    clock, zone = re.compile(r"\d\d:\d\d"), re.compile("[A-Z]{3}")
    for address in (two[0].get_absolute_url(), LIST, "/tasks/otters/"):
        page.goto(address)
        page.evaluate(
            "document.querySelectorAll('details').forEach(d => d.open = true)"
        )
        texts = page.locator("main time").all_inner_texts()
        bare = [t for t in texts if clock.search(t) and not zone.search(t)]
        assert any(map(clock.search, texts)) and bare == [], address
