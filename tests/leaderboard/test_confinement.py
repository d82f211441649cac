"""A child that works on a stranger's file harms nobody but itself."""

import ctypes
import os
import signal
import socket
import time
from collections.abc import Callable

import psutil
import pytest

from leaderboard.confinement import child, kernel
from leaderboard.confinement.child import (
    Broken,
    Exceeded,
    Limits,
    Unwanted,
    Watch,
    confined,
)
from tests.waiting import wait_until

needs_filter = pytest.mark.skipif(
    not kernel.can_forbid(), reason="this kernel takes no seccomp filter"
)
SMALL = Limits(cpu_seconds=1, wall_seconds=2, memory_bytes=64 << 20)


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


def write_a_file() -> bytes:
    place = os.memfd_create("x")
    os.write(place, b"x" * 100)
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
    assert confined(lambda: data, SMALL) == data


def test_it_has_what_the_parent_has_read() -> None:
    gold = {"a": 1}
    assert confined(lambda: str(gold["a"]).encode(), SMALL) == b"1"


@pytest.mark.parametrize("work", [loop, loop_that_swallows_everything])
def test_processor_time_is_limited(work: Callable[[], bytes]) -> None:
    began = time.monotonic()
    with pytest.raises(Exceeded, match="cpu"):
        confined(work, Limits(1, 30, 64 << 20))
    assert time.monotonic() - began < 12


def test_memory_is_limited() -> None:
    with pytest.raises(Exceeded, match="memory"):
        confined(allocate, SMALL)


def test_nothing_can_be_written_to_a_disk() -> None:
    with pytest.raises(Exceeded, match="file_size"):
        confined(write_a_file, SMALL)


@pytest.mark.parametrize(
    ("work", "said"),
    [
        (wait_for_ever, "no answer in 2 s"),
        (kill_itself, "signal 9"),
        (crash, "signal 11"),
        (raise_with_gold, "KeyError in test_confinement.py"),
    ],
)
def test_any_other_end_is_our_fault(work: Callable[[], bytes], said: str) -> None:
    with pytest.raises(Broken, match=said) as caught:
        confined(work, SMALL)
    assert "kanarienvogel" not in str(caught.value)


def test_an_answer_too_large_is_not_taken_in() -> None:
    with pytest.raises(Broken, match="larger"):
        confined(lambda: bytes(9_000_000), Limits(5, 5, 64 << 20, answer_bytes=1000))


def test_it_ends_as_soon_as_nobody_wants_the_answer() -> None:
    before = set(psutil.Process().children())
    answers = iter([True, True, False])
    watch = Watch(lambda: next(answers), 0.02)
    with pytest.raises(Unwanted):
        confined(wait_for_ever, Limits(5, 30, 64 << 20), watch)
    assert set(psutil.Process().children()) <= before


def test_no_file_or_connection_of_the_parent_is_within_reach() -> None:
    with open(os.devnull) as ours:

        def still_open() -> bytes:
            try:
                os.fstat(ours.fileno())
            except OSError:
                return b"closed"
            return b"open"

        assert confined(still_open, SMALL) == b"closed"
        os.fstat(ours.fileno())


def test_it_does_not_outlive_a_parent_that_is_killed() -> None:
    """The parent is a fork of this test, so that it can be killed."""
    parent = os.fork()
    if parent == 0:
        confined(wait_for_ever, Limits(30, 60, 64 << 20))
        os._exit(0)
    (child,) = wait_until(lambda: psutil.Process(parent).children(), what="a child")
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    wait_until(lambda: not child.is_running(), what="the child is gone")


def open_a_connection() -> bytes:
    socket.socket()
    return b"open"


def start_a_program() -> bytes:
    os.execv("/bin/true", ["true"])


def kill_the_parent() -> bytes:
    os.kill(os.getppid(), signal.SIGKILL)
    return b"killed"


def ask_the_kernel_past_the_filter() -> bytes:
    """io_uring opens sockets without the call that the filter looks for."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(425, 4, ctypes.create_string_buffer(256)) < 0:
        raise OSError(ctypes.get_errno(), "io_uring_setup")
    return b"open"


@needs_filter
@pytest.mark.parametrize(
    "work",
    [open_a_connection, start_a_program, kill_the_parent,
     ask_the_kernel_past_the_filter],
)  # fmt: skip
def test_the_kernel_refuses_what_no_reader_needs(work: Callable[[], bytes]) -> None:
    with pytest.raises(Broken, match=r"PermissionError in .*" + work.__name__):
        confined(work, SMALL)


@needs_filter
def test_a_listening_server_hears_nothing() -> None:
    """By the kernel's own calls, as a program in another language would make them."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)

        def knock() -> bytes:
            return bytes(str(ctypes.CDLL(None).socket(2, 1, 0)), "ascii")

        assert confined(knock, SMALL) == b"-1"
        with pytest.raises(TimeoutError):
            server.accept()


def test_this_process_keeps_its_rights() -> None:
    confined(lambda: b"", SMALL)
    socket.socket().close()


def test_a_kernel_without_filters_is_said_and_the_work_is_done(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(kernel, "CALLS", None)
    child._say_what_is_missing.cache_clear()
    assert confined(lambda: b"done", SMALL) == b"done"
    assert "no seccomp filter" in caplog.text
    child._say_what_is_missing.cache_clear()
