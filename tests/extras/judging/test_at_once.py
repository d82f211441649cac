"""Clicks and windows at the same moment: no vote is lost, none counts twice."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connections

from leaderboard.extras.judging.assignment import Sent, begin, new_key, next_for, vote
from leaderboard.extras.judging.models import Assignment, Campaign, Judge, Vote
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from tests.extras.judging.campaigns import campaign_of, people_task, system

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases("locks")]


@pytest.fixture
def campaign(ada: User, ben: User) -> Campaign:
    task = people_task(ada)
    for quality in (1, 2, 3):
        system(task, ben, quality)
    return campaign_of(task)


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """Results of the calls, or the Refusal that they raise."""
    start = Barrier(len(acts))

    def run(act: Callable[[], Any]) -> Any:
        try:
            start.wait(timeout=10)
            return act()
        except Refusal as refusal:
            return refusal.code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def fresh(judge: Judge) -> Judge:
    return Judge.objects.select_related("campaign").get(pk=judge.pk)


def test_a_double_click_is_one_vote(campaign: Campaign) -> None:
    judge = begin(campaign)
    one = next_for(judge)
    assert one is not None
    sent = Sent(one.key, new_key(), {"choice": "left"})
    found = at_once(*[lambda: vote(fresh(judge), sent).pk] * 4)
    assert len(set(found)) == 1 and Vote.objects.count() == 1


def test_of_two_windows_one_counts(campaign: Campaign) -> None:
    judge = begin(campaign)
    one = next_for(judge)
    assert one is not None
    sent = [Sent(one.key, new_key(), {"choice": x}) for x in ("left", "right")]
    found = at_once(*(lambda s=s: vote(fresh(judge), s).key for s in sent))
    assert "judged_already" in found
    assert Vote.objects.get().key in {s.key for s in sent}


def test_two_windows_of_a_judge_open_the_same_pair(campaign: Campaign) -> None:
    judge = begin(campaign)
    found = at_once(*[lambda: next_for(fresh(judge))] * 3)
    assert len({one.pk for one in found}) == 1 and Assignment.objects.count() == 1


def test_judges_who_begin_at_once_get_numbers_of_their_own(
    campaign: Campaign, cy: User
) -> None:
    found = at_once(*[lambda: begin(campaign).number] * 3)
    assert sorted(found) == [1, 2, 3]
    found = at_once(*[lambda: begin(campaign, cy).number] * 3)
    assert found == [4, 4, 4]
