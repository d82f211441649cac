"""Each scorer as a task: bundle in, example systems sent, checked, scored, ranked."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.submissions import accept, evaluation
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from scoring import Job, Plan, evaluate
from scoring.formats.bundle import as_one_file
from scoring.scorers import get
from scoring.source import Source
from tests.leaderboard.small import upload
from tests.scoring.examples import Example, counting_scorers, examples_of

pytestmark = pytest.mark.django_db
PLAN = Plan(resamples=200, seed=7)


def bundle_of(scorer: str, example: Example) -> Source:
    """A bundle with the example's gold (a folder if it has several files)."""
    files = {f"gold/{name}": data for name, data in example.gold.files.items()}
    gold = "gold" if len(files) > 1 else next(iter(files))
    options: dict[str, object] = {}
    for name, values in example.options.items():
        words = [value for value in values if isinstance(value, str)]
        for value in values:
            if isinstance(value, Source):
                files[f"options/{name}"] = value.single()
                options[name] = f"options/{name}"
        options.setdefault(name, words)
    opens = timezone.now() - timedelta(days=1)
    table = {
        "plumbline": 1,
        "draft": False,
        "slug": f"task-{scorer}",
        "title": scorer,
        "scorer": {"name": scorer, "options": options},
        "bootstrap": {"resamples": PLAN.resamples, "seed": PLAN.seed, "level": 0.95},
        "test_sets": [{"name": "only", "gold": gold}],
        "phases": [{"name": "test", "opens": opens.isoformat()}],
    }
    files["task.yaml"] = yaml.safe_dump(table).encode()
    return Source(scorer, files)


def send(task: Task, team: str, system: Source) -> None:
    user = User.objects.create_user(f"{team}@example.org")
    phase = task.phases.get()
    file = as_one_file(system)
    request = upload(phase, join(task, Team.found(team, user)), {}, system=team)
    sending = SimpleUploadedFile(file.name, file.single())
    sent = accept.submit(replace(request, runs=[{task.test_sets.get(): sending}]))
    assert evaluation.run(sent.evaluations.get().pk)


# Those of other formats and rules: offsets, MaxMatch, labels with parents.
FURTHER = [(name, -1) for name in ("spans", "edits", "classes")]


@pytest.mark.parametrize(
    ("name", "number"), [*((name, 0) for name in sorted(counting_scorers())), *FURTHER]
)
def test_a_task_of_this_scorer_scores_what_the_engine_scores(
    name: str, number: int, ada: User, client: Client
) -> None:
    scorer, example = counting_scorers()[name], examples_of(name)[number]
    task = create_task(bundle_of(name, example), ada)
    for number, system in enumerate(example.systems):
        send(task, f"system {number}", system)
    rows = {row.system: row for row in board(BoardQuery(task.phases.get())).rows}
    assert len(rows) == len(example.systems)
    job = Job(scorer, example.parse_options(scorer), "", PLAN)
    for number, system in enumerate(example.systems):
        expected = evaluate(job, example.gold, system)
        for score in rows[f"system {number}"].scores:
            found = expected.measures[score.measure.name]
            assert score.exact["value"] == found.value
            assert score.exact["low"] == found.low
    answer = client.get(f"/api/v1/tasks/task-{name}/test/board/")
    assert len(json.loads(answer.content)["rows"]) == len(example.systems)
    assert client.get(f"/tasks/task-{name}/test/board/").status_code == 200
    blind = client.get(f"/tasks/task-{name}/test/blind/only/")
    assert blind.status_code == 200


def test_a_task_with_enhanced_graphs_has_their_scores_on_its_board(ada: User) -> None:
    assert_board("conll18", examples_of("conll18")[-1], "elas", ada)


def test_a_task_with_very_many_labels_and_its_own_columns_has_a_board(
    ada: User, client: Client
) -> None:
    """More labels than columns are made for; columns as the organizers call them."""
    rows = [f"{i},place {i % 300},{'ab'[i % 2]}" for i in range(400)]
    gold = "\n".join(["post,where,genre", *rows, ""])
    wrong = gold.replace("place 7,", "place 8,").replace("place 2,", "somewhere,")
    files = [Source.of_bytes("s.csv", text.encode()) for text in (gold, wrong)]
    options = {"id": ["post"], "value": ["where"], "many": ["true"]}
    example = Example(Source.of_bytes("gold.csv", gold.encode()), files, options)
    assert_board("classes", example, "macro_f1", ada)
    assert (
        client.get("/tasks/task-classes/test/board/?slice=genre:a").status_code == 200
    )
    blind = client.get("/tasks/task-classes/test/blind/only/")
    told = b"".join(blind.streaming_content) if blind.streaming else blind.content
    assert told.startswith(b"post") and b"place" not in told


def assert_board(name: str, example: Example, measure: str, owner: User) -> None:
    """The board of a task has the values and intervals of the engine."""
    scorer = get(name).of_task(example.options)
    task = create_task(bundle_of(name, example), owner)
    for number, system in enumerate(example.systems):
        send(task, f"system {number}", system)
    rows = {row.system: row for row in board(BoardQuery(task.phases.get())).rows}
    job = Job(scorer, example.parse_options(scorer), "", PLAN)
    for number, system in enumerate(example.systems):
        expected = evaluate(job, example.gold, system).measures[measure]
        scores = {one.measure.name: one for one in rows[f"system {number}"].scores}
        assert scores[measure].exact["value"] == expected.value
        assert scores[measure].exact["low"] == expected.low
