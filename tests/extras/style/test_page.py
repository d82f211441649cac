"""The page of all parts, without a browser."""

import re
from pathlib import Path

import pytest
from django.test import Client

from leaderboard.teams.models import User

PICTURES = Path(__file__).parent / "pictures"


@pytest.mark.django_db
def test_the_page_has_every_part_that_there_is_a_picture_of() -> None:
    client = Client()
    client.force_login(User.objects.create_superuser("ada@example.org", "x"))
    answer = client.get("/style/")
    assert answer.status_code == 200
    parts = {path.stem.rpartition("-")[0] for path in PICTURES.glob("*.png")}
    assert parts <= set(re.findall(r'id="([\w-]+)"', answer.text))
