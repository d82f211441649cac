"""A new organizer's walk: from the example bundle, and from an empty form."""

import time
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from scoring.formats.bundle import zip_files
from scoring.source import Source
from tests.e2e.conftest import SignIn
from tests.leaderboard.small import conllu, perfect
from tests.worker import Worker

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "harbour-log"
LONGEST = 10 * 60  # seconds
BROKEN = perfect().replace(b"\t2\tdet", b"\t9\tdet")


@pytest.fixture
def organizer(sign_in: SignIn, browser_context: BrowserContext, ada: User) -> User:
    sign_in(browser_context, ada)
    return ada


def test_from_the_example_bundle_to_a_board_with_its_baseline(
    organizer: User, worker: Worker, page: Page, capsys: pytest.CaptureFixture[str]
) -> None:
    began = time.monotonic()
    upload_the_example(page)
    run_the_check(page)
    edit_a_phase(page)
    publish(page)
    see_the_baseline_on_the_board(page)
    took = time.monotonic() - began
    with capsys.disabled():
        print(f"\nfrom the bundle to the board in {took:.1f} s")
    assert took < LONGEST


def upload_the_example(page: Page) -> None:
    bundle = zip_files("harbour-log.zip", Source.of_path(EXAMPLE).files)
    page.goto("/")
    page.get_by_role("link", name="Organize a task").click()
    page.get_by_label("Task bundle").set_input_files(
        {"name": bundle.name, "mimeType": "application/zip", "buffer": bundle.single()}
    )
    page.get_by_role("button", name="Check and create").click()
    expect(page.get_by_role("heading", name="Status")).to_be_visible()
    expect(page.get_by_text("only its organizers see it")).to_be_visible()


def run_the_check(page: Page) -> None:
    page.locator(".side summary", has_text="Phases").click()
    page.get_by_role("link", name="Check and publish", exact=True).click()
    page.get_by_role("button", name="Run the check").click()
    expect(page.get_by_text("The check passed.")).to_be_visible()
    harbour = page.get_by_role("region", name="Harbour entries")
    for system in ("The gold itself", "one answer in ten wrong", "capital-letters"):
        expect(harbour.get_by_role("row").filter(has_text=system)).to_be_visible()
    expect(page.get_by_text("is refused:").first).to_be_visible()
    expect(page.get_by_text("to be told apart").first).to_be_visible()


def edit_a_phase(page: Page) -> None:
    page.get_by_role("link", name="Phases", exact=True).click()
    page.get_by_role("link", name="Edit · Test").click()
    page.get_by_label("Title").fill("Final test")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("link", name="Edit · Final test")).to_be_visible()


def publish(page: Page) -> None:
    page.get_by_role("link", name="Check and publish", exact=True).click()
    page.get_by_role("button", name="Check and publish").click()
    expect(page.get_by_text("The task is published.")).to_be_visible()


def see_the_baseline_on_the_board(page: Page) -> None:
    page.locator(".side summary", has_text="Scoring").click()
    page.get_by_role("link", name="Baselines", exact=True).click()
    rows = page.get_by_role("row").filter(has_text="capital-letters")
    expect(rows).to_have_count(2)
    for number in range(2):
        scored = rows.nth(number).get_by_text("Scored")
        reload_until_visible(page, scored)
    page.goto("/tasks/harbour-log/practice/board/")
    board = page.get_by_role("row").filter(has_text="capital-letters")
    expect(board.first).to_be_visible()
    expect(board.first).to_contain_text("baseline", ignore_case=True)


def reload_until_visible(page: Page, wanted: object, patience: float = 180) -> None:
    deadline = time.monotonic() + patience
    while not wanted.is_visible():  # type: ignore[attr-defined]
        assert time.monotonic() < deadline, "not scored in time"
        page.reload()


def test_a_task_from_an_empty_form(organizer: User, page: Page) -> None:
    page.goto("/tasks/new/")
    page.get_by_label("Scorer").select_option("attachment")
    page.get_by_role("button", name="Begin a draft").click()
    page.get_by_label("Title").fill("Otter Trees")
    page.get_by_label("Address").fill("otter-trees")
    page.get_by_label("LAS (las)", exact=True).check()
    page.get_by_label("More, one a line").fill("nothing")
    page.get_by_role("button", name="Create the draft").click()
    expect(page.get_by_role("alert")).to_contain_text("There is no measure “nothing”")
    page.get_by_label("UAS (uas)", exact=True).check()
    page.get_by_label("More, one a line").fill("")
    page.get_by_role("button", name="Create the draft").click()
    add_a_test_set(page, "north.conllu", BROKEN)
    expect(page.get_by_role("row").filter(has_text="north.conllu")).to_contain_text("2")
    add_a_test_set(page, "north.conllu", perfect())
    expect(page.get_by_text("its gold is sound")).to_be_visible()
    task = Task.objects.get()
    assert task.draft
    assert task.test_sets.get().blind().single() == conllu_without_answers()


def add_a_test_set(page: Page, name: str, data: bytes) -> None:
    page.get_by_label("Title").fill("North")
    page.get_by_label("Name").fill("north")
    page.get_by_label("Gold", exact=True).set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": data}
    )
    page.get_by_role("button", name="Check the gold and add").click()


def conllu_without_answers() -> bytes:
    lines = [line.split("\t") for line in conllu((2, 3, 0, 3, 2, 0, 2, 3)).split("\n")]
    return "\n".join(
        "\t".join((*cells[:6], "_", "_", *cells[8:])) if len(cells) > 1 else cells[0]
        for cells in lines
    ).encode()
