"""A board whose pages are cached."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import caches

from leaderboard.boards import page_cache
from tests.leaderboard.keeping import FEW


@pytest.fixture
def keeping(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Pages are kept, in this process: there is no Redis at that address."""
    settings.BOARD_SECONDS = FEW
    monkeypatch.setattr(page_cache, "store", page_cache.Store())
    monkeypatch.setattr(page_cache, "SHARED", "boards-local")
    caches["boards-local"].clear()
    yield
    caches["boards-local"].clear()
