"""A newcomer's whole way at a task of each scorer: kit, upload, errors, withdrawal."""

import re
import zipfile
from pathlib import Path
from time import monotonic

import pytest
from playwright.sync_api import Page, expect

from leaderboard.submissions.models import Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from tests.e2e.newcomer import Newcomer, told
from tests.e2e.test_accessibility import overhang, violations
from tests.leaderboard.test_every_scorer import bundle_of
from tests.marks import sample
from tests.organize.disclosing import revealed
from tests.scoring.examples import counting_scorers, examples_of
from tests.worker import Worker

FIVE_MINUTES = 300
GRAPHS = "unl-graph"


@pytest.fixture
def tasks(ada: User, share: int) -> list[Task]:
    names = sorted(sample(counting_scorers(), share) | {GRAPHS})
    return [create_task(bundle_of(name, examples_of(name)[0]), ada) for name in names]


@pytest.mark.sampled(10)
def test_from_sign_up_through_a_task_of_each_scorer(
    tasks: list[Task], worker: Worker, page: Page
) -> None:
    began = monotonic()
    newcomer = Newcomer(page)
    newcomer.sign_up()
    newcomer.confirm()
    for task in tasks:
        newcomer.join(task)
        name, answer = valid_submission_of(newcomer.take_the_kit())
        newcomer.submit(f"first {task.title}")
        newcomer.send(f"broken-{name}", b"nothing of the kind\n\xff\xfe")
        expect(page.get_by_role("alert")).to_contain_text(f"broken-{name}")
        newcomer.send(name, answer)
        newcomer.send_all_the_same(name, answer)
        newcomer.wait_for_the_score()
        if task == tasks[0]:
            find_it_on_the_board(newcomer, f"first {task.title}")
            assert monotonic() - began < FIVE_MINUTES
        look_at_an_error(newcomer)
        withdraw(page)
    assert list(dict.fromkeys(newcomer.pressed)) == told()
    assert Submission.objects.filter(withdrawn_at__isnull=False).count() == len(tasks)
    see_graphs_side_by_side(page)


def valid_submission_of(kit: Path) -> tuple[str, bytes]:
    with zipfile.ZipFile(kit) as files:
        (path,) = [one for one in files.namelist() if "/example/" in one]
        return path.rpartition("/")[2], files.read(path)


def find_it_on_the_board(newcomer: Newcomer, system: str) -> None:
    newcomer.link("See your rank")
    mine = newcomer.page.get_by_role("row").filter(has_text=system)
    expect(mine.locator(".rank")).to_contain_text("1")
    newcomer.page.go_back()


def look_at_an_error(newcomer: Newcomer) -> None:
    newcomer.link("Errors")
    page = newcomer.page
    page.locator("table").first.get_by_role("link").first.click()
    expect(page.get_by_text(re.compile(r"Unit \d+ of"))).to_be_visible()
    page.go_back()
    page.go_back()
    newcomer.wait_for_the_score()  # a browser may go back to the page that waited


def withdraw(page: Page) -> None:
    page.get_by_role("link", name="Withdraw it").click()
    page.get_by_label("I am sure").check()
    page.get_by_role("button", name="Withdraw it permanently").click()
    expect(page.get_by_text("Withdrawn").first).to_be_visible()


def see_graphs_side_by_side(page: Page) -> None:
    """Once the phase is over; until then nobody in the team sees gold."""
    sent = Submission.objects.get(phase__task__scorer_name=GRAPHS)
    revealed(sent.phase)
    page.goto(f"{sent.get_absolute_url()}errors/1/")
    graphs = page.get_by_role("img", name="A graph; the table below says the same")
    expect(graphs).to_have_count(2)
    expect(page.get_by_role("region", name="Graph, Gold")).to_be_visible()
    expect(page.get_by_role("columnheader", name="In gold")).to_be_visible()
    assert violations(page) == [] and overhang(page, 390) <= 0
