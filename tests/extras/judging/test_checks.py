"""Spoiled answers: a training round with feedback, and controls with known answers."""

from random import Random
from typing import Any

import pytest
from django.test import Client

from leaderboard.extras.judging.assignment import Sent, begin, new_key, next_for, vote
from leaderboard.extras.judging.checks import can_spoil, feedback, spoil, texts
from leaderboard.extras.judging.export import export_votes
from leaderboard.extras.judging.models import Assignment, Campaign, Judge
from leaderboard.extras.judging.results import CampaignVotes
from leaderboard.extras.judging.setup import CampaignForm
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from tests.extras.judging.campaigns import (
    UNITS,
    campaign_of,
    form_data,
    people_task,
    system,
    vote_by_form,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def task(ada: User, ben: User) -> Task:
    task = people_task(ada)
    for quality in (1, 2, 3):
        system(task, ben, quality)
    return task


def judging(judge: Judge, *, right: bool, seed: int = 1) -> None:
    """Everything there is; of spoiled pairs the whole answer, or never."""
    random = Random(seed)
    while (one := next_for(judge, random)) is not None:
        whole = "right" if one.spoiled == 1 else "left"
        other = "left" if one.spoiled == 1 else "right"
        choice = (whole if right else other) if one.spoiled else "equal"
        vote(judge, Sent(one.key, new_key(), {"choice": choice}))


@pytest.mark.parametrize(
    ("kind", "low", "high"),
    [
        ({"kind": "slider"}, {"adequacy": 49}, {"adequacy": 50}),
        (
            {"kind": "scale", "steps": "no\npart\nyes"},
            {"adequacy": 1},
            {"adequacy": 2},
        ),
        ({"kind": "spans"}, {"spans": [{"severity": "minor"}]}, {"spans": []}),
    ],
)
def test_a_judge_of_single_answers_is_told_whether_an_example_was_right(
    ada: User, ben: User, kind: dict[str, str], low: Any, high: Any
) -> None:
    names = ("adequacy", "penalty")
    task = people_task(ada, [f"{name} = mean({name})" for name in names])
    for quality in (1, 2):
        system(task, ben, quality)
    asked = "" if kind["kind"] == "spans" else "adequacy: How much is there?"
    campaign = campaign_of(task, training=1, questions=asked, **kind)
    one = next_for(begin(campaign))
    assert one is not None and one.training
    assert feedback(one, low).startswith("That was right")
    assert feedback(one, high).startswith("That was not right")


def test_a_spoiled_answer_has_lost_words_and_is_the_same_each_time() -> None:
    text = "The ferry leaves the harbour at nine in the morning."
    found = spoil(text, "a")
    assert found == spoil(text, "a") != text
    assert len(found.split()) == 7 and set(found.split()) < set(text.split())
    assert can_spoil(text) and not can_spoil("yes, sir") and can_spoil("猫が好きだ")


def test_a_judge_begins_with_examples_and_is_told_what_was_right(task: Task) -> None:
    campaign = campaign_of(task, training=2)
    client, address = Client(), campaign.get_absolute_url()
    assert "You begin with 2 examples" in client.get(address).text
    client.post(address)
    for said in ("That was right", "That was not right"):
        client.get(address)
        one = Assignment.objects.get(voted_at=None)
        assert one.training and one.first == one.second
        both = texts(one)
        assert both[0] != both[1] and one.first.text in both
        assert all(part in client.get(address).text for part in both)
        better = "right" if one.spoiled == 1 else "left"
        worse = "left" if one.spoiled == 1 else "right"
        vote_by_form(client, address, choice=worse if "not" in said else better)
        assert said in client.get(address).text
    client.get(address)
    last = Assignment.objects.get(voted_at=None)
    assert not last.training and last.first != last.second
    votes = CampaignVotes(campaign)
    assert not votes.counted_rows
    (report,) = votes.reports(list(campaign.judges.all()))
    assert (report.votes, report.controls) == (0, 0)


@pytest.mark.parametrize("right", [True, False])
def test_spoiled_controls_are_passed_or_failed_and_count_nowhere(
    task: Task, right: bool
) -> None:
    campaign = campaign_of(task, spoiled=50, per_unit=3)
    judge = begin(campaign)
    judging(judge, right=right)
    checked = Assignment.objects.exclude(spoiled=0)
    assert checked.count() >= 4
    assert {one.spoiled for one in checked} == {1, 2}
    votes = CampaignVotes(campaign)
    assert len(votes.counted_rows) == 3 * len(UNITS)
    (report,) = votes.reports([judge])
    assert report.controls == checked.count()
    assert report.failed == (0 if right else report.controls)
    assert sum(row["spoiled"] for row in export_votes(campaign)) == checked.count()


def test_a_single_spoiled_answer_has_to_get_less_than_the_whole_one(
    ada: User, ben: User
) -> None:
    task = people_task(ada, ["score = mean(score)"])
    for quality in (1, 2):
        system(task, ben, quality)
    campaign = campaign_of(
        task, kind="slider", questions="score: How good?", spoiled=50, per_unit=2
    )
    for fall in (30, 0):
        judge, random = begin(campaign), Random(3)
        while (one := next_for(judge, random)) is not None:
            value = 60 - fall if one.spoiled else 60
            vote(judge, Sent(one.key, new_key(), {"score": value}))
        (report,) = CampaignVotes(campaign).reports([judge])
        assert report.controls >= 3
        assert report.failed == (0 if fall else report.controls)
    assert {row.values["score"] for row in CampaignVotes(campaign).counted_rows} == {60}


def test_a_form_says_how_many_examples_there_may_be(task: Task) -> None:
    form: Any = CampaignForm(task, form_data(task, training=90, spoiled=80))
    assert not form.is_valid()
    assert "0 to 20" in str(form.errors["training"])
    assert "0 to 50" in str(form.errors["spoiled"])
    assert Campaign.objects.count() == 0
