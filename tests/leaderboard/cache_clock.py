"""Pages kept in this process, and time that goes by."""

import time

import pytest

from leaderboard.web import page_cache

FEW = 40  # seconds; what a busy machine takes meanwhile is little beside it
NOW = time.time


def later(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    then = NOW() + seconds
    monkeypatch.setattr(page_cache.time, "time", lambda: then)
