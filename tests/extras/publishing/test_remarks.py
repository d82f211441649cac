"""Remarks of a board stand in its tables for papers, too."""

import pytest
from django.test import Client

from leaderboard.teams.models import User
from tests.organize.test_few_units import talks

pytestmark = pytest.mark.django_db


def test_a_table_says_what_rare_failures_would_do(ada: User, ben: User) -> None:
    talks(ada, ben)
    markdown = Client().get("/tasks/otters/test/board.md").content.decode()
    assert "Rare failures may not have shown" in markdown
