"""The pages of merging teams in a browser: axe, and not too wide."""

from playwright.sync_api import BrowserContext

from leaderboard.tasks.models import Participation, Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.e2e.conftest import SignIn, sign_in, static_files
from tests.e2e.test_accessibility import complaints, too_wide

__all__ = ["sign_in", "static_files"]
ORGANIZE = "/tasks/otters/organize/people/merge/"


def test_the_pages_of_merging_are_fit_for_everybody(
    browser_context: BrowserContext,
    sign_in: SignIn,
    phase: Phase,
    entry: Participation,
    ada: User,
) -> None:
    phase.daily_limit = 2
    phase.save()
    other = join(phase.task, Team.found("Adas", ada))
    sign_in(browser_context, ada)
    page = browser_context.new_page()
    numbers = f"{ORGANIZE}?stays={entry.pk}&leaves={other.pk}"
    pages = [ORGANIZE, numbers]
    assert {url: found for url in pages if (found := complaints(page, url))} == {}
    assert {url: wide for url in pages if (wide := too_wide(page, url))} == {}
