"""The pages of tokens and of the API in a browser: axe, and no page too wide."""

from playwright.sync_api import BrowserContext

from leaderboard.teams.models import User
from tests.e2e.conftest import SignIn, sign_in, static_files
from tests.e2e.test_accessibility import complaints, too_wide

__all__ = ["sign_in", "static_files"]


def test_tokens_and_the_api_are_pages_for_everybody(
    browser_context: BrowserContext, sign_in: SignIn, ben: User
) -> None:
    sign_in(browser_context, ben)
    page = browser_context.new_page()
    page.goto("/accounts/tokens/")
    page.get_by_label("Name").fill("cluster")
    page.get_by_label("Submit, withdraw and choose for your teams").check()
    page.get_by_role("button", name="Make a token").click()
    assert page.locator("#new-token").inner_text().startswith("plb_")
    for url in ("/accounts/tokens/", "/api/docs/"):
        assert complaints(page, url) == []
        assert too_wide(page, url) == []
