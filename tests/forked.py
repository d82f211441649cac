"""`-n 2`: a run collects once and then forks its workers, which share its tests.

pytest-xdist starts each worker anew, so that each imports and collects everything
before its first test. Here the process that collected hands out its tests one by one,
by their place in the collection, and logs the reports that come back: what pytest
prints, writes and remembers of a run stays its own.
"""

import multiprocessing
import os
import pickle
import signal
import sys
import warnings
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from tempfile import TemporaryFile
from typing import Any

import pytest
from _pytest.capture import CaptureManager, FDCapture
from _pytest.junitxml import xml_key

from leaderboard.embedded.processes import dies_with_parent

FORK = multiprocessing.get_context("fork")
# A worker may have forked programs that keep its end of the pipe open.
SECONDS_BETWEEN_LOOKS = 1
SECONDS_TO_STOP = 30
# What a worker reports itself: its parent prints, writes and remembers it.
REPORTING = ("terminalreporter", "lfplugin", "nfplugin", "stepwiseplugin")


class Hooks:
    """Hooks for the suite."""

    def pytest_worker_forked(self, name: str) -> None:
        """A new worker has this name, and has run nothing yet."""


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    pluginmanager.add_hookspecs(Hooks)


def pytest_addoption(parser: pytest.Parser) -> None:
    # Small letters are for pytest and its plugins, of which this is one.
    parser.getgroup("general")._addoption(
        "-n",
        dest="processes",
        type=int,
        default=0,
        help="workers that share the tests; 0, the default: this process runs them",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    processes = min(session.config.getoption("processes"), len(session.items))
    if processes < 1 or session.config.option.collectonly or session.testsfailed:
        return None  # pytest's own loop
    Loop(session).run(processes)
    return True


class Hand:
    """The tests that are left, by module, and who works on which.

    A worker has a module to itself, as its fixtures may be dear. One that has nothing
    left, when no module is, takes the later half of the longest rest.
    """

    def __init__(self, modules: Iterable[object]) -> None:
        """Of each test, in their order, its module."""
        groups: dict[object, deque[int]] = {}
        for number, module in enumerate(modules):
            groups.setdefault(module, deque()).append(number)
        self.untouched = deque(groups.values())
        self.mine: dict[str, deque[int]] = {}

    def next_of(self, worker: str) -> int | None:
        """The number of the test that this worker is to run next, if any is left."""
        if not self.mine.get(worker):
            self.mine[worker] = self._group()
        mine = self.mine[worker]
        return mine.popleft() if mine else None

    def _group(self) -> deque[int]:
        if self.untouched:
            return self.untouched.popleft()
        longest = max(self.mine.values(), key=len, default=deque[int]())
        half = [longest.pop() for _ in range((len(longest) + 1) // 2)]
        return deque(reversed(half))

    def give_back(self, worker: str) -> None:
        """The tests of a worker that died are untouched again."""
        if rest := self.mine.pop(worker, None):
            self.untouched.appendleft(rest)

    def clear(self) -> None:
        self.untouched.clear()
        self.mine.clear()


@dataclass(eq=False)
class Worker:
    """A forked process, from the side of its parent."""

    name: str
    process: ForkProcess
    pipe: Connection
    running: int | None = None  # the number of its test

    # What pytest's terminal asks of the `node` of a report, which pytest-xdist has.

    @property
    def gateway(self) -> "Worker":
        return self

    @property
    def id(self) -> str:
        return self.name

    @property
    def _workerinfocache(self) -> str:
        return self.name

    def stop(self) -> None:
        """Interrupt its test, and let it take down what its fixtures set up."""
        if self.process.is_alive():
            os.kill(self.process.pid or 0, signal.SIGINT)
        self.process.join(SECONDS_TO_STOP)
        self.process.kill()


class Loop:
    """Hands out tests and logs what comes back, until none is left."""

    def __init__(self, session: pytest.Session) -> None:
        self.session = session
        self.config = session.config
        self.hand = Hand(item.path for item in session.items)
        self.workers: list[Worker] = []
        self.forked = 0

    def run(self, processes: int) -> None:
        if terminal := self.config.pluginmanager.get_plugin("terminalreporter"):
            terminal.showfspath = False  # lines of files would mix
        try:
            for _ in range(processes):
                self.fork()
            while self.workers:
                self.look()
        finally:
            for worker in self.workers:
                worker.stop()
        if self.session.shouldfail:
            raise self.session.Failed(self.session.shouldfail)
        if self.session.shouldstop:
            raise self.session.Interrupted(self.session.shouldstop)

    def fork(self) -> None:
        name = f"gw{self.forked}"  # pytest-django's suffix of databases
        self.forked += 1
        ours, theirs = FORK.Pipe()
        capture = self.config.pluginmanager.get_plugin("capturemanager")
        if capture.is_globally_capturing():
            capture.read_global_capture()  # nothing is to be printed by both
        sys.stdout.flush()
        sys.stderr.flush()
        base = self.config._tmp_path_factory.getbasetemp() / name
        base.mkdir()
        self.config._tmp_path_factory._basetemp, kept = base, base.parent
        work = partial(work_in_fork, self.session, name, theirs, dies_with_parent())
        process = FORK.Process(target=work, name=name)
        process.start()
        self.config._tmp_path_factory._basetemp = kept
        theirs.close()
        self.workers.append(Worker(name, process, ours))

    def look(self) -> None:
        """Wait for messages, and for the end of workers."""
        ready = wait([one.pipe for one in self.workers], SECONDS_BETWEEN_LOOKS)
        for worker in list(self.workers):
            if worker.pipe in ready:
                try:
                    kind, content = worker.pipe.recv()
                except (EOFError, ConnectionResetError):
                    self.bury(worker)
                else:
                    getattr(self, kind)(worker, content)
            elif not worker.process.is_alive() and not worker.pipe.poll():
                self.bury(worker)

    def ask(self, worker: Worker, _: None) -> None:
        if self.session.shouldfail or self.session.shouldstop:
            self.hand.clear()
        worker.running = self.hand.next_of(worker.name)
        with suppress(BrokenPipeError):  # it died: the next look sees that
            worker.pipe.send(worker.running)

    def report(self, worker: Worker, content: dict[str, Any]) -> None:
        hook = self.config.hook
        report = hook.pytest_report_from_serializable(config=self.config, data=content)
        self.log(worker, report)

    def log(self, worker: Worker, report: pytest.TestReport) -> None:
        report.node = worker  # type: ignore[attr-defined]
        self.config.hook.pytest_runtest_logreport(report=report)
        if report.when == "teardown":
            self.config.hook.pytest_runtest_logfinish(
                nodeid=report.nodeid, location=report.location
            )

    def warning(self, _: Worker, content: dict[str, Any]) -> None:
        told = warnings.WarningMessage(**content.pop("message"))
        self.config.hook.pytest_warning_recorded.call_historic(
            kwargs={"warning_message": told, **content}
        )

    def bury(self, worker: Worker) -> None:
        """A worker has ended. If it was in a test, that failed, and another goes on."""
        worker.process.join()
        self.workers.remove(worker)
        worker.pipe.close()
        if worker.running is None and worker.process.exitcode == 0:
            return
        self.hand.give_back(worker.name)
        if worker.running is not None:
            self.log_death(worker, self.session.items[worker.running])
            if not (self.session.shouldfail or self.session.shouldstop):
                self.fork()
        else:
            raise pytest.UsageError(
                f"{worker.name} ended with {worker.process.exitcode} between tests"
            )

    def log_death(self, worker: Worker, item: pytest.Item) -> None:
        words = f"{worker.name} died with {worker.process.exitcode} in this test"
        died = partial(pytest.TestReport, item.nodeid, item.location, {})
        self.log(worker, died(outcome="failed", longrepr=words, when="call"))
        self.log(worker, died(outcome="passed", longrepr=None, when="teardown"))


# --- in a worker -----------------------------------------------------------------


class Next:
    """The test that comes after one, asked for when fixtures are taken down.

    So a worker never has a second test waiting behind a long one. pytest asks the next
    test only for its `listchain`.
    """

    def __init__(self, session: pytest.Session, pipe: Connection) -> None:
        self.session = session
        self.pipe = pipe
        self.asked = False
        self._item: pytest.Item | None = None

    @property
    def item(self) -> pytest.Item | None:
        if not self.asked:
            self.asked = True
            self.pipe.send(("ask", None))
            number = self.pipe.recv()
            self._item = None if number is None else self.session.items[number]
        return self._item

    def listchain(self) -> list[Any]:
        return self.item.listchain() if self.item else []


class Teller:
    """Sends to the parent what a worker's tests report."""

    def __init__(self, config: pytest.Config, pipe: Connection) -> None:
        self.config = config
        self.pipe = pipe

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        hook = self.config.hook
        data = hook.pytest_report_to_serializable(config=self.config, report=report)
        self.pipe.send(("report", data))

    @pytest.hookimpl(tryfirst=True)
    def pytest_warning_recorded(
        self,
        warning_message: warnings.WarningMessage,
        when: str,
        nodeid: str,
        location: tuple[str, int, str] | None,
    ) -> None:
        message = {
            "message": str(warning_message.message),
            "category": warning_message.category,
            "filename": warning_message.filename,
            "lineno": warning_message.lineno,
        }
        try:
            pickle.dumps(message)
        except (pickle.PicklingError, AttributeError):
            message["category"] = Warning  # of a module that only pytest can import
        content = {
            "message": message,
            "when": when,
            "nodeid": nodeid,
            "location": location,
        }
        self.pipe.send(("warning", content))


def work_in_fork(
    session: pytest.Session, name: str, pipe: Connection, dying: Any
) -> None:
    """What a worker does in its life."""
    config = session.config
    os.setpgid(0, 0)  # Ctrl-C is for the parent, which asks us to stop
    if dying is not None:
        dying()
    reporting = [config.pluginmanager.get_plugin(name) for name in REPORTING]
    for plugin in filter(None, [*reporting, config.stash.get(xml_key, None)]):
        config.pluginmanager.unregister(plugin)
    _capture_apart(config.pluginmanager.get_plugin("capturemanager"))
    os.environ["PYTEST_XDIST_WORKER"] = name
    config.workerinput = {"workerid": name}  # type: ignore[attr-defined]
    config.hook.pytest_worker_forked(name=name)
    config.pluginmanager.register(Teller(config, pipe))
    session.testsfailed = 0
    session.config.option.maxfail = 0  # the parent counts
    try:
        following = Next(session, pipe)
        while (item := following.item) is not None:
            following = Next(session, pipe)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
    except KeyboardInterrupt:
        pass
    finally:
        session._setupstate.teardown_exact(None)
        sys.stdout.flush()
        _save_coverage()


def _capture_apart(manager: CaptureManager) -> None:
    """What is printed goes to files of our own in place of the parent's.

    The same objects write to them: handlers of logs, for one, have kept these.
    """
    both = manager._global_capturing
    for capture in (both.out, both.err) if both else ():
        if isinstance(capture, FDCapture):
            with TemporaryFile(buffering=0) as file:
                os.dup2(file.fileno(), capture.tmpfile.fileno(), inheritable=False)
                os.dup2(file.fileno(), capture.targetfd)


def _save_coverage() -> None:
    """A fork ends without what a program does at its end."""
    if "coverage" in sys.modules:
        from coverage import Coverage

        if measuring := Coverage.current():
            measuring.stop()
            measuring.save()
