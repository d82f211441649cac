"""Addresses in mail lead to pages, and are known without them."""

import subprocess
import sys
from uuid import UUID

import pytest
from django.conf import settings
from django.urls import resolve, reverse

from leaderboard.web.addresses import ROUTES, address

KEY = UUID(int=7)
ASK = """
import sys
import django
django.setup()
from leaderboard.web.addresses import address
print(address("results-off", "x"), "leaderboard.urls" in sys.modules)
"""


@pytest.mark.parametrize("name", ROUTES)
def test_an_address_in_mail_is_that_of_its_page(name: str) -> None:
    argument = KEY if "uuid" in ROUTES[name] else "signed:word"
    found = address(name, argument)
    assert found == reverse(name, args=[argument])
    assert resolve(found).url_name == name


@pytest.mark.thorough
def test_no_page_is_loaded_for_them() -> None:
    words = [sys.executable, "-c", ASK]
    told = subprocess.run(
        words, cwd=settings.BASE_DIR, capture_output=True, check=True, text=True
    )
    assert told.stdout.split() == ["/results/x/", "False"]
