"""Which processes a campaign measures, and on how slow a machine."""

import subprocess
import sys

import psutil
import pytest

from tests.campaigns.gauges import Sample, processes, slowness

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


def test_what_a_worker_forks_is_no_worker() -> None:
    """Such as its processes for boards and upkeep."""
    fork = "import os, sys; p = os.fork(); print(p or '', end='', flush=True);"
    argv = [sys.executable, "-c", fork + WAIT, "work"]
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, stdin=pipe, stdout=pipe) as process:
        assert process.stdout
        forked = int(process.stdout.read1())
        here = {one.pid for one in psutil.Process().children(recursive=True)}
        found = {one.pid for _name, one in processes()}
    assert forked in here
    assert (process.pid in found, forked in found) == (True, False)


def test_slowness_compares_the_last_tenth_with_the_first() -> None:
    times = [1.0, 3.0, *([9.0] * 16), 3.0, 4.0]
    samples = [Sample(n, {}, {}, {}, 0, 0, time) for n, time in enumerate(times)]
    assert slowness(samples) == 1.75
