"""The port of the web server, whether it is ready, and its memory."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from django.conf import settings

from leaderboard.embedded import web_server as web


def test_a_taken_port_gives_the_next_free_one() -> None:
    with web.listen(0) as first:
        port = first.getsockname()[1]
        with web.listen(port) as second:
            assert second.getsockname()[1] > port


def test_no_free_port_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "PORTS_TRIED", 1)
    with web.listen(0) as first:
        port = first.getsockname()[1]
        with pytest.raises(web.NoPort, match=f"between {port} and {port}"):
            web.listen(port)


@contextmanager
def answering(status: int) -> Iterator[int]:
    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer((web.HOST, 0), Page) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        yield server.server_port
        server.shutdown()


@pytest.mark.parametrize(("status", "up"), [(200, True), (302, False), (500, False)])
def test_only_a_page_counts_as_up(status: int, up: bool) -> None:
    with answering(status) as port:
        assert web.is_ready(port) is up


def test_a_silent_port_is_not_up() -> None:
    with web.listen(20_000) as unused:
        port = unused.getsockname()[1]
    assert not web.is_ready(port)


@pytest.mark.parametrize(("text", "port"), [(None, 8000), ("0", 0), ("9000", 9000)])
def test_the_port_comes_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, text: str | None, port: int
) -> None:
    monkeypatch.delenv("PLUMBLINE_PORT", raising=False)
    if text is not None:
        monkeypatch.setenv("PLUMBLINE_PORT", text)
    assert web.wanted_port() == port


def test_a_port_that_is_no_number_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLUMBLINE_PORT", "http")
    with pytest.raises(web.NoPort, match="'http'"):
        web.wanted_port()


# How many arenas threads have that hold memory at the same time, by the C library
HOLDING = """
import ctypes, threading
import leaderboard.web_server

together, libc = threading.Barrier(20), ctypes.CDLL(None)

def hold():
    held = [bytes(10_000) for _ in range(10)]
    together.wait()
    together.wait()

threads = [threading.Thread(target=hold) for _ in range(19)]
for thread in threads:
    thread.start()
together.wait()
out = ctypes.c_void_p.in_dll(libc, "stdout")
libc.malloc_info(0, out)
libc.fflush(out)
together.wait()
"""


def test_threads_of_a_web_process_share_two_arenas_of_memory(tmp_path: Path) -> None:
    """Of hundreds of threads each would keep the most that it ever had of it."""
    env = {**os.environ, "PLUMBLINE_DATA": str(tmp_path)}
    said = subprocess.run(
        [sys.executable, "-c", HOLDING],
        cwd=settings.BASE_DIR,
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    assert 0 < said.stdout.count("<heap nr=") <= 2
