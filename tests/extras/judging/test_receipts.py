"""Receipts say who judged: which kind, when, how many, under which instructions."""

import json
from hashlib import sha256

import pytest

from leaderboard.extras.judging.assignment import begin
from leaderboard.extras.judging.models import Campaign, Judge
from leaderboard.results.status import receipt_of
from leaderboard.submissions.models import Evaluation
from leaderboard.teams.models import User
from tests.extras.judging.campaigns import campaign_of, people_task, store_votes, system
from tests.extras.judging.test_votes import put_on_board

pytestmark = pytest.mark.django_db


def version_of(instructions: str) -> str:
    """As the handbook says that it is made."""
    asked = ["pairs", [["rating", "Which is better?"]], [], [], []]
    return sha256(json.dumps([instructions, *asked]).encode()).hexdigest()[:12]


def test_a_receipt_tells_of_the_people_and_their_instructions(
    ada: User, ben: User
) -> None:
    task = people_task(ada)
    for quality in (1, 2, 3):
        system(task, ben, quality)
    campaign = campaign_of(task)
    first, second, third = (begin(campaign) for _judge in range(3))
    assert store_votes(first, 1, 12) == 12
    Campaign.objects.update(instructions="Read both twice.")
    assert store_votes(Judge.objects.get(pk=second.pk), 2, 20) == 20
    assert store_votes(Judge.objects.get(pk=third.pk), 3, 7) == 7
    Judge.objects.filter(pk=third.pk).update(excluded_at=campaign.created_at)
    put_on_board(campaign, ada)
    evaluation = Evaluation.objects.filter(results__isnull=False).latest("pk")
    receipt = json.loads(receipt_of(evaluation, task.test_sets.get()).as_json())
    judged = receipt["counted_elsewhere"]["judged"]
    assert (judged["by"], judged["who"]) == ("people, on this site", "link")
    assert (judged["judgements"], judged["people"]) == (32, 2)
    assert judged["left_out"] == {
        "excluded_judges": 7,
        "judge_models": 0,
        "own_teams": 0,
    }
    versions = {one["version"]: one for one in judged["instructions"]}
    assert {name: one["judgements"] for name, one in versions.items()} == {
        version_of("Read both."): 12,
        version_of("Read both twice."): 20,
    }
    (early, late) = versions.values()
    assert judged["first"] == early["first"] <= early["last"] < late["first"]
    assert judged["last"] == late["last"]
    told = json.dumps(judged)
    assert not any(str(one.key) in told for one in (first, second, third))
