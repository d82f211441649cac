"""One server per data directory."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from leaderboard.embedded.directories import AlreadyRunning, sole_server

HOLD = """
import sys, pathlib
from leaderboard.embedded.directories import sole_server
with sole_server(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def hold(data: Path) -> "subprocess.Popen[str]":
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(data)], **pipes)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    return holder


def test_a_second_server_is_told_who_holds_the_data(tmp_path: Path) -> None:
    with (
        hold(tmp_path) as holder,
        pytest.raises(AlreadyRunning, match=rf"{tmp_path} \(process {holder.pid}\)"),
        sole_server(tmp_path),
    ):
        pytest.fail("two servers on one data directory")


def test_a_killed_server_leaves_no_lock(tmp_path: Path) -> None:
    with hold(tmp_path) as holder:
        holder.kill()
    with sole_server(tmp_path):
        assert (tmp_path / "serve.lock").read_text() == f"{os.getpid()}\n"


def test_two_data_directories_do_not_meet(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    with sole_server(tmp_path / "one"), sole_server(tmp_path / "two"):
        for name in ("one", "two"):
            assert (tmp_path / name / "serve.lock").exists()
