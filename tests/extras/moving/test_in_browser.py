"""Pages of tasks that move here in a browser: axe, and not too wide."""

from playwright.sync_api import BrowserContext

from leaderboard.extras.moving.models import ImportReport
from leaderboard.extras.moving.report import remark
from leaderboard.tasks.models import Phase
from leaderboard.teams.models import User
from tests.e2e.conftest import SignIn, sign_in, static_files
from tests.e2e.test_accessibility import complaints, too_wide

__all__ = ["sign_in", "static_files"]
PAGE = "/tasks/otters/organize/past-submissions/"


def test_the_list_of_past_submissions_is_a_page_for_everybody(
    browser_context: BrowserContext, sign_in: SignIn, phase: Phase, ada: User
) -> None:
    sign_in(browser_context, ada)
    page = browser_context.new_page()
    assert complaints(page, PAGE) == []
    assert too_wide(page, PAGE) == []


def test_the_import_report_is_a_page_for_everybody(
    browser_context: BrowserContext, sign_in: SignIn, phase: Phase, ada: User
) -> None:
    remarks = [remark("docker", image="a/b:1"), remark("title", title="Otters")]
    rows = [one.row() for one in remarks]
    ImportReport.objects.create(task=phase.task, remarks=rows)
    sign_in(browser_context, ada)
    page = browser_context.new_page()
    address = "/tasks/otters/organize/import-report/"
    assert complaints(page, address) == []
    assert too_wide(page, address) == []
