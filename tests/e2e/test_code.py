"""A task whose teams send code, from an empty form to declared results."""

from datetime import timedelta

from django.utils import timezone
from playwright.sync_api import Page, expect

from leaderboard.tasks.models import Phase, Task
from leaderboard.teams.models import User
from scoring.formats.bundle import zip_files
from tests.e2e.conftest import SignIn
from tests.e2e.test_accessibility import overhang, violations
from tests.extras.code.code_task import RULE
from tests.worker import Worker

# The code says warm of sun alone: three of four are right.
GOLD = b"id,text,label\nu1,sun,warm\nu2,snow,cold\nu3,sun,warm\nu4,waterfall,warm\n"
FORM = "/tasks/weather/test/submit/"


def test_from_an_empty_form_to_a_declared_ranking(
    page: Page, worker: Worker, sign_in: SignIn, ada: User, ben: User
) -> None:
    sign_in(page.context, ada)
    begin_a_draft(page)
    add_a_test_set(page)
    add_a_phase_of_code(page)
    try_code(page)
    publish(page)
    sign_in(page.context, ben)
    take_part(page)
    send_code(page)
    find_it_on_the_board(page)
    end_the_phase()
    sign_in(page.context, ada)
    declare(page)


def begin_a_draft(page: Page) -> None:
    page.goto("/tasks/new/")
    page.get_by_label("Scorer").select_option("classes")
    page.get_by_role("button", name="Begin a draft").click()
    page.get_by_label("Title").fill("Weather")
    page.get_by_label("Address").fill("weather")
    page.get_by_label("inputs", exact=True).fill("text")
    page.get_by_label("Accuracy (accuracy)", exact=True).check()
    page.get_by_label("Measure that ranks").select_option("accuracy")
    page.get_by_role("button", name="Create the draft").click()


def add_a_test_set(page: Page) -> None:
    page.get_by_label("Title").fill("Days")
    page.get_by_label("Name").fill("days")
    page.get_by_label("Gold", exact=True).set_input_files(file("days.csv", GOLD))
    page.get_by_role("button", name="Check the gold and add").click()
    expect(page.get_by_text("its gold is sound")).to_be_visible()


def file(name: str, data: bytes) -> list[dict[str, object]]:
    return [{"name": name, "mimeType": "application/octet-stream", "buffer": data}]


def code() -> list[dict[str, object]]:
    zip_of_code = zip_files("code.zip", {"predict.py": RULE.encode()})
    return file("code.zip", zip_of_code.single())


def add_a_phase_of_code(page: Page) -> None:
    page.goto("/tasks/weather/organize/phases/")
    page.get_by_role("link", name="Add a phase").click()
    page.get_by_label("Title").fill("Test")
    page.get_by_label("Name in addresses").fill("test")
    page.get_by_label("Opens", exact=True).fill("2020-01-01T12:00")
    page.get_by_label("Teams send code").check()
    page.get_by_role("button", name="Save").click()
    page.wait_for_url("**/organize/phases/")


def try_code(page: Page) -> None:
    page.goto("/tasks/weather/organize/code/")
    trying = page.get_by_role("region", name="Try code")
    trying.locator("input[type=file]").set_input_files(code())
    trying.get_by_role("button", name="Run it").click()
    expect(trying.get_by_role("status")).to_contain_text("75.00")
    assert violations(page) == [] and overhang(page, 390) <= 0


def publish(page: Page) -> None:
    page.goto("/tasks/weather/organize/check/")
    page.get_by_role("button", name="Check and publish").click()
    few = page.get_by_label("Publish with few units all the same")
    if few.count():
        few.check()
        page.get_by_role("button", name="Check and publish").click()
    expect(page.get_by_text("The task is published.")).to_be_visible()


def take_part(page: Page) -> None:
    page.goto("/tasks/weather/")
    page.get_by_role("link", name="Join with a team").click()
    page.get_by_label("Name of the new team").fill("Gulls")
    page.get_by_role("button", name="Join").click()
    expect(page.get_by_text("You take part as Gulls").first).to_be_visible()


def send_code(page: Page) -> None:
    page.goto(FORM)
    page.get_by_label("System name").fill("sunny")
    page.get_by_label("Code", exact=True).set_input_files(code())
    page.get_by_role("button", name="Check and submit").click()
    page.wait_for_url("**/submissions/*-*/")
    status = page.locator("#status")
    expect(status.get_by_text("Scored", exact=True)).to_be_visible(timeout=120_000)
    expect(status.locator(".headline")).to_contain_text("75.00")
    assert "waterfall" not in page.content()


def find_it_on_the_board(page: Page) -> None:
    page.goto("/tasks/weather/test/board/")
    row = page.get_by_role("row").filter(has_text="sunny")
    expect(row.locator(".rank")).to_contain_text("1")
    expect(row).to_contain_text("75.00")


def end_the_phase() -> None:
    ended = timezone.now() - timedelta(minutes=1)
    Phase.objects.filter(task=Task.objects.get()).update(closes=ended)


def declare(page: Page) -> None:
    page.goto("/tasks/weather/organize/ranking/")
    page.get_by_role("link", name="Declare the final ranking").click()
    page.get_by_role("button", name="Declare this ranking").click()
    expect(page.get_by_text("The final ranking is declared.")).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="Gulls")).to_contain_text("75.00")
