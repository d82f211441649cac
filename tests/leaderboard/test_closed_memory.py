"""Processes that hold the site's secrets are closed to others of their account."""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from django.conf import settings

from leaderboard.embedded import web_server as web
from leaderboard.sandbox.client import SandboxServer
from scoring.sandbox.kernel import close_memory
from tests.leaderboard.attacks import become
from tests.waiting import wait_until

# The real sandbox
pytestmark = pytest.mark.thorough
SECRET = "zqx-a-secret-of-the-site"
# PR_GET_DUMPABLE, asked in the process itself: root sees into every process anyway.
ASK = "import ctypes; print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))"
SESSION = Path("/proc/self/autogroup")
CELERY = """
    from celery.signals import {signal}
    import leaderboard
    {signal}.send(sender=None)
"""


@pytest.mark.parametrize(
    "start",
    [
        "import leaderboard.web_server",
        "import leaderboard.wsgi",
        CELERY.format(signal="worker_init"),
        CELERY.format(signal="beat_init"),
        "import sys, runpy; sys.argv = ['manage.py', 'version']\n"
        "runpy.run_path('manage.py', run_name='__main__')",
    ],
    ids=["gunicorn", "web", "worker", "sweeper", "manage.py"],
)
def test_a_process_closes_itself_at_its_start(start: str, tmp_path: Path) -> None:
    code = f"{textwrap.dedent(start)}\n{ASK}"
    env = {**os.environ, "PLUMBLINE_DATA": str(tmp_path)}
    ended = subprocess.run(
        [sys.executable, "-c", code],
        cwd=settings.BASE_DIR,
        env=env,
        capture_output=True,
        text=True,
    )
    assert ended.stdout.splitlines()[-1:] == ["0"], ended.stderr


def nice_of_session() -> int | None:
    """None where the kernel keeps no groups of sessions, or this one is in none."""
    words = SESSION.read_text().split() if SESSION.exists() else []
    return int(words[-1]) if words else None


@pytest.mark.parametrize("own_session", [True, False])
@pytest.mark.parametrize("kind", ["worker_init", "beat_init"])
def test_what_leads_its_session_lowers_the_priority_of_all_in_it(
    kind: str, own_session: bool, tmp_path: Path
) -> None:
    before = nice_of_session()
    if before is None:
        return  # this kernel shares processors otherwise
    code = textwrap.dedent(CELERY.format(signal=kind))
    ask = f"import os; print(os.nice(0), open('{SESSION}').read())"
    ended = subprocess.run(
        [sys.executable, "-c", f"{code}\n{ask}"],
        cwd=settings.BASE_DIR,
        env={**os.environ, "PLUMBLINE_DATA": str(tmp_path)},
        start_new_session=own_session,
        capture_output=True,
        text=True,
    )
    process, *_, session = ended.stdout.split()
    # The scheduler's lanes are workers, which lower their own.
    nice = settings.CELERY_WORKER_NICE
    steps = nice if kind == "worker_init" else 0
    assert int(process) == min(19, os.nice(0) + steps), ended.stderr
    assert int(session) == (nice if own_session else before), ended.stderr


def test_the_web_server_is_started_so() -> None:
    with web.listen(0) as listener:
        words = web.command(listener)
    assert words[words.index("--config") + 1] == "python:leaderboard.web_server"


def leave_root() -> None:
    """Root would see into every process: any other account does not."""
    if os.geteuid() == 0:
        become("nobody")


@pytest.fixture
def closed_process() -> Iterator[int]:
    """A process of another account than root's, closed as those of the site are."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            leave_root()
            close_memory()
            os.write(writer, b"!")
            signal.pause()
        finally:
            os._exit(1)
    assert os.read(reader, 1)
    yield pid
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(reader)
    os.close(writer)


@pytest.mark.parametrize("name", ["environ", "mem", "maps", "fd"])
def test_others_of_the_account_read_nothing(name: str, closed_process: int) -> None:
    looking = os.fork()
    if looking == 0:
        code = 1
        try:
            leave_root()
            place = f"/proc/{closed_process}/{name}"
            os.listdir(place) if name == "fd" else Path(place).read_bytes()
        except PermissionError:
            code = 42
        finally:
            os._exit(code)
    _, status = os.waitpid(looking, 0)
    assert os.waitstatus_to_exitcode(status) == 42


def test_the_runner_has_no_secret_in_its_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PLUMBLINE_SECRET_KEY", SECRET)
    monkeypatch.setenv("DATABASE_URL", f"postgresql://x:{SECRET}@nowhere/x")
    server = SandboxServer("tests.leaderboard.bad_work:echoes")
    server.start()
    try:
        assert server._process
        process = psutil.Process(server._process.pid)
        environ = wait_until(process.environ, what="it has begun")
        assert SECRET not in str(environ)
        assert "DATABASE_URL" not in environ and environ["PATH"]
    finally:
        server.stop()
