"""Judging through the API: items and votes of people and of judge models."""

import csv
import io
import json
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from leaderboard.api import tokens
from leaderboard.api.models import Scope
from leaderboard.extras.judging.assignment import begin
from leaderboard.extras.judging.models import Campaign, Judge, Vote
from leaderboard.extras.judging.results import CampaignVotes
from leaderboard.tasks.models import Notice, Task
from leaderboard.teams.models import User
from tests.extras.judging.campaigns import (
    CANARY,
    UNITS,
    campaign_of,
    let_in,
    people_task,
    store_votes,
    system,
)
from tests.extras.judging.test_votes import put_on_board
from tests.leaderboard.judged import judged_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def task(ada: User, ben: User) -> Task:
    task = people_task(ada)
    for quality in (1, 2, 3):
        system(task, ben, quality)
    return task


@pytest.fixture
def campaign(task: Task) -> Campaign:
    return campaign_of(task)


def bearer(user: User, *scopes: Scope, task: Task | None = None) -> Client:
    text = tokens.make(user, "judging", scopes or (Scope.SUBMIT,), task)[1]
    return Client(headers={"Authorization": f"Bearer {text}"})


def place(campaign: Campaign) -> str:
    return f"/api/v1/judging/{campaign.token}/"


def post(client: Client, address: str, **body: Any) -> Any:
    return client.post(address, json.dumps(body), content_type="application/json")


def judged(client: Client, campaign: Campaign, choice: str, **who: str) -> Any:
    """The next item, and a vote on it."""
    item = post(client, place(campaign), **who).json()["item"]
    if item is None:
        return None
    return post(
        client,
        place(campaign) + "votes/",
        assignment=item["assignment"],
        key=str(uuid4()),
        values={"choice": choice},
    )


def test_somebody_asks_for_an_item_and_votes_and_a_repeated_vote_counts_once(
    campaign: Campaign, cy: User
) -> None:
    client, address = bearer(cy), place(campaign)
    seen = client.get(address).json()
    assert seen["judge"] is None and seen["item"] is None
    assert seen["questions"] == [{"column": "rating", "text": "Which is better?"}]
    first = post(client, address).json()
    assert post(client, address).json() == first and first["judge"] == 1
    item = first["item"]
    assert len(item["answers"]) == 2
    assert item["source"][0]["name"] == "source"
    body = {
        "assignment": item["assignment"],
        "key": str(uuid4()),
        "values": {"choice": "left"},
        "seconds": 7,
    }
    answers = [post(client, address + "votes/", **body) for _try in range(3)]
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.text for answer in answers}) == 1
    vote = Vote.objects.get()
    assert (vote.values, vote.seconds) == ({"choice": "left"}, 7)
    (kept,) = client.get(address + "votes/").json()
    assert kept["key"] == body["key"]
    again = post(client, address + "votes/", **body | {"key": str(uuid4())})
    assert again.status_code == 409 and "judged this already" in again.json()["detail"]
    changed = body | {
        "key": str(uuid4()),
        "values": {"choice": "equal"},
        "instead": body["key"],
    }
    assert post(client, address + "votes/", **changed).status_code == 201
    assert Vote.objects.get(replaced_at=None).values == {"choice": "equal"}
    assert CANARY not in post(client, address).text


def test_account_and_token_are_one_judge(task: Task, cy: User, as_user: Any) -> None:
    campaign = campaign_of(task, access="signed_in")
    page = as_user(cy)
    page.post(campaign.get_absolute_url())
    post(bearer(cy), place(campaign))
    let_in(campaign, cy)
    post(bearer(cy), place(campaign), model="owl-7b")
    assert Judge.objects.filter(model="").count() == 1
    assert "The first answer" in page.get(campaign.get_absolute_url()).text


@pytest.mark.parametrize(
    "change",
    [
        {"key": "no key"},
        {"values": {"choice": "best"}},
        {"values": []},
        {"values": {"rating": 3}},
        {"seconds": "long"},
        {"seconds": True},
        {"assignment": 7},
        {"instead": "x"},
    ],
)
def test_what_is_no_vote_is_refused_and_none_is_kept(
    campaign: Campaign, cy: User, change: dict[str, Any]
) -> None:
    client = bearer(cy)
    item = post(client, place(campaign)).json()["item"]
    body = {"assignment": item["assignment"], "key": str(uuid4())}
    body |= {"values": {"choice": "left"}} | change
    answer = post(client, place(campaign) + "votes/", **body)
    assert answer.status_code == 422 and not Vote.objects.exists()


def test_nobody_votes_on_what_another_was_given(
    campaign: Campaign, cy: User, ben: User, ada: User
) -> None:
    item = post(bearer(cy), place(campaign)).json()["item"]
    body = {
        "assignment": item["assignment"],
        "key": str(uuid4()),
        "values": {"choice": "left"},
    }
    assert post(bearer(ben), place(campaign) + "votes/", **body).status_code == 404
    assert post(bearer(ben), "/api/v1/judging/nonsense/").status_code == 404
    assert post(bearer(ben, Scope.READ), place(campaign)).status_code == 403
    other = judged_task(ada)
    assert post(bearer(cy, task=other), place(campaign)).status_code == 404
    Campaign.objects.update(open=False)
    answer = post(bearer(cy), place(campaign) + "votes/", **body)
    assert answer.status_code == 409 and answer.json()["code"] == "not_decided"


def test_votes_of_judge_models_are_marked_and_count_nowhere(
    task: Task, ada: User, cy: User
) -> None:
    campaign = campaign_of(task, daily=20, per_unit=2)
    for seed in range(3):
        store_votes(begin(campaign), seed, most=6)
    let_in(campaign, cy)
    before = CampaignVotes(campaign)
    counted, agreement = len(before.counted_rows), before.agreement()
    client = bearer(cy)
    sent = 0
    while judged(client, campaign, "left", model="owl-7b"):
        sent += 1
    # It gets units of its own, and no limit of a day.
    assert sent == 2 * len(UNITS)
    after = CampaignVotes(campaign)
    assert (len(after.counted_rows), after.agreement()) == (counted, agreement)
    assert after.by_models == sent and after.left_out == 0
    put_on_board(campaign, ada)
    text = Notice.objects.get(text__startswith="Signs").text
    assert text.endswith(f"{sent} of judge models are left out: owl-7b.")
    answer = post(client, place(campaign), model="x\ny")
    assert answer.status_code == 422


def test_organizers_fetch_votes_as_csv_and_json_lines(
    campaign: Campaign, task: Task, ada: User, cy: User
) -> None:
    store_votes(begin(campaign), most=4)
    let_in(campaign, cy)
    judged(bearer(cy), campaign, "left", model="owl-7b")
    client = bearer(ada, Scope.ORGANIZE)
    (told,) = client.get("/api/v1/tasks/signs/judging/").json()
    assert (told["name"], told["votes"], told["by_models"]) == ("signs", 4, 1)
    address = "/api/v1/tasks/signs/judging/signs/votes."
    rows = list(csv.DictReader(io.StringIO(client.get(address + "csv").text)))
    lines = client.get(address + "jsonl").text.splitlines()
    assert len(rows) == len(lines) == 5
    assert [row["model"] for row in rows] == [""] * 4 + ["owl-7b"]
    assert [json.loads(line)["choice"] for line in lines] == [
        row["choice"] for row in rows
    ]
    assert cy.email not in client.get(address + "csv").text
    assert client.get(address + "xlsx").status_code == 404
    assert bearer(cy).get(address + "csv").status_code in (403, 404)
