"""Answers to a fact sheet: columns and filters of the board, corrected later."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.organize.baselines import whole_plan
from leaderboard.organize.bundle import apply
from leaderboard.submissions.models import Submission
from leaderboard.tasks.bundle.dump import bundle_of_plan
from leaderboard.tasks.bundle.load import load
from leaderboard.tasks.models import Change, Question, Task
from leaderboard.tasks.questions import field_of
from leaderboard.teams.models import User
from scoring.errors import SetupError
from tests.organize.sheets import (
    API,
    BOARD,
    SHEET,
    rows,
    systems,
    two_sent,
    with_sheet,
)

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage(then=two_sent)]
Login = Callable[[User], Client]
ORGANIZE = "/tasks/otters/organize/fact-sheet/"


@pytest.mark.all_extras
def test_the_unit_of_a_number_stands_over_its_column_and_beside_its_axis(
    task: Task, ada: User, ben: User, as_user: Login
) -> None:
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


@pytest.mark.parametrize("number", ["-1", "-0.5", "1e31", "inf", "nan"])
def test_a_number_is_an_amount(number: str) -> None:
    field = field_of(Question(kind="number", title="Size"))
    with pytest.raises(ValidationError, match=r"Write a number from 0 to|a number\."):
        field.clean(number)
    assert [field.clean(fine) for fine in ("0", "2.5", "1e25")] == [0, 2.5, 1e25]


def test_an_answered_question_is_hidden_not_removed(
    task: Task, ada: User, as_user: Login
) -> None:
    small = Submission.objects.get(system="small")
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
    task: Task, ada: User, as_user: Login
) -> None:
    fields = {"title": "Size", "kind": "text", "public": "on"}
    assert as_user(ada).post(f"{ORGANIZE}size/", fields).status_code == 302
    changed = SHEET[0] | {"title": "Size", "required": False}
    assert task.questions.first().values() == changed


def test_a_bundle_cannot_remove_it_either(task: Task, ada: User) -> None:
    plan = whole_plan(task)
    with pytest.raises(SetupError, match="was answered"):
        apply(task, plan.with_values(fact_sheet=plan.fact_sheet[1:]), ada)
    other = (plan.fact_sheet[0].with_values(kind="text"), *plan.fact_sheet[1:])
    with pytest.raises(SetupError, match="kind cannot change"):
        apply(task, plan.with_values(fact_sheet=other), ada)


def test_the_team_corrects_its_answers_and_history_keeps_the_old(
    ben: User, cy: User, as_user: Login
) -> None:
    small = Submission.objects.get(system="small")
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
    task: Task, ada: User, as_user: Login
) -> None:
    small = Submission.objects.get(system="small")
    assert b"kolibri" in as_user(ada).get(f"/submissions/{small.pk}/").content
    assert as_user(ada).get(f"/submissions/{small.pk}/facts/").status_code == 404


def column(title: str, page: str) -> bool:
    """Whether the board has a column of answers with that head."""
    return bool(re.search(f'<th scope="col" class="[^"]*">{title}</th>', page))


def test_public_answers_are_columns_and_others_are_nowhere(task: Task) -> None:
    small = Submission.objects.get(system="small")
    page = " ".join(Client().get(BOARD).content.decode().split())
    assert column("Parameters", page)
    assert "70.5" in page
    link = '<a href="https://example.org/p" rel="nofollow ugc noopener">example.org/p<'
    assert link in page
    answer = Client().get(f"{BOARD}?columns=&column=data")
    chosen = " ".join(answer.content.decode().split())
    assert column("Training data", chosen)
    assert not column("Parameters", chosen)
    none = " ".join(Client().get(f"{BOARD}?columns=").content.decode().split())
    assert not column("Parameters", none) and not column("Training data", none)
    public = f"/submissions/{small.pk}/system/"
    for address in (BOARD, API, public, f"{BOARD}?fact.size=7"):
        assert b"kolibri" not in Client().get(address).content, address
        assert b"Contact" not in Client().get(address).content, address


FILTERS: list[tuple[dict[str, str], list[str]]] = [
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
]


def test_filters_choose_rows(task: Task) -> None:
    for choices, left in FILTERS:
        assert systems(Client(), **choices) == left, choices


def test_a_page_with_fewer_rows_says_so(task: Task) -> None:
    for choices, fewer in (
        ({"fact.data": "open"}, True),
        ({"fact.size.min": ""}, False),
    ):
        page = Client().get(BOARD, choices).content.decode()
        assert ("Filtered:" in page) == fewer


def test_ranks_stay_those_of_the_whole_board(task: Task) -> None:
    (row,) = rows(Client(), **{"fact.data": "closed"})
    assert (row["system"], row["rank"]) == ("large", 2)
    page = Client().get(f"{BOARD}?fact.data=closed").content.decode()
    assert (
        "Filtered: 1 of 2 rows. Ranks and lines are those of the whole board." in page
    )


NO_CHOICES = (
    "fact.contact=kolibri",
    "fact.size=x",
    "fact.size.mid=1",
    "fact.data.min=1",
    "fact.nothing=1",
    "fact.ensemble=1",
    "fact.size.min=nan",
    "column=contact",
    "column=nothing",
)


def test_what_cannot_be_asked_is_not_found(task: Task) -> None:
    for choice in NO_CHOICES:
        for address in (BOARD, API):
            assert Client().get(f"{address}?{choice}").status_code == 404, choice


def test_columns_and_filters_cost_no_query(
    task: Task, django_assert_num_queries: Any
) -> None:
    with_sheet(task)
    client = Client()
    client.get(API)
    with CaptureQueriesContext(connection) as plain:
        client.get(f"{BOARD}?columns=")
    with django_assert_num_queries(len(plain)):
        client.get(f"{BOARD}?fact.size.min=1&columns=&column=size")
