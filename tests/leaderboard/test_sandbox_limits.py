"""A child that works on a stranger's file harms nobody but itself."""

import ctypes
import mmap
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from zoneinfo import ZoneInfo

import psutil
import pytest

from scoring.sandbox import fork, landlock, seccomp
from scoring.sandbox.fork import (
    Abandoned,
    JobFailed,
    LimitExceeded,
    Limits,
    Supervision,
    run_in_fork,
)
from tests.waiting import wait_until

# The real sandbox
pytestmark = pytest.mark.thorough
LACKS: dict[str, tuple[str, Callable[[], object]]] = {
    "landlock": ("version", lambda: 0),
    "seccomp": ("available", lambda: False),
}
SMALL = Limits(cpu_seconds=1, wall_seconds=60, memory_bytes=64 << 20)
SHORT = replace(SMALL, wall_seconds=0.5)


def loop() -> bytes:
    while True:
        pass


def loop_that_swallows_everything() -> bytes:
    while True:
        try:
            loop()
        except BaseException:
            continue


def wait_for_ever() -> bytes:
    signal.pause()
    return b""


def allocate() -> bytes:
    return bytes(1 << 30)


def map_memory() -> bytes:
    """What the system refuses is an OSError."""
    with mmap.mmap(-1, 1 << 30, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as mapped:
        return mapped[:1]


def terminate_itself() -> bytes:
    os.kill(os.getpid(), signal.SIGTERM)
    return b""


def kill_itself() -> bytes:
    os.kill(os.getpid(), signal.SIGKILL)
    return b""


def crash() -> bytes:
    os.kill(os.getpid(), signal.SIGSEGV)
    return b""


def raise_with_gold() -> bytes:
    raise KeyError("kanarienvogel")


def test_what_the_work_returns_arrives_whole() -> None:
    data = os.urandom(3_000_000)
    assert run_in_fork(lambda: data, SMALL) == data


def test_it_has_what_the_parent_has_read() -> None:
    gold = {"a": 1}
    assert run_in_fork(lambda: str(gold["a"]).encode(), SMALL) == b"1"


@pytest.mark.parametrize("work", [loop, loop_that_swallows_everything])
def test_processor_time_is_limited(work: Callable[[], bytes]) -> None:
    with pytest.raises(LimitExceeded, match="cpu"):
        run_in_fork(work, Limits(1, 90, 64 << 20))


@pytest.mark.parametrize("allocate", [allocate, map_memory])
def test_memory_is_limited(allocate: Callable[[], bytes]) -> None:
    with pytest.raises(LimitExceeded, match="memory"):
        run_in_fork(allocate, SMALL)


def test_nothing_can_be_written_to_a_disk(tmp_path: Path) -> None:
    with pytest.raises(JobFailed, match="PermissionError"):
        run_in_fork(lambda: bytes((tmp_path / "new").write_bytes(b"x")), SMALL)
    assert list(tmp_path.iterdir()) == []


def test_closing_the_pipe_ends_it() -> None:
    """What would go on working without being waited for does not go on."""

    def close_and_stay() -> bytes:
        os.closerange(3, 64)
        return wait_for_ever()

    before, began = set(psutil.Process().children()), time.monotonic()
    with pytest.raises(JobFailed, match="closed its output"):
        run_in_fork(close_and_stay, Limits(5, 300, 64 << 20))
    assert time.monotonic() - began < 120
    assert set(psutil.Process().children()) <= before


@pytest.mark.parametrize(
    ("work", "limits", "said"),
    [
        (wait_for_ever, SHORT, "no answer in 0.5 s"),
        (terminate_itself, SMALL, "signal 15"),
        (kill_itself, SMALL, "PermissionError"),
        (crash, SMALL, "signal 11"),
        (raise_with_gold, SMALL, "KeyError in test_sandbox_limits.py"),
    ],
)
def test_any_other_end_is_our_fault(
    work: Callable[[], bytes], limits: Limits, said: str
) -> None:
    with pytest.raises(JobFailed, match=said) as caught:
        run_in_fork(work, limits)
    assert "kanarienvogel" not in str(caught.value)


def test_an_answer_too_large_is_not_taken_in() -> None:
    with pytest.raises(JobFailed, match="larger"):
        run_in_fork(
            lambda: bytes(9_000_000), Limits(5, 60, 64 << 20, answer_bytes=1000)
        )


def test_it_ends_as_soon_as_nobody_wants_the_answer() -> None:
    before = set(psutil.Process().children())
    answers = iter([True, True, False])
    watch = Supervision(lambda: next(answers), 0.02)
    with pytest.raises(Abandoned):
        run_in_fork(wait_for_ever, Limits(5, 30, 64 << 20), watch)
    assert set(psutil.Process().children()) <= before


def test_no_file_or_connection_of_the_parent_is_within_reach() -> None:
    with open(os.devnull) as ours:

        def still_open() -> bytes:
            try:
                os.fstat(ours.fileno())
            except OSError:
                return b"closed"
            return b"open"

        assert run_in_fork(still_open, SMALL) == b"closed"
        os.fstat(ours.fileno())


def test_it_does_not_outlive_a_parent_that_is_killed() -> None:
    """The parent is a fork of this test, so that it can be killed."""
    parent = os.fork()
    if parent == 0:
        run_in_fork(wait_for_ever, Limits(30, 60, 64 << 20))
        os._exit(0)
    (child,) = wait_until(lambda: psutil.Process(parent).children(), what="a child")
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    wait_until(lambda: not child.is_running(), what="the child is gone")


def test_a_listening_server_hears_nothing() -> None:
    """By the kernel's own calls, as a program in another language would make them."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)

        def knock() -> bytes:
            return bytes(str(ctypes.CDLL(None).socket(2, 1, 0)), "ascii")

        assert run_in_fork(knock, SMALL) == b"-1"
        with pytest.raises(TimeoutError):
            server.accept()


def test_this_process_keeps_its_rights() -> None:
    run_in_fork(lambda: b"", SMALL)
    socket.socket().close()


def test_it_loads_what_it_needs_of_python_later() -> None:
    def import_late() -> bytes:
        late = [n for n in ("wave", "colorsys", "sndhdr") if n not in sys.modules]
        assert late
        for name in late:
            import_module(name)
        return str(ZoneInfo("Asia/Almaty")).encode()

    assert run_in_fork(import_late, Limits(5, 30, 64 << 20)) == b"Asia/Almaty"


def read_hosts() -> bytes:
    return Path("/etc/hosts").read_bytes()


def open_a_socket() -> bytes:
    socket.socket().close()
    return b"open"


@pytest.mark.parametrize(
    ("part", "then_possible", "still_refused"),
    [("landlock", read_hosts, open_a_socket), ("seccomp", open_a_socket, read_hosts)],
)
def test_a_kernel_that_lacks_a_part_is_told_and_the_others_hold(
    part: str,
    then_possible: Callable[[], bytes],
    still_refused: Callable[[], bytes],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(landlock if part == "landlock" else seccomp, *LACKS[part])
    fork._warn_of_what_is_missing.cache_clear()
    assert run_in_fork(then_possible, SMALL)
    with pytest.raises(JobFailed, match="PermissionError"):
        run_in_fork(still_refused, SMALL)
    assert f"no {part}: if a file took over" in caplog.text
    fork._warn_of_what_is_missing.cache_clear()


@pytest.mark.parametrize("version", range(1, 8))
def test_every_version_of_landlock_is_asked_for_what_it_has(
    version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A newer kernel takes the requests of all older ones."""
    assert landlock.version() >= version
    monkeypatch.setattr(landlock, "version", lambda: version)
    with pytest.raises(JobFailed, match="PermissionError"):
        run_in_fork(read_hosts, SMALL)
    assert run_in_fork(lambda: b"done", SMALL) == b"done"
