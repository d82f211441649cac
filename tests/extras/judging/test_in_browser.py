"""Five judges take fifteen systems from the first vote to a ranking."""

import os
import re
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.extras.judging.models import Campaign, JudgedAnswer, Vote
from leaderboard.extras.judging.results import CampaignVotes
from leaderboard.tasks.models import Phase
from leaderboard.teams.models import User
from tests.e2e.conftest import SignIn, sign_in, static_files
from tests.e2e.test_accessibility import complaints, too_wide
from tests.extras.judging.campaigns import (
    CANARY,
    campaign_of,
    people_task,
    system,
    vote_by_form,
)
from tests.extras.judging.test_spans import ESA, MEASURES
from tests.leaderboard.judged import run_all

__all__ = ["sign_in", "static_files"]
SYSTEMS = 15
BY_BROWSER, BY_CLIENT = 3, 29  # votes of each judge
# A folder for pictures of the pages, to be looked at.
PICTURES = os.environ.get("PLUMBLINE_PICTURES", "")


def pictured(page: Page, name: str) -> None:
    """A picture of the page in both colours and widths, where somebody wants them."""
    if not PICTURES:
        return
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        for width in (1440, 390):
            page.set_viewport_size({"width": width, "height": 900})
            path = Path(PICTURES) / f"{name}-{scheme}-{width}.png"
            page.screenshot(path=path, full_page=True)
    page.set_viewport_size({"width": 1440, "height": 900})


def choice_of(texts: list[str], number: int) -> str:
    """The choice of a judge who is right, but for one time in seven."""
    first, second = (int(text.rpartition(" ")[2]) for text in texts)
    better = "left" if first > second else "right"
    if number % 7 == 6:
        return "right" if better == "left" else "left"
    return better


def press(page: Page, key: str) -> None:
    """Press a key of the page once its script listens, not while it still loads."""
    page.wait_for_load_state()
    page.keyboard.press(key)


def shown(page: str) -> list[str]:
    """The answers on a page."""
    parts = page.split('class="judging-text"')[1:]
    texts = [part.partition(">")[2].partition("</div>")[0] for part in parts]
    return [text.strip() for text in texts if "quality" in text]


def vote_by_key(page: Page, number: int) -> None:
    """A vote with the keys of a browser; the page says when it is saved."""
    expect(page.get_by_text(f"{number} of 60 today")).to_be_visible()
    texts = page.locator(".judging-answer .judging-text").all_inner_texts()
    press(page, "1" if choice_of(texts, number) == "left" else "3")
    expect(page.get_by_text(f"{number + 1} of 60 today")).to_be_visible()


def set_up(organizer: Page) -> Campaign:
    """The organizer lets people judge, by form."""
    organizer.goto("/tasks/signs/organize/judging/")
    pictured(organizer, "list")
    organizer.get_by_role("link", name="Let people judge").click()
    place = urlsplit(organizer.url).path
    assert complaints(organizer, place) == [] and too_wide(organizer, place) == []
    pictured(organizer, "new")
    organizer.get_by_label("Title").fill("Signs")
    organizer.get_by_label("Questions").fill("Which is better?")
    organizer.get_by_label("Instructions").fill("Read both, then choose.")
    organizer.get_by_label("Judgements of each unit").fill("30")
    organizer.get_by_label("Judgements of one person").fill("60")
    organizer.get_by_role("button", name="Make the page for judges").click()
    expect(organizer.get_by_text("People can judge now")).to_be_visible()
    return Campaign.objects.get()


def change_the_last(page: Page, address: str) -> None:
    """Take the last vote back, and look at every page of a judge."""
    before = Vote.objects.filter(replaced_at=None).count()
    page.get_by_role("link", name="Change the last one").click()
    expect(page).to_have_url(re.compile(r"\?change$"))
    press(page, "2")
    expect(page).not_to_have_url(re.compile(r"\?change$"))
    expect(page.get_by_text(f"{BY_BROWSER} of 60 today")).to_be_visible()
    assert Vote.objects.filter(replaced_at=None).count() == before
    assert Vote.objects.exclude(replaced_at=None).count() == 1
    for part in (address, f"{address}?change", f"{address}?pause"):
        assert complaints(page, part) == [] and too_wide(page, part) == []
        page.goto(part)
        pictured(page, "judge" + part[len(address) :].replace("?", "-"))


def go_on_without_a_browser(context: BrowserContext, address: str) -> None:
    """The rest of a judge's share, as a browser without a script sends it."""
    client = Client()
    for cookie in context.cookies():
        client.cookies[cookie["name"]] = cookie["value"]
    for number in range(BY_BROWSER, BY_BROWSER + BY_CLIENT):
        texts = shown(client.get(address).text)
        if len(texts) < 2:
            break
        vote_by_form(client, address, choice=choice_of(texts, number))


@pytest.mark.django_db(transaction=True)
def test_five_judges_take_fifteen_systems_from_the_first_vote_to_a_ranking(
    browser_context: BrowserContext,
    sign_in: SignIn,
    sandbox_inline: None,
    ada: User,
    ben: User,
) -> None:
    """Each judge has a browser of their own and votes in turn with the others; the
    later votes of the same judges come without one, to save time."""
    task = people_task(ada, daily_limit=None)
    systems = [system(task, ben, quality) for quality in range(1, SYSTEMS + 1)]
    sign_in(browser_context, ada)
    organizer = browser_context.new_page()
    campaign = set_up(organizer)
    address = campaign.get_absolute_url()
    assert browser_context.browser is not None
    base = "{0.scheme}://{0.netloc}".format(urlsplit(organizer.url))
    contexts = [browser_context.browser.new_context(base_url=base) for _ in range(5)]
    judges = [context.new_page() for context in contexts]
    for page in judges:
        page.goto(address)
        page.get_by_role("button", name="Begin").click()
    for number in range(BY_BROWSER):
        for page in judges:
            vote_by_key(page, number)
    assert Vote.objects.count() == 5 * BY_BROWSER
    change_the_last(judges[0], address)
    for context in contexts:
        go_on_without_a_browser(context, address)
        context.close()
    assert campaign.judges.count() == 5
    organizer.reload()
    assert len(CampaignVotes(campaign).counted_rows) > 120
    place = urlsplit(organizer.url).path
    assert complaints(organizer, place) == [] and too_wide(organizer, place) == []
    organizer.goto(place)
    pictured(organizer, "campaign")
    organizer.get_by_role("button", name="Put the votes on the board").click()
    expect(organizer.get_by_text("were taken in")).to_be_visible()
    run_all()
    rows = board(BoardQuery(campaign.phase, everything=True)).rows
    ranked = [int(row.system.split()[-1]) for row in rows if row.rank is not None]
    assert len(ranked) >= SYSTEMS - 3
    # The better half is above the other but for a few.
    assert sum(quality > 7 for quality in ranked[:7]) >= 6
    assert JudgedAnswer.objects.filter(submission=systems[0].pk).count() == 8
    organizer.goto("/tasks/signs/test/board/?everything=1")
    pictured(organizer, "board")
    closes = timezone.now() - timedelta(minutes=1)
    Phase.objects.filter(pk=campaign.phase_id).update(closes=closes)
    organizer.goto("/tasks/signs/organize/ranking/")
    organizer.get_by_role("link", name="Declare the final ranking").click()
    if len(ranked) < SYSTEMS:  # who won everything has no rating, and still waits
        organizer.get_by_label("The open matters stay as they are").check()
    organizer.get_by_role("button", name="Declare this ranking").click()
    expect(organizer.get_by_text("The final ranking is declared.")).to_be_visible()
    first = organizer.get_by_role("region", name="Ranking").locator("tbody tr").first
    expect(first).to_contain_text(f"{CANARY} {ranked[0]}")


def test_a_slider_and_steps_are_pages_for_everybody(
    page: Page, sandbox_inline: None, ada: User, ben: User
) -> None:
    task = people_task(ada, ["adequacy = mean(adequacy)", "fluency = mean(fluency)"])
    for quality in (1, 2):
        system(task, ben, quality)
    more: dict[str, Any] = {
        "questions": "adequacy: How much is there?\nfluency: How well is it said?",
        "steps": "nothing\nsome of it\neverything",
    }
    for kind in ("slider", "scale"):
        address = campaign_of(task, kind=kind, **more).get_absolute_url()
        page.goto(address)
        page.get_by_role("button", name="Begin").click()
        assert complaints(page, address) == [] and too_wide(page, address) == []
        page.goto(address)
        pictured(page, kind)
        if kind == "slider":
            for key in ("5", "ArrowRight"):
                page.keyboard.press(key)
            page.get_by_label("How well is it said?").first.fill("40")
            page.get_by_role("spinbutton").nth(1).fill("40")
            page.get_by_role("button", name="Save, and on").click()
        else:
            for key in ("2", "3", "Enter"):
                page.keyboard.press(key)
        expect(page.get_by_text("1 of 200 today")).to_be_visible()
    first, second = Vote.objects.order_by("pk").values_list("values", flat=True)
    assert first == {"adequacy": 51, "fluency": 40}
    assert second == {"adequacy": 2, "fluency": 3}


@pytest.mark.django_db(transaction=True)
def test_a_judge_marks_errors_by_selecting_words(
    browser_context: BrowserContext, sandbox_inline: None, ada: User, ben: User
) -> None:
    task = people_task(ada, MEASURES)
    for quality in (1, 2):
        system(task, ben, quality)
    campaign = campaign_of(task, **ESA)
    address = campaign.get_absolute_url()
    page = browser_context.new_page()
    page.goto(address)
    page.get_by_role("button", name="Begin").click()
    page.wait_for_load_state()
    pictured(page, "spans")
    assert complaints(page, address) == [] and too_wide(page, address) == []
    page.goto(address)
    page.wait_for_load_state()
    first = page.locator('[data-word="2"]').bounding_box()
    last = page.locator('[data-word="4"]').bounding_box()
    assert first is not None and last is not None
    middle = first["height"] / 2
    page.mouse.move(first["x"] + 2, first["y"] + middle)
    page.mouse.down()
    page.mouse.move(last["x"] + last["width"] / 2, last["y"] + middle, steps=5)
    page.mouse.up()
    row = page.get_by_role("group", name="Error 1")
    expect(row.get_by_label("First word")).to_have_value("2")
    expect(row.get_by_label("Last word")).to_have_value("4")
    expect(page.locator(".judging-marked")).to_have_count(3)
    row.get_by_label("Category").select_option("omission")
    row.get_by_label("Severity").select_option("major")
    page.get_by_role("spinbutton").fill("40")
    if PICTURES:
        pictured(page, "spans-marked")
    page.get_by_role("button", name="Save, and on").click()
    expect(page.get_by_text("1 of 200 today")).to_be_visible()
    assert Vote.objects.get().values == {
        "spans": [{"start": 2, "end": 4, "category": "omission", "severity": "major"}],
        "score": 40,
    }
