"""Competitions of others, imported as their zips lie in public.

They are of github.com/codalab/competition-examples, zipped by macOS.
"""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from leaderboard.extras.moving.models import ImportReport
from leaderboard.extras.moving.report import remarks_of
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from tests.extras.moving.test_moved_tasks import scored, shown
from tests.scoring import outside

pytestmark = [pytest.mark.django_db, pytest.mark.published, pytest.mark.thorough]


@pytest.fixture(autouse=True)
def programs_run(settings: Any) -> None:
    settings.PROGRAMS = "everyone"


def read(name: str) -> bytes:
    return outside.published("bundles", name).read_bytes()


def send(client: Client, name: str) -> Any:
    file = SimpleUploadedFile(name, read(name))
    return client.post(reverse("new-task"), {"bundle": file})


def test_wheat_seeds_of_codabench_scores_its_own_samples(
    ada: User, ben: User, client: Client
) -> None:
    client.force_login(ada)
    answer = send(client, "wheat_seeds_results.zip")
    assert answer.status_code == 302, answer.content.decode()
    task = Task.objects.get()
    remarks = remarks_of(ImportReport.objects.get(task=task).remarks)
    said = "\n".join(map(str, remarks))
    assert "“12-31-2026” was read with the month first: 2026-12-31 00:00 UTC" in said
    assert "sent as baselines: feedback_solution, feedback_solution-2" in said
    dev, _final = task.phases.order_by("position")
    sample = "wheat_seeds_sample_dev.zip"
    scored(dev, ben, read(sample), sample)
    # What its scoring.py prints when it is run by hand on the same files.
    assert shown(dev) == {"accuracy": 0.85}


def test_iris_of_codabench_becomes_a_task_of_code(ada: User, client: Client) -> None:
    client.force_login(ada)
    answer = send(client, "iris_v2_ingestion.zip")
    assert answer.status_code == 302, answer.content.decode()
    task = Task.objects.get()
    assert task.options["run_code"] == ["true"]
    remarks = remarks_of(ImportReport.objects.get(task=task).remarks)
    said = "\n".join(map(str, remarks))
    assert "Teams send code, which it runs on the input" in said
    assert "sent as baselines: sample_code_submission" in said
