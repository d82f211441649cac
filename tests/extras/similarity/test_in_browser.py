"""The probe report in a browser: axe, and not too wide."""

from playwright.sync_api import BrowserContext

from leaderboard.tasks.models import Phase
from leaderboard.teams.models import User
from tests.e2e.conftest import SignIn, sign_in, static_files
from tests.e2e.test_accessibility import complaints, too_wide

__all__ = ["sign_in", "static_files"]
REPORT = "/tasks/otters/organize/probes/"


def test_the_probe_report_is_a_page_for_everybody(
    browser_context: BrowserContext, sign_in: SignIn, phase: Phase, ada: User
) -> None:
    sign_in(browser_context, ada)
    page = browser_context.new_page()
    assert complaints(page, REPORT) == []
    assert too_wide(page, REPORT) == []
