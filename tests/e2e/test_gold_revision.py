"""An organizer mends the gold in a browser: upload, progress, preview, live."""

from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from leaderboard.submissions import dispatch, evaluation
from leaderboard.submissions.models import Evaluation
from leaderboard.tasks.models import Participation, Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.e2e.conftest import SignIn, with_genres
from tests.leaderboard.small import both, one_wrong, perfect, scored

pytestmark = pytest.mark.usefixtures("no_queue")

GOLD = "/tasks/otters/organize/gold/"
NOTE = "The first word of sentence s1 had a wrong head."


@pytest.fixture
def board(phase: Phase, entry: Participation, live_server: Any) -> Phase:
    """Bens first, Cys second; by the mended gold it is the other way round."""
    cy = User.objects.create_user("cy@example.org", "x", name="cy")
    scored(phase, entry, both())
    other = join(phase.task, Team.found("Cys", cy))
    scored(phase, other, both({"north": one_wrong()}), system="otter-2")
    return phase


def score(number: int) -> None:
    ready = Evaluation.objects.ready()
    for pk in dispatch.in_turn(ready, number, count_hints=False):
        assert evaluation.run(pk)


def choose(page: Page, title: str, data: bytes) -> None:
    file = {"name": f"{title}.conllu", "mimeType": "text/plain", "buffer": data}
    page.get_by_label(title).set_input_files(files=[file])


def test_from_a_mistake_in_the_gold_to_a_board_that_is_right(
    browser_context: BrowserContext, sign_in: SignIn, ada: User, board: Phase
) -> None:
    sign_in(browser_context, ada)
    page = browser_context.new_page()
    page.goto(f"{GOLD}new/")
    choose(page, "North", with_genres(perfect()).replace(b"\t2\tdet", b"\tx\tdet"))
    page.get_by_role("button", name="Check and prepare").click()
    expect(page.get_by_role("alert")).to_contain_text("HEAD is 'x'")
    choose(page, "North", with_genres(one_wrong()))
    page.get_by_label("Public note").fill(NOTE)
    page.get_by_role("button", name="Check and prepare").click()
    expect(page.get_by_text("0 of 2 submissions are through")).to_be_visible()
    score(1)
    expect(page.get_by_text("1 of 2 submissions are through")).to_be_visible()
    score(1)
    # The page asks by itself, and then offers what can be done.
    page.get_by_role("link", name="Preview the changes").click()
    expect(page.get_by_role("row", name="Cys")).to_contain_text("+6.25")
    expect(page.get_by_role("row", name="Bens")).to_contain_text("\u22126.25")
    page.go_back()
    page.get_by_role("button", name="Make this revision live").click()
    expect(page.get_by_role("status").first).to_contain_text("Gold revision 2 is live.")
    page.goto("/tasks/otters/test/board/")
    first = page.get_by_role("region", name="Ranking").locator("tbody tr").first
    expect(first).to_contain_text("Cys")
    expect(first).to_contain_text("100.00")
    expect(page.get_by_text(NOTE)).to_be_visible()
    page.get_by_role("link", name="Version 1").click()
    expect(page.get_by_text("as it was before")).to_be_visible()
    expect(first).to_contain_text("Bens")


def test_without_scripts_a_link_looks_again(
    scriptless: BrowserContext, sign_in: SignIn, ada: User, board: Phase
) -> None:
    sign_in(scriptless, ada)
    page = scriptless.new_page()
    page.goto(f"{GOLD}new/")
    choose(page, "North", with_genres(one_wrong()))
    page.get_by_role("button", name="Check and prepare").click()
    expect(page.get_by_text("0 of 2 submissions are through")).to_be_visible()
    score(2)
    page.get_by_role("link", name="Look again").click()
    expect(page.get_by_text("2 of 2 submissions are through")).to_be_visible()
    page.get_by_label("Public note").fill(NOTE)
    page.get_by_role("button", name="Make this revision live").click()
    expect(page.get_by_text("Gold revision 2 is live.")).to_be_visible()
