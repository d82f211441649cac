"""A board whose pages are cached."""

from typing import Any

import pytest

from tests.leaderboard.cache_clock import FEW


@pytest.fixture
def keeping(settings: Any) -> None:
    """Pages and what they show of boards stay cached for a while."""
    settings.BOARD_SECONDS = settings.ANONYMOUS_SECONDS = FEW
