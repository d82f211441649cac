"""What `make test` says at its end."""

import os
import re
import subprocess
import sys
from collections import Counter
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests import run as driver
from tests import unsteady
from tests.run import Run, conclude

SUITE = """
import pytest

def test_good(): pass

@pytest.mark.skip(reason="no browser")
def test_skipped(): pass

@pytest.mark.skip(reason="no browser")
def test_skipped_too(): pass

@pytest.mark.xfail
def test_known_to_fail(): assert False
"""
WHOLE_FILE = "import pytest\npytest.skip('no data here', allow_module_level=True)\n"


@pytest.fixture(scope="module", params=[0, 2], ids=["alone", "shared"])
def run(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Run:
    """A run whose report pytest itself has written, in one process or in two."""
    tmp_path = tmp_path_factory.mktemp("suite")
    run = Run("SQLite", [], {}, tmp_path, aside=False)
    (tmp_path / "test_suite.py").write_text(SUITE)
    (tmp_path / "test_whole_file.py").write_text(WHOLE_FILE)
    bare = ["-q", "-p", "tests.forked", "-n", str(request.param)]
    bare += ["-c", "/dev/null", "--rootdir", str(tmp_path)]
    argv = [sys.executable, "-m", "pytest", *bare, f"--junitxml={run.report}"]
    # What else is installed would be loaded by each of these processes.
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    argv.append(str(tmp_path))
    subprocess.run(
        argv, check=True, cwd=driver.ROOT, env=env, stdout=subprocess.DEVNULL
    )
    return run


def test_skips_are_counted_by_reason_and_known_failures_are_none(run: Run) -> None:
    counts, _, seconds = run.read().partition(" in ")
    assert counts == "1 passed, 0 failed, 3 skipped"
    assert seconds in {f"{n} s" for n in range(60)}
    reasons = dict(run.skipped)
    assert reasons.pop("no browser") == 2
    assert [count for why, count in reasons.items() if "no data here" in why] == [1]


def test_skips_are_the_last_lines(
    run: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_SKIPS", raising=False)
    run.skipped = Counter({"no browser": 2})
    assert conclude([run]) == 0
    assert capsys.readouterr().out.endswith("SKIPPED 2 on SQLite: no browser\n")


def test_nothing_skipped_is_said(
    run: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_SKIPS", "1")
    run.skipped = Counter()
    assert conclude([run]) == 0
    assert capsys.readouterr().out.endswith("Nothing was skipped.\n")


def test_the_switch_turns_a_skip_into_a_failure(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.skipped = Counter({"nothing to read": 1})
    for value, code in (("1", 1), ("0", 0), ("", 0)):
        monkeypatch.setenv("NO_SKIPS", value)
        assert conclude([run]) == code


def test_one_failed_run_fails_the_whole(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_SKIPS", raising=False)
    failed = Run("PostgreSQL", [], {}, run.directory, aside=True, failed=True)
    assert conclude([run, failed]) == 1


@pytest.mark.parametrize(
    ("in_turn", "together"),
    [
        (False, [["SQLite", "PostgreSQL"]]),
        (True, [["SQLite"], ["PostgreSQL"]]),
    ],
    ids=["beside", "in turn"],
)
def test_databases_run_beside_each_other_or_in_turn(
    in_turn: bool,
    together: list[list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[list[Run]] = []
    monkeypatch.setattr(driver, "postgres_server", nullcontext)
    monkeypatch.setattr(driver, "run_beside", started.append)
    driver.run_all(["-n", "0"], tmp_path, in_turn)
    assert [[run.database for run in beside] for beside in started] == together


def test_the_slowest_tests_and_files_are_named(
    run: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_SKIPS", raising=False)
    run.seconds = Counter({"a::quick": 0.1, "b::slow": 12.34, "a::slower": 60.0})
    conclude([run])
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:9] == [
        "Slowest tests on SQLite:",
        "   60.0 s  a::slower",
        "   12.3 s  b::slow",
        "    0.1 s  a::quick",
        "",
        "Slowest files on SQLite:",
        "   60.1 s  a",
        "   12.3 s  b",
    ]


def test_every_test_is_in_one_part_of_the_suite() -> None:
    """What neither command ran would be tested by nobody."""
    fast, _ = collect("fast")
    thorough, others = collect("thorough")
    assert fast and thorough
    assert not fast & thorough
    assert len(fast) == others


def collect(part: str) -> tuple[set[str], int]:
    """Names of the tests of two files that pytest would run, one of which is of a slow
    folder and has a fast test; how many others are in them."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "--part", part]
    files = ["tests/e2e/test_whole_path.py", "tests/teams/test_anonymity.py"]
    done = subprocess.run(
        [*command, *files], cwd=driver.ROOT, capture_output=True, text=True
    )
    lines = done.stdout.splitlines()
    left = re.search(r"(\d+) deselected", lines[-1])
    return {line for line in lines if "::" in line}, int(left[1]) if left else 0


UNSTEADY = """
from pathlib import Path

def test_good(): pass

def test_falls_beside_others():
    seen = Path(__file__).with_name("seen")
    known = seen.exists()
    seen.touch()
    assert known
"""
BROKEN = "\n\ndef test_broken(): assert not 'always'\n"


def run_of(tmp_path: Path, suite: str, processes: int) -> Run:
    """A suite of its own, run as ours is, on so many processes."""
    (tmp_path / "test_suite.py").write_text(suite)
    bare = ["-q", "-p", "tests.forked", "-c", "/dev/null", "--rootdir", str(tmp_path)]
    argv = [*bare, *driver.shared_by(processes), str(tmp_path)]
    env = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return Run("SQLite", argv, env, tmp_path, aside=False)


@pytest.mark.parametrize("processes", [0, 2])
def test_what_fails_beside_others_and_passes_alone_is_named_unsteady(
    processes: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("SECOND_TRY", "1")
    kept = tmp_path / "unsteady.txt"
    monkeypatch.setattr(unsteady, "LIST", kept)
    run = run_of(tmp_path, UNSTEADY, processes)
    driver.run_beside([run])
    assert conclude([run]) == 0
    assert kept.read_text().startswith("test_suite::test_falls_beside_others\t20")
    said = capfd.readouterr().out
    assert "SQLite: 1 passed, 1 failed, 0 skipped" in said
    assert "UNSTEADY on SQLite, passed alone: test_suite::test_falls_besid" in said


@pytest.mark.parametrize(
    ("suite", "switch"),
    [
        (UNSTEADY + BROKEN, "1"),
        (UNSTEADY, "0"),
        (BROKEN * 2 + "".join(f"def test_{n}(): assert 0\n" for n in range(4)), "1"),
    ],
    ids=["one fails again", "no second try", "too many"],
)
def test_a_second_try_saves_nothing_else(
    suite: str, switch: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECOND_TRY", switch)
    run = run_of(tmp_path, suite, 0)
    driver.run_beside([run])
    assert conclude([run]) == 1 and run.unsteady == []
