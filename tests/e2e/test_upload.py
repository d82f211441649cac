"""The upload form in a browser: lost patience, large files, no scripts."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import LazySettings
from playwright.sync_api import BrowserContext, Page, Request, Route, expect

from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Participation
from leaderboard.teams.models import User
from tests.e2e.conftest import SignIn
from tests.leaderboard.small import both

FORM = "/tasks/otters/test/submit/"
MEGABYTE = 1024 * 1024


@pytest.fixture
def form(
    browser_context: BrowserContext, sign_in: SignIn, ben: User, entry: Participation
) -> Page:
    """The filled upload form, ready to be sent."""
    sign_in(browser_context, ben)
    page = browser_context.new_page()
    page.goto(FORM)
    fill(page)
    return page


def fill(page: Page) -> None:
    page.get_by_label("System name").fill("otter-1")
    page.get_by_label("Notes on the system").fill("Counts stones.")
    for title, data in (("North", both()["north"]), ("South", both()["south"])):
        file = {"name": f"{title}.conllu", "mimeType": "text/plain", "buffer": data}
        page.get_by_label(title).set_input_files(files=[file])


def test_a_double_click_is_one_submission_and_its_page_is_loaded_once(
    form: Page,
) -> None:
    loaded: list[str] = []

    def note(request: Request) -> None:
        """The page asks for its own state under the same path, too."""
        if request.is_navigation_request():
            loaded.append(urlsplit(request.url).path)

    form.on("request", note)
    form.get_by_role("button", name="Check and submit").dblclick()
    form.wait_for_url("**/submissions/*-*/")
    assert loaded.count(Submission.objects.get().get_absolute_url()) == 1


def test_a_page_that_the_back_button_thaws_is_loaded_anew(form: Page) -> None:
    """It was frozen while it sent: its button is off and its key is used."""
    key = form.locator("[name=key]")
    before = key.input_value()
    thawed = "dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))"
    with form.expect_navigation():
        form.evaluate(thawed)
    assert key.input_value() != before
    assert key.get_attribute("autocomplete") == "off"


@pytest.mark.in_process
def test_a_file_over_the_limit_is_not_sent(
    form: Page, settings: LazySettings, live_server: Any
) -> None:
    settings.UPLOAD_BYTES = MEGABYTE
    form.goto(FORM)
    fill(form)
    large = {"name": "l.conllu", "mimeType": "text/plain", "buffer": b"x" * MEGABYTE}
    large["buffer"] += b"x"
    form.get_by_label("North").set_input_files(files=[large])
    sent: list[str] = []
    form.on("request", lambda request: sent.append(request.method))
    form.get_by_role("button", name="Check and submit").click()
    expect(form.get_by_text("larger than 1 MB")).to_be_visible()
    expect(form.get_by_label("North")).to_be_focused()
    assert sent == []


def test_a_broken_connection_keeps_the_form_and_counts_once(form: Page) -> None:
    form.route(f"**{FORM}", lambda route: route.abort())
    button = form.get_by_role("button", name="Check and submit")
    button.click()
    expect(form.get_by_text("The connection was lost")).to_be_visible()
    form.unroute(f"**{FORM}")
    button.click()
    form.wait_for_url("**/submissions/*-*/")
    assert Submission.objects.get().description == "Counts stones."


def test_an_upload_whose_answer_was_lost_is_sent_again_and_counts_once(
    form: Page,
) -> None:
    tries: list[str] = []

    def lose_the_first(route: Route) -> None:
        tries.append(route.request.method)
        if len(tries) == 1:
            route.fetch(max_redirects=0)
            route.abort()
        else:
            route.continue_()

    form.route(f"**{FORM}", lose_the_first)
    form.get_by_role("button", name="Check and submit").click()
    form.wait_for_url("**/submissions/*-*/")
    assert tries == ["POST", "POST"]
    assert Submission.objects.count() == 1


@pytest.mark.parametrize("lost", ["sessionid", None])
def test_whoever_was_signed_out_meanwhile_signs_in_elsewhere_and_sends(
    form: Page, sign_in: SignIn, ben: User, lost: str | None
) -> None:
    """Also with the token of the form, which signing out leaves."""
    form.context.clear_cookies(name=lost)
    button = form.get_by_role("button", name="Check and submit")
    button.click()
    expect(form.get_by_text("You have been signed out")).to_be_visible()
    expect(form.get_by_label("Notes on the system")).to_have_value("Counts stones.")
    with form.context.expect_page() as other:
        form.get_by_role("main").get_by_role("link", name="Sign in").click()
    expect(other.value.get_by_role("button", name="Sign in")).to_be_visible()
    sign_in(form.context, ben)
    button.click()
    form.wait_for_url("**/submissions/*-*/")
    assert Submission.objects.get().description == "Counts stones."


def test_whoever_is_in_no_team_any_more_is_told_so(
    form: Page, entry: Participation, ben: User
) -> None:
    """The script took the sentence in, and loaded the page anew without it."""
    entry.team.memberships.all().delete()
    ben.participants.all().delete()
    form.get_by_role("button", name="Check and submit").click()
    expect(form.get_by_text("Join the task with a team first")).to_be_visible()
    expect(form.get_by_label("Name of the new team")).to_be_visible()
    assert urlsplit(form.url).path == "/tasks/otters/join/"


def test_the_form_counts_down_to_the_end(form: Page) -> None:
    expect(
        form.locator("dd", has_text="in ").locator(".countdown").first
    ).to_be_visible()


def test_a_second_try_keeps_the_files_that_were_fine(form: Page) -> None:
    broken = {"name": "bad.conllu", "mimeType": "text/plain", "buffer": b"nothing\n"}
    form.get_by_label("North").set_input_files(files=[broken])
    form.get_by_role("button", name="Check and submit").click()
    expect(form.get_by_role("alert")).to_contain_text("bad.conllu")
    kept = "node => node.files[0]?.name"
    assert form.get_by_label("South").evaluate(kept) == "South.conllu"
    expect(form.get_by_label("Notes on the system")).to_have_value("Counts stones.")


def test_it_works_without_scripts(
    scriptless: BrowserContext, sign_in: SignIn, ben: User, entry: Participation
) -> None:
    sign_in(scriptless, ben)
    page = scriptless.new_page()
    page.goto(FORM)
    fill(page)
    page.get_by_role("button", name="Check and submit").click()
    expect(page.get_by_role("heading", name="otter-1")).to_be_visible()


def test_files_are_checked_without_being_sent_and_stay_chosen(form: Page) -> None:
    form.get_by_role("button", name="Check only").click()
    expect(form.get_by_role("heading", name="The file can be scored")).to_be_visible()
    expect(form.locator(".file-state[data-kind=fine]")).to_have_count(2)
    assert not Submission.objects.exists()
    form.get_by_role("button", name="Check and submit").click()
    form.wait_for_url("**/submissions/*-*/")
    assert Submission.objects.get().system == "otter-1"


def test_a_check_whose_connection_breaks_sends_nothing_later(form: Page) -> None:
    """What is sent again by itself is a check again."""
    bodies: list[str] = []

    def fail_once(route: Route) -> None:
        bodies.append(route.request.post_data or "")
        route.abort() if len(bodies) == 1 else route.continue_()

    form.route(f"**{FORM}", fail_once)
    form.get_by_role("button", name="Check only").click()
    expect(form.get_by_role("heading", name="The file can be scored")).to_be_visible()
    assert len(bodies) == 2 and all('name="only"' in body for body in bodies)
    assert not Submission.objects.exists()
