"""A declared command that runs code in place of the sandbox: a real process here."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from scoring.sandbox import declared_runner
from scoring.sandbox.declared_runner import RunnerFailed
from scoring.sandbox.fork import Abandoned, LimitExceeded, Limits, Supervision
from scoring.sandbox.program import Program, ProgramExit

STAND_IN = Path(__file__).with_name("stand_in_runner.py")
LIMITS = Limits(
    cpu_seconds=1, wall_seconds=20.0, memory_bytes=1 << 28, answer_bytes=9999
)
LOOPS = "while True: pass"
WAITS = "import threading; print('begun', flush=True); threading.Event().wait(600)"


def words(how: str) -> tuple[str, ...]:
    return sys.executable, str(STAND_IN), how


def ready(root: Path, script: str, limits: Limits = LIMITS, **more: Any) -> Program:
    """A program as `execute` lays it out."""
    for name in ("program", "output"):
        (root / name).mkdir()
    path = root / "program" / "predict.py"
    path.write_text(script)
    command = (sys.executable, "-s", "-B", str(path), str(root / "output"))
    return Program(
        command,
        root / "output",
        limits,
        start=root / "program",
        folder_bytes=1 << 20,
        **more,
    )


def run(root: Path, script: str, how: str = "well", **more: Any) -> ProgramExit:
    return declared_runner.run(words(how), ready(root, script, **more), root)


def exceeded(root: Path, script: str, **more: Any) -> str:
    with pytest.raises(LimitExceeded) as limit:
        run(root, script, **more)
    return limit.value.what


def alive(root: Path) -> list[psutil.Process]:
    """Processes that run something below this folder."""
    every = psutil.process_iter(["cmdline"])
    return [p for p in every if str(root) in " ".join(p.info["cmdline"] or ())]


def staying(root: Path) -> list[psutil.Process]:
    """Those that do not end: on a busy machine one that was killed is there for a
    moment more."""
    return psutil.wait_procs(alive(root), 30)[1]


def test_code_runs_in_its_folder_and_what_it_prints_comes_back(tmp_path: Path) -> None:
    script = (
        "import os, sys\nfrom pathlib import Path\nprint(os.getcwd())\n"
        "Path(sys.argv[1], 'answers.txt').write_text('a b')\n"
    )
    ended = run(tmp_path, script)
    assert (ended.code, ended.output.decode().strip()) == (0, str(tmp_path / "program"))
    assert (tmp_path / "output/answers.txt").read_text() == "a b"


@pytest.mark.parametrize("number", [1, 125, 126, 127, 137])
def test_an_exit_code_is_that_of_the_code_and_never_of_the_runner(
    tmp_path: Path, number: int
) -> None:
    """Codes of containers' own failures, too, which code could choose."""
    assert run(tmp_path, f"import sys; sys.exit({number})").code == number


def test_code_that_computes_too_long_meets_the_limit(tmp_path: Path) -> None:
    assert exceeded(tmp_path, LOOPS) == "cpu"


def test_code_that_waits_too_long_meets_the_limit(tmp_path: Path) -> None:
    limits = Limits(1, 0.5, 1 << 28, 9999)
    assert exceeded(tmp_path, WAITS, limits=limits) == "wall"


@pytest.mark.parametrize(
    ("script", "what"),
    [
        ("while True: print('x' * 99, flush=True)", "output"),
        (
            "import sys\nfor n in range(10 ** 6):\n"
            "    open(f'{sys.argv[1]}/{n}', 'w').write('x' * 999999)",
            "folder",
        ),
        (
            "import sys\nfor n in range(10 ** 6):\n    open(f'{sys.argv[1]}/{n}', 'w')",
            "files",
        ),
    ],
)
def test_what_it_writes_is_counted_and_the_runner_ended(
    tmp_path: Path, script: str, what: str
) -> None:
    limits = Limits(60, 60.0, 1 << 28, 9999)
    assert exceeded(tmp_path, script, limits=limits) == what
    assert staying(tmp_path) == []


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("fails", "ended with exit code 3"),
        ("is killed", "ended with exit code -9"),
        ("is silent", "did not say how the code ended"),
        ("chatters", "did not say how the code ended"),
    ],
)
def test_what_the_runner_does_wrong_is_its_own_failure(
    tmp_path: Path, how: str, said: str
) -> None:
    with pytest.raises(RunnerFailed, match=said):
        run(tmp_path, "print('x')", how)


def test_a_runner_that_is_not_there_is_its_own_failure(tmp_path: Path) -> None:
    program = ready(tmp_path, "print('x')")
    with pytest.raises(RunnerFailed, match="cannot be started: No such file"):
        declared_runner.run(("/no/such/runner",), program, tmp_path)


def test_a_runner_that_does_not_end_is_its_own_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(declared_runner, "STARTING_SECONDS", 0.0)
    limits = Limits(1, 0.5, 1 << 28, 9999)
    with pytest.raises(RunnerFailed, match="in time"):
        run(tmp_path, "pass", "hangs", limits=limits)
    assert staying(tmp_path) == []


def test_nobody_wants_the_answer_any_more(tmp_path: Path) -> None:
    watch = Supervision(lambda: False, 0.2)
    with pytest.raises(Abandoned):
        run(tmp_path, WAITS, watch=watch)
    assert staying(tmp_path) == []


def test_the_runner_is_told_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLUMBLINE_SECRET_KEY", "lighthouse")
    said = run(tmp_path, "pass", "says its environment").output.decode()
    assert "RUN_OUTPUT" in said and "PLUMBLINE" not in said


def test_it_ends_with_the_worker_that_started_it(tmp_path: Path) -> None:
    ready(tmp_path, WAITS)
    script = (
        "from pathlib import Path\nfrom tests.scoring.test_declared_runner import *\n"
        f"root = Path({str(tmp_path)!r})\n"
        "program = Program((sys.executable, str(root / 'program/predict.py')),\n"
        "    root / 'output', LIMITS, start=root / 'program')\n"
        "declared_runner.run(words('well'), program, root)\n"
    )
    worker = subprocess.Popen([sys.executable, "-c", script])
    while not (below := psutil.Process(worker.pid).children()):
        assert worker.poll() is None
    os.kill(worker.pid, signal.SIGKILL)
    worker.wait()
    for runner in below:
        runner.wait(30)  # raises TimeoutExpired where it stays
    for code in alive(tmp_path):  # a runner of containers would have ended it
        code.kill()
