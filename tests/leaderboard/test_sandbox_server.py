"""A sandbox server does confined work for processes that must not fork."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import psutil
import pytest

from leaderboard.sandbox import client
from leaderboard.sandbox.client import SandboxServer
from scoring.sandbox.codec import Request, decode
from scoring.sandbox.fork import JobFailed, LimitExceeded, Limits
from tests.leaderboard.small import both
from tests.waiting import wait_until

# The real sandbox
pytestmark = pytest.mark.thorough
WORK = "tests.leaderboard.bad_work"
SMALL = Limits(cpu_seconds=1, wall_seconds=30, memory_bytes=64 << 20)


def ask(server: SandboxServer, /, *files: bytes, **values: object) -> list[bytes]:
    """Files that the server's job answers."""
    request = Request({"before": ">", **values}, list(files))
    said, answer = decode(server.ask(server.paths[0], request, SMALL))
    assert said == {"answer": {"before": ">"}}
    return answer


@pytest.fixture
def started() -> Iterator[list[SandboxServer]]:
    servers: list[SandboxServer] = []
    yield servers
    for server in servers:
        server.stop()


def server_for(work: str, started: list[SandboxServer]) -> SandboxServer:
    started.append(SandboxServer(f"{WORK}:{work}"))
    return started[-1]


def process_of(server: SandboxServer) -> psutil.Process:
    server.start()
    assert server._process
    return psutil.Process(server._process.pid)


def test_head_and_files_arrive_whole_and_so_does_the_answer(
    started: list[SandboxServer],
) -> None:
    files = os.urandom(3_000_000), b"", b"\n\0"
    server = server_for("echoes", started)
    assert ask(server, *files) == list(files)


def test_the_process_that_forks_has_one_thread_and_nothing_of_ours(
    started: list[SandboxServer],
) -> None:
    with open(os.devnull) as ours:
        os.set_inheritable(ours.fileno(), True)
        server = server_for("echoes", started)
        ask(server)
        process = process_of(server)
    assert process.num_threads() == 1
    assert process.open_files() == []


def test_a_copy_of_the_process_asks_the_same_server_and_replaces_one_that_is_killed(
    started: list[SandboxServer],
) -> None:
    server = server_for("echoes", started)
    first, fine = process_of(server), False
    if not (copy := os.fork()):
        try:
            fine = ask(server, b"a") == [b"a"] and process_of(server) == first
            first.kill()
            fine &= ask(server, b"b") == [b"b"] and process_of(server) != first
            server.stop()
        finally:
            os._exit(not fine)
    assert os.waitpid(copy, 0)[1] == 0
    assert ask(server, b"c") == [b"c"]


def test_a_job_is_rid_of_its_garbage_as_it_goes(started: list[SandboxServer]) -> None:
    assert ask(server_for("collects_garbage", started)) == [b"True"]


def test_errands_run_beside_each_other(started: list[SandboxServer]) -> None:
    """Eight threads ask at once; each gets its own answer."""
    server, answers = server_for("echoes", started), {}

    def ask_with(number: int) -> None:
        data = bytes([number]) * 300_000
        answers[number] = ask(server, data) == [data]

    threads = [threading.Thread(target=ask_with, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == dict.fromkeys(range(8), True)


@pytest.mark.parametrize(
    ("work", "what"), [("takes_memory", "memory"), ("loops", "cpu")]
)
def test_limits_hold(work: str, what: str, started: list[SandboxServer]) -> None:
    with pytest.raises(LimitExceeded, match=what):
        ask(server_for(work, started))


def test_an_error_of_the_work_is_said_without_its_message(
    started: list[SandboxServer],
) -> None:
    with pytest.raises(JobFailed, match="ZeroDivisionError in bad_work"):
        ask(server_for("divides_by_zero", started))


def test_a_runner_that_was_killed_is_started_anew(started: list[SandboxServer]) -> None:
    server = server_for("echoes", started)
    ask(server)
    first = process_of(server)
    first.kill()
    wait_until(lambda: first.status() == psutil.STATUS_ZOMBIE, what="it is dead")
    assert ask(server, b"again") == [b"again"]
    assert process_of(server).pid != first.pid


def test_a_runner_that_cannot_start_is_our_fault(started: list[SandboxServer]) -> None:
    with pytest.raises(JobFailed, match="ended before it answered"):
        ask(server_for("is_not_there", started))


def test_a_runner_that_hangs_is_not_waited_for_ever(
    started: list[SandboxServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = server_for("echoes", started)
    ask(server)
    monkeypatch.setattr(client, "SPARE_SECONDS", -29.5)
    process_of(server).send_signal(signal.SIGSTOP)
    with pytest.raises(JobFailed, match="did not answer"):
        ask(server, bytes(5_000_000))
    process_of(server).send_signal(signal.SIGCONT)


def test_the_child_cannot_end_the_runner(started: list[SandboxServer]) -> None:
    server = server_for("kills_others", started)
    process = process_of(server)
    with pytest.raises(JobFailed, match="PermissionError"):
        ask(server, server=process.pid)
    assert process.is_running()


def test_the_runner_of_a_rare_job_ends_with_it_and_that_of_a_series_with_the_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The suite keeps such runners; the site does not."""
    runners = watched_runners(monkeypatch)
    monkeypatch.setitem(client.ELSEWHERE, "echoes", f"{WORK}:echoes")
    request = Request({"before": ">"}, [b"file"])
    client.run("echoes", request, SMALL)
    client.run("echoes", request, SMALL)
    with client.series("echoes"):
        client.run("echoes", request, SMALL)
        client.run("echoes", request, SMALL)
        assert len(runners) == 3 and runners[2]._process is not None
    assert [runner._process for runner in runners] == [None] * 3


def watched_runners(monkeypatch: pytest.MonkeyPatch) -> list[SandboxServer]:
    """Those that the client starts from now on."""
    runners: list[SandboxServer] = []

    def start(*paths: str) -> SandboxServer:
        runners.append(SandboxServer(*paths))
        return runners[-1]

    monkeypatch.setattr(client, "SandboxServer", start)
    return runners


def test_it_ends_with_whoever_started_it() -> None:
    reader, writer = os.pipe()
    asking = os.fork()
    if asking == 0:
        server = SandboxServer(f"{WORK}:echoes")
        ask(server)
        os.write(writer, str(process_of(server).pid).encode())
        signal.pause()
    process = psutil.Process(int(os.read(reader, 20)))
    os.kill(asking, signal.SIGKILL)
    os.waitpid(asking, 0)
    wait_until(lambda: not process.is_running(), what="the sandbox server is gone")
    os.close(reader)
    os.close(writer)


CHECK = """
import sys
from leaderboard.sandbox.jobs import load, perform
from scoring.sandbox.codec import Request
from scoring.source import Source

job = load("leaderboard.sandbox.jobs.uploads:check")
file = Source.of_bytes("a.conllu", sys.stdin.buffer.read())
request = Request.scoring("conll18", {})
request.add(file, file)
before = set(sys.modules)
assert b"remarks" in perform(job, request)
print(*(set(sys.modules) - before))
"""


def test_a_check_imports_nothing_that_the_server_has_not() -> None:
    """A child would import it for each file."""
    run = [sys.executable, "-c", CHECK]
    file = both()["north"]
    done = subprocess.run(run, input=file, capture_output=True, check=True)
    assert done.stdout.decode().split() == []
