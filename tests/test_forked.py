"""Workers that are forked from the process that collected (tests/forked.py)."""

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.conf import settings

from tests.conftest import comes_late
from tests.forked import Hand

ROOT = Path(__file__).resolve().parent.parent


def run(
    folder: Path, *argv: str, **suite: str
) -> tuple[subprocess.CompletedProcess[str], dict[str, str]]:
    """A suite of its own on two workers, and the outcome of each test."""
    for name, text in suite.items():
        (folder / f"test_{name}.py").write_text(text)
    bare = ["-p", "tests.forked", "-n", "2", "-c", "/dev/null", "--rootdir", folder]
    report = folder / "report.xml"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *bare, f"--junitxml={report}", *argv, folder],
        # What else is installed would be loaded by each of these processes.
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    outcomes = {
        case.get("name", ""): case[0].tag if len(case) else "passed"
        for case in ET.parse(report).getroot().iter("testcase")
    }
    return done, outcomes


def test_all_tests_run_and_are_reported_as_in_one_process(tmp_path: Path) -> None:
    done, outcomes = run(
        tmp_path,
        "--durations=3",
        one="import pytest\n"
        "def test_good(): pass\n"
        "def test_bad():\n    print('a word on it')\n    assert 1 == 2\n"
        "@pytest.mark.skip(reason='no browser')\ndef test_skipped(): pass\n",
        two="import pytest\n"
        "@pytest.fixture\ndef wound():\n    yield\n    raise OSError('no room')\n"
        "def test_wounded(wound): pass\n",
    )
    assert done.returncode == 1
    assert outcomes == {
        "test_good": "passed",
        "test_bad": "failure",
        "test_skipped": "skipped",
        "test_wounded": "error",
    }
    assert "assert 1 == 2" in done.stdout and "a word on it" in done.stdout
    assert "OSError: no room" in done.stdout
    assert "1 failed, 2 passed, 1 skipped, 1 error" in done.stdout
    assert "slowest 3 durations" in done.stdout


def test_modules_are_imported_once_for_all_workers(tmp_path: Path) -> None:
    text = (
        "from pathlib import Path\n"
        "with Path(__file__).with_name('imports').open('a') as file:\n"
        "    file.write('x')\n"
        "def test_one(): pass\ndef test_two(): pass\n"
    )
    done, outcomes = run(tmp_path, suite=text)
    assert done.returncode == 0 and len(outcomes) == 2
    assert (tmp_path / "imports").read_text() == "x"


def test_workers_run_beside_each_other_under_names_of_their_own(tmp_path: Path) -> None:
    """Each test waits for the other: one process would never end the first."""
    text = (
        "import os, time\n"
        "from pathlib import Path\n"
        "def meet(mine, other):\n"
        "    folder = Path(__file__).parent\n"
        "    (folder / mine).write_text(os.environ['PYTEST_XDIST_WORKER'])\n"
        "    end = time.monotonic() + 200\n"
        "    while not (folder / other).exists() and time.monotonic() < end:\n"
        "        os.sched_yield()\n"
        "    assert (folder / other).exists()\n"
        "def test_one(request):\n"
        "    assert request.config.workerinput['workerid'].startswith('gw')\n"
        "    meet('a', 'b')\n"
        "def test_two(): meet('b', 'a')\n"
    )
    done, _ = run(tmp_path, suite=text)
    assert done.returncode == 0, done.stdout
    names = {(tmp_path / name).read_text() for name in "ab"}
    assert names == {"gw0", "gw1"}


def test_a_worker_that_dies_fails_its_test_and_the_others_run(tmp_path: Path) -> None:
    text = (
        "import os, signal\n"
        "def test_before(): pass\n"
        "def test_deadly(): os.kill(os.getpid(), signal.SIGKILL)\n"
    ) + "".join(f"def test_after_{n}(): pass\n" for n in range(6))
    done, outcomes = run(tmp_path, suite=text)
    assert done.returncode == 1
    assert outcomes.pop("test_deadly") == "failure"
    assert set(outcomes.values()) == {"passed"} and len(outcomes) == 7
    assert "died with -9 in this test" in done.stdout


def test_a_test_that_hangs_fails_with_the_place(tmp_path: Path) -> None:
    text = (
        "import threading\n"
        "def test_hanging(): threading.Event().wait(200)\n"
        "def test_good(): pass\n"
    )
    quick = ("-o", "faulthandler_timeout=0.5", "-o", "faulthandler_exit_on_timeout=1")
    done, outcomes = run(tmp_path, *quick, suite=text)
    assert outcomes == {"test_hanging": "failure", "test_good": "passed"}
    assert "in test_hanging" in done.stderr


def test_a_first_failure_ends_the_run_where_that_is_asked_for(tmp_path: Path) -> None:
    """Others take longer, all in all, than a failure needs to be heard of."""
    text = "from threading import Event\ndef test_bad(): assert 0\n"
    text += "".join(f"def test_{n}(): Event().wait(0.05)\n" for n in range(500))
    done, outcomes = run(tmp_path, "-x", suite=text)
    assert done.returncode == 1 and "stopping after 1 failures" in done.stdout
    assert outcomes["test_bad"] == "failure" and len(outcomes) < 500


def test_what_failed_is_remembered(tmp_path: Path) -> None:
    text = "def test_good(): pass\ndef test_bad(): assert 0\n"
    cache = ("-o", f"cache_dir={tmp_path / 'cache'}")
    run(tmp_path, *cache, suite=text)
    _, again = run(tmp_path, *cache, "--last-failed", suite=text)
    assert again == {"test_bad": "failure"}


def test_what_one_worker_prints_is_not_anothers(tmp_path: Path) -> None:
    """A handler of logs keeps the stream that was there when tests were collected."""
    text = (
        "import logging, sys, pytest\n"
        "handler = logging.StreamHandler(sys.stderr)\n"
        "@pytest.mark.parametrize('number', range(40))\n"
        "def test_printing(number, capfd):\n"
        "    print(f'line {number}')\n"
        "    handler.emit(logging.makeLogRecord({'msg': f'log {number}'}))\n"
        "    assert capfd.readouterr() == (f'line {number}\\n', '')\n"
        "@pytest.mark.parametrize('number', range(40))\n"
        "def test_failing(number):\n"
        "    print(f'line {number}.')\n"
        "    handler.emit(logging.makeLogRecord({'msg': f'log {number}.'}))\n"
        "    assert 0\n"
    )
    done, outcomes = run(tmp_path, suite=text)
    assert [done.stdout.count(f"\nline {n}.\n") for n in range(40)] == [1] * 40
    assert [done.stdout.count(f"\nlog {n}.\n") for n in range(40)] == [1] * 40
    assert list(outcomes.values()).count("failure") == 40


def test_warnings_reach_the_end_of_the_run(tmp_path: Path) -> None:
    text = (
        "import warnings\n"
        "class Own(UserWarning): pass\n"
        "def test_old(): warnings.warn('an old word', DeprecationWarning)\n"
        "def test_own(): warnings.warn('a word of its own', Own)\n"
    )
    done, _ = run(tmp_path, suite=text)
    assert "an old word" in done.stdout and "a word of its own" in done.stdout


def test_fixtures_of_the_session_are_taken_down_in_each_worker(tmp_path: Path) -> None:
    text = (
        "import os, pytest\n"
        "from pathlib import Path\n"
        "@pytest.fixture(scope='session', autouse=True)\n"
        "def server():\n"
        "    mark = Path(__file__).with_name(f'{os.getpid()}.up')\n"
        "    mark.touch()\n"
        "    yield\n"
        "    mark.rename(mark.with_suffix('.down'))\n"
    ) + "".join(f"def test_{n}(): pass\n" for n in range(20))
    run(tmp_path, suite=text)
    assert list(tmp_path.glob("*.down")) and not list(tmp_path.glob("*.up"))


def test_a_module_is_one_workers_while_there_are_others() -> None:
    hand = Hand("aaabbb")
    assert hand.next_of("first") == 0
    assert hand.next_of("second") == 3
    assert [hand.next_of("first") for _ in range(2)] == [1, 2]


def test_an_idle_worker_takes_the_later_half_of_the_longest_rest() -> None:
    hand = Hand("aaaaaaab")
    assert hand.next_of("first") == 0  # 1 to 6 are left
    assert hand.next_of("second") == 7
    assert [hand.next_of("second") for _ in range(3)] == [4, 5, 6]
    assert hand.next_of("second") == 2  # of 1, 2, 3
    assert hand.next_of("first") == 1
    assert hand.next_of("first") == 3
    assert hand.next_of("first") is None and hand.next_of("second") is None


@pytest.mark.parametrize("workers", [1, 2, 3, 7])
def test_each_test_is_handed_out_once(workers: int) -> None:
    hand = Hand("aabbbbbbcddddddddddddddddddddee")
    out, turn = [], 0
    while (number := hand.next_of(str(turn % workers))) is not None:
        out.append(number)
        turn += turn % 3 + 1
    assert sorted(out) == list(range(31))


def test_tests_of_a_dead_worker_go_to_others() -> None:
    hand = Hand("aaab")
    assert hand.next_of("first") == 0
    hand.give_back("first")
    assert [hand.next_of("second") for _ in range(4)] == [1, 2, 3, None]


def test_short_tests_come_last(request: pytest.FixtureRequest) -> None:
    paths = ("scoring/test_a.py", "scoring/test_b.py", "teams/test_c.py", "test_d.py")
    items = [SimpleNamespace(path=ROOT / "tests" / path) for path in paths]
    items.sort(key=comes_late)
    assert [item.path.stem[-1] for item in items] == list("cdab")
    late = [comes_late(item) for item in request.session.items]
    assert late == sorted(late)


def test_a_process_of_this_suite_has_files_of_its_own() -> None:
    ours = settings.TEST_DATA
    assert ours.name == os.environ.get("PYTEST_XDIST_WORKER", "alone")
    caches = settings.CACHES["default"]["LOCATION"]
    paths = (settings.MEDIA_ROOT, settings.REDIS_URL, caches, os.environ["REDIS_URL"])
    for path in paths:
        assert f"/{ours.name}/" in str(path)
