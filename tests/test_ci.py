"""`.ci/run` by itself: what it calls, and what it prints at its end."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
STEPS = ("install", "lint", "without-extras", "test", "test-all")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout where every make ends well but the one that BROKEN names."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci" / "run")
    (tmp_path / ".ci" / "prepare").touch()
    make = tmp_path / "make"
    make.write_text('#!/bin/sh\necho "made $*"\n[ "$*" != "${BROKEN:-}" ]\n')
    make.chmod(0o755)
    return tmp_path


def ended(checkout: Path, broken: str = "") -> subprocess.CompletedProcess[str]:
    path = f"{checkout}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [checkout / ".ci" / "run"],
        env={**os.environ, "PATH": path, "BROKEN": broken},
        capture_output=True,
        text=True,
    )


def test_all_of_the_suite_runs_whatever_changed(checkout: Path) -> None:
    made = re.findall(r"^made (.*)$", ended(checkout).stdout, re.MULTILINE)
    assert set(made) == {
        "lint",
        "test SINCE=none",
        "test ARGS=--without-extras",
        "test-all",
        ".venv/installed-test .venv/installed-dev",
    }


def test_the_seconds_of_each_command_stand_at_the_end(checkout: Path) -> None:
    done = ended(checkout)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[-1] == "lint, test, test without extras and test-all passed"
    names = [re.fullmatch(r" *\d+ s  (.*)", line) for line in lines[-7:-1]]
    assert [name and name[1] for name in names] == [*STEPS, "in all"]


@pytest.mark.parametrize(
    ("broken", "name"),
    [
        ("lint", "lint"),
        ("test SINCE=none", "test"),
        ("test ARGS=--without-extras", "without-extras"),
        ("test-all", "test-all"),
    ],
)
def test_what_failed_is_named_and_the_rest_has_run(
    checkout: Path, broken: str, name: str
) -> None:
    done = ended(checkout, broken)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == f"FAILED: {name}"
    assert "made test-all" in done.stdout
