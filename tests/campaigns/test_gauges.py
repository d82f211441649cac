"""Which processes a campaign measures."""

import subprocess
import sys

import pytest

from tests.campaigns.gauges import processes

WAIT = "import sys; sys.stdin.read()"


@pytest.mark.parametrize(
    ("argument", "role"),
    [
        ("work", "worker"),
        ("gunicorn", "web"),
        ("leaderboard.sandbox.server", "check"),
        ("work/gunicorn/bin/valkey-server", None),
        ("framework", None),
    ],
)
def test_a_process_is_known_by_its_argument_not_by_its_path(
    argument: str, role: str | None
) -> None:
    argv = [sys.executable, "-c", WAIT, argument]
    with subprocess.Popen(argv, stdin=subprocess.PIPE) as process:
        found = [name for name, one in processes() if one.pid == process.pid]
    assert found == ([f"{role} {process.pid}"] if role else [])
