"""Judge models that people correct: the sample that the site draws, and the board."""

import csv
import io
import zipfile
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
import yaml
from django.test import Client
from django.utils import timezone

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.extras.judgements import judgements
from leaderboard.extras.judgements.human_sample import in_drawn_order
from leaderboard.submissions.models import Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from scoring import Refused
from scoring.source import Source
from tests.extras.judgements.judged import judge
from tests.leaderboard.judged import entry_of, sent
from tests.scoring.analytic_ppi import corrected_mean

pytestmark = pytest.mark.django_db
Login = Callable[[User], Client]
UNITS = [f"u{i:03}" for i in range(120)]
LINE = "quality = corrected(metric, people); decimals 3; title Quality"
API = "/api/v1/tasks/models/test/"


@pytest.fixture
def task(ada: User) -> Task:
    opens = timezone.now() - timedelta(days=1)
    table = {
        "plumbline": 1,
        "draft": False,
        "slug": "models",
        "title": "Models",
        "scorer": {"name": "table", "options": {"measure": [LINE]}},
        "bootstrap": {"resamples": 300, "seed": 7, "level": 0.95},
        "test_sets": [{"name": "only", "gold": "gold.csv"}],
        "phases": [
            {
                "name": "test",
                "title": "Test",
                "opens": opens.isoformat(),
                "salt": "1" * 32,
            }
        ],
    }
    files = {
        "task.yaml": yaml.safe_dump(table).encode(),
        "gold.csv": ("id\n" + "".join(f"{u}\n" for u in UNITS)).encode(),
    }
    return create_task(Source("models", files), ada)


@pytest.fixture
def submission(task: Task, ben: User) -> Submission:
    text = "id,text\n" + "".join(f"{u},an answer\n" for u in UNITS)
    return sent(task, entry_of(task, ben), text)


def order_of(task: Task) -> tuple[str, ...]:
    return in_drawn_order(task.phases.get(), task.test_sets.get(), UNITS)


def values() -> tuple[dict[str, float], dict[str, float]]:
    """Values of a model for each unit, and those that people would give."""
    rng = np.random.default_rng(3)
    people = np.round(rng.normal(50, 10, len(UNITS)), 1)
    model = np.round(people + 7 + rng.normal(0, 4, len(UNITS)), 1)
    pairs = (dict(zip(UNITS, x.tolist(), strict=True)) for x in (model, people))
    return next(pairs), next(pairs)


def table_of(model: Mapping[str, float], people: Mapping[str, float]) -> str:
    rows = [f"{u},{model.get(u, '')},{people.get(u, '')}\n" for u in UNITS]
    return "id,metric,people\n" + "".join(rows)


def refusal(task: Task, ada: User, submission: Submission, text: str) -> str:
    with pytest.raises(Refused) as caught:
        judge(task.phases.get(), ada, text, submission)
    return "\n".join(f"{p} {p.hint}" for p in caught.value.problems)


def test_the_board_shows_the_corrected_mean_beside_people_and_gain(
    task: Task, ada: User, submission: Submission, client: Client
) -> None:
    model, people = values()
    sample = order_of(task)[:40]
    judge(
        task.phases.get(),
        ada,
        table_of(model, {u: people[u] for u in sample}),
        submission,
    )
    others = [u for u in UNITS if u not in sample]
    expected = corrected_mean(
        np.array([people[u] for u in sample]),
        np.array([model[u] for u in sample]),
        np.array([model[u] for u in others]),
    )
    (row,) = board(BoardQuery(task.phases.get())).rows
    corrected, alone, gain = (score.exact for score in row.scores)
    assert corrected["value"] == pytest.approx(expected.value)
    assert corrected["low"] == pytest.approx(expected.low, abs=0.6)
    assert corrected["high"] == pytest.approx(expected.high, abs=0.6)
    assert alone["value"] == pytest.approx(expected.people)
    assert alone["high"] - alone["low"] > 1.2 * (corrected["high"] - corrected["low"])
    assert gain["value"] == pytest.approx(expected.gain)
    page = client.get("/tasks/models/").content.decode()
    assert "Quality, people alone" in page
    assert "Quality, gain in judgements" in page
    text = str(client.get(API + "board/").json())
    assert "quality_people" in text
    assert "quality_gain" in text
    exported = client.get(API + "exports/csv/").content.decode()
    assert "quality_gain" in exported


def test_the_sample_is_drawn_once_and_nobody_can_guess_it(task: Task) -> None:
    order = order_of(task)
    assert sorted(order) == UNITS
    assert order == order_of(task) != tuple(UNITS)
    phase = task.phases.get()
    phase.salt = "0" * 32
    assert in_drawn_order(phase, task.test_sets.get(), UNITS) != order


def test_organizers_fetch_the_list_alone_and_with_the_files(
    task: Task, ada: User, ben: User, submission: Submission, as_user: Login
) -> None:
    page = "/tasks/models/organize/judgements/test/"
    client = as_user(ada)
    assert f"{page}sample/" in client.get(page).content.decode()
    answer = client.get(f"{page}sample/")
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert tuple(row["id"] for row in rows) == order_of(task)
    assert rows[0] == {"test_set": "only", "place": "1", "id": order_of(task)[0]}
    whole = b"".join(judgements.pack_files(task.phases.get()))
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        assert archive.read("sample.csv") == answer.content
    assert as_user(ben).get(f"{page}sample/").status_code == 404


def test_units_that_were_not_drawn_are_refused(
    task: Task, ada: User, submission: Submission
) -> None:
    model, people = values()
    order = order_of(task)
    chosen = [*order[:20], *order[21:50]]
    text = table_of(model, {u: people[u] for u in chosen})
    said = refusal(task, ada, submission, text)
    assert f"not for '{order[20]}', number 21 of the list" in said
    assert "no random sample" in said


def test_a_small_sample_is_refused(
    task: Task, ada: User, submission: Submission
) -> None:
    model, people = values()
    text = table_of(model, {u: people[u] for u in order_of(task)[:29]})
    said = refusal(task, ada, submission, text)
    assert "'people' has values for 29 units" in said
    assert "30 units at least" in said


def test_a_model_judges_every_unit(
    task: Task, ada: User, submission: Submission
) -> None:
    model, people = values()
    del model["u007"]
    text = table_of(model, {u: people[u] for u in order_of(task)[:30]})
    assert "'metric' lacks a value for 1 of 120 units" in refusal(
        task, ada, submission, text
    )


def test_more_judgements_go_on_down_the_same_list(
    task: Task, ada: User, submission: Submission
) -> None:
    model, people = values()
    widths: list[float] = []
    for number in (30, 110):
        sample = {u: people[u] for u in order_of(task)[:number]}
        judge(task.phases.get(), ada, table_of(model, sample), submission)
        (row,) = board(BoardQuery(task.phases.get())).rows
        exact: Any = row.scores[1].exact
        widths.append(exact["high"] - exact["low"])
    assert widths[1] < 0.7 * widths[0]
