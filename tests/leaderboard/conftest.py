"""A board whose pages are cached."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import caches

from leaderboard.settings import cache_stores
from tests.leaderboard.keeping import FEW


@pytest.fixture
def keeping(settings: Any) -> Iterator[None]:
    """Pages are kept, in this process: there is no Redis at that address."""
    settings.BOARD_SECONDS = FEW
    settings.CACHES = cache_stores("")
    caches["boards"].clear()
    yield
    caches["boards"].clear()
