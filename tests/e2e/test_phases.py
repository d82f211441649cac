"""An organizer adds a phase in the browser and moves its end; times are the zone's."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, expect

from leaderboard.tasks.models import Notice, Participation, Phase, Task
from leaderboard.teams.models import User
from tests.e2e.test_accessibility import complaints, violations

SignIn = Callable[[BrowserContext, User], None]
LIST = "/tasks/otters/organize/phases/"


def test_a_phase_is_added_mended_and_its_end_moved_in_public(
    page: Page, task: Task, ada: User, sign_in: SignIn
) -> None:
    sign_in(page.context, ada)
    page.goto(LIST)
    page.get_by_role("link", name="Add a phase").click()
    page.get_by_label("Title").fill("Final")
    page.get_by_label("Name in addresses").fill("final")
    page.get_by_label("Time zone").select_option("Europe/Berlin")
    page.get_by_label("Opens", exact=True).fill("2020-01-01T12:00")
    page.get_by_label("Closes", exact=True).fill("2031-10-26T02:30")
    page.get_by_role("button", name="Save").click()
    page.get_by_label("Closes: which of the two").wait_for()
    expect(page.get_by_role("alert")).to_contain_text("comes twice")
    page.get_by_label("Closes: which of the two").select_option("1")
    page.get_by_role("button", name="Save").click()
    page.wait_for_url(f"**{LIST}")
    expect(page.locator(".phase-list > li").nth(1)).to_contain_text(
        "26 Oct 2031, 02:30 CET (Europe/Berlin)"
    )
    final = Phase.objects.get(name="final")
    assert final.closes == datetime(2031, 10, 26, 1, 30, tzinfo=UTC)
    page.get_by_role("link", name="Deadline · Final").click()
    page.get_by_label("New end").fill("2031-10-28T12:00")
    page.get_by_label("Public note").fill("A holiday.")
    page.get_by_role("button", name="Move the end").click()
    expect(page.get_by_text("The end is moved")).to_be_visible()
    assert Notice.objects.get().text.endswith("A holiday.")


def test_a_pause_is_seen_by_participants_and_ends(
    page: Page, phase: Phase, entry: Participation, ada: User, sign_in: SignIn
) -> None:
    sign_in(page.context, ada)
    page.goto(LIST)
    page.get_by_label("Pause, with a note to participants").fill("Back soon.")
    page.get_by_role("button", name="Pause · Test").click()
    page.goto("/tasks/otters/")
    expect(page.get_by_text("Back soon.")).to_be_visible()
    page.goto(LIST)
    page.get_by_role("button", name="Go on · Test").click()
    page.wait_for_url(f"**{LIST}")
    expect(page.get_by_text("teams can submit again")).to_be_visible()
    phase.refresh_from_db()
    assert not phase.paused


def test_readers_elsewhere_see_the_zone_of_the_phase_and_their_own(
    browser: Browser, live_server: Any, phase: Phase
) -> None:
    phase.time_zone = "Europe/Berlin"
    phase.closes = datetime(2031, 10, 26, 1, 30, tzinfo=UTC)
    phase.save()
    seen = {}
    for zone in ("Asia/Tokyo", "Europe/Paris"):
        context = browser.new_context(base_url=live_server.url, timezone_id=zone)
        page = context.new_page()
        page.goto("/tasks/otters/")
        expect(page.locator("time[data-clock]")).to_have_count(0)
        seen[zone] = page.locator(".phases time").nth(1).inner_text()
        context.close()
    assert "26 Oct 2031, 02:30 CET (Europe/Berlin)" in seen["Europe/Paris"]
    assert "your clock" not in seen["Europe/Paris"], "the clocks agree"
    assert "your clock: 26 Oct 2031, 10:30" in seen["Asia/Tokyo"]


PAGES = (
    LIST,
    LIST + "new/",
    LIST + "test/edit/",
    LIST + "test/deadline/",
)


def test_axe_finds_nothing_on_pages_of_phases(
    browser_context: BrowserContext, sign_in: SignIn, phase: Phase, ada: User
) -> None:
    """The page that asks for a confirmation among them."""
    sign_in(browser_context, ada)
    page = browser_context.new_page()
    assert {url: found for url in PAGES if (found := complaints(page, url))} == {}
    page.goto(LIST + "test/edit/")
    page.get_by_label("Open to").select_option("organizers")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("What these changes do")).to_be_visible()
    assert violations(page) == []
