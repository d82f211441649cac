"""Runs of the suite: `make test` (fast), `make test-all` (the rest), and the core.

The core by itself is `make test ARGS=--without-extras`.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from leaderboard.embedded.processes import Process, dies_with_parent
from tests import unsteady
from tests.selection import EVERYTHING, Tree, ignoring, remember, selection
from tests.servers import find_chromium, find_postgres, find_redis, postgres_server

ROOT = Path(__file__).resolve().parent.parent
NOTHING_COLLECTED = 5  # pytest's exit code; no failure where ARGS names few tests
PROCESSES = min(4, os.cpu_count() or 1)
# What meets the absence of extras: start, pages, schema, bundles, and the points
WITHOUT_EXTRAS = ["tests/test_without_extras.py", "tests/test_extras.py"]
# Named at the end, with their seconds
SLOWEST, SLOWEST_FILES = 20, 10
# More failures than these are not the machine's doing, and get no second try
SECOND_TRIES = 3
# Dozens of programs are started on the way: none is to compile the site anew.
UNWANTED = {"DATABASE_URL", "PYTHONDONTWRITEBYTECODE"}
NO_POSTGRES = "no PostgreSQL: install tests/requirements.txt or set PG_BIN"


@dataclass(slots=True)
class Run:
    """One pytest process on one database, and its outcome."""

    database: str
    argv: list[str]
    env: dict[str, str]
    directory: Path
    aside: bool  # its output is kept until the other run has ended
    failed: bool = False
    outcome: str = "did not end"
    skipped: Counter[str] = field(default_factory=Counter)
    seconds: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    unsteady: list[str] = field(default_factory=list)  # passed at the second try

    @property
    def report(self) -> Path:
        return self.directory / f"{self.database}.xml"

    @property
    def output(self) -> Path:
        return self.directory / f"{self.database}.txt"

    @property
    def seconds_of_files(self) -> Counter[str]:
        """Seconds of all tests of a file, by its module."""
        found: Counter[str] = Counter()
        for name, seconds in self.seconds.items():
            found[name.partition("::")[0]] += seconds
        return found

    def start(self) -> Process:
        argv = [sys.executable, "-m", "pytest", f"--junitxml={self.report}", *self.argv]
        argv += ["-o", f"cache_dir={self.directory / self.database}"]
        outside = {k: v for k, v in os.environ.items() if k not in UNWANTED}
        with ExitStack() as files:
            out = files.enter_context(self.output.open("wb")) if self.aside else None
            return subprocess.Popen(
                argv,
                cwd=ROOT,
                env=outside | self.env,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out and subprocess.STDOUT,
                preexec_fn=dies_with_parent(),
            )

    def finish(self, process: Process) -> None:
        """Wait for the end and read the report."""
        code = process.wait()
        self.failed = code not in (0, NOTHING_COLLECTED)
        if self.aside:
            print(f"\n{'-' * 20} {self.database}\n", flush=True)
            sys.stdout.buffer.write(self.output.read_bytes())
            sys.stdout.flush()
        written = self.report.exists()
        self.outcome = self.read() if written else f"pytest ended with {code}"

    def try_again(self) -> None:
        """Run what failed once more, one after the other and with nothing beside it.

        If all pass now, none has failed: they are named at the end, and written to a
        list that stays.
        """
        if not (self.failed and 0 < len(self.failures) <= SECOND_TRIES):
            return
        print(f"\n{'-' * 20} {self.database}: once more, alone\n", flush=True)
        again = ["-n", "0", "--last-failed", "--last-failed-no-failures=none"]
        second = Run(
            self.database,
            [*self.argv, *again],
            self.env,
            Path(tempfile.mkdtemp(dir=self.directory)),
            aside=False,
        )
        known = self.directory / self.database
        shutil.copytree(known, second.directory / self.database)
        second.finish(second.start())
        self.skipped += second.skipped
        unasked = len(second.seconds) < len(self.failures)
        self.failed = second.failed or unasked
        if not self.failed:
            self.unsteady = self.failures

    def read(self) -> str:
        """The report's counts as a sentence; keeps reasons of skips and times."""
        suite = next(ET.parse(self.report).getroot().iter("testsuite"))
        total, *bad = (int(suite.get(k, 0)) for k in ("tests", "failures", "errors"))
        unrun = list(suite.iter("skipped"))
        skips = [skip for skip in unrun if skip.get("type") != "pytest.xfail"]
        self.skipped = Counter(map(_reason, skips))
        for case in suite.iter("testcase"):
            name = f"{case.get('classname')}::{case.get('name')}"
            self.seconds[name] += float(case.get("time", 0))
            if case.find("failure") is not None or case.find("error") is not None:
                self.failures.append(name)
        failed = sum(bad)
        passed = total - failed - len(unrun)
        took = float(suite.get("time", 0))
        return f"{passed} passed, {failed} failed, {len(skips)} skipped in {took:.0f} s"


def _reason(skip: ET.Element) -> str:
    message = skip.get("message", "")
    whole_file = message == "collection skipped"
    return (skip.text or message).strip() if whole_file else message


def main(argv: list[str]) -> int:
    """Run what is asked for, print what was skipped, and return the exit code."""
    signal.signal(signal.SIGTERM, _interrupt)
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument(
        "--all", action="store_true", help="all but the fast tests, on both databases"
    )
    parser.add_argument(
        "--in-turn", action="store_true", help="one database after the other"
    )
    parser.add_argument(
        "--without-extras", action="store_true", help="a site that has none"
    )
    parser.add_argument(
        "--since", help="what no change since this commit can turn red is left out"
    )
    options, rest = parser.parse_known_args(argv)
    try:
        with tempfile.TemporaryDirectory(prefix="plumbline-report-") as directory:
            if options.without_extras:
                return conclude(run_without_extras(rest, Path(directory)))
            if options.all:
                runs = run_all(rest, Path(directory), options.in_turn)
            else:
                runs = run_fast(rest, Path(directory), options.since)
            code = conclude(runs)
            if code == 0 and not rest and options.since in (None, EVERYTHING):
                remember("rest" if options.all else "fast")
            return code
    except KeyboardInterrupt:
        print("\ninterrupted")
        return 130


def _interrupt(_signum: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def shared_by(processes: int) -> list[str]:
    """Idle ones are given tests of the others; ARGS="-n 0" has only one."""
    return ["-n", str(processes)]


def run_fast(argv: list[str], directory: Path, since: str | None) -> list[Run]:
    """The fast tests; where nothing narrows them, those that a change can turn red."""
    words = ["--part=fast", *shared_by(PROCESSES), *argv]
    if since or not argv:
        chosen = selection(since)
        print(chosen.why, flush=True)
        words += ignoring(Tree.of(ROOT), chosen.left_out)
    run = Run("SQLite", words, {}, directory, aside=False)
    run_beside([run])
    return [run]


def run_without_extras(argv: list[str], directory: Path) -> list[Run]:
    """Tests that meet the absence of extras, on a site without any."""
    words = ["--part=fast", *shared_by(PROCESSES), *WITHOUT_EXTRAS, *argv]
    env = {"PLUMBLINE_EXTRAS": "none"}
    run = Run("SQLite", words, env, directory, aside=False)
    run_beside([run])
    return [run]


def run_all(argv: list[str], directory: Path, in_turn: bool) -> list[Run]:
    """The thorough tests on SQLite, and beside them those for PostgreSQL."""
    # One more than cores: many of these wait for programs that they have started.
    words = ["--part=thorough", *shared_by(PROCESSES + 1), *argv]
    first = Run("SQLite", words, {}, directory, aside=False)
    print(f"Redis: {find_redis()}\nChromium: {find_chromium()}", flush=True)
    with ExitStack() as stack:
        runs = [first]
        if programs := find_postgres():
            url = stack.enter_context(postgres_server(programs))
            # Half as many beside the longer run: both end at about the same time, and
            # no core is idle while a test of the longer one waits for something.
            processes = PROCESSES if in_turn else max(1, PROCESSES // 2)
            words = ["--part=postgresql", *shared_by(processes), *argv, "--color=no"]
            # Backups ask for programs of the server's version.
            path = f"{programs}{os.pathsep}{os.environ['PATH']}"
            env = {"DATABASE_URL": url, "PATH": path}
            runs.append(Run("PostgreSQL", words, env, directory, aside=True))
        else:
            first.skipped[NO_POSTGRES] += 1
        for beside in [[run] for run in runs] if in_turn else [runs]:
            run_beside(beside)
    return runs


def run_beside(runs: list[Run]) -> None:
    """Start all, and wait for the end of each."""
    with ExitStack() as stack:
        processes = [stack.enter_context(_process(run)) for run in runs]
        for run, process in zip(runs, processes, strict=True):
            run.finish(process)
    if _is_set("SECOND_TRY"):
        for run in runs:
            run.try_again()


@contextmanager
def _process(run: Run) -> Iterator[Process]:
    process = run.start()
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.wait(30)


def conclude(runs: list[Run]) -> int:
    """Print the slowest tests, the counts and what was skipped; the exit code."""
    print()
    often = {run.database: unsteady.note(run.unsteady) for run in runs}
    for run in runs:
        print(f"Slowest tests on {run.database}:")
        _print_seconds(run.seconds.most_common(SLOWEST))
        print(f"Slowest files on {run.database}:")
        _print_seconds(run.seconds_of_files.most_common(SLOWEST_FILES))
    for run in runs:
        print(f"{run.database}: {run.outcome}")
        for name in run.unsteady:
            print(f"UNSTEADY on {run.database}, passed alone: {name}")
        for name in often[run.database]:
            print(f"FAILED: once more unsteady, see tests/unsteady.txt: {name}")
    skipped = [(run, reason, n) for run in runs for reason, n in run.skipped.items()]
    for run, reason, count in skipped:
        print(f"SKIPPED {count} on {run.database}: {reason}")
    if not skipped:
        print("Nothing was skipped.")
    strict = _is_set("NO_SKIPS")
    if skipped and strict:
        print("NO_SKIPS is set: skipped tests count as failed.")
    failed = any(run.failed or often[run.database] for run in runs)
    return int(failed or bool(skipped and strict))


def _is_set(switch: str) -> bool:
    return os.environ.get(switch, "") not in ("", "0")


def _print_seconds(rows: Iterable[tuple[str, float]]) -> None:
    for name, seconds in rows:
        print(f"{seconds:7.1f} s  {name}")
    print()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
