"""The worker class of the web server, by real connections to a gunicorn of its own."""

import json
import resource
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from http.client import HTTPResponse
from pathlib import Path
from subprocess import Popen
from typing import Any

import psutil
import pytest
from django.conf import settings as site

from leaderboard.embedded import web_server as web
from leaderboard.embedded.processes import spawn, stop
from tests.embedded.echo import large
from tests.waiting import wait_until

PATIENCE = 60.0
THREADS = 4


@dataclass
class Server:
    port: int
    process: Popen[bytes]
    log: Path

    def line(self, **more: Any) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), PATIENCE, **more)


@contextmanager
def running(place: Path, grace: float = 20, workers: int = 1) -> Iterator[Server]:
    """One process with few threads, so that a few connections would take them all."""
    with web.listen(20_000) as listener:
        argv = [
            sys.executable,
            "-m",
            "gunicorn",
            "tests.embedded.echo:application",
            "--bind",
            f"fd://{listener.fileno()}",
            "--workers",
            str(workers),
            "--config",
            "python:leaderboard.web_server",
            "--worker-class",
            web.WORKER,
            "--threads",
            str(THREADS),
            "--graceful-timeout",
            str(grace),
            "--no-control-socket",
        ]
        log = place / "gunicorn.log"
        links = [listener.fileno()]
        process = spawn(argv, log, cwd=site.BASE_DIR, pass_fds=links)
        server = Server(listener.getsockname()[1], process, log)
        try:
            wait_until(lambda: answers(server), PATIENCE, f"an answer, {log}")
            yield server
        finally:
            stop(process, 5)


def answers(server: Server) -> bool:
    with server.line() as line:
        line.sendall(asking("/"))
        return answer(line).status == 200


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("gunicorn")) as started:
        yield started
        assert "Traceback" not in started.log.read_text("utf-8")


def asking(path: str, *lines: str, method: str = "GET", body: bytes = b"") -> bytes:
    head = [f"{method} {path} HTTP/1.1", "Host: localhost", *lines]
    return "\r\n".join([*head, "", ""]).encode() + body


def sending(path: str, body: bytes) -> bytes:
    return asking(path, f"Content-Length: {len(body)}", method="POST", body=body)


def in_chunks(path: str, *pieces: bytes, trailer: bytes = b"") -> bytes:
    sized = b"".join(b"%x\r\n%s\r\n" % (len(one), one) for one in pieces)
    body = sized + b"0\r\n" + trailer + b"\r\n"
    return asking(path, "Transfer-Encoding: chunked", method="POST", body=body)


@dataclass
class Answer:
    status: int
    closes: bool
    body: bytes

    @property
    def told(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found


class Lines:
    """Answers that follow each other on one connection."""

    def __init__(self, line: socket.socket) -> None:
        self.file = line.makefile("rb")

    def makefile(self, _mode: str) -> "Lines":
        return self

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)

    def close(self) -> None:
        pass  # more answers come

    def flush(self) -> None:
        pass


def answer(line: Any, method: str = "GET") -> Answer:
    found = HTTPResponse(line, method=method)
    found.begin()
    return Answer(found.status, bool(found.will_close), found.read())


def test_requests_sent_at_once_are_answered_in_their_order(server: Server) -> None:
    with server.line() as line:
        line.sendall(
            asking("/1")
            + sending("/2", b"x" * 10)
            + in_chunks("/3", b"abc", b"de")
            + asking("/4")
            + sending("/5", b"y" * 200_000)
            + in_chunks("/6", b"z" * 90_000, trailer=b"Sum: 1\r\n")
            + asking("/7", "Connection: close")
        )
        lines = Lines(line)
        found = [answer(lines) for _ in range(7)]
        assert lines.read() == b""
    said = [(one.told["path"], one.told["size"]) for one in found]
    assert said == [
        ("/1", 0),
        ("/2", 10),
        ("/3", 5),
        ("/4", 0),
        ("/5", 200_000),
        ("/6", 90_000),
        ("/7", 0),
    ]
    assert [one.closes for one in found] == [False] * 6 + [True]


def test_a_connection_is_used_again_after_a_pause(server: Server) -> None:
    with server.line() as line:
        lines = Lines(line)
        for _ in range(3):
            line.sendall(asking("/"))
            assert answer(lines).status == 200
            line.settimeout(3)
            with pytest.raises(TimeoutError):
                line.recv(1)
            line.settimeout(PATIENCE)


@pytest.mark.parametrize("trailer", [b"", b"Sum: 1\r\n"])
def test_a_small_body_in_chunks_is_answered_at_once(
    server: Server, trailer: bytes
) -> None:
    with server.line() as line:
        line.settimeout(8)
        line.sendall(in_chunks("/", b"abc", trailer=trailer))
        assert answer(line).told["size"] == 3


def test_a_client_that_waits_for_leave_gets_it(server: Server) -> None:
    with server.line() as line:
        line.sendall(
            asking("/", "Expect: 100-continue", "Content-Length: 5", method="POST")
        )
        assert line.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        line.sendall(b"hello")
        assert answer(line).told["size"] == 5


def test_head_has_no_body_and_the_connection_goes_on(server: Server) -> None:
    with server.line() as line:
        line.sendall(asking("/", method="HEAD") + asking("/next"))
        lines = Lines(line)
        assert answer(lines, "HEAD").body == b""
        assert answer(lines).told["path"] == "/next"


@pytest.mark.parametrize(("kept", "closes"), [("", True), ("Keep-Alive", False)])
def test_old_clients_are_answered_as_they_ask(
    server: Server, kept: str, closes: bool
) -> None:
    with server.line() as line:
        line.sendall(f"GET /old HTTP/1.0\r\nConnection: {kept}\r\n\r\n".encode())
        found = answer(line)
    assert found.told["path"] == "/old"
    assert found.closes is closes


def test_a_client_that_has_closed_its_side_is_still_answered(server: Server) -> None:
    for data in (asking("/"), sending("/", b"x" * 300_000)):
        with server.line() as line:
            line.sendall(data)
            line.shutdown(socket.SHUT_WR)
            assert answer(line).status == 200
            assert line.recv(1) == b""


@pytest.mark.parametrize("path", ["/large", "/large/file"])
def test_a_large_answer_arrives_whole(server: Server, path: str) -> None:
    with server.line() as line:
        line.sendall(asking(path))
        assert sha256(answer(line).body).digest() == sha256(large()).digest()


def test_an_answer_is_read_though_its_body_was_not(server: Server) -> None:
    with server.line() as line:
        line.sendall(sending("/unread", b"x" * 500_000))
        assert answer(line).status == 200


def too_large_heads() -> bytes:
    return asking("/", *[f"X-{n}: {'x' * 8000}" for n in range(9)])[:-2]


@pytest.mark.parametrize(
    "data",
    [b"\r\n\r\n", b"\r\n" * 50, too_large_heads(), asking("/")[:-2]],
    ids=["blank lines", "many blank lines", "a large head", "half a head"],
)
def test_a_head_that_does_not_end_holds_no_thread(server: Server, data: bytes) -> None:
    with ExitStack() as open_ones:
        for _ in range(2 * THREADS):
            open_ones.enter_context(server.line()).sendall(data)
        with server.line() as line:
            line.settimeout(8)
            line.sendall(asking("/"))
            assert answer(line).status == 200


def test_a_head_that_is_too_large_is_refused_with_the_reason(server: Server) -> None:
    with server.line() as line:
        line.sendall(too_large_heads())
        found = answer(line)
    assert (found.status, found.closes) == (431, True)


def test_clients_that_do_not_read_their_answers_leave_threads(server: Server) -> None:
    with ExitStack() as open_ones:
        for _ in range(3 * THREADS):
            line = open_ones.enter_context(socket.socket())
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            line.connect(("127.0.0.1", server.port))
            line.sendall(asking("/large"))
        with server.line() as line:
            line.settimeout(8)
            line.sendall(asking("/"))
            assert answer(line).status == 200


def test_uploads_of_one_address_beyond_its_share_of_threads_wait_their_turn(
    server: Server,
) -> None:
    """As of a lecture hall behind one address, or a client that starts them all."""
    body = b"x" * 200_000
    data = sending("/", body)
    with ExitStack() as open_ones:
        lines = [open_ones.enter_context(server.line()) for _ in range(2 * THREADS)]
        for line in lines:
            line.sendall(data[:100_000])
        with server.line() as page:  # the server has seen what came before
            page.sendall(asking("/"))
            assert answer(page).status == 200
        for line in lines:
            line.sendall(data[100_000:])
        received = [answer(line) for line in lines]
    assert [one.status for one in received] == [200] * len(lines)
    assert {one.told["size"] for one in received} == {len(body)}


@pytest.mark.parametrize("sig", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("early", [1_000, 200_000])
def test_an_upload_under_way_is_answered_by_a_server_that_stops(
    sig: signal.Signals, early: int, tmp_path: Path
) -> None:
    body = b"x" * 400_000
    data = sending("/", body)
    with running(tmp_path) as server, server.line() as line, server.line() as idle:
        idle.sendall(asking("/"))
        assert answer(idle).status == 200
        line.sendall(data[:early])
        server.process.send_signal(sig)
        wanted = "Handling signal: " + ("term" if sig == signal.SIGTERM else "hup")
        wait_until(
            lambda: wanted in server.log.read_text("utf-8"), PATIENCE, "it is told"
        )
        line.sendall(data[early:])
        found = answer(line)
        assert found.told["size"] == len(body)
        assert idle.recv(1) == b""
        if sig == signal.SIGTERM:
            assert server.process.wait(PATIENCE) == 0
        else:
            wait_until(lambda: answers(server), PATIENCE, "the new process")
        assert "Traceback" not in server.log.read_text("utf-8")


def memory(process: int) -> int:
    """Bytes that the children of a process hold."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    pages = [int(Path(f"/proc/{n}/statm").read_text().split()[1]) for n in children]
    return sum(pages) * resource.getpagesize()


def test_requests_that_wait_have_only_so_much_memory(tmp_path: Path) -> None:
    large = [f"X-{n}: {'x' * 8000}" for n in range(7)]
    length = "Content-Length: 1000000"
    data = asking("/", *large, length, method="POST", body=b"x" * 60_000)
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 4000:
        pytest.skip("this account may not open so many files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with running(tmp_path) as server, ExitStack() as open_ones:
        for number in range(3000):
            source = (f"127.0.1.{number % 50 + 1}", 0)
            line = open_ones.enter_context(server.line(source_address=source))
            line.sendall(data)
        assert answers(server)
        assert memory(server.process.pid) < 300 << 20


def test_web_processes_share_one_sandbox_server(tmp_path: Path) -> None:
    with running(tmp_path, workers=2) as server:
        above = psutil.Process(server.process.pid)
        wait_until(lambda: len(above.children()) >= 3, PATIENCE, "web processes")
        below = above.children(recursive=True)
        shared = [p for p in below if "leaderboard.sandbox.server" in p.cmdline()]
        assert len(below) == 3 and [p.ppid() for p in shared] == [above.pid]
    assert not psutil.wait_procs(shared, PATIENCE)[1]
