"""A runner does confined work for processes that must not fork."""

import os
import signal
import threading
from collections.abc import Iterator

import psutil
import pytest

from leaderboard.confinement import errands
from leaderboard.confinement.child import Broken, Exceeded, Limits
from leaderboard.confinement.errands import Errand, Runner
from tests.waiting import wait_until

WORK = "tests.leaderboard.bad_work"
SMALL = Limits(cpu_seconds=1, wall_seconds=30, memory_bytes=64 << 20)


def errand(*files: bytes, **head: object) -> Errand:
    return Errand({"before": ">", **head}, files, SMALL)


@pytest.fixture
def started() -> Iterator[list[Runner]]:
    runners: list[Runner] = []
    yield runners
    for runner in runners:
        runner.stop()


def runner_for(work: str, started: list[Runner]) -> Runner:
    started.append(Runner(f"{WORK}:{work}"))
    return started[-1]


def process_of(runner: Runner) -> psutil.Process:
    runner.start()
    assert runner._process
    return psutil.Process(runner._process.pid)


def test_head_and_files_arrive_whole_and_so_does_the_answer(
    started: list[Runner],
) -> None:
    files = os.urandom(3_000_000), b"", b"\n\0"
    runner = runner_for("echoes", started)
    assert runner.run(errand(*files)) == b">" + b"".join(files)


def test_the_process_that_forks_has_one_thread_and_nothing_of_ours(
    started: list[Runner],
) -> None:
    with open(os.devnull) as ours:
        os.set_inheritable(ours.fileno(), True)
        runner = runner_for("echoes", started)
        runner.run(errand())
        process = process_of(runner)
    assert process.num_threads() == 1
    assert process.open_files() == []


def test_errands_run_beside_each_other(started: list[Runner]) -> None:
    """Eight threads ask at once; each gets its own answer."""
    runner, answers = runner_for("echoes", started), {}

    def ask(number: int) -> None:
        data = bytes([number]) * 300_000
        answers[number] = runner.run(errand(data)) == b">" + data

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == dict.fromkeys(range(8), True)


@pytest.mark.parametrize(("work", "what"), [("takes_memory", "memory"),
                                            ("loops", "cpu")])  # fmt: skip
def test_limits_hold(work: str, what: str, started: list[Runner]) -> None:
    with pytest.raises(Exceeded, match=what):
        runner_for(work, started).run(errand())


def test_an_error_of_the_work_is_said_without_its_message(
    started: list[Runner],
) -> None:
    with pytest.raises(Broken, match="ZeroDivisionError in bad_work"):
        runner_for("divides_by_zero", started).run(errand())


def test_a_runner_that_was_killed_is_started_anew(started: list[Runner]) -> None:
    runner = runner_for("echoes", started)
    runner.run(errand())
    first = process_of(runner)
    first.kill()
    wait_until(lambda: first.status() == psutil.STATUS_ZOMBIE, what="it is dead")
    assert runner.run(errand(b"again")) == b">again"
    assert process_of(runner).pid != first.pid


def test_a_runner_that_cannot_start_is_our_fault(started: list[Runner]) -> None:
    with pytest.raises(Broken, match="ended before it answered"):
        runner_for("is_not_there", started).run(errand())


def test_a_runner_that_hangs_is_not_waited_for_ever(
    started: list[Runner], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(errands, "SPARE_SECONDS", -29.5)
    runner = runner_for("echoes", started)
    runner.run(errand())
    process_of(runner).send_signal(signal.SIGSTOP)
    with pytest.raises(Broken, match="did not answer"):
        runner.run(errand(bytes(5_000_000)))
    process_of(runner).send_signal(signal.SIGCONT)


def test_the_child_cannot_end_the_runner(started: list[Runner]) -> None:
    runner = runner_for("kills_others", started)
    process = process_of(runner)
    with pytest.raises(Broken, match="PermissionError"):
        runner.run(errand(runner=process.pid))
    assert process.is_running()


def test_it_ends_with_whoever_started_it() -> None:
    reader, writer = os.pipe()
    asking = os.fork()
    if asking == 0:
        runner = Runner(f"{WORK}:echoes")
        runner.run(errand())
        os.write(writer, str(process_of(runner).pid).encode())
        signal.pause()
    process = psutil.Process(int(os.read(reader, 20)))
    os.kill(asking, signal.SIGKILL)
    os.waitpid(asking, 0)
    wait_until(lambda: not process.is_running(), what="the runner is gone")
    os.close(reader)
    os.close(writer)
