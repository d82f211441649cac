"""The board by keyboard alone: sort, filter, slice, search, another day."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.leaderboard.small import (
    HEADS,
    RELATIONS,
    both,
    conllu,
    one_wrong,
    scored,
    set_questions,
)

BOARD = "/tasks/otters/test/board/"
LABEL_WRONG = conllu(HEADS["north"], ("amod", *RELATIONS[1:])).encode()


@pytest.fixture
def sent(task: Task, phase: Phase, entry: Participation, cy: User) -> list[Submission]:
    """By LAS both are level; by UAS herons are better; the otter came days ago."""
    set_questions(task, [{"name": "size", "title": "Size", "kind": "number"}])
    herons = join(task, Team.found("Herons", cy))
    now = timezone.now()
    return [
        scored(
            phase,
            entry,
            both({"north": one_wrong()}),
            system="otter",
            facts={"size": 7},
            arrived_at=now - timedelta(days=2),
        ),
        scored(
            phase,
            herons,
            both({"north": LABEL_WRONG}),
            system="heron",
            facts={"size": 70},
            arrived_at=now,
        ),
    ]


def press(page: Page, where: Locator, *keys: str) -> None:
    where.focus()
    for key in keys:
        page.keyboard.press(key)
    settle(page)


def settle(page: Page) -> None:
    """Until nothing is asked for, and no part of the page is being exchanged."""
    expect(page.locator(".htmx-request, .htmx-added")).to_have_count(0)


def type_in(page: Page, label: str, text: str) -> None:
    page.get_by_label(label, exact=True).fill("")
    page.get_by_label(label, exact=True).press_sequentially(text)
    page.keyboard.press("Enter")
    settle(page)


def systems(page: Page) -> Locator:
    return page.locator(".ranking .name")


def test_every_choice_is_made_by_keyboard(page: Page, sent: list[Submission]) -> None:
    page.goto(BOARD)
    expect(systems(page)).to_have_text(["otter", "heron"])
    sort(page)
    ask(page)
    slice_(page)
    filter_(page)
    search(page)
    look_back(page)


def sort(page: Page) -> None:
    press(page, page.locator("#sort-uas"), "Enter")
    expect(systems(page)).to_have_text(["heron", "otter"])
    expect(page.locator("th[aria-sort=descending]")).to_contain_text("UAS")
    said = page.locator("#announcer")
    expect(said).to_contain_text("Ranked by UAS, highest first")
    expect(page.locator("#sort-uas")).to_be_focused()


def ask(page: Page) -> None:
    press(page, page.locator("#how-to-read > summary"), "Enter")
    expect(page.locator("#how-to-read dl")).to_contain_text("UAS percent, higher is")
    page.keyboard.press("Enter")
    expect(page.locator("#how-to-read dl")).to_be_hidden()


def slice_(page: Page) -> None:
    press(page, page.locator("#filter-panel > summary"), "Enter")
    press(page, page.get_by_label("Slice", exact=True), "t")
    expect(page).to_have_url(re.compile("slice=genre%3Atale"))
    expect(systems(page)).to_have_count(2)
    press(page, page.get_by_label("Slice", exact=True), "Home")
    expect(page).to_have_url(re.compile("slice=$"))


def filter_(page: Page) -> None:
    type_in(page, "Size, from", "10")
    expect(systems(page)).to_have_text(["heron"])
    expect(page.get_by_text("Filtered: 1 of 2 rows.")).to_be_visible()
    press(page, page.get_by_role("link", name="All of them"), "Enter")
    expect(systems(page)).to_have_count(2)


def search(page: Page) -> None:
    type_in(page, "Team or system", "BEN")
    expect(systems(page)).to_have_text(["otter"])
    type_in(page, "Team or system", "")
    expect(systems(page)).to_have_count(2)


def look_back(page: Page) -> None:
    yesterday = timezone.now() - timedelta(days=1)
    press(page, page.locator("#filter-panel > summary"), "Enter")
    page.get_by_label("As of", exact=True).focus()
    page.keyboard.type(f"{yesterday:%m%d%Y}")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Submissions received by")).to_be_visible()
    expect(systems(page)).to_have_text(["otter"])
    assert "measure=uas" in page.url and f"at={yesterday:%Y-%m-%d}" in page.url
    shared = page.url
    press(page, page.get_by_role("link", name="Today's board"), "Enter")
    expect(systems(page)).to_have_text(["heron", "otter"])
    page.goto(shared)
    expect(systems(page)).to_have_text(["otter"])
