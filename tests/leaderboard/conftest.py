"""A board whose pages are cached."""

from typing import Any

import pytest

from tests.leaderboard.keeping import FEW


@pytest.fixture
def keeping(settings: Any) -> None:
    """Pages stay cached for a while, and whole answers not at all: what is asked here
    is what the shared cache gives."""
    settings.BOARD_SECONDS, settings.ANONYMOUS_SECONDS = FEW, 0


@pytest.fixture
def nothing_kept(settings: Any) -> None:
    """Each page is made anew, so that it shows what has just been sent."""
    settings.BOARD_SECONDS = settings.ANONYMOUS_SECONDS = 0
