"""Fact sheets: asked with the upload, corrected later, columns and filters."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.organize.baselines import whole_plan
from leaderboard.submissions.models import Submission
from leaderboard.tasks.bundle.dump import bundle_of_plan
from leaderboard.tasks.bundle.load import load
from leaderboard.tasks.models import Change, Participation, Question, Task
from leaderboard.teams.models import User
from tests.leaderboard.small import perfect, set_questions
from tests.organize.sheets import (
    SHEET,
    with_sheet,
)

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
Login = Callable[[User], Client]
ORGANIZE = "/tasks/otters/organize/fact-sheet/"
SUBMIT = "/api/v1/tasks/otters/test/submissions/"
QUESTION = {"title": "Parameters", "name": "size", "kind": "number", "public": "on"}


def send(client: Client, **fields: Any) -> Any:
    file = SimpleUploadedFile("north.conllu", perfect())
    values = {"system": "otter-9", "key": "k", "file_north": file}
    return client.post(SUBMIT, values | fields)


def test_an_organizer_writes_orders_and_removes_questions(
    task: Task, ada: User, as_user: Login
) -> None:
    client = as_user(ada)
    assert client.post(ORGANIZE, QUESTION).status_code == 302
    data = {
        "title": "Data",
        "name": "data",
        "kind": "choice",
        "choices": "open\nclosed",
    }
    assert client.post(ORGANIZE, data).status_code == 302
    client.post(f"{ORGANIZE}data/change/", {"to": "up"})
    data, size = task.questions.all()
    assert (data.name, size.name) == ("data", "size")
    assert data.choices == ["open", "closed"]
    client.post(f"{ORGANIZE}size/change/", {"to": "remove"})
    assert [question.name for question in task.questions.all()] == ["data"]
    changes = Change.objects.filter(
        task_pk=task.pk, content_type__model="question"
    ).order_by("pk")
    assert [(one.get_action_display(), one.object_repr) for one in changes] == [
        ("create", "Parameters"),
        ("create", "Data"),
        ("update", "Data"),
        ("update", "Parameters"),
        ("delete", "Parameters"),
    ]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": "Size!"}, "Small letters, digits"),
        ({"title": ""}, "This field is required"),
        ({"kind": "choice"}, "Write the answers to choose from"),
        ({"kind": "riddle"}, "Select a valid choice"),
        ({"title": "\u202eeziS"}, "cannot be seen"),
    ],
)
def test_a_question_that_cannot_be_says_why(
    changes: dict[str, str], said: str, task: Task, ada: User, as_user: Login
) -> None:
    answer = as_user(ada).post(ORGANIZE, QUESTION | changes)
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert not task.questions.exists()


def test_a_question_of_a_frozen_board_without_a_unit_has_none() -> None:
    assert Question(name="size", title="Parameters", kind="number").heading == (
        "Parameters"
    )


def test_a_bundle_gives_units_to_numbers_alone(task: Task) -> None:
    with_sheet(task)
    plan = whole_plan(task)
    data = plan.fact_sheet[1].model_dump() | {"unit": "kWh"}
    with pytest.raises(ValueError, match="a unit only for the kind 'number'"):
        type(plan.fact_sheet[1]).model_validate(data)


def test_a_name_is_taken_once(task: Task, ada: User, as_user: Login) -> None:
    as_user(ada).post(ORGANIZE, QUESTION)
    answer = as_user(ada).post(ORGANIZE, QUESTION)
    assert answer.status_code == 422
    assert "There is a question of that name" in answer.content.decode()


def test_a_bundle_gives_back_hidden_questions(task: Task) -> None:
    set_questions(task, [SHEET[0] | {"hidden": True}])
    again = load(bundle_of_plan(whole_plan(task)))
    assert [one.model_dump(mode="json") for one in again.fact_sheet] == [
        SHEET[0] | {"hidden": True}
    ]


def test_the_page_asks_and_the_answers_are_kept(
    task: Task, entry: Participation, ben: User, as_user: Login
) -> None:
    with_sheet(task)
    page = as_user(ben).get("/tasks/otters/test/submit/").content.decode()
    for title in ("Parameters", "Training data", "Ensemble", "Paper", "Contact"):
        assert title in page
    assert 'inputmode="url"' in page and 'type="url"' not in page  # browsers refuse it
    given = {
        "fact_size": "1e9",
        "fact_data": "open",
        "fact_ensemble": "no",
        "fact_paper": "example.org/paper",
    }
    assert send(as_user(ben), **given).status_code == 201
    assert Submission.objects.get().facts == {
        "size": 1_000_000_000,
        "data": "open",
        "ensemble": False,
        "paper": "https://example.org/paper",
    }


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("size", ""),
        ("size", "many"),
        ("size", "nan"),
        ("size", "inf"),
        ("data", "stolen"),
        ("ensemble", "perhaps"),
        ("paper", "javascript:alert(1)"),
        ("paper", "ftp://example.org/x"),
        ("paper", "https://known.example@evil.example/"),
        ("paper", "data:text/html,x"),
        ("contact", "a\u202eb"),
        ("contact", "x" * 201),
    ],
)
def test_an_answer_that_does_not_fit_costs_nothing_and_names_its_field(
    field: str, value: str, entry: Participation, ben: User, as_user: Login
) -> None:
    with_sheet(entry.task)
    answer = send(as_user(ben), **{"fact_size": "7", f"fact_{field}": value})
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == [f"fact_{field}"]
    assert not Submission.objects.exists()
