"""Ingestion programs of organizers, which run the code of teams without the gold."""

from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
import yaml
from django.test import Client
from django.urls import reverse

from leaderboard.extras.code.models import CodeRun
from leaderboard.submissions.accept import Unfit
from leaderboard.submissions.kit import kit_of
from leaderboard.submissions.models import EvaluationState
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from scoring.errors import Refused, SetupError
from scoring.formats.bundle import zip_files
from scoring.scorers.program.conventions import ingestion_of, run_by
from scoring.source import Source
from tests.extras.code.test_code_before_programs import SECRET, code_bundle, seen
from tests.extras.programs.test_programs import ended, send, submitted
from tests.leaderboard.small import CANARY

pytestmark = pytest.mark.django_db
REAL = pytest.mark.thorough  # the real sandbox
# As Codabench calls the folders, and as CodaLab does.
CODABENCH = (
    b"command: python3 /app/program/ingest.py /app/input_data/ /app/output "
    b"/app/program /app/ingested_program\n"
)
CODALAB = (
    b"command: python $ingestion_program/ingest.py $input $output $ingestion_program "
    b"$submission_program\n"
)
INGEST = b"""\
import sys
from pathlib import Path

given, output, own, code = sys.argv[1:]
sys.path.insert(0, code)
import model

words = Path(given, "words.txt").read_text().split()
answers = [model.answer(word) for word in words]
Path(output, "answers.txt").write_text(" ".join(answers))
"""
MODEL = b"def answer(word):\n    return word.lower()\n"


@pytest.fixture(autouse=True)
def allowed(settings: Any) -> None:
    settings.PROGRAMS = "everyone"
    settings.PROGRAM_CPU_SECONDS, settings.PROGRAM_WALL_SECONDS = 5, 60


def ingestion(metadata: bytes = CODABENCH, script: bytes = INGEST) -> Source:
    return zip_files("ingest.zip", {"metadata": metadata, "ingest.py": script})


def ingested_bundle(program: Source, **changes: Any) -> Source:
    made = code_bundle()
    table = yaml.safe_load(made.files["task.yaml"])
    table["scorer"]["options"] |= {"ingestion": "ingest.zip", **changes}
    files = {**made.files, "task.yaml": yaml.safe_dump(table).encode()}
    return Source(made.name, {**files, "ingest.zip": program.single()})


def task_of(ada: User, program: Source) -> Task:
    return create_task(ingested_bundle(program), ada)


def model(script: bytes = MODEL) -> bytes:
    return zip_files("mine.zip", {"model.py": script}).single()


@REAL
@pytest.mark.parametrize("metadata", [CODABENCH, CODALAB])
def test_what_an_ingestion_program_writes_of_a_team_is_scored(
    metadata: bytes, ada: User
) -> None:
    """Three of four words of the gold are those of the input in small letters."""
    one = ended(send(task_of(ada, ingestion(metadata)), model()))
    assert one.state == EvaluationState.SCORED, one.problems
    assert one.results["overall"]["accuracy"]["value"] == 0.75


@REAL
def test_code_that_fails_within_an_ingestion_program_is_told_its_own_line(
    ada: User, client: Client
) -> None:
    script = b"def answer(word):\n    print(word)\n    raise KeyError(word)\n"
    sent = send(task_of(ada, ingestion()), model(script))
    (problem,) = ended(sent).problems
    assert "line 3 of model.py: KeyError" in problem["message"]
    assert "A\n" in CodeRun.objects.get().log
    shown = seen(sent, client)
    assert SECRET not in shown and CANARY not in shown


@REAL
def test_neither_an_ingestion_program_nor_code_finds_the_gold(ada: User) -> None:
    script = (
        b"import os\nfrom pathlib import Path\n"
        b"print(sorted(os.listdir(os.environ['HOME'] + '/../input')))\n"
        b"print(Path('/app/input/../ref/gold.txt').exists())\n"
        b"def answer(word):\n    return word\n"
    )
    send(task_of(ada, ingestion()), model(script))
    output = CodeRun.objects.get().log
    assert "['words.txt']" in output and "False" in output
    assert CANARY not in output


def test_an_ingestion_program_that_asks_for_the_gold_is_refused(ada: User) -> None:
    asks = CODABENCH.replace(b"/app/input_data/", b"$hidden")
    with pytest.raises(SetupError, match=r"no \$hidden here.* never the gold"):
        task_of(ada, ingestion(asks))


def test_an_ingestion_program_without_code_of_teams_is_refused(ada: User) -> None:
    made = ingested_bundle(ingestion(), run_code=False)
    with pytest.raises(SetupError, match="choose run_code, too"):
        create_task(made, ada)


def test_code_for_an_ingestion_program_is_a_zip(ada: User) -> None:
    with pytest.raises(Unfit) as refusal:
        submitted(task_of(ada, ingestion()), b"a b c d\n", "Gulls")
    assert [problem.code for problem in refusal.value.problems] == ["code_zip"]


def test_code_keeps_its_packages_beside_those_of_the_ingestion_program() -> None:
    wheel = zip_files("w.whl", {"otters.py": b"n = 1\n"}).single()
    sent = zip_files("mine.zip", {"model.py": MODEL, "otters-1.whl": wheel})
    program = run_by(ingestion(), sent)
    assert program.wheels == {"otters-1.whl": {"otters.py": b"n = 1\n"}}
    assert dict(program.ingested) == {"model.py": MODEL}
    assert program.files == ingestion_of(ingestion()).files
    broken = zip_files("mine.zip", {"otters-1.whl": b"PK\x03\x04"})
    with pytest.raises(Refused):
        run_by(ingestion(), broken)


@pytest.mark.parametrize("published", [True, False])
def test_the_kit_has_the_ingestion_program_where_organizers_say_so(
    published: bool, ada: User, client: Client
) -> None:
    """Neither input nor gold, in any case."""
    made = ingested_bundle(ingestion(), publish_ingestion=published)
    task = create_task(made, ada)
    address = reverse("option-file", args=[task.slug, "ingest.zip"])
    assert client.get(address).status_code == (200 if published else 404)
    kit = kit_of(task.phases.get(), "https://example.org", ())
    with ZipFile(BytesIO(kit.data)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert any(INGEST in data for data in files.values()) == published
    assert "looks in" in str(task.test_sets.get().blind().files)
    assert not [n for n, data in files.items() if SECRET.encode() in data]
    assert not [n for n, data in files.items() if CANARY.encode() in data]
