"""The real servers of the tests."""

import shutil
from pathlib import Path

import psycopg
import pytest
import redis

from tests import servers


@pytest.mark.broker
def test_redis_is_the_real_one(redis_url: str) -> None:
    info = redis.Redis.from_url(redis_url).info("server")
    assert info["redis_version"].startswith("6.2.")
    assert "valkey_version" not in info


def test_postgres_starts_where_only_the_owner_may_look(tmp_path: Path) -> None:
    """A checkout in a closed home; root's servant `nobody` cannot run it there."""
    programs = servers.find_postgres()
    assert programs is not None
    package = programs.parents[1]
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    for folder in (package, package.with_name(f"{package.name}.libs")):
        shutil.copytree(folder, closed / folder.name)
    elsewhere = closed / programs.relative_to(package.parent)
    with (
        servers.postgres_server(elsewhere) as url,
        psycopg.connect(url) as link,
    ):
        version = link.execute("SHOW server_version").fetchone()
        assert version == ("18.6",)
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(url)


def test_a_browser_named_in_the_environment_wins(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CHROMIUM", "/opt/browser")
    assert servers.find_chromium() == "/opt/browser"
    monkeypatch.delenv("CHROMIUM")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert servers.find_chromium() is None
    for name in ("google-chrome", "chromium"):
        (tmp_path / name).touch(0o755)
    assert servers.find_chromium() == str(tmp_path / "chromium")
