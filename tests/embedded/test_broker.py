"""The embedded Redis-protocol server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from leaderboard.embedded import broker
from leaderboard.embedded.processes import Process, kill_group, spawn, stop
from tests.waiting import wait_until


@pytest.fixture
def home(short_directory: Path) -> Path:
    return short_directory


def start(home: Path) -> Process:
    server = broker.find_server()
    assert server is not None
    at = home / "redis.sock"
    process = spawn(broker.command(server, home, at), home / "log")
    wait_until(lambda: broker.answers(at), what="broker answers")
    return process


@pytest.fixture
def server(home: Path) -> Iterator[Process]:
    process = start(home)
    yield process
    stop(process, 5)


@pytest.fixture
def client(home: Path, server: Process) -> redis.Redis:
    return redis.Redis.from_url(broker.url_of(home / "redis.sock"))


def test_the_wheel_wins_over_the_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program(tmp_path / "redis-server")
    monkeypatch.setenv("PATH", str(tmp_path))
    found = broker.find_server()
    assert found is not None
    assert found.name == "valkey-server"
    assert broker.version_of(found).startswith("valkey ".capitalize())


def test_without_the_wheel_the_path_is_searched(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program(tmp_path / "valkey-server")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(broker, "packaged_programs", lambda *_: iter(()))
    assert broker.find_server() == tmp_path / "valkey-server"


def test_nothing_found_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(broker, "packaged_programs", lambda *_: iter(()))
    assert broker.find_server() is None


def program(path: Path) -> None:
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)


def test_a_url_gives_its_socket_back() -> None:
    assert broker.socket_of(broker.url_of(Path("/run/a.sock"))) == Path("/run/a.sock")
    assert broker.socket_of("redis://127.0.0.1:6379/0") is None


def test_nobody_answers_on_a_socket_that_is_not_there(tmp_path: Path) -> None:
    assert not broker.answers(tmp_path / "none.sock")


def test_only_its_owner_may_connect(home: Path, server: Process) -> None:
    assert (home / "redis.sock").stat().st_mode & 0o777 == 0o600


def test_it_listens_on_no_port(client: redis.Redis) -> None:
    assert client.info("server")["tcp_port"] == 0


def test_a_full_server_refuses_and_drops_nothing(client: redis.Redis) -> None:
    client.set("kept", "yes")
    client.config_set("maxmemory", 1)
    with pytest.raises(redis.exceptions.OutOfMemoryError):
        client.set("more", "x")
    assert client.get("kept") == b"yes"


def test_messages_survive_a_killed_server(
    home: Path, server: Process, client: redis.Redis
) -> None:
    client.rpush("celery", "a message")
    kill_group(server)
    server.wait()
    again = start(home)
    try:
        assert client.lrange("celery", 0, -1) == [b"a message"]
    finally:
        stop(again, 5)
