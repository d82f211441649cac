"""Each scorer as a task whose teams send code: what it writes gets the scores and ranks
that the engine gives the same files."""

from typing import Any

import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.submissions import accept, evaluation
from leaderboard.submissions.models import EvaluationState
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from scoring import Job, evaluate
from scoring.formats.bundle import zip_files
from scoring.source import Source
from tests.leaderboard.small import upload
from tests.leaderboard.test_every_scorer import FURTHER, PLAN, bundle_of
from tests.scoring.examples import Example, counting_scorers, examples_of

# The real sandbox
pytestmark = [pytest.mark.django_db, pytest.mark.thorough]
MOST = 3  # systems of each example
# Nothing is written where there is no input.
COPIES = """\
import shutil, sys
from pathlib import Path
source, target = map(Path, sys.argv[1:])
given = [path for path in source.rglob("*") if path.is_file()]
if sum(path.stat().st_size for path in given):
    for path in Path("answers").iterdir():
        shutil.copyfile(path, target / path.name)
"""


@pytest.fixture(autouse=True)
def allowed(settings: Any) -> None:
    settings.PROGRAMS = "everyone"


def task_of(name: str, example: Example, organizer: User) -> Task:
    made = bundle_of(name, example)
    table = yaml.safe_load(made.files["task.yaml"])
    table["phases"][0]["sends_code"] = True
    files = {**made.files, "task.yaml": yaml.safe_dump(table).encode()}
    return create_task(Source(name, files), organizer)


def send_code(task: Task, team: str, system: Source) -> None:
    """Code that brings its answers along."""
    answers = {f"answers/{name}": data for name, data in system.files.items()}
    zipped = zip_files("code.zip", {"predict.py": COPIES.encode(), **answers})
    user = User.objects.create_user(f"{team}@example.org")
    entry = join(task, Team.found(team, user))
    archive = SimpleUploadedFile("code.zip", zipped.single())
    request = upload(
        task.phases.get(), entry, {}, runs=[{}], archive=archive, system=team
    )
    one = accept.submit(request).evaluations.get()
    assert evaluation.run(one.pk)
    one.refresh_from_db()
    assert one.state == EvaluationState.SCORED, (one.problems, one.last_error)


@pytest.mark.sampled(4, by="name")
@pytest.mark.parametrize(
    ("name", "number"), [*((name, 0) for name in sorted(counting_scorers())), *FURTHER]
)
def test_what_code_writes_is_scored_and_ranked_as_a_file_would_be(
    name: str, number: int, ada: User
) -> None:
    scorer, example = counting_scorers()[name], examples_of(name)[number]
    task = task_of(name, example, ada)
    systems = example.systems[:MOST]
    for place, system in enumerate(systems):
        send_code(task, f"system {place}", system)
    rows = {row.system: row for row in board(BoardQuery(task.phases.get())).rows}
    job = Job(scorer, example.parse_options(scorer), "", PLAN)
    headline = task.headline_measure
    values = []
    for place, system in enumerate(systems):
        expected = evaluate(job, example.gold, system)
        row = rows[f"system {place}"]
        for score in row.scores:
            measure = expected.measures[score.measure.name]
            assert score.exact["value"] == measure.value
            assert (score.exact["low"], score.exact["high"]) == (
                measure.low,
                measure.high,
            )
        value = expected.measures[headline.name].value
        if value is None:
            assert row.rank is None
        else:
            values.append((value if headline.higher_is_better else -value, row.rank))
    for value, rank in values:
        assert rank == 1 + sum(other > value for other, _rank in values)
