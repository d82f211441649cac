"""From questions and boards to a declared ranking and a described system."""

import hashlib
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import User
from tests.e2e.conftest import SignIn
from tests.e2e.test_accessibility import faults
from tests.leaderboard.small import set_boards
from tests.organize.sheets import declare as declared
from tests.organize.sheets import two_systems, with_sheet

pytestmark = pytest.mark.usefixtures("no_queue")

ORGANIZE = "/tasks/otters/organize/"
PDF = b"%PDF-1.7\nwas sent by a test\n%%EOF\n"


def test_from_the_fact_sheet_to_the_described_final_ranking(
    scriptless: BrowserContext,
    sign_in: SignIn,
    ada: User,
    ben: User,
    entry: Participation,
) -> None:
    phase = Phase.objects.get(task=entry.task)
    sign_in(scriptless, ada)
    page = scriptless.new_page()
    ask(page, "Parameters", "size", "Number")
    ask(page, "Training data", "data", "One of several answers", "open\nclosed")
    add_a_board(page)
    phase.task.refresh_from_db()
    two_systems(phase, entry)
    filter_the_board(page)
    Phase.objects.filter(pk=phase.pk).update(
        closes=timezone.now() - timedelta(minutes=1)
    )
    address = declare(page)
    check_the_hash(page, address)
    see_it_in_the_log(page)
    sign_in(scriptless, ben)
    describe(page)
    page.goto(address)
    page.get_by_role("row", name="small").get_by_role("link").first.click()
    expect(page.get_by_role("heading", name="How it works")).to_be_visible()
    expect(page.get_by_role("link", name="Download the PDF")).to_be_visible()


def ask(page: Page, title: str, name: str, kind: str, choices: str = "") -> None:
    page.goto(f"{ORGANIZE}fact-sheet/")
    page.get_by_label("Question", exact=True).fill(title)
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Kind").select_option(kind)
    page.get_by_label("Answers to choose from").fill(choices)
    page.get_by_role("button", name="Add").click()
    questions = page.get_by_role("region", name="Questions")
    expect(questions.get_by_role("link", name=title)).to_be_visible()


def add_a_board(page: Page) -> None:
    page.get_by_role("link", name="Boards", exact=True).click()
    page.get_by_label("Title").fill("North only")
    page.get_by_label("Name", exact=True).fill("north")
    page.get_by_label("More, one a line").fill("wetness")
    page.get_by_label("Measure that ranks").select_option("uas")
    page.get_by_label("North", exact=True).check()
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("alert")).to_contain_text("There is no measure “wetness”")
    page.get_by_label("More, one a line").fill("")
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("link", name="North only")).to_be_visible()


def filter_the_board(page: Page) -> None:
    page.goto("/tasks/otters/test/board/")
    page.get_by_role("link", name="North only").click()
    rows = page.get_by_role("region", name="Ranking").locator(
        "tbody tr:not(.opened-row)"
    )
    expect(rows).to_have_count(2)
    page.get_by_text("Filter", exact=True).click()
    page.get_by_label("Parameters, from").fill("10")
    page.get_by_role("button", name="Show").last.click()
    page.get_by_text("Columns", exact=True).first.click()
    page.get_by_role("checkbox", name="Training data").uncheck()
    page.get_by_role("button", name="Show").last.click()
    expect(page.get_by_text("Filtered: 1 of 2 rows.")).to_be_visible()
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("70.5")
    expect(page.get_by_role("columnheader", name="Training data")).to_have_count(0)
    expect(page.get_by_role("link", name="North only")).to_have_attribute(
        "aria-current", "true"
    )


def declare(page: Page) -> str:
    page.goto(f"{ORGANIZE}ranking/")
    page.get_by_role("link", name="Declare the final ranking").click()
    expect(page.get_by_text("None: nothing waits")).to_be_visible()
    page.get_by_label("Public note").fill("Thanks to all.")
    page.get_by_role("button", name="Declare this ranking").click()
    expect(page.get_by_text("The final ranking is declared.")).to_be_visible()
    return page.url


def check_the_hash(page: Page, address: str) -> None:
    shown = page.locator("code.hash").inner_text()
    path = page.get_by_role("link", name="The rows as JSON").get_attribute("href")
    data = Client().get(path).content
    assert hashlib.sha256(data).hexdigest() == shown
    assert address.endswith(f"/{shown[:16]}/")


def see_it_in_the_log(page: Page) -> None:
    page.goto("/tasks/otters/")
    page.get_by_role("link", name="Log", exact=True).click()
    expect(page.get_by_text("Thanks to all.")).to_be_visible()


def describe(page: Page) -> None:
    page.goto("/tasks/otters/submissions/")
    page.get_by_role("link", name="small", exact=True).click()
    page.get_by_role("link", name="Describe the system").click()
    page.get_by_label("Title").fill("How it works")
    file = {"name": "paper.pdf", "mimeType": "application/pdf", "buffer": b"MZ"}
    page.get_by_label("PDF").set_input_files(files=[file])
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("not a PDF")
    page.get_by_label("PDF").set_input_files(files=[{**file, "buffer": PDF}])
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("The description was saved.")).to_be_visible()


def test_axe_and_narrow_screens_have_nothing_against_these_pages(
    browser_context: BrowserContext, sign_in: SignIn, ada: User, entry: Participation
) -> None:
    task = with_sheet(entry.task)
    set_boards(
        task,
        [
            {
                "name": "n",
                "title": "North only",
                "measures": ["uas"],
                "headline": "uas",
                "test_sets": ["north"],
            }
        ],
    )
    small, _large = two_systems(Phase.objects.get(task=task), entry)
    over = timezone.now() - timedelta(minutes=1)
    Phase.objects.filter(task=task).update(closes=over)
    sign_in(browser_context, ada)
    organizer = Client()
    organizer.force_login(ada)
    page = browser_context.new_page()
    own = (
        "fact-sheet/",
        "fact-sheet/size/",
        "boards/",
        "boards/n/",
        "ranking/",
        "ranking/test/",
        "news/",
    )
    urls = [
        *(ORGANIZE + name for name in own),
        declared(organizer)["Location"],
        "/tasks/otters/log/",
        "/tasks/otters/test/snapshots/",
        "/tasks/otters/test/board/?board=n&fact.size.min=1",
        f"/submissions/{small.pk}/system/",
    ]
    assert {url: found for url in urls if (found := faults(page, url))} == {}
