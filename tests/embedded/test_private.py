"""Directories that are ours alone, and sockets that fit."""

import os
from pathlib import Path

import pytest

from leaderboard.embedded.directories import (
    LONGEST_SOCKET_PATH,
    NotPrivate,
    private_directory,
    socket_path,
)


def test_a_shallow_data_directory_holds_its_socket() -> None:
    assert socket_path(Path("/srv/plumbline"), "a.sock") == Path(
        "/srv/plumbline/run/a.sock"
    )


@pytest.mark.parametrize(
    "data", ["/srv/" + "deep/" * 30, "/srv/two words", "/srv/größe"]
)
def test_a_path_no_socket_or_url_can_take_moves_to_the_temporary_one(
    data: str,
) -> None:
    path = socket_path(Path(data), "redis.sock")
    assert len(os.fsencode(path)) <= LONGEST_SOCKET_PATH
    assert path.is_relative_to("/tmp")
    assert path == socket_path(Path(data), "redis.sock")
    assert path != socket_path(Path(data) / "other", "redis.sock")


def test_a_deep_temporary_directory_does_not_help(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    deep = tmp_path / ("d" * 90)
    deep.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(deep))
    path = socket_path(Path("/srv/two words"), "redis.sock")
    assert path.is_relative_to(
        "/tmp/plumbline-" + str(os.geteuid()) + path.parts[2][-17:]
    )


def test_a_private_directory_is_closed_to_others(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir(mode=0o755)
    for name in ("new/er", "open"):
        made = private_directory(tmp_path / name)
        assert made.stat().st_mode & 0o777 == 0o700


def test_a_link_laid_out_by_somebody_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(NotPrivate, match="link"):
        private_directory(tmp_path / "link")


def test_a_directory_of_somebody_else_is_refused(tmp_path: Path) -> None:
    foreign = Path("/usr")
    if os.geteuid() == 0:
        foreign = tmp_path / "foreign"
        foreign.mkdir()
        os.chown(foreign, 65534, 65534)
    with pytest.raises(NotPrivate, match=str(foreign)):
        private_directory(foreign)
