"""Steps of somebody who was never here before and has read the first pages."""

import re
from email import message_from_bytes
from email.policy import default
from pathlib import Path

from django.conf import settings
from django.core import mail
from playwright.sync_api import Locator, Page, expect

from leaderboard.mail import outbox
from leaderboard.tasks.models import Task
from tests.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs" / "participants" / "first-submission.md"
FILES = "input[type=file]:visible"


def told() -> list[str]:
    """Buttons that the guide names, in order."""
    return re.findall(r"\*\*(.+?)\*\*", GUIDE.read_text("utf-8"))


def last_letter() -> str:
    """The last mail: of this process, or of a server beside it, in a folder."""
    outbox.send()  # unless a worker did
    if mail.outbox:
        return str(mail.outbox[-1].body)
    folder = settings.DATA / "mail"
    wait_until(lambda: folder.is_dir() and any(folder.iterdir()), what="a mail")
    newest = max(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    letter = message_from_bytes(newest.read_bytes(), policy=default)
    return str(letter.get_content())


class Newcomer:
    """Somebody at a page; `pressed` are the buttons and links of the guide so far."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.main = page.get_by_role("main")
        self.pressed: list[str] = []

    def press(self, name: str, one: Locator) -> None:
        self.pressed.append(name)
        one.click()

    def link(self, name: str) -> None:
        self.press(name, self.main.get_by_role("link", name=name).first)

    def button(self, name: str) -> None:
        self.press(name, self.main.get_by_role("button", name=name, exact=True))

    def sign_up(self) -> None:
        page = self.page
        page.goto("/")
        self.press("Sign up", page.get_by_role("link", name="Sign up", exact=True))
        page.get_by_label("Your name").fill("Cy")
        page.get_by_label("Email").fill("cy@example.org")
        page.get_by_label("Password", exact=True).fill("stones-in-the-river")
        page.get_by_label("Password (again)").fill("stones-in-the-river")
        self.main.get_by_role("button", name="Sign up").click()
        expect(page.get_by_role("link", name="Cy", exact=True)).to_be_visible()

    def confirm(self) -> None:
        """Opens the link of the mail."""
        found = re.search(r"https?://\S+/confirm-email/\S+", last_letter())
        assert found
        self.page.goto(found[0])
        self.button("Yes, confirm it")
        expect(self.page.get_by_text("You have confirmed")).to_be_visible()

    def join(self, task: Task) -> None:
        """The first time the task is found on the front page and a team is named."""
        page, first = self.page, "Join" not in self.pressed
        page.goto("/" if first else task.get_absolute_url())
        if first:
            page.get_by_role("link", name=task.title, exact=True).click()
        self.link("Join with a team")
        if first:
            page.get_by_label("Name of the new team").fill("Stone Carriers")
        self.button("Join")
        expect(
            page.get_by_text("You take part as Stone Carriers").first
        ).to_be_visible()

    def take_the_kit(self) -> Path:
        with self.page.expect_download() as download:
            self.link("Starting kit")
        return Path(download.value.path())

    def submit(self, system: str) -> None:
        """Opens the form and names the system."""
        self.link("Submit")
        self.page.get_by_label("System name").fill(system)

    def send(self, name: str, data: bytes) -> None:
        """For a task with one test set."""
        file = {"name": name, "mimeType": "text/plain", "buffer": data}
        self.page.locator(FILES).set_input_files(files=[file])
        self.button("Check and submit")

    def send_all_the_same(self, name: str, data: bytes) -> None:
        """The example of some kits says the same of every item: the site asks."""
        sent = re.compile(r"/submissions/[^/]+-")
        again = self.page.get_by_label("Send these files all the same")
        wait_until(
            lambda: sent.search(self.page.url) or again.count(), what="sent, or asked"
        )
        if not sent.search(self.page.url):
            again.check()
            self.send(name, data)

    def wait_for_the_score(self) -> None:
        self.page.wait_for_url("**/submissions/*-*/")
        status = self.page.locator("#status")
        expect(status.get_by_text("Scored", exact=True)).to_be_visible()
