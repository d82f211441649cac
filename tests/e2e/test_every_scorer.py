"""A newcomer's whole way at a task of each scorer: kit, upload, errors, withdrawal."""

import zipfile

import pytest
from playwright.sync_api import Page, expect

from leaderboard.submissions.models import Submission
from leaderboard.tasks.creation import create_task
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from scoring.scorers import all_scorers
from tests.e2e.newcomer import sign_up
from tests.leaderboard.test_every_scorer import bundle_of
from tests.scoring.examples import examples_of
from tests.worker import Worker

pytestmark = pytest.mark.one_database


@pytest.fixture
def tasks(ada: User) -> list[Task]:
    names = sorted(all_scorers())
    return [create_task(bundle_of(name, examples_of(name)[0]), ada) for name in names]


def test_from_sign_up_through_a_task_of_each_scorer(
    tasks: list[Task], worker: Worker, page: Page
) -> None:
    sign_up(page)
    for task in tasks:
        join(page, task)
        name, answer = valid_submission_of_the_kit(page)
        page.get_by_role("link", name="Submit").first.click()
        page.get_by_label("System name").fill(f"first {task.title}")
        send(page, f"broken-{name}", b"nothing of the kind\n\xff\xfe")
        expect(page.get_by_role("alert")).to_contain_text(f"broken-{name}")
        send(page, name, answer)
        watch(page)
        look_at_an_error(page)
        withdraw(page)
    assert Submission.objects.filter(withdrawn_at__isnull=False).count() == len(tasks)


def join(page: Page, task: Task) -> None:
    page.goto(task.get_absolute_url())
    page.get_by_role("link", name="Join with a team").click()
    if not page.get_by_label("Team", exact=True).is_visible():
        page.get_by_label("Name of the new team").fill("Stone Carriers")
    page.get_by_role("button", name="Join").click()
    expect(page.get_by_text("You take part as Stone Carriers").first).to_be_visible()


def valid_submission_of_the_kit(page: Page) -> tuple[str, bytes]:
    with page.expect_download() as download:
        page.get_by_role("link", name="Starting kit").first.click()
    with zipfile.ZipFile(download.value.path()) as kit:
        (path,) = [one for one in kit.namelist() if "/example/" in one]
        return path.rpartition("/")[2], kit.read(path)


def send(page: Page, name: str, data: bytes) -> None:
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": data}
    page.get_by_label("only", exact=True).set_input_files(files=[file])
    page.get_by_role("button", name="Check and submit").click()


def watch(page: Page) -> None:
    page.wait_for_url("**/submissions/*-*/")
    status = page.locator("#status")
    expect(status.get_by_text("Scored", exact=True)).to_be_visible()


def look_at_an_error(page: Page) -> None:
    page.reload()
    page.get_by_role("link", name="Errors", exact=True).click()
    page.locator("table").first.get_by_role("link").first.click()
    expect(page.get_by_text("Unit 1 of")).to_be_visible()
    page.go_back()
    page.go_back()


def withdraw(page: Page) -> None:
    page.get_by_role("link", name="Withdraw it").click()
    page.get_by_label("I am sure").check()
    page.get_by_role("button", name="Withdraw it for good").click()
    expect(page.get_by_text("Withdrawn").first).to_be_visible()
