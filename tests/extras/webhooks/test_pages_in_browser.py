"""The pages of webhooks in a browser: axe, and no page too wide."""

from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext

from leaderboard.teams.models import User
from tests.e2e.conftest import SignIn, sign_in, static_files
from tests.e2e.test_accessibility import complaints, too_wide

__all__ = ["sign_in", "static_files"]


def test_webhooks_are_pages_for_everybody(
    browser_context: BrowserContext, sign_in: SignIn, ben: User
) -> None:
    sign_in(browser_context, ben)
    page = browser_context.new_page()
    page.goto("/accounts/webhooks/")
    page.get_by_label("Address").fill("https://hooks.example.org/otters")
    page.get_by_label("A board changed").check()
    page.get_by_role("button", name="Add a webhook").click()
    assert page.locator("#new-secret").inner_text().startswith("whsec_")
    page.get_by_role("link", name="Send a test").click()
    page.get_by_role("button", name="Send a test").click()
    page.get_by_text("Request and response").click()
    assert "webhook.test" in page.locator("details pre").inner_text()
    one = urlsplit(page.url).path
    for url in ("/accounts/webhooks/", one):
        assert complaints(page, url) == []
        assert too_wide(page, url) == []
