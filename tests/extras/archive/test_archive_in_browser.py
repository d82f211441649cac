"""The archive of a finished task, opened in a browser from a disk without a network."""

import io
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.extras.archive.contents import ArchiveOptions, write
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Phase, Task
from tests.exports.conftest import two_sent

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage(then=two_sent)]


def unpacked(task: Task, folder: Path) -> Path:
    file = io.BytesIO()
    write(task, ArchiveOptions(), file)
    with zipfile.ZipFile(file) as archive:
        archive.extractall(folder)
    return folder


def test_its_board_opens_from_a_disk_and_says_what_the_live_one_says(
    browser: Browser, task: Task, phase: Phase, sent: list[Submission], tmp_path: Path
) -> None:
    Phase.objects.filter(pk=phase.pk).update(
        closes=timezone.now() - timedelta(minutes=1)
    )
    top = unpacked(task, tmp_path)
    context = browser.new_context(offline=True)
    asked: list[str] = []
    complaints: list[str] = []
    context.on("request", lambda one: asked.append(one.url))
    page = context.new_page()
    page.on("console", lambda one: complaints.append(one.text))
    page.goto((top / "index.html").as_uri())
    page.get_by_role("link", name="Test", exact=True).click()
    assert texts(page) == live(phase) != []
    assert drawn(page) == [1200, 1200]
    assert page.evaluate("getComputedStyle(document.body).marginTop") == "0px"
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert complaints == []
    assert all(one.startswith(top.as_uri()) for one in asked)
    context.close()


def texts(page: Page) -> list[list[str]]:
    """Rank, team and scores of each row as somebody reads them."""
    found: Any = page.evaluate(
        "[...document.querySelectorAll('tbody tr')].map(row =>"
        " [row.querySelector('.rank').firstChild.textContent.trim(),"
        " ...[...row.querySelectorAll('.team, .value, .value + .interval')]"
        ".map(one => one.innerText)])"
    )
    return list(found)


def live(phase: Phase) -> list[list[str]]:
    phase.refresh_from_db()
    return [
        [
            str(row.rank),
            row.team,
            *(part for score in row.scores for part in (score.printed, score.interval)),
        ]
        for row in board(BoardQuery(phase)).rows
    ]


def drawn(page: Page) -> list[int]:
    """Widths of the pictures once they are loaded; 0 for one that is not."""
    found: Any = page.evaluate(
        "Promise.all([...document.images].map(one => { one.loading = 'eager';"
        " return one.decode().then(() => one.naturalWidth, () => 0) }))"
    )
    return list(found)
