"""The program of a competition is looked at when its bundle is imported."""

from datetime import UTC, datetime, timedelta

import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from leaderboard.organize.bundle import import_opened
from leaderboard.tasks.bundle.create import open_bundle
from leaderboard.teams.models import User
from scoring.formats.bundle import zip_files
from tests.extras.programs.test_program_look import BROKEN, OLD, packages, plain

__all__ = ["packages"]
pytestmark = pytest.mark.django_db


def of_codabench(script: str) -> bytes:
    table = {
        "version": 2,
        "title": "Seeds",
        "tasks": [
            {
                "index": 0,
                "name": "Seeds",
                "reference_data": "ref",
                "scoring_program": "program",
            }
        ],
        "phases": [
            {
                "name": "Only",
                "tasks": [0],
                "start": (datetime.now(UTC) - timedelta(days=1)).isoformat(),
            }
        ],
        "leaderboards": [
            {"title": "R", "columns": [{"title": "Accuracy", "key": "accuracy"}]}
        ],
    }
    files: dict[str, bytes] = {
        "competition.yaml": yaml.safe_dump(table).encode(),
        "ref/gold.txt": b"a b c\n",
        "program/metadata": b"command: python3 score.py $input $output\n",
        "program/score.py": script.encode(),
    }
    return zip_files("seeds.zip", files).single()


def test_a_moved_program_that_cannot_run_is_reported_with_everything_at_once(
    ada: User, client: Client
) -> None:
    client.force_login(ada)
    file = SimpleUploadedFile("seeds.zip", of_codabench(BROKEN))
    answer = client.post(reverse("new-task"), {"bundle": file}, follow=True)
    said = plain(answer)
    assert "imports torch, which programs do not have here" in said
    assert "Ask the operator for the package torch" in said
    assert "starts a process (subprocess.run)" in said
    assert "The scoring program cannot run here as it is." in said


def test_python_2_is_told_at_import(ada: User) -> None:
    source = SimpleUploadedFile("seeds.zip", of_codabench(OLD))
    draft = import_opened(open_bundle("seeds.zip", source.file, ada), ada)
    said = "score.py: Line 2 is Python 2 (“print 'accuracy: 1'”)"
    assert any(line.startswith(said) for line in draft.left)
