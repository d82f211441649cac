"""A file that is larger than the site takes is refused by that name on every page; none
is passed over as one that was not sent."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings

from leaderboard.tasks.models import GoldFile, Task, TestSet
from tests.leaderboard.small import perfect

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_stage,
    pytest.mark.usefixtures("phase"),
]
ROOT = "/tasks/otters/organize/"
PRODUCT = Path(__file__).resolve().parents[2] / "leaderboard"
WEST = {"title": "West", "name": "west", "position": "2", "weight": "1"}
LARGE = b"x" * 20_000
REFUSAL = "This file is larger than the limit of 9.8\N{NO-BREAK SPACE}KB."


def large(name: str = "large.csv") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, LARGE)


def small() -> SimpleUploadedFile:
    return SimpleUploadedFile("west.conllu", perfect("north"))


@override_settings(UPLOAD_BYTES=10_000)
@pytest.mark.parametrize(
    ("address", "fields"),
    [
        ("/tasks/new/", {"bundle": large}),
        (f"{ROOT}bundle/", {"bundle": large}),
        (f"{ROOT}test-sets/", {**WEST, "gold": large}),
        (
            f"{ROOT}test-sets/",
            {**WEST, "gold": small, "blind": large},
        ),
        (f"{ROOT}gold/new/", {"file_north": large}),
        (f"{ROOT}baselines/", {"system": "b", "file_north": large}),
        (f"{ROOT}past-submissions/", {"archive": large}),
        (f"{ROOT}invitations/", {"file": large}),
        (
            "/tasks/new/form/?scorer=classes",
            {"title": "M", "slug": "moods", "option_parents": large},
        ),
    ],
)
def test_a_file_that_is_too_large_is_called_so(
    address: str, fields: dict[str, Any], ada_s: Client
) -> None:
    before = TestSet.objects.count(), Task.objects.count(), GoldFile.objects.count()
    given = {
        name: value() if callable(value) else value for name, value in fields.items()
    }
    page = ada_s.post(address, given)
    assert page.status_code == 422 and REFUSAL in page.text
    after = TestSet.objects.count(), Task.objects.count(), GoldFile.objects.count()
    assert after == before


def test_every_field_for_a_file_refuses_what_is_too_large() -> None:
    """Django's own takes it for one that was not sent."""
    own = re.compile(r"\b(?:FileField|ImageField)\(")
    with_own = [
        path
        for path in PRODUCT.rglob("*.py")
        if "migrations" not in path.parts and own.search(path.read_text("utf-8"))
    ]
    assert not with_own
