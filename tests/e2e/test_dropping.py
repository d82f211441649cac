"""Files dropped all at once find their places by their names."""

from playwright.sync_api import BrowserContext, expect

from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Participation
from leaderboard.teams.models import User
from tests.e2e.conftest import SignIn
from tests.leaderboard.small import both

FORM = "/tasks/otters/test/submit/"
DROP = """(zone, files) => {
  const box = new DataTransfer();
  for (const [name, text] of files) box.items.add(new File([text], name));
  const about = { dataTransfer: box, bubbles: true, cancelable: true };
  zone.dispatchEvent(new DragEvent("drop", about));
}"""


def test_dropped_files_find_their_fields_and_say_what_became_of_them(
    browser_context: BrowserContext, sign_in: SignIn, ben: User, entry: Participation
) -> None:
    sign_in(browser_context, ben)
    page = browser_context.new_page()
    page.goto(FORM)
    page.get_by_label("System name").fill("otter-1")
    good, bad = both()["south"].decode(), both()["north"].decode()
    bad = bad.replace("\t3\tnsubj", "\t9\tnsubj", 1)
    dropped = [["North_run7.conllu", bad], ["south.conllu", good], ["east.txt", "x"]]
    page.locator(".drop").evaluate(DROP, dropped)
    expect(page.locator(".misplaced")).to_contain_text("east.txt")
    expect(page.locator('.file-state[data-kind="ready"]')).to_have_count(2)
    chosen = page.locator(".file-state", has_text="south.conllu")
    expect(chosen).to_contain_text(f"south.conllu, {len(good)} bytes")
    page.get_by_role("button", name="Check and submit").click()
    expect(page.locator('.file-state[data-kind="wrong"]')).to_contain_text("North_run7")
    expect(page.locator('.file-state[data-kind="fine"]')).to_contain_text("south")
    expect(page.locator(".problems mark")).to_have_text("9")
    page.locator(".drop").evaluate(DROP, [["north.conllu", both()["north"].decode()]])
    page.get_by_role("button", name="Check and submit").click()
    page.wait_for_url("**/submissions/*-*/")
    assert Submission.objects.get().files.count() == 2
