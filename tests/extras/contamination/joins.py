"""The page on overlap in tests of the whole site."""

from collections.abc import Mapping
from typing import Any

from leaderboard.extras.contamination.models import OverlapReport
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from tests.organize.matrix_access import EDIT
from tests.organize.routes import Route, form, read

ROUTES = {
    "organize-overlap": form(EDIT, {"order": "13"}, idle="a test set is compared"),
    "organize-overlap-units": read(EDIT, named={"pk": "overlap"}),
    "api-overlap": Route(EDIT.signed_in, {}, idle="a test set has to be named"),
}
WRITES = {
    ("api-overlap", "GET"): "organize",
    ("api-overlap", "POST"): "organize",
}


def rows_in(task: Task) -> Mapping[str, Any]:
    """A report, which an address names."""
    return {"overlap": made(task).pk}


def place(user: User) -> Mapping[str, Any]:
    """A report, of which an answer is shown; nothing in addresses of the API."""
    made(Task.objects.get())
    return {}


def made(task: Task) -> OverlapReport:
    unit = {"unit": "1", "found": "books.txt:12", "near": "books.txt:12", "twin": ""}
    shares = {"near_share": 1.0, "share": 1.0, "twin_share": 0.25}
    return OverlapReport.objects.create(
        task=task,
        test_set=task.test_sets.get(name="north"),
        gold_sha256="0" * 64,
        texts="books.txt",
        texts_sha256="1" * 64,
        order=13,
        counted={"units": 3, "compared": 3, "found": 1, "near": 1},
        lines=[{**unit, **shares}],
        canaries=["books.txt:40"],
    )
