"""Errors are marked by words, with category and severity, and weigh what they do."""

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.extras.judging import results
from leaderboard.extras.judging.assignment import Sent, begin, new_key, next_for, vote
from leaderboard.extras.judging.export import export_votes
from leaderboard.extras.judging.models import Campaign, Vote
from leaderboard.extras.judging.results import CampaignVotes
from leaderboard.extras.judging.setup import CampaignForm
from leaderboard.extras.judging.spans import SpanRow, spans_of, words_of
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from tests.extras.judging.campaigns import (
    campaign_of,
    form_data,
    hidden,
    people_task,
    system,
)
from tests.extras.judging.test_api import bearer, place, post
from tests.extras.judging.test_votes import put_on_board

pytestmark = pytest.mark.django_db
ESA = {
    "kind": "spans",
    "questions": "score: How good is it?",
    "categories": "mistranslation\nomission",
    "severities": "minor: 1\nmajor: 5",
}
MEASURES = [
    "penalty = mean(penalty); lower; decimals 2; title Penalty",
    "score = mean(score)",
]


@pytest.fixture
def task(ada: User, ben: User) -> Task:
    task = people_task(ada, MEASURES)
    for quality in (1, 2):
        system(task, ben, quality)
    return task


@pytest.fixture
def campaign(task: Task) -> Campaign:
    return campaign_of(task, per_unit=1, **ESA)


def begun(campaign: Campaign) -> tuple[Client, str]:
    client, address = Client(), campaign.get_absolute_url()
    client.post(address)
    return client, address


def sending(client: Client, address: str, **values: Any) -> Any:
    page = client.get(address).text
    names = ("assignment", "key", "shown")
    return client.post(address, {x: hidden(page, x) for x in names} | values)


def test_words_are_those_between_spaces_and_signs_of_scripts_without() -> None:
    assert [w.text for w in words_of(" The cat,\n sat.")] == ["The", "cat,", "sat."]
    assert [w.after for w in words_of(" The cat,\n sat.")] == [" ", "\n ", ""]
    assert [w.text for w in words_of("猫が pc")] == ["猫", "が", "pc"]
    assert words_of("") == []


def test_words_are_typed_by_number_or_as_they_stand() -> None:
    words = words_of("The cat saw the dog, and the dog ran.")
    rows = [
        SpanRow("2", "3", "", "minor"),
        SpanRow("dog", "", "", "minor"),
        SpanRow("saw", "Dog", "", "minor"),
        SpanRow("bird", "", "", "minor"),
        SpanRow("", "", "", "major"),
    ]
    found = [(span["start"], span["end"]) for span in spans_of(rows, words)]
    assert found == [(2, 3), (5, 5), (3, 5), (0, 0), (None, None)]


def test_somebody_marks_errors_without_a_script(campaign: Campaign) -> None:
    client, address = begun(campaign)
    page = client.get(address).text
    assert "Mark the errors" in page and "<sup>5</sup>" in page
    rows = {
        "span-start": ["answer", "4", ""],
        "span-end": ["2", "quality", ""],
        "span-category": ["mistranslation", "omission", ""],
        "span-severity": ["minor", "major", ""],
    }
    more = sending(client, address, more="1", **rows)
    assert more.status_code == 200 and not Vote.objects.exists()
    assert more.text.count('name="span-start"') == 2 + 3
    assert 'value="quality"' in more.text
    wrong = sending(client, address, **{**rows, "span-severity": ["minor", "", ""]})
    assert wrong.status_code == 422 and 'value="quality"' in wrong.text
    assert "needs a severity" in wrong.text
    assert sending(client, address, **rows, **{"value-score": "60"}).status_code == 302
    assert Vote.objects.get().values == {
        "spans": [
            {"start": 1, "end": 2, "category": "mistranslation", "severity": "minor"},
            {"start": 4, "end": 4, "category": "omission", "severity": "major"},
        ],
        "score": 60,
    }
    changed = client.get(address + "?change").text
    assert changed.count('name="span-start"') == 2 + 3
    assert "<option selected>omission</option>" in changed
    assert sending(client, address, **{"value-score": "100"}).status_code == 302
    last = Vote.objects.order_by("pk").last()
    assert last is not None and last.values == {"spans": [], "score": 100}


def test_the_board_shows_mean_penalties_by_the_weights(
    campaign: Campaign, ada: User
) -> None:
    judge = begin(campaign)
    number = 0
    while (one := next_for(judge)) is not None:
        bad = one.first.text.endswith("1")
        minor = {"start": 1, "end": 2, "category": "omission", "severity": "minor"}
        spans = [minor]
        if bad:
            spans += [minor | {"severity": "major"}] * (1 + number % 2)
            number += 1
        values = {"spans": spans, "score": 40 if bad else 90}
        vote(judge, Sent(one.key, new_key(), values))
    put_on_board(campaign, ada)
    rows = board(BoardQuery(campaign.phase, everything=True)).rows
    found = {
        row.system[-1]: {x.measure.name: x.exact["value"] for x in row.scores}
        for row in rows
    }
    # Of eight answers four have one major error and four two: 1 + 5 * 1.5.
    assert found == {
        "2": {"penalty": 1.0, "score": 90.0},
        "1": {"penalty": 8.5, "score": 40.0},
    }
    assert rows[0].system.endswith("2")
    Campaign.objects.update(severities=[["minor", 0.5], ["major", 10]])
    campaign.refresh_from_db()
    penalties = {row.values["penalty"] for row in CampaignVotes(campaign).counted_rows}
    assert penalties == {0.5, 10.5, 20.5}
    (first, *_rest) = export_votes(campaign)
    assert first["spans"] and first["score"] in (40, 90)


@pytest.mark.parametrize(
    "span",
    [
        {"start": 0, "end": 1},
        {"start": 3, "end": 2},
        {"start": 1, "end": 6},
        {"start": 1, "end": None},
        {"start": True, "end": True},
        {"category": "style"},
        {"severity": "huge"},
        {"severity": None},
    ],
)
def test_what_is_no_error_of_the_answer_is_refused(
    campaign: Campaign, cy: User, span: dict[str, Any]
) -> None:
    client = bearer(cy)
    item = post(client, place(campaign)).json()["item"]
    assert item["words"] == item["answers"][0].split()
    whole = {"start": 1, "end": 2, "category": "omission", "severity": "major"}
    body = {"assignment": item["assignment"], "key": str(uuid4())}
    address = place(campaign) + "votes/"
    values = {"spans": [whole | span], "score": 50}
    assert post(client, address, **body, values=values).status_code == 422
    values = {"spans": [whole], "score": 50}
    assert post(client, address, **body, values=values).status_code == 201
    assert Vote.objects.get().values["spans"] == [whole]


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("categories", "a\na", "no two alike"),
        ("severities", "minor", "expected a severity"),
        ("severities", "minor: 1\nminor: 2", "expected a severity"),
        ("severities", "minor: 1000", "expected a severity"),
        ("questions", "penalty: How bad?", "another meaning"),
    ],
)
def test_a_form_says_what_is_wrong_with_errors(
    task: Task, field: str, value: str, said: str
) -> None:
    form = CampaignForm(task, form_data(task, **ESA | {field: value}))
    assert not form.is_valid() and said in str(form.errors)


def test_penalties_are_declared_with_the_worst_that_an_answer_can_have(
    campaign: Campaign,
) -> None:
    """Five errors of the heaviest kind, as in Freitag et al. (2021): 25."""
    line = results.lines_to_declare(campaign)[0]
    assert "lower; most 25; decimals 2" in line
    campaign.severities = [["minor", 0.5], ["critical", 10]]
    assert "most 50;" in results.lines_to_declare(campaign)[0]
    campaign.severities = [["any", 0]]
    assert "most" not in results.lines_to_declare(campaign)[0]


def test_errors_alone_are_asked_without_a_question(ada: User, ben: User) -> None:
    task = people_task(ada, MEASURES[:1])
    for quality in (1, 2):
        system(task, ben, quality)
    campaign = campaign_of(task, **ESA | {"questions": "", "severities": ""})
    assert campaign.severities == [["minor", 1.0], ["major", 5.0]]
    client, address = begun(campaign)
    assert sending(client, address).status_code == 302
    assert Vote.objects.get().values == {"spans": []}
