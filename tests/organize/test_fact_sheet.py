"""Fact sheets: asked with the upload, corrected later, columns and filters."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.organize.baselines import whole_plan
from leaderboard.organize.bundle import apply
from leaderboard.submissions.models import Submission
from leaderboard.tasks.bundle.dump import bundle_of_plan
from leaderboard.tasks.bundle.load import load
from leaderboard.tasks.models import Change, Participation, Phase, Question, Task
from leaderboard.teams.models import User
from scoring.errors import SetupError
from tests.leaderboard.small import perfect, set_questions
from tests.organize.sheets import (
    API,
    BOARD,
    SHEET,
    rows,
    systems,
    two_systems,
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


@pytest.mark.all_extras
def test_the_unit_of_a_number_stands_over_its_column_and_beside_its_axis(
    task: Task, phase: Phase, entry: Participation, ada: User, ben: User, as_user: Login
) -> None:
    with_sheet(task)
    two_systems(phase, entry)
    client = as_user(ada)
    fields = {"title": "Energy", "unit": "kWh", "public": "on"}
    assert client.post(f"{ORGANIZE}size/", fields).status_code == 302
    heading = "Energy (kWh)"
    assert heading in client.get(BOARD).content.decode()
    chart = client.get("/tasks/otters/test/charts/?chart=facts&across=size")
    # A heading of the table below it as well.
    assert chart.content.decode().count(heading) >= 3
    assert rows(client)[0]["facts"]["size"] == 7
    # The bundle brings it along, and other kinds lose it.
    (again, *_more) = load(bundle_of_plan(whole_plan(task))).fact_sheet
    assert again.unit == "kWh"
    client.post(f"{ORGANIZE}contact/", {**fields, "kind": "text"})
    assert task.questions.get(name="contact").unit == ""
    assert heading in as_user(ben).get("/tasks/otters/test/submit/").content.decode()


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


def test_an_answered_question_is_hidden_not_removed(
    task: Task, phase: Phase, entry: Participation, ada: User, as_user: Login
) -> None:
    with_sheet(task)
    small, _large = two_systems(phase, entry)
    client = as_user(ada)
    refused = client.post(f"{ORGANIZE}size/change/", {"to": "remove"})
    assert refused.status_code == 422
    assert "hide it instead" in refused.content.decode()
    assert client.post(f"{ORGANIZE}size/change/", {"to": "hide"}).status_code == 302
    assert "size" not in rows(client)[0]["facts"]
    assert b"Parameters" not in client.get("/tasks/otters/test/submit/").content
    small.refresh_from_db()
    assert small.facts["size"] == 7
    client.post(f"{ORGANIZE}size/change/", {"to": "show"})
    assert rows(client)[0]["facts"]["size"] == 7


def test_the_kind_of_an_answered_question_stays(
    task: Task, phase: Phase, entry: Participation, ada: User, as_user: Login
) -> None:
    with_sheet(task)
    two_systems(phase, entry)
    fields = {"title": "Size", "kind": "text", "public": "on"}
    assert as_user(ada).post(f"{ORGANIZE}size/", fields).status_code == 302
    changed = SHEET[0] | {"title": "Size", "required": False}
    assert task.questions.first().values() == changed


def test_a_bundle_cannot_remove_it_either(
    task: Task, phase: Phase, entry: Participation, ada: User
) -> None:
    with_sheet(task)
    two_systems(phase, entry)
    plan = whole_plan(task)
    with pytest.raises(SetupError, match="was answered"):
        apply(task, plan.changed(fact_sheet=plan.fact_sheet[1:]), ada)
    other = (plan.fact_sheet[0].changed(kind="text"), *plan.fact_sheet[1:])
    with pytest.raises(SetupError, match="kind cannot change"):
        apply(task, plan.changed(fact_sheet=other), ada)


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


def test_the_team_corrects_its_answers_and_history_keeps_the_old(
    phase: Phase, entry: Participation, ben: User, cy: User, as_user: Login
) -> None:
    with_sheet(entry.task)
    small, _large = two_systems(phase, entry)
    address = f"/submissions/{small.pk}/facts/"
    assert as_user(cy).get(address).status_code == 404
    assert Client().get(address).status_code == 302
    wrong = as_user(ben).post(address, {"fact_size": "x"})
    assert wrong.status_code == 422
    fields = {"fact_size": "8", "fact_data": "open"}
    assert as_user(ben).post(address, fields).status_code == 302
    small.refresh_from_db()
    assert small.facts == {"size": 8, "data": "open"}
    change = Change.objects.get_for_object(small).latest("pk")
    assert "kolibri" in str(change.changes["facts"][0])
    assert change.actor == ben


def test_organizers_read_but_do_not_correct_what_a_team_said(
    task: Task, phase: Phase, entry: Participation, ada: User, as_user: Login
) -> None:
    with_sheet(task)
    small, _large = two_systems(phase, entry)
    assert b"kolibri" in as_user(ada).get(f"/submissions/{small.pk}/").content
    assert as_user(ada).get(f"/submissions/{small.pk}/facts/").status_code == 404


def column(title: str, page: str) -> bool:
    """Whether the board has a column of answers with that head."""
    return bool(re.search(f'<th scope="col" class="fact[^"]*">{title}</th>', page))


def test_public_answers_are_columns_and_others_are_nowhere(
    task: Task, phase: Phase, entry: Participation
) -> None:
    with_sheet(task)
    small, _large = two_systems(phase, entry)
    page = " ".join(Client().get(BOARD).content.decode().split())
    assert column("Parameters", page)
    assert "70.5" in page
    link = '<a href="https://example.org/p" rel="nofollow ugc noopener">example.org/p<'
    assert link in page
    answer = Client().get(f"{BOARD}?columns=&column=data")
    chosen = " ".join(answer.content.decode().split())
    assert column("Training data", chosen)
    assert not column("Parameters", chosen)
    none = Client().get(f"{BOARD}?columns=").content.decode()
    assert not re.search('class="fact( room-[0-9]+)?"', none)
    public = f"/submissions/{small.pk}/system/"
    for address in (BOARD, API, public, f"{BOARD}?fact.size=7"):
        assert b"kolibri" not in Client().get(address).content, address
        assert b"Contact" not in Client().get(address).content, address


@pytest.mark.parametrize(
    ("choices", "left"),
    [
        ({"fact.size.min": "7"}, ["small", "large"]),
        ({"fact.size.min": "8"}, ["large"]),
        ({"fact.size.max": "70.5", "fact.size.min": "7.5"}, ["large"]),
        ({"fact.size": "7"}, ["small"]),
        ({"fact.data": "open"}, ["small"]),
        ({"fact.ensemble": "yes"}, ["large"]),
        ({"fact.paper": "yes"}, ["large"]),
        ({"fact.paper": "no"}, ["small"]),
        ({"fact.data": "open", "fact.ensemble": "yes"}, []),
        ({"fact.size.min": ""}, ["small", "large"]),
    ],
)
def test_filters_choose_rows(
    choices: dict[str, str],
    left: list[str],
    task: Task,
    phase: Phase,
    entry: Participation,
) -> None:
    with_sheet(task)
    two_systems(phase, entry)
    assert systems(Client(), **choices) == left
    page = Client().get(BOARD, choices).content.decode()
    assert ("Filtered:" in page) == any(choices.values())


def test_ranks_stay_those_of_the_whole_board(
    task: Task, phase: Phase, entry: Participation
) -> None:
    with_sheet(task)
    two_systems(phase, entry)
    (row,) = rows(Client(), **{"fact.data": "closed"})
    assert (row["system"], row["rank"]) == ("large", 2)
    page = Client().get(f"{BOARD}?fact.data=closed").content.decode()
    assert (
        "Filtered: 1 of 2 rows. Ranks and lines are those of the whole board." in page
    )


@pytest.mark.parametrize(
    "choice",
    [
        "fact.contact=kolibri",
        "fact.size=x",
        "fact.size.mid=1",
        "fact.data.min=1",
        "fact.nothing=1",
        "fact.ensemble=1",
        "fact.size.min=nan",
        "column=contact",
        "column=nothing",
    ],
)
def test_what_cannot_be_asked_is_not_found(
    choice: str, task: Task, phase: Phase, entry: Participation
) -> None:
    with_sheet(task)
    two_systems(phase, entry)
    assert Client().get(f"{BOARD}?{choice}").status_code == 404
    assert Client().get(f"{API}?{choice}").status_code == 404


def test_columns_and_filters_cost_no_query(
    task: Task, phase: Phase, entry: Participation, django_assert_num_queries: Any
) -> None:
    two_systems(phase, entry)
    client = Client()
    client.get(API)
    with CaptureQueriesContext(connection) as plain:
        client.get(BOARD)
    with_sheet(task)
    with django_assert_num_queries(len(plain)):
        client.get(f"{BOARD}?fact.size.min=1&columns=&column=size")
