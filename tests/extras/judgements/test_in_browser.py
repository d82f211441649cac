"""Pages of judgements in a browser."""

from playwright.sync_api import BrowserContext

from leaderboard.teams.models import User
from tests.e2e.conftest import SignIn, sign_in, static_files
from tests.e2e.test_accessibility import complaints
from tests.extras.judgements.judged import judge
from tests.leaderboard.judged import UNITS, entry_of, judged_task, sent

__all__ = ["sign_in", "static_files"]


def test_axe_finds_nothing_on_pages_of_judgements(
    browser_context: BrowserContext,
    sign_in: SignIn,
    ada: User,
    ben: User,
) -> None:
    task = judged_task(ada)
    entry = entry_of(task, ben)
    judged, waits = (sent(task, entry, system=name) for name in ("one", "two"))
    lines = "".join(f"{unit},{j},{j},0\n" for unit in UNITS for j in (1, 2))
    judge(task.phases.get(), ada, f"id,judge,adequacy,errors\n{lines}", judged)
    urls = ["/tasks/judged/organize/judgements/test/", "/tasks/judged/organize/"]
    sign_in(browser_context, ada)
    page = browser_context.new_page()
    urls += [one.get_absolute_url() for one in (judged, waits)]
    assert {url: found for url in urls if (found := complaints(page, url))} == {}
