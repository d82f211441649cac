"""Tallies of what was given to people are those that counting it all anew makes."""

from collections.abc import Mapping
from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.utils import timezone

from leaderboard.extras.judging import tallies
from leaderboard.extras.judging.assignment import Sent, begin, new_key, next_for, vote
from leaderboard.extras.judging.models import (
    UNDER_WAY,
    Assignment,
    Campaign,
    Judge,
    JudgedAnswer,
    JudgedPair,
    JudgedUnit,
)
from leaderboard.teams.models import User
from tests.extras.judging.campaigns import (
    campaign_of,
    let_in,
    people_task,
    system,
    vote_all,
)

pytestmark = pytest.mark.django_db
KINDS: Mapping[str, Mapping[str, Any]] = {
    "pairs": {},
    "slider": {"kind": "slider", "questions": "score: How good?", "per_unit": 3},
}


def taken() -> list[Any]:
    units = JudgedUnit.objects.order_by("pk").values_list("taken", flat=True)
    answers = JudgedAnswer.objects.order_by("pk").values_list("taken", flat=True)
    pairs = JudgedPair.objects.order_by("low", "high").values_list("low", "high")
    counted = Assignment.objects.filter(counted=True).values_list("pk", flat=True)
    numbers = pairs.exclude(taken=0).values_list("low", "high", "taken")
    return [list(rows) for rows in (units, answers, numbers, counted.order_by("pk"))]


def fresh(judge: Judge) -> Judge:
    return Judge.objects.select_related("campaign").get(pk=judge.pk)


@pytest.fixture(params=list(KINDS))
def campaign(request: Any, ada: User, ben: User) -> Campaign:
    task = people_task(ada)
    for quality in (1, 2, 3):
        system(task, ben, quality)
    more = {"controls": 30, "spoiled": 30, "training": 1, **KINDS[request.param]}
    if request.param != "pairs":
        task.options = {"measure": ["score = mean(score)"]}
        task.save()
    return campaign_of(task, **more)


def test_they_are_kept_as_people_and_models_judge_and_leave(
    campaign: Campaign, cy: User, as_user: Any, ada: User
) -> None:
    def agree() -> list[Any]:
        kept = taken()
        tallies.recount(campaign)
        assert kept == taken()
        return kept

    judges = [begin(campaign) for _ in range(3)]
    for seed, judge in enumerate(judges):
        vote_all(judge, seed, most=9)
    before = agree()
    assert sum(before[0]) > 10
    let_in(campaign, cy)
    vote_all(begin(campaign, cy, "a model"), most=9)
    assert agree() == before
    # Somebody opens a thing and leaves; it is counted no more when others come.
    left = next_for(begin(campaign))
    while left is not None and not left.counted:  # an example, or a control
        vote(left.judge, Sent(left.key, new_key(), {}))
        left = next_for(fresh(left.judge))
        if left is not None:
            left.refresh_from_db()
    assert left is not None
    Assignment.objects.filter(pk=left.pk).update(at=timezone.now() - 2 * UNDER_WAY)
    tallies.forget_left(campaign)
    assert taken() == before
    # ... and again when they come back and vote.
    vote(fresh(left.judge), Sent(left.key, new_key(), {}))
    assert sum(agree()[0]) == sum(before[0]) + 1
    # A judge is left out, and counts again.
    whole, client = taken(), as_user(ada)
    place = f"/tasks/signs/organize/judging/{campaign.pk}/judges/1/"
    client.post(place, {"why": "always the first"})
    assert sum(agree()[0]) < sum(whole[0])
    client.post(place, {"action": "include"})
    assert agree() == whole


def test_an_upgrade_counts_what_was_judged_before(campaign: Campaign) -> None:
    for seed in range(2):
        vote_all(begin(campaign), seed, most=9)
    late = timezone.now() - UNDER_WAY - timedelta(minutes=1)
    Assignment.objects.filter(voted_at=None).update(at=late)
    tallies.recount(campaign)
    whole = taken()
    JudgedPair.objects.all().delete()
    Assignment.objects.update(counted=False)
    JudgedUnit.objects.update(taken=0)
    JudgedAnswer.objects.update(taken=0)
    name = "leaderboard.extras.judging.migrations.0008_count_tallies"
    import_module(name).count(apps, None)
    assert taken() == whole
