"""Tests that pass in a copy of the tree in which the ten changes were made.

`test_common_changes.py` makes that copy and runs them there; here they would fail.
"""

import csv
import io
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.core import mail
from django.test import Client
from django.utils import timezone

from leaderboard.mail import outbox
from leaderboard.submissions import kit
from leaderboard.submissions.models import Submission
from leaderboard.tasks.bundle.dump import bundle_of_plan, plan_of
from leaderboard.tasks.bundle.load import load
from leaderboard.tasks.models import Phase, Task
from leaderboard.teams.models import User
from scoring import Job, Plan, Source, evaluate
from scoring.options import parse
from scoring.scorers.attachment import SCORER
from tests.leaderboard.small import conllu, perfect

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]
BOARD = "/tasks/otters/test"
API = "/api/v1/tasks/otters"


@pytest.fixture
def as_ada() -> Client:
    """The task's organizer."""
    client = Client()
    client.force_login(User.objects.get(name="ada"))
    return client


@pytest.fixture
def as_ben(sent: list[Submission]) -> Client:
    """Of the team that sent the first two."""
    client = Client()
    client.force_login(sent[0].sender)
    return client


def test_column_of_the_board() -> None:
    page = Client().get(f"{BOARD}/board/").content.decode()
    assert '<th scope="col">Initial</th>' in page
    assert '<td class="initial">B</td>' in page
    rows = Client().get(f"{API}/test/board/").json()["rows"]
    assert {row["team_initial"] for row in rows} == {"B", "C"}
    text = Client().get(f"{BOARD}/board.csv").content.decode("utf-8-sig")
    lines = csv.DictReader(io.StringIO(text))
    assert {line["team_initial"] for line in lines} == {"B", "C"}


def test_field_of_a_phase(phase: Phase, task: Task, as_ada: Client) -> None:
    page = as_ada.get("/tasks/otters/organize/phases/test/edit/").content.decode()
    assert 'name="venue"' in page
    assert "Venue" in page
    Phase.objects.filter(pk=phase.pk).update(venue="Otterville")
    bundle = bundle_of_plan(plan_of(task))
    told = yaml.safe_load(bundle.files["task.yaml"])["phases"][0]
    assert told["venue"] == "Otterville"
    assert load(bundle).phases[0].venue == "Otterville"
    assert Client().get(f"{API}/phases/test/").json()["venue"] == "Otterville"


def test_export_format() -> None:
    listed = Client().get(f"{BOARD}/board.list.txt").content.decode()
    assert listed == "birch\ncedar\n"
    assert "Plain list" in Client().get(f"{BOARD}/board/exports/").content.decode()


def test_job_of_the_sandbox() -> None:
    assert kit.line_count(b"one\ntwo\n") == 2


def test_state_of_a_submission(sent: list[Submission], as_ben: Client) -> None:
    Submission.objects.filter(pk=sent[0].pk).update(held_at=timezone.now())
    for page in ("/tasks/otters/submissions/", f"/submissions/{sent[0].pk}/"):
        assert "Held" in as_ben.get(page).content.decode(), page


def test_option_of_a_scorer() -> None:
    wrong = conllu((4, 3, 0, 3, 2, 0, 2, 3)).encode()
    found = {}
    for chosen in ("all", "none"):
        job = Job(SCORER, parse(SCORER.options, {"heads": [chosen]}), "", Plan(0))
        gold, system = (
            Source.of_bytes("north.conllu", data) for data in (perfect(), wrong)
        )
        found[chosen] = evaluate(job, gold, system).measures["uas"].value
    assert found == {"all": 0.875, "none": 1.0}
    assert "which heads count" in Client().get("/scorers/attachment/").content.decode()


def test_filter_of_my_submissions(as_ben: Client) -> None:
    page = as_ben.get("/tasks/otters/submissions/?begins=al").content.decode()
    assert 'name="begins" value="al"' in page
    assert "alder" in page
    assert "birch" not in page
    told = as_ben.get("/api/v1/tasks/otters/submissions/?begins=al").json()
    assert [one["system"] for one in told["submissions"]] == ["alder"]
    assert (
        "how names of systems begin" in as_ben.get("/api/v1/schema/").content.decode()
    )


def test_setting() -> None:
    assert settings.MOTTO == "seen by the proof"


def test_kind_of_chart() -> None:
    page = Client().get(f"{BOARD}/charts/?chart=attempts").content.decode()
    assert "Attempts of teams" in page
    picture = Client().get(f"{BOARD}/chart.svg?chart=attempts")
    assert "birch" in picture.content.decode()


def test_kind_of_mail(settings: Any, as_ben: Client) -> None:
    settings.TASK_CREATORS = "asked"
    as_ben.post("/tasks/new/", {"about": "Signs of voles"})
    assert outbox.send("thanks") == 1
    (sent_mail,) = mail.outbox
    assert "Your request arrived" in sent_mail.subject
