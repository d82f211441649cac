"""From sign-up to a ranked row, clicked through in a browser, scored by a worker."""

import pytest
from playwright.sync_api import Locator, Page, expect

from leaderboard.tasks.models import Phase, Task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.e2e.newcomer import Newcomer
from tests.leaderboard.small import HEADS, RELATIONS, both, conllu, one_wrong, scored
from tests.worker import Worker

# Right heads, but in each test set two labels of eight wrong.
MISLABELLED = {
    name: conllu(heads, ("det", "det", "det", *RELATIONS[3:])).encode()
    for name, heads in HEADS.items()
}

COUNT_CLICKS = """addEventListener("click", (event) => {
  if (event.isTrusted) localStorage.clicks = Number(localStorage.clicks || 0) + 1;
}, true)"""


@pytest.fixture
def rivals(phase: Phase, ada: User) -> None:
    """A team with better heads and worse labels than the one that uploads."""
    scored(phase, join(phase.task, Team.found("Rivals", ada)), MISLABELLED)


@pytest.fixture
def errors(page: Page) -> list[str]:
    """Errors of the console, but for answers that say no on purpose."""
    found: list[str] = []

    def note(message: object) -> None:
        text = getattr(message, "text", "")
        if getattr(message, "type", "") == "error" and "422" not in text:
            found.append(text)

    page.on("console", note)
    return found


@pytest.mark.main_path
def test_from_sign_up_to_a_ranked_row(
    task: Task, rivals: None, worker: Worker, page: Page, errors: list[str]
) -> None:
    Newcomer(page).sign_up()
    take_part(page, task)
    send_a_broken_file(page)
    with worker.paused():  # or it is scored before the page is there
        send_a_good_file(page)
        page.evaluate("window.stayed = true")
    watch_it_being_scored(page)
    find_it_on_the_board(page)
    sort_by_another_measure(page)
    assert errors == []


def take_part(page: Page, task: Task) -> None:
    page.get_by_role("link", name=task.title, exact=True).click()
    page.get_by_role("link", name="Join with a team").click()
    page.get_by_label("Name of the new team").fill("Stone Carriers")
    page.get_by_role("button", name="Join").click()
    expect(page.get_by_text("You take part as Stone Carriers").first).to_be_visible()
    page.get_by_role("link", name="Submit to Test").click()


def send_a_broken_file(page: Page) -> None:
    page.get_by_label("System name").fill("carrier-1")
    lines = one_wrong().split(b"\n")
    lines[2] = b"two columns\tonly"
    choose(page, "North", "broken.conllu", b"\n".join(lines))
    page.get_by_role("button", name="Check and submit").click()
    problem = page.get_by_role("row").filter(has_text="broken.conllu")
    expect(problem.get_by_role("cell").nth(1)).to_have_text("3")
    expect(page.get_by_label("System name")).to_have_value("carrier-1")


def send_a_good_file(page: Page) -> None:
    choose(page, "North", "north.conllu", one_wrong())
    choose(page, "South", "south.conllu", both()["south"])
    page.get_by_role("button", name="Check and submit").click()
    page.wait_for_url("**/submissions/*-*/")


def choose(page: Page, label: str, name: str, data: bytes) -> None:
    file = {"name": name, "mimeType": "text/plain", "buffer": data}
    page.get_by_label(label).set_input_files(files=[file])


def watch_it_being_scored(page: Page) -> None:
    status = page.locator("#status")
    expect(status.get_by_text("Scored", exact=True)).to_be_visible()
    # 7 of 8 in one test set, all in the other.
    expect(status.locator(".headline")).to_contain_text("93.75")
    expect(page.locator("#announcer")).to_contain_text("Scored")
    assert page.evaluate("window.stayed"), "the page was loaded again"


def find_it_on_the_board(page: Page) -> None:
    page.get_by_role("main").get_by_role("link", name="Board").last.click()
    mine = row_of(page, "Stone Carriers")
    expect(mine.locator(".rank")).to_contain_text("1")
    expect(mine).to_contain_text("93.75")
    expect(mine.locator(".interval").filter(has_text="[").first).to_be_visible()
    expect(mine.locator("svg.bar .bar-range")).to_be_visible()
    page.get_by_role("link", name="Charts", exact=True).click()
    chart = page.get_by_role("img", name="LAS of each system")
    expect(chart.locator(".mark").first).to_be_visible()
    page.go_back()


def sort_by_another_measure(page: Page) -> None:
    page.evaluate("window.stayed = true")
    page.get_by_role("columnheader", name="UAS").get_by_role("link").click()
    first = page.get_by_role("row").nth(1)
    expect(first).to_contain_text("Rivals")
    expect(page.get_by_role("columnheader", name="UAS")).to_have_attribute(
        "aria-sort", "descending"
    )
    expect(page.get_by_role("link", name="UAS")).to_be_focused()
    expect(page.locator("#announcer")).to_contain_text("Ranked by UAS")
    assert "measure=uas" in page.url
    assert page.evaluate("window.stayed"), "the page was loaded again"


def row_of(page: Page, team: str) -> Locator:
    return page.get_by_role("row").filter(has_text=team)


def test_a_newcomer_is_ranked_after_nine_clicks(
    task: Task, phase: Phase, worker: Worker, page: Page
) -> None:
    """In the pages, and one in the system's dialog of files. Confirming an address by
    mail, where a site asks for it, and the starting kit come on top."""
    page.add_init_script(COUNT_CLICKS)
    page.goto("/")
    page.get_by_role("link", name=task.title, exact=True).click()
    page.get_by_role("link", name="Sign up", exact=True).click()
    page.get_by_label("Your name").fill("Cy")
    page.get_by_label("Email").fill("cy@example.org")
    page.get_by_label("Password", exact=True).fill("stones-in-the-river")
    page.get_by_label("Password (again)").fill("stones-in-the-river")
    page.get_by_role("main").get_by_role("button", name="Sign up").click()
    page.get_by_role("link", name="Join with a team").click()
    page.get_by_label("Name of the new team").fill("Stone Carriers")
    page.get_by_role("button", name="Join").click()
    page.get_by_role("link", name="Submit to Test").click()
    page.get_by_label("System name").fill("carrier-1")
    with page.expect_file_chooser() as dialog:
        page.get_by_label("North").click()
    file = {"name": "north.conllu", "mimeType": "text/plain", "buffer": one_wrong()}
    dialog.value.set_files(files=[file])
    page.get_by_role("button", name="Check and submit").click()
    page.wait_for_url("**/submissions/*-*/")
    expect(page.get_by_text("Rank 1 of 1")).to_be_visible()
    assert page.evaluate("Number(localStorage.clicks)") + 1 <= 9
