"""Bundles of Codabench and CodaLab whose ingestion programs run the code of teams."""

import io
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from tests.extras.moving.bundles import (
    CODALAB,
    codabench,
    codabench_table,
    codalab,
    program,
    zipped,
)
from tests.extras.moving.test_competitions import imported, refused
from tests.extras.moving.test_moved_tasks import scored, shown

pytestmark = pytest.mark.django_db
INGEST = b"""\
import sys
from pathlib import Path

given, output, own, code = sys.argv[1:5]
sys.path.append(code)
import model

notes = Path(given, "notes.txt").read_text().splitlines()
Path(output, "answer.txt").write_text("\\n".join(map(model.answer, notes)))
"""
# Right three times of calm rough calm calm, once of rough rough calm rough.
MODEL = b"def answer(note):\n    return 'rough' if 'gale' in note else 'calm'\n"
NOTES = b"still\nbreeze\nstill\nhaze\n"
V2 = b"command: python3 /app/program/run.py /app/input_data /app/output /app/program /app/ingested_program\n"  # noqa: E501
V1 = b"command: python $ingestion_program/run.py $input $output $ingestion_program $submission_program\n"  # noqa: E501


@pytest.fixture(autouse=True)
def programs_run(settings: Any) -> None:
    settings.PROGRAMS = "everyone"


def ingestion(metadata: bytes) -> bytes:
    return zipped({"run.py": INGEST, "metadata": metadata})


def of_codabench(**ingested: Any) -> bytes:
    table = codabench_table(solutions=[])
    for task in table["tasks"]:
        task |= {"ingestion_program": "ingestion.zip", "input_data": "input.zip"}
        task |= {"ingestion_only_during_scoring": True}
    files = {
        "ingestion.zip": ingestion(V2),
        "input.zip": zipped({"notes.txt": NOTES}),
        "kit.zip": zipped(
            {"README.md": b"Begin.", "sample_code_submission/model.py": MODEL}
        ),
        **ingested,
    }
    return codabench(files, **table)


def of_codalab() -> bytes:
    text = CODALAB.replace("        is_scoring_only: True\n", "")
    for number in "12":
        line = f"        scoring_program: program_{number}.zip\n"
        more = "        ingestion_program: ingestion.zip\n        input_data: in.zip\n"
        more += "        ingestion_program_only_during_scoring: True\n"
        text = text.replace(line, line + more)
    files = {
        "ingestion.zip": ingestion(V1),
        "in.zip": zipped({"notes.txt": NOTES}),
        "program_2.zip": zipped(program()),
    }
    return codalab(text, files)


@pytest.mark.parametrize("bundle", [of_codabench, of_codalab])
def test_a_bundle_with_an_ingestion_program_becomes_a_task_of_code(
    bundle: Any, ada: User, tmp_path: Path
) -> None:
    task, said = imported(bundle(), tmp_path)
    assert task.options["run_code"] == ["true"]
    assert task.options["ingestion"]
    assert task.test_sets.count() == 2
    assert "Ingestion program: 2 files. Teams send code" in said
    assert "was not taken: teams send predictions" not in said
    assert "were not published" not in said


def test_code_in_the_starting_kit_is_a_baseline(ada: User, tmp_path: Path) -> None:
    task, said = imported(of_codabench(), tmp_path)
    assert "sent as baselines: sample_code_submission" in said
    assert task.phases.filter(submissions__baseline=True).count() == 1


@pytest.mark.thorough  # the real sandbox
@pytest.mark.parametrize("bundle", [of_codabench, of_codalab])
def test_code_in_a_moved_task_scores_as_outside(
    bundle: Any, ada: User, ben: User, tmp_path: Path
) -> None:
    """By hand: "calm" four times is right of "calm rough calm calm" three times."""
    task, _said = imported(bundle(), tmp_path)
    Task.objects.update(draft=False)
    phase = next(
        one
        for one in task.phases.all()
        if one.title in ("Development Phase", "Practice")
    )
    scored(phase, ben, zipped({"model.py": MODEL}), "code.zip")
    assert shown(phase)["accuracy"] == 0.75


def outside(bundle: bytes, folder: Path) -> float:
    """The number that the first programs of a bundle give by plain Python in folders of
    their own, with the paths that its site would put into their commands."""
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        archive.extractall(folder / "bundle")
    for name, packed in OUTSIDE.items():
        path = next(p for n in packed if (p := folder / "bundle" / n).exists())
        (folder / name).mkdir(parents=True)
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                archive.extractall(folder / name)
        else:
            shutil.copy(path, folder / name)
    (folder / "code").mkdir()
    (folder / "code/model.py").write_bytes(MODEL)
    for name in ("input/res", "scores"):
        (folder / name).mkdir()
    begin(folder / "ingestion", "run.py", "data", "input/res", "ingestion", "code")
    begin(folder / "program", "score.py", "input", "scores")
    (only,) = (folder / "scores").iterdir()
    return float(json.loads(only.read_text())["accuracy"])


# Folders by the names that bundles here give to what is in them.
OUTSIDE = {
    "ingestion": ("ingestion.zip",),
    "data": ("input.zip", "in.zip"),
    "program": ("scoring_program.zip", "program_1.zip"),
    "input/ref": ("reference_calm.zip", "reference_1.zip"),
}


def begin(program: Path, script: str, *folders: str) -> None:
    words = [str(program.parent / name) for name in folders]
    subprocess.run([sys.executable, script, *words], cwd=program, check=True)


@pytest.mark.thorough  # the real sandbox
@pytest.mark.parametrize("bundle", [of_codabench, of_codalab])
def test_programs_give_the_number_that_they_give_outside(
    bundle: Any, ada: User, ben: User, tmp_path: Path
) -> None:
    task, _said = imported(bundle(), tmp_path)
    Task.objects.update(draft=False)
    titles = ("Development Phase", "Practice")
    phase = next(phase for phase in task.phases.all() if phase.title in titles)
    scored(phase, ben, zipped({"model.py": MODEL}), "code.zip")
    assert shown(phase)["accuracy"] == outside(bundle(), tmp_path / "outside")


@pytest.mark.parametrize(
    ("ingested", "reason"),
    [
        ({"input.zip": zipped({})}, "there is no 'input_data' in the bundle"),
        (
            {"ingestion.zip": ingestion(V2.replace(b"/app/program ", b"$hidden "))},
            "no $hidden here",
        ),
        (
            {"ingestion.zip": ingestion(b"command: bash run.sh\n")},
            "only Python programs are run",
        ),
    ],
)
def test_an_ingestion_program_that_cannot_run_here_is_refused_with_why(
    ingested: Any, reason: str
) -> None:
    problems = refused(of_codabench(**ingested))
    assert len(problems) == 2
    assert all("it runs the systems of participants" in one for one in problems)
    assert all(reason in one for one in problems)
