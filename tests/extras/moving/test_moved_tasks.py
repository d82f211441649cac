"""A bundle of another site, imported, checked, published, sent to and scored."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.submissions import accept, evaluation
from leaderboard.submissions.models import EvaluationState, Submission
from leaderboard.tasks.models import Phase, Task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.extras.moving.bundles import (
    codabench,
    codabench_files,
    codabench_table,
    codalab,
    evalai,
    of_macos,
    program,
    zipped,
)
from tests.leaderboard.small import upload

# The real sandbox, for the bundle and for its program
pytestmark = [pytest.mark.django_db, pytest.mark.thorough]
CALM_SENT = b"calm\ncalm\ncalm\ncalm\n"


@pytest.fixture(autouse=True)
def programs_run(settings: Any) -> None:
    settings.PROGRAMS = "everyone"


def published(client: Client, data: bytes) -> Task:
    """The task of a bundle that was uploaded, checked and published on the pages."""
    file = SimpleUploadedFile("bundle.zip", data)
    answer = client.post(reverse("new-task"), {"bundle": file})
    assert answer.status_code == 302, answer.content.decode()
    task = Task.objects.get()
    for page in ("organize", "organize-edit", "organize-scoring", "organize-phases"):
        assert client.get(reverse(page, args=[task.slug])).status_code == 200
    address = reverse("organize-publish", args=[task.slug])
    answer = client.post(address, {"few_units": "1"})
    assert answer.status_code == 302, answer.content.decode()
    task.refresh_from_db()
    assert not task.draft
    return task


def scored(phase: Phase, user: User, sent: bytes, name: str) -> Submission:
    """A scored submission of a team to the phase, which is open now."""
    now = timezone.now()
    Phase.objects.filter(pk=phase.pk).update(
        opens=now - timedelta(days=1), closes=now + timedelta(days=1), policy="open"
    )
    phase.refresh_from_db()
    Task.objects.filter(pk=phase.task_id).update(entry="open", mail_domains=[])
    entry = join(Task.objects.get(), Team.found("Gulls", user))
    file = SimpleUploadedFile(name, sent)
    facts = {"lexicon": True, "track": "open"}
    request = upload(
        phase, entry, {}, runs=[{phase.test_sets.get(): file}], facts=facts
    )
    made = accept.submit(request)
    waiting = made.evaluations.get()
    assert evaluation.run(waiting.pk)
    waiting.refresh_from_db()
    assert waiting.state == EvaluationState.SCORED, waiting.problems
    return made


def shown(phase: Phase) -> Mapping[str, float | None]:
    (row,) = board(BoardQuery(phase)).rows
    return {score.measure.name: score.value for score in row.scores}


# The program of its first phase is another than that of the second.
OTHER = {
    **program(),
    "metadata": b"command: python3 -u /app/program/main.py /app/input /app/output\n",
}
OTHER["main.py"] = OTHER.pop("score.py").replace(
    b"gold = (", b"import os; os.stat('/app/program/main.py'); gold = ("
)
BUNDLES = {
    "codabench": codabench(),
    "codalab": codalab(),
    "two programs": codalab(files={"program_1.zip": zipped(OTHER)}),
}


@pytest.mark.parametrize("data", BUNDLES.values(), ids=BUNDLES)
def test_a_bundle_of_either_generation_is_scored_by_its_own_program(
    ada: User, ben: User, client: Client, data: bytes
) -> None:
    client.force_login(ada)
    task = published(client, data)
    first = task.phases.order_by("position").first()
    assert first is not None
    scored(first, ben, CALM_SENT, "answer.txt")
    # The gold of the first phase is calm, rough, calm, calm.
    assert shown(first) == {"accuracy": 0.75, "errors": 1.0}
    kit = client.get(reverse("kit", args=[task.slug, first.name]))
    assert kit.status_code == 200


def test_a_challenge_of_evalai_is_scored_by_its_own_script(
    ada: User, ben: User, client: Client
) -> None:
    client.force_login(ada)
    task = published(client, evalai())
    dev = task.phases.order_by("position").first()
    assert dev is not None
    scored(dev, ben, b'{"mon": "high", "tue": "high"}', "answers.json")
    assert shown(dev) == {"Accuracy_all": 0.5, "Errors": 1.0}


SUBTASKS = b"""\
import sys
from pathlib import Path

given, output = Path(sys.argv[1]), Path(sys.argv[2])
gold = (given / "ref" / "gold.txt").read_text().split()
(sent,) = (given / "res").iterdir()
right = sum(a == b for a, b in zip(gold, sent.read_text().split()))
name = "Calm Share" if gold.count("calm") > 1 else "Rough Share"
(output / "scores.txt").write_text(f"{name}: {right / len(gold)}")
"""


def test_a_program_writes_the_columns_of_the_subtask_under_names_of_its_own(
    ada: User, ben: User, client: Client
) -> None:
    names = ("Calm Share", "Rough Share")
    columns = [{"key": n, "title": n, "index": i} for i, n in enumerate(names)]
    board = {"title": "Results", "columns": columns}
    files = {"scoring_program.zip": zipped({**program(), "score.py": SUBTASKS})}
    client.force_login(ada)
    task = published(client, codabench(files, leaderboards=[board]))
    calm, _storm = task.phases.order_by("position")
    scored(calm, ben, CALM_SENT, "answer.txt")
    assert shown(calm) == {"Calm_Share": 0.75, "Rough_Share": None}
    page = client.get(reverse("board", args=[task.slug, calm.name]))
    assert page.status_code == 200
    assert "n/a" in page.content.decode()


def test_a_subtask_without_the_ranking_column_has_a_board_all_the_same(
    ada: User, ben: User, client: Client
) -> None:
    names = ("Rough Share", "Calm Share")
    columns = [{"key": n, "title": n, "index": i} for i, n in enumerate(names)]
    board = {"title": "Results", "columns": columns}
    files = {"scoring_program.zip": zipped({**program(), "score.py": SUBTASKS})}
    client.force_login(ada)
    task = published(client, codabench(files, leaderboards=[board]))
    calm, _storm = task.phases.order_by("position")
    scored(calm, ben, CALM_SENT, "answer.txt")
    assert shown(calm) == {"Rough_Share": None, "Calm_Share": 0.75}
    address = reverse("board", args=[task.slug, calm.name])
    page = client.get(address, {"measure": "Calm_Share"})
    assert page.status_code == 200 and "75" in page.content.decode()


def test_a_bundle_of_a_mac_with_dates_of_people_scores_its_samples(
    ada: User, ben: User, client: Client
) -> None:
    table = codabench_table()
    table["phases"][1] |= {"start": "1-1-2026", "end": "12-31-2035"}
    table["phases"][0]["start"] = "1-1-2036"
    table["solutions"] = [{"index": 0, "path": "solution", "tasks": [0]}]
    files = codabench_files() | {"solution/prediction": CALM_SENT}
    files["competition.yaml"] = yaml.safe_dump(table, sort_keys=False).encode()
    client.force_login(ada)
    task = published(client, of_macos(files))
    calm, storm = task.phases.order_by("position")
    assert (calm.closes, storm.opens) == (
        datetime(2035, 12, 31, tzinfo=UTC),
        datetime(2036, 1, 1, tzinfo=UTC),
    )
    (baseline,) = Submission.objects.filter(baseline=True)
    assert evaluation.run(baseline.evaluations.get().pk)
    scored(calm, ben, of_macos({"prediction": CALM_SENT}), "sample.zip")
    rows = board(BoardQuery(calm)).rows
    values = [[score.value for score in row.scores] for row in rows]
    assert values == [[0.75, 1.0], [0.75, 1.0]]
