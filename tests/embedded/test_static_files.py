"""Static files are collected again only when one changed."""

import os
from pathlib import Path

import pytest
from pytest_django import Settings

from leaderboard.embedded.site import Collected


@pytest.fixture
def source(settings: Settings, tmp_path: Path) -> Path:
    source = tmp_path / "source" / "site.css"
    source.parent.mkdir()
    source.write_text("body {}")
    settings.STATICFILES_DIRS = [source.parent]
    settings.STATIC_ROOT = tmp_path / "collected"
    settings.STATIC_ROOT.mkdir()
    return source


def test_nothing_is_fresh_before_the_first_time(source: Path, tmp_path: Path) -> None:
    assert not Collected(tmp_path).is_fresh()


def test_the_second_time_it_is_fresh(source: Path, tmp_path: Path) -> None:
    Collected(tmp_path).remember()
    assert Collected(tmp_path).is_fresh()


def test_a_change_of_content_or_time_is_noticed(source: Path, tmp_path: Path) -> None:
    Collected(tmp_path).remember()
    os.utime(source, (0, 0))
    assert not Collected(tmp_path).is_fresh()


def test_a_new_file_is_noticed(source: Path, tmp_path: Path) -> None:
    Collected(tmp_path).remember()
    (source.parent / "more.css").touch()
    assert not Collected(tmp_path).is_fresh()


def test_a_removed_collection_is_noticed(
    source: Path, tmp_path: Path, settings: Settings
) -> None:
    Collected(tmp_path).remember()
    settings.STATIC_ROOT.rmdir()
    assert not Collected(tmp_path).is_fresh()
