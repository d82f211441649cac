"""Children are started, revived and stopped; none is left behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from leaderboard.embedded.supervisor import (
    BACK_OFF_SECONDS,
    ChildFailed,
    StopRequested,
    Supervisor,
    Wakeups,
    supervising,
)
from tests.waiting import wait_until

FOREVER = "import signal; print('up', flush=True); signal.pause()"


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def supervisor(tmp_path: Path, said: list[str]) -> Iterator[Supervisor]:
    with supervising(tmp_path, os.environ, said.append) as supervisor:
        yield supervisor


def children() -> list[psutil.Process]:
    return psutil.Process().children()


def text(log: Path) -> str:
    return log.read_text() if log.exists() else ""


def test_a_step_that_succeeds_leaves_nothing_running(supervisor: Supervisor) -> None:
    before = children()
    supervisor.run(step=python("print('done')"))
    assert children() == before


def test_a_step_that_fails_shows_its_last_words(
    supervisor: Supervisor, tmp_path: Path
) -> None:
    (tmp_path / "step.log").write_text("of an earlier run\n")
    with pytest.raises(ChildFailed) as failure:
        supervisor.run(step=python("print('disk full'); raise SystemExit(3)"))
    assert "step ended with 3" in str(failure.value)
    assert "disk full" in str(failure.value)
    assert "earlier run" not in str(failure.value)


def test_a_child_that_dies_early_ends_the_wait_for_another(
    supervisor: Supervisor,
) -> None:
    supervisor.start("steady", python(FOREVER))
    supervisor.start("broken", python("raise SystemExit('no such setting')"))
    with pytest.raises(ChildFailed, match="no such setting"):
        supervisor.wait_until(lambda: False, "steady", 60)


def test_a_child_that_never_gets_ready_ends_the_wait(supervisor: Supervisor) -> None:
    supervisor.start("slow", python(FOREVER))
    with pytest.raises(ChildFailed, match=r"slow is not up in 0\.1 s"):
        supervisor.wait_until(lambda: False, "slow", 0.1)


def test_a_long_log_is_set_aside(supervisor: Supervisor, tmp_path: Path) -> None:
    with (tmp_path / "step.log").open("wb") as file:
        file.truncate(10_000_001)
    supervisor.run(step=python("print('new')"))
    assert text(tmp_path / "step.log") == "new\n"
    assert (tmp_path / "step.log.1").stat().st_size == 10_000_001


def test_a_child_that_is_to_end_once_may_fail_and_its_last_words_are_said(
    tmp_path: Path,
) -> None:
    said: list[str] = []

    def say(line: str) -> None:
        said.append(line)
        os.kill(os.getpid(), signal.SIGTERM)

    with (
        supervising(tmp_path, os.environ, say) as supervisor,
        pytest.raises(StopRequested),
    ):
        words = "print('trying'); print('no network'); raise SystemExit(1)"
        supervisor.start_once("packages", python(words))
        supervisor.watch()
    assert said == ["packages  no network"]


def test_a_second_signal_does_not_break_the_first(tmp_path: Path) -> None:
    with Wakeups() as wakeups:
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGINT)
        assert wakeups.pause(5)
        assert not wakeups.pause(0)


def test_a_hang_up_ignored_by_nohup_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Wakeups() as wakeups:
            os.kill(os.getpid(), signal.SIGHUP)
            assert not wakeups.pause(0)
    finally:
        signal.signal(signal.SIGHUP, before)


# The rest watches a supervisor from outside, in a process of its own.

SITE = """
import os, pathlib, signal, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whatever the suite was started by
from leaderboard.embedded import supervisor
supervisor.GRACE_SECONDS = 1.0
logs = pathlib.Path(sys.argv[1])
say = lambda line: print(line, flush=True)
try:
    with supervisor.supervising(logs, os.environ, say) as site:
        for name, code in zip(sys.argv[2::2], sys.argv[3::2]):
            site.start(name, [sys.executable, "-c", code])
        say("watching")
        site.watch()
except supervisor.StopRequested:
    say("stopped")
"""


class Site:
    """A supervisor with the given children, and what it has to say."""

    def __init__(self, directory: Path, **children: str) -> None:
        self.directory = directory
        words = [word for pair in children.items() for word in pair]
        argv = [sys.executable, "-c", SITE, str(directory), *words]
        self.process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
        self.wait_for("watching")
        for name in children:
            wait_until(lambda name=name: self.ups(name), what=f"{name} is up")
        self.family = psutil.Process(self.process.pid).children(recursive=True)

    def wait_for(self, words: str) -> str:
        assert self.process.stdout is not None
        line = next((line for line in self.process.stdout if words in line), "")
        assert line, f"it ended without saying {words}"
        return line

    def ups(self, name: str) -> int:
        return text(self.directory / f"{name}.log").count("up")

    def child(self) -> psutil.Process:
        return psutil.Process(self.process.pid).children()[0]

    def end(self, number: int) -> None:
        self.process.send_signal(number)
        self.process.wait(60)

    def gone(self) -> None:
        wait_until(
            lambda: not any(alive(process) for process in self.family),
            what="every child is gone",
        )


def alive(process: psutil.Process) -> bool:
    # An orphan may stay a zombie where nobody reaps for process 1.
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.fixture
def sites() -> Iterator[list[Site]]:
    started: list[Site] = []
    yield started
    for site in started:
        site.process.kill()
        site.process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_every_stop_signal_ends_all_children(
    sites: list[Site], tmp_path: Path, number: int
) -> None:
    site = Site(tmp_path, one=FOREVER, two=FOREVER)
    sites.append(site)
    site.end(number)
    assert site.process.returncode == 0
    site.gone()


def test_children_stop_youngest_first(sites: list[Site], tmp_path: Path) -> None:
    order = tmp_path / "order"
    farewell = (
        "import signal, sys\n"
        "def end(*_):\n"
        f"    open({str(order)!r}, 'a').write('NAME ')\n"
        "    sys.exit()\n"
        "signal.signal(signal.SIGTERM, end)\n"
        f"{FOREVER}"
    )
    names = ("broker", "worker", "web")
    site = Site(tmp_path, **{name: farewell.replace("NAME", name) for name in names})
    sites.append(site)
    site.end(signal.SIGTERM)
    assert order.read_text() == "web worker broker "


def test_a_dead_child_comes_back_and_waits_longer_each_time(
    sites: list[Site], tmp_path: Path
) -> None:
    site = Site(tmp_path, worker=FOREVER)
    sites.append(site)
    for number, delay in enumerate(BACK_OFF_SECONDS[1:3], start=1):
        site.child().kill()
        died = time.monotonic()
        line = site.wait_for("worker ended with -9")
        assert f"again in {delay:g} s" in line
        wait_until(lambda ups=number + 1: site.ups("worker") == ups, what="it is back")
        assert time.monotonic() - died >= delay


def test_a_child_that_ignores_the_signal_is_killed(
    sites: list[Site], tmp_path: Path
) -> None:
    deaf = f"import signal; signal.signal(15, signal.SIG_IGN); {FOREVER}"
    site = Site(tmp_path, deaf=deaf)
    sites.append(site)
    site.process.terminate()
    site.wait_for("deaf did not stop in 1 s: killed")
    site.gone()


def test_what_a_child_started_goes_with_it(sites: list[Site], tmp_path: Path) -> None:
    nested = f"import subprocess; subprocess.Popen(['sleep', '60']); {FOREVER}"
    site = Site(tmp_path, nested=nested)
    sites.append(site)
    assert len(site.family) == 2
    site.end(signal.SIGTERM)
    site.gone()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child")
def test_a_killed_supervisor_leaves_no_child(sites: list[Site], tmp_path: Path) -> None:
    site = Site(tmp_path, one=FOREVER, two=FOREVER)
    sites.append(site)
    site.end(signal.SIGKILL)
    site.gone()


def test_a_stop_while_waiting_is_noticed(supervisor: Supervisor) -> None:
    supervisor.start("steady", python(FOREVER))
    os.kill(os.getpid(), signal.SIGTERM)
    with pytest.raises(StopRequested):
        supervisor.wait_until(lambda: False, "steady", 60)
