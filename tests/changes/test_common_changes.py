"""Each common change is made where CONTRIBUTING.md says, in a copy, and works there."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.changes.common_changes import CHANGES, ROOT, Change, rows_of_guide

# What is compiled comes along: a file that is changed is newer.
LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv", "var", "*.egg-info", ".mypy_cache", ".ruff_cache"
)
PROOFS = "tests/changes/proofs.py"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this tree in which all of them were made."""
    copy = tmp_path_factory.mktemp("changed") / "tree"
    shutil.copytree(ROOT, copy, ignore=LEFT_OUT, symlinks=True)
    for change in CHANGES:
        change.make(copy)
    apps = [change.migrated for change in CHANGES if change.migrated]
    ran = run(copy, "manage.py", "makemigrations", "-v", "0", *apps)
    assert ran.returncode == 0, ran.stdout
    return copy


def run(tree: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST_", "PLUMBLINE_"))
    }
    return subprocess.run(
        [sys.executable, *words],
        cwd=tree,
        env={
            **environment,
            "PLUMBLINE_DATA": str(tree / "var"),
            "PLUMBLINE_MOTTO": "seen by the proof",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def proofs(tree: Path) -> dict[str, str]:
    """What each proof said in the copy; empty for one that passed."""
    report = tree / "report.xml"
    words = ("-m", "pytest", "-n", "0", "-q", f"--junitxml={report}", PROOFS)
    ran = run(tree, *words)
    assert report.exists(), ran.stdout
    return dict(_outcomes(report))


def _outcomes(report: Path) -> Iterator[tuple[str, str]]:
    for case in ElementTree.parse(report).iter("testcase"):
        wrong = [*case.iter("failure"), *case.iter("error"), *case.iter("skipped")]
        yield case.get("name", ""), "\n".join(one.text or "" for one in wrong)


def name_of_proof(change: Change) -> str:
    words = re.sub("^(an?) ", "", change.row)
    return f"test_{words.replace(' ', '_').lower()}"


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.row)
def test_the_change_works_where_the_guide_says(
    change: Change, proofs: dict[str, str]
) -> None:
    assert proofs[name_of_proof(change)] == ""


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.row)
def test_the_guide_names_each_file_that_the_change_touches(change: Change) -> None:
    said = rows_of_guide()[change.row]
    named = re.findall("`([^`]+)`", said)
    for path in change.files:
        assert any(_names(name, path) for name in named) or _says(said, path), path


def _names(name: str, path: str) -> bool:
    """Whether a name of the guide is that of the file, or of its folder."""
    whole = name.removeprefix("leaderboard/")
    return path.endswith(whole) or (name.endswith("/") and f"/{whole}" in f"/{path}")


def _says(said: str, path: str) -> bool:
    """A caller is wherever it is needed."""
    return "its caller" in said and path.startswith("leaderboard/")
