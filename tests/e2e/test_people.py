"""A team asks to take part, is admitted, and an organizer joins: in a browser."""

import re

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from leaderboard.mail import outbox
from leaderboard.organize import messages
from leaderboard.tasks.models import Message, Organizer, Participation, Phase, Task
from leaderboard.teams.models import User
from tests.e2e.conftest import SignIn
from tests.e2e.newcomer import last_letter
from tests.e2e.test_accessibility import faults
from tests.leaderboard.small import both, scored
from tests.waiting import wait_until

PEOPLE = "/tasks/otters/organize/people/"
PAGES = (
    PEOPLE,
    f"{PEOPLE}?status=refused",
    f"{PEOPLE}rules/",
    "/tasks/otters/organize/organizers/",
    "/tasks/otters/organize/messages/",
    "/tasks/otters/organize/messages/new/",
    "/tasks/otters/organize/history/",
    "/accounts/messages/",
)


@pytest.fixture
def cy(live_server: object) -> User:
    return User.objects.create_user("cy@example.org", "x", name="cy")


@pytest.fixture
def ada_at(browser_context: BrowserContext, sign_in: SignIn, ada: User) -> Page:
    """A window in which ada is signed in."""
    sign_in(browser_context, ada)
    return browser_context.new_page()


def test_a_team_waits_is_admitted_and_then_sends(
    browser: Browser, ada_at: Page, sign_in: SignIn, cy: User, task: Task
) -> None:
    ada_at.goto(f"{PEOPLE}rules/")
    ada_at.get_by_label("Who may take part").select_option("approval")
    ada_at.get_by_role("button", name="Keep").click()

    with browser.new_context(base_url=ada_at.url.partition("/tasks")[0]) as theirs:
        sign_in(theirs, cy)
        page = theirs.new_page()
        page.goto("/tasks/otters/")
        expect(page.get_by_text("An organizer admits each team.")).to_be_visible()
        page.get_by_role("link", name="Join with a team").click()
        page.get_by_label("Name of the new team").fill("Cys")
        page.get_by_role("button", name="Join").click()
        expect(page.get_by_text("waits for the organizers").first).to_be_visible()

        ada_at.goto(PEOPLE)
        ada_at.get_by_role("button", name="Admit Cys").click()
        expect(ada_at.get_by_role("cell", name="Takes part")).to_be_visible()

        page.goto("/tasks/otters/test/submit/")
        expect(page.get_by_role("button", name="Check and submit")).to_be_visible()
    ada_at.goto("/tasks/otters/organize/history/?kind=participation")
    line = ada_at.get_by_role("listitem").filter(has_text="Participation changed")
    expect(line.first).to_contain_text("Waits for admission")
    expect(line.first).to_contain_text("ada@example.org")


def test_a_team_is_disqualified_with_a_reason_and_reinstated(
    ada_at: Page, phase: Phase, entry: Participation
) -> None:
    scored(phase, entry, both())
    ada_at.goto(PEOPLE)
    ada_at.get_by_role("link", name="Bens").click()
    ada_at.get_by_role("button", name="Disqualify", exact=True).click()
    expect(ada_at.get_by_role("alert")).to_contain_text("Say why")
    ada_at.get_by_label("Reason").first.fill("Copied from the test set.")
    ada_at.get_by_role("button", name="Disqualify", exact=True).click()
    expect(ada_at.get_by_text("The team is told by mail")).to_be_visible()
    ada_at.goto("/tasks/otters/test/board/")
    expect(ada_at.get_by_text("Bens")).to_have_count(0)
    ada_at.goto(f"{PEOPLE}{entry.pk}/")
    ada_at.get_by_role("button", name="Reinstate").click()
    wait_until(lambda: is_on_board(ada_at, "Bens"), 60, "the board is rendered anew")


def is_on_board(page: Page, team: str) -> bool:
    page.goto("/tasks/otters/test/board/")
    return page.get_by_text(team).count() > 0


def test_an_invited_person_signs_up_and_organizes(
    browser: Browser, ada_at: Page, task: Task
) -> None:
    ada_at.goto("/tasks/otters/organize/organizers/")
    ada_at.get_by_label("Mail address").fill("dee@example.org")
    ada_at.get_by_label("Role", exact=True).select_option("reviewer")
    ada_at.get_by_role("button", name="Send the invitation").click()
    expect(ada_at.get_by_text("The invitation is on its way")).to_be_visible()
    found = re.search(r"/invitations/\S+", last_letter())
    assert found
    with browser.new_context(base_url=ada_at.url.partition("/tasks")[0]) as theirs:
        page = theirs.new_page()
        page.goto(found[0])
        page.get_by_role("main").get_by_role("link", name="Sign up").click()
        page.get_by_label("Your name").fill("Dee")
        page.get_by_label("Email").fill("dee@example.org")
        page.get_by_label("Password", exact=True).fill("rain-over-the-river")
        page.get_by_label("Password (again)").fill("rain-over-the-river")
        page.get_by_role("main").get_by_role("button", name="Sign up").click()
        page.get_by_role("button", name="Accept").click()
        expect(page.get_by_role("heading", name="Status")).to_be_visible()
    assert Organizer.objects.get(user__email="dee@example.org").role == "reviewer"


def test_a_letter_is_shown_before_it_is_sent(
    ada_at: Page, entry: Participation
) -> None:
    ada_at.goto("/tasks/otters/organize/messages/new/")
    ada_at.get_by_label("Subject").fill("New data")
    ada_at.get_by_label("Text").fill("They are\nhere.")
    ada_at.get_by_role("button", name="Preview").click()
    expect(ada_at.get_by_text("[Otter Parsing] New data")).to_be_visible()
    ada_at.get_by_role("button", name="Change it").click()
    expect(ada_at.get_by_label("Text")).to_have_value("They are\nhere.")
    ada_at.get_by_role("button", name="Preview").click()
    ada_at.get_by_role("button", name="Send").click()
    expect(ada_at.get_by_text("On its way to 1 person")).to_be_visible()
    outbox.send("message")
    ada_at.reload()
    expect(ada_at.get_by_role("cell", name="1 of 1")).to_be_visible()


def test_the_pages_of_people_are_fit_for_everybody(
    ada_at: Page, phase: Phase, entry: Participation, ada: User
) -> None:
    phase.daily_limit = 2
    phase.save()
    scored(phase, entry, both())
    messages.write_message(Message(task=phase.task, subject="x", text="y", by=ada))
    pages = [*PAGES, f"{PEOPLE}{entry.pk}/"]
    assert {url: found for url in pages if (found := faults(ada_at, url))} == {}


def test_the_page_of_ones_team_is_fit_for_everybody(
    browser_context: BrowserContext, sign_in: SignIn, ben: User, entry: Participation
) -> None:
    sign_in(browser_context, ben)
    page = browser_context.new_page()
    assert faults(page, "/tasks/otters/team/") == []
