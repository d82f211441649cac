"""Kits of phases whose teams send code: what is in them, and that it runs."""

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from plumbline.output import problem_line
from scoring.source import Source
from tests.leaderboard.small import CANARY, manifest
from tests.organize.bundles import written

pytestmark = pytest.mark.django_db
STEM = "otters-test-kit/"
HIDDEN = b"waterfall4711"
COPIES = """\
import shutil, sys
from pathlib import Path

source, target = map(Path, sys.argv[1:])
for file in source.iterdir():
    shutil.copyfile(file, target / file.name)
"""


# Every word is a root.
FILLS = """\
text = file.read_text().replace("\\t_" * 8, "\\t_" * 4 + "\\t0\\troot\\t_\\t_")
    (target / "x.conllu").write_text(text)
"""


@pytest.fixture(autouse=True)
def allowed(settings: Any) -> None:
    settings.PROGRAMS = "everyone"


@pytest.fixture
def task(ada: User) -> Task:
    """The small task: its test set north in public in one phase, and south as hidden
    input of code in the other."""
    table = manifest()
    (test,) = table["phases"]
    north = {**test, "name": "practice", "title": "Practice", "test_sets": ["north"]}
    south = {**test, "sends_code": True, "test_sets": ["south"]}
    made = written({**table, "phases": [north, south]})
    gold = made.files["gold/south.conllu"].replace(b"otter", HIDDEN)
    return create_task(
        Source(made.name, {**made.files, "gold/south.conllu": gold}), ada
    )


def unpacked(folder: Path) -> Path:
    answer = Client().get("/tasks/otters/test/kit/")
    assert answer.status_code == 200
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        archive.extractall(folder)
    return folder / STEM


def plumbline(kit: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The client of the kit, in its folder."""
    argv = [sys.executable, "-m", "plumbline", *words]
    return subprocess.run(argv, cwd=kit, capture_output=True, text=True, check=False)


def code(kit: Path, script: str = COPIES) -> str:
    folder = kit / "mine"
    folder.mkdir()
    (folder / "predict.py").write_text(script)
    return "mine"


@pytest.mark.usefixtures("task")
def test_a_kit_of_code_has_sample_limits_and_client_and_no_hidden_input(
    tmp_path: Path, task: Task
) -> None:
    kit = unpacked(tmp_path)
    there = {path.name for path in kit.iterdir()}
    assert there == {
        *("README.md", "FORMAT.md", "requirements.txt", "code.json"),
        *("sample", "plumbline", "scoring"),
    }
    assert [path.name for path in (kit / "sample").iterdir()] == ["north.conllu"]
    assert HIDDEN in task.test_sets.get(name="south").blind().single()
    for path in kit.rglob("*"):
        if path.is_file():
            assert HIDDEN not in path.read_bytes()
            assert CANARY.encode() not in path.read_bytes()
    readme = (kit / "README.md").read_text()
    assert "code that fails when it runs" in readme
    assert "fails the format check costs no attempt" not in readme
    about = json.loads((kit / "code.json").read_text())
    assert about["limits"]["wall_seconds"] == 240 and about["packages"]


def named(readme: str) -> list[str]:
    """Files and folders that the list of a README names."""
    lines = [line for line in readme.splitlines() if line.startswith("- `")]
    return [line.split("`")[1] for line in lines]


@pytest.mark.usefixtures("task")
@pytest.mark.parametrize("phase", ["practice", "test"])
def test_every_file_that_a_readme_names_is_in_the_kit(
    phase: str, tmp_path: Path
) -> None:
    answer = Client().get(f"/tasks/otters/{phase}/kit/")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        archive.extractall(tmp_path)
    (kit,) = tmp_path.iterdir()
    names = named((kit / "README.md").read_text())
    assert len(names) > 3
    assert [name for name in names if not (kit / name).exists()] == []


@pytest.mark.usefixtures("task")
@pytest.mark.thorough  # the real sandbox
def test_code_runs_on_the_sample_as_the_readme_says(tmp_path: Path) -> None:
    kit = unpacked(tmp_path)
    assert "python -m plumbline run MY_FOLDER\n" in (kit / "README.md").read_text()
    fills = COPIES.replace("shutil.copyfile(file, target / file.name)", FILLS)
    ended = plumbline(kit, "run", code(kit, fills))
    assert "north: fine" in ended.stdout, ended.stdout + ended.stderr
    assert ended.returncode == 0
    assert "limited as on the site: 120 s of processor time, 240 s" in ended.stderr
    assert "fenced as on the site: no files but its own" in ended.stderr
    assert (kit / "output/north/x.conllu").is_file()


@pytest.mark.usefixtures("task")
@pytest.mark.thorough  # the real sandbox
@pytest.mark.parametrize(
    ("script", "said"),
    [
        (COPIES, "north.conllu"),
        ("import os\nos.fork()", "line 2 of predict.py: PermissionError"),
        ("raise KeyError", "line 1 of predict.py: KeyError"),
        ("pass", "your code wrote no file"),
        ("open('/etc/passwd')", "line 1 of predict.py: PermissionError"),
    ],
)
def test_what_would_fail_on_the_site_fails_at_home(
    script: str, said: str, tmp_path: Path
) -> None:
    kit = unpacked(tmp_path)
    ended = plumbline(kit, "run", code(kit, script))
    assert said in ended.stderr, ended.stdout + ended.stderr
    assert "is not shown" not in ended.stderr  # as it is only on the site
    assert ended.returncode == 2


@pytest.mark.usefixtures("task")
@pytest.mark.thorough  # the real sandbox
def test_a_missing_package_of_the_site_is_named_before_the_run(tmp_path: Path) -> None:
    kit = unpacked(tmp_path)
    ended = plumbline(kit, "run", code(kit, "\nimport lighthouses\n"))
    assert "predict.py:2: the site has no package for 'lighthouses'" in ended.stderr


@pytest.mark.usefixtures("task")
@pytest.mark.thorough  # a process
def test_a_system_without_landlock_says_what_is_open_and_runs(tmp_path: Path) -> None:
    """A kernel that answers so is played by a module that is loaded first."""
    kit = unpacked(tmp_path)
    (kit / "sitecustomize.py").write_text(
        "import scoring.sandbox.landlock as landlock\nlandlock.version = lambda: 0\n"
    )
    argv = [sys.executable, "-m", "plumbline", "run", code(kit)]
    ended = subprocess.run(
        argv, cwd=kit, env={"PYTHONPATH": str(kit)}, capture_output=True, text=True
    )
    assert "without landlock: it can read and change files of yours" in ended.stderr
    assert "no files but its own" not in ended.stderr
    assert "no network, no other process" in ended.stderr
    assert "north:" in ended.stdout


def test_without_a_kit_it_says_where_to_go(tmp_path: Path) -> None:
    argv = [sys.executable, "-m", "plumbline", "run", str(tmp_path)]
    ended = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert ended.returncode == 64 and "--kit" in ended.stderr


def test_a_hint_of_the_client_is_a_sentence_of_its_own() -> None:
    lines = {
        "expected a zip": "expected a zip. Make one.",
        "it is too large!": "it is too large! Make one.",
    }
    for message, line in lines.items():
        about = {"message": message, "hint": "Make one."}
        assert problem_line(about) == line
