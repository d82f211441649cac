"""A stranger's program reads what is named and writes in its folder, and no more."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from scoring.sandbox import landlock, program, removal, seccomp
from scoring.sandbox.fork import (
    JobFailed,
    KilledFromOutside,
    LimitExceeded,
    Limits,
    Supervision,
)
from scoring.sandbox.program import Program, ProgramExit, SandboxIncomplete, python
from tests.loops import loop_over

# The real sandbox
pytestmark = pytest.mark.thorough
LIMITS = Limits(
    cpu_seconds=10, wall_seconds=60, memory_bytes=512 << 20, answer_bytes=100_000
)
Run = Callable[..., ProgramExit]
# Ways of writing that never take more of the disk than they may.
WITHOUT_END = [
    "f = open('x', 'wb', 0)\nwhile True: f.seek(0); f.write(bytes(500_000))",
    "import os\nf = os.open('x', os.O_CREAT | os.O_WRONLY)\n"
    "while True: os.pwrite(f, bytes(500_000), 0); os.fdatasync(f)",
    "import os\nf = os.open('x', os.O_CREAT | os.O_WRONLY)\n"
    "while True: os.writev(f, [bytes(9_000)] * 9); os.lseek(f, 0, 0)",
    "while True: open('x', 'wb').write(bytes(500_000))",
]


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A file that the program may read, in a folder that it may not."""
    place = tmp_path / "outside"
    place.mkdir()
    (place / "gold.txt").write_text("gold")
    (place / "named.txt").write_text("named")
    return place


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "folder"
    place.mkdir()
    return place


@pytest.fixture
def run(tmp_path: Path, folder: Path, outside: Path) -> Run:
    def runs(text: str, limits: Limits = LIMITS, **changes: Any) -> ProgramExit:
        script = tmp_path / "program.py"
        script.write_text(text)
        read = (script, outside / "named.txt")
        command = python(script, str(outside))
        return program.run(Program(command, folder, limits, read, **changes))

    return runs


def test_a_program_reads_computes_and_writes(
    run: Run, outside: Path, folder: Path
) -> None:
    ended = run(
        "import sys, json, pathlib, numpy as np\n"
        "named = pathlib.Path(sys.argv[1], 'named.txt').read_text()\n"
        "pathlib.Path('deep').mkdir()\n"
        "score = float((np.eye(300) @ np.ones((300, 1))).sum())\n"
        "json.dump({named: score}, open('deep/scores.json', 'w'))\n"
        "print('said'); print('warned', file=sys.stderr)\n"
        "sys.exit(3)\n"
    )
    assert ended.code == 3
    assert set(ended.output.split()) == {b"said", b"warned"}
    assert (folder / "deep/scores.json").read_text() == '{"named": 300.0}'


def test_it_is_told_nothing_of_the_site(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLUMBLINE_SECRET_KEY", "a secret")
    ended = run("import os; print(sorted(os.environ))")
    assert ended.code == 0 and b"HOME" in ended.output
    assert b"PLUMBLINE" not in ended.output


@loop_over(
    "attempt",
    [
        "open(outside + '/gold.txt')",
        "os.listdir(outside)",
        "open(outside + '/named.txt', 'a')",
        "open(outside + '/named.txt', 'r+')",
        "os.open(outside + '/named.txt', os.O_TRUNC)",
        "os.truncate(outside + '/named.txt', 0)",
        "open(outside + '/new', 'w')",
        "os.mkdir(outside + '/new')",
        "os.unlink(outside + '/named.txt')",
        "os.rename(outside + '/named.txt', 'mine')",
        "os.link(outside + '/named.txt', 'mine')",
        "os.symlink(outside + '/gold.txt', 'mine')",
        "os.chmod(outside + '/named.txt', 0o777)",
        "os.fchmod(os.open(outside + '/named.txt', 0), 0o777)",
        "os.utime(outside + '/named.txt', (1, 1))",
        "open('/etc/passwd')",
        "open('/proc/self/environ')",
        "open(f'/proc/{tests}/environ')",
        "open('/tmp/new', 'w')",
        "socket.socket()",
        "socket.socketpair()",
        "os.fork()",
        "os.posix_spawn('/bin/true', ['true'], {})",
        "os.execv('/bin/true', ['true'])",
        "os.kill(os.getppid(), 0)",
        "os.kill(tests, 0)",
        "os.memfd_create('x')",
        "if ctypes.CDLL(None).unshare(0x10000000): raise PermissionError",
        "os.mkfifo('mine')",
        "mmap.mmap(-1, 4096)",
    ],
)
def test_an_attempt_is_refused(attempt: str, run: Run, outside: Path) -> None:
    ended = run(
        "import ctypes, mmap, os, socket, sys\n"
        f"outside, tests = sys.argv[1], {os.getpid()}\n"
        f"try:\n    {attempt}\n"
        "except PermissionError:\n    print('refused')\n"
    )
    assert (ended.code, ended.output) == (0, b"refused\n")
    assert {path.name: path.read_text() for path in outside.iterdir()} == {
        "gold.txt": "gold",
        "named.txt": "named",
    }
    assert (outside / "named.txt").stat().st_mtime > 10


def test_nothing_of_it_stays(run: Run) -> None:
    before = set(psutil.Process().children(recursive=True))
    with pytest.raises(JobFailed, match="closed its output and went on"):
        run("import os, signal\nos.closerange(0, 64)\nsignal.pause()")
    assert set(psutil.Process().children(recursive=True)) <= before


def test_a_kill_from_outside_is_told_from_every_other_end(run: Run) -> None:
    """As the kernel kills what takes the last memory of a machine."""
    before = set(psutil.Process().children())  # Redis and the browser of other tests

    def kill() -> bool:
        for child in set(psutil.Process().children()) - before:
            child.kill()
        return True

    text = "import signal; signal.pause()"
    with pytest.raises(KilledFromOutside):
        run(text, watch=Supervision(kill, every=0))


@pytest.mark.parametrize(
    "text",
    [
        "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
        "import os; os.abort()",
        "import ctypes; ctypes.string_at(0)",
    ],
)
def test_an_end_by_a_signal_of_its_own_is_none_from_outside(
    text: str, run: Run
) -> None:
    with pytest.raises(JobFailed, match="ended by signal") as caught:
        run(text)
    assert not isinstance(caught.value, KilledFromOutside)


@pytest.mark.parametrize(
    ("text", "changes", "what"),
    [
        ("while True: pass", {"limits": Limits(1, 60, 512 << 20)}, "cpu"),
        ("import signal; signal.pause()", {"limits": Limits(9, 1, 512 << 20)}, "wall"),
        ("print('x' * 200_000)", {}, "output"),
        (
            "for n in range(9):\n    open(str(n), 'wb').write(bytes(50_000))",
            {"folder_bytes": 200_000},
            "folder",
        ),
        ("for n in range(99): open(str(n), 'w')", {"most_files": 20}, "files"),
        *((text, {"folder_bytes": 1 << 20}, "written") for text in WITHOUT_END),
    ],
)
def test_a_limit_ends_it(text: str, changes: dict, what: str, run: Run) -> None:
    with pytest.raises(LimitExceeded) as caught:
        run(text, **changes)
    assert caught.value.what == what


def test_an_honest_program_may_write_its_results_more_than_once(run: Run) -> None:
    text = "for _ in range(3): open('x', 'wb').write(bytes(1_000_000))"
    assert run(text, folder_bytes=1 << 20).code == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bytes(1 << 36)", b"MemoryError"),
        ("files = [open('/dev/null') for _ in range(99)]", b"Too many open files"),
    ],
)
def test_a_limit_is_told_to_the_program(text: str, said: bytes, run: Run) -> None:
    ended = run(text, folder_bytes=200_000)
    assert ended.code != 0 and said in ended.output


def test_a_file_that_was_cut_off_ends_a_program_that_fails_of_it(run: Run) -> None:
    text = "open('x', 'wb').write(bytes(300_000))"
    with pytest.raises(LimitExceeded) as caught:
        run(text, folder_bytes=200_000)
    assert caught.value.what == "folder"
    assert b"File too large" in caught.value.output
    caught_by_itself = f"try: {text}\nexcept OSError: open('x', 'wb')"
    assert run(caught_by_itself, folder_bytes=200_000).code == 0


def test_what_a_program_said_is_there_beside_the_limit_of_its_folder(run: Run) -> None:
    text = "print('hello'); [open(f'{n}', 'w') for n in range(40)]"
    with pytest.raises(LimitExceeded) as caught:
        run(text, most_files=20)
    assert b"hello" in caught.value.output


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [(landlock, "version", 0), (landlock, "version", 2), (seccomp, "available", False)],
)
def test_without_a_whole_sandbox_none_is_run(
    module: object, name: str, value: object, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, name, lambda: value)
    with pytest.raises(SandboxIncomplete, match="lacks"):
        run("open('ran', 'w')")


def deep(folder: Path, levels: int) -> None:
    """Folders inside each other whose path no call could take whole."""
    at = os.open(folder, os.O_RDONLY)
    for level in range(levels):
        os.mkdir("a", 0o700, dir_fd=at)
        inner = os.open("a", os.O_RDONLY, dir_fd=at)
        os.close(os.open(f"f{level}", os.O_CREAT | os.O_WRONLY, dir_fd=inner))
        os.close(at)
        at = inner
    os.close(at)


def test_removal_takes_any_depth_and_any_rights(tmp_path: Path) -> None:
    place = tmp_path / "run-1"
    place.mkdir()
    deep(place, 3000)
    (place / "locked").mkdir()
    (place / "locked" / "file").write_text("x")
    (place / "locked").chmod(0)
    (place / "link").symlink_to(tmp_path)
    assert removal.remove(str(place))
    assert list(tmp_path.iterdir()) == []


def test_only_old_folders_of_runs_are_removed(tmp_path: Path) -> None:
    names = ("run-old", "run-new", "else")
    for name in names:
        (tmp_path / name).mkdir()
        deep(tmp_path / name, 1200)
    for name in ("run-old", "else"):
        os.utime(tmp_path / name, (0, 0))
    assert removal.remove_old(str(tmp_path), "run-", 3600) == 1
    assert {path.name for path in tmp_path.iterdir()} == {"run-new", "else"}
    assert removal.remove_old(str(tmp_path / "nowhere"), "run-", 3600) == 0
    for name in ("run-new", "else"):
        assert removal.remove(str(tmp_path / name))
