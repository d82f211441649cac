"""Adaptive choice of pairs: the most informative ones more often, all now and then."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import pytest
from django.core.cache import cache

from leaderboard.extras.judging import pair_choice, tallies
from leaderboard.extras.judging.assignment import begin
from leaderboard.extras.judging.models import Campaign, Judge, Vote
from leaderboard.extras.judging.results import RESULTS, VotesOf
from leaderboard.extras.judging.votes import BY_CHANCE, gains
from leaderboard.teams.models import User
from tests.extras.judging.campaigns import (
    UNITS,
    campaign_of,
    people_task,
    system,
    vote_all,
)


def wins(*rows: tuple[int, int, int], systems: int = 3, ties: float = 0.0) -> Any:
    table = np.zeros((2, systems, systems))
    for one, other, number in rows:
        table[0, one, other] += number
    table[1] += ties * (1 - np.eye(systems)) / 2
    return table


def test_pairs_of_equals_say_more_than_pairs_far_apart() -> None:
    # 0 and 1 are equal, 2 loses against both nearly always; all were compared equally.
    table = wins((0, 1, 10), (1, 0, 10), (0, 2, 19), (2, 0, 1), (1, 2, 19), (2, 1, 1))
    found = gains(table)
    assert np.allclose(found, found.T) and not np.diag(found).any()
    told = found / (_variances(table) ** 2)  # what a vote says of a gap as unsure
    assert told[0, 1] > 2 * told[0, 2]


def _variances(table: Any) -> Any:
    """Of gaps, from one Newton step's information, by hand."""
    from leaderboard.extras.judging.votes import HELD, _fit, _Kinds

    kinds = _Kinds.of_table(table + HELD * (1 - np.eye(3)))
    fit = _fit(kinds, True)
    assert fit is not None
    spread = np.linalg.inv(kinds.information(fit, True))[:3, :3]
    own = np.diag(spread)
    return own[:, None] + own - 2 * spread + np.eye(3)


def test_a_system_nobody_judged_comes_first() -> None:
    table = wins((0, 1, 30), (1, 0, 25), systems=3)
    found = gains(table)
    assert min(found[0, 2], found[1, 2]) > 100 * found[0, 1]


@pytest.fixture
def campaign(ada: User, ben: User, monkeypatch: pytest.MonkeyPatch) -> Campaign:
    monkeypatch.setattr(pair_choice, "SECONDS", 0)
    cache.clear()
    task = people_task(ada)
    for quality in (1, 2, 9, 16):
        system(task, ben, quality)
    return campaign_of(task, adaptive="on", per_unit=12)


@pytest.mark.django_db
def test_pairs_come_as_often_as_votes_on_them_say_something(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    vote_all(begin(campaign), 3, 25)
    unit = campaign.units.first()
    assert unit is not None
    answers = unit.answers.order_by("submission_id")
    free = list(combinations(answers, 2))
    place = {one.pk: i for i, one in enumerate(answers)}
    table = np.zeros((2, 4, 4))
    for vote in Vote.objects.select_related("assignment__first__submission"):
        sides = (vote.assignment.first, vote.assignment.second)
        rows = [
            list(names_of(answers)).index(one.submission_id) for one in sides if one
        ]
        result = RESULTS[vote.values["choice"]]
        if result == 0.5:
            table[1][tuple(rows)] += 1
        else:
            table[0][tuple(rows if result else rows[::-1])] += 1
    found = gains(table)

    def known(of: Any) -> Any:
        """What one more vote says, computed once for thousands of draws."""
        assert np.array_equal(of, table)
        return found

    monkeypatch.setattr(pair_choice, "gains", known)
    monkeypatch.setattr(pair_choice, "SECONDS", 600)
    weights = np.array([found[place[x.pk], place[y.pk]] for x, y in free])
    wanted = 0.9 * weights / weights.sum() + 0.1 / 6
    random, draws = Random(5), 4000
    drawn = Counter(
        pair_choice.chosen(campaign, free, random) for _turn in range(draws)
    )
    shares = np.array([drawn[both] / draws for both in free])
    error = np.sqrt(wanted * (1 - wanted) / draws)
    assert np.all(np.abs(shares - wanted) < 4 * error)
    assert weights.max() > 1.5 * weights.min()


def names_of(answers: Any) -> Iterator[Any]:
    for one in answers:
        yield one.submission_id


@pytest.mark.django_db
def test_a_campaign_that_chooses_pairs_goes_to_its_end(campaign: Campaign) -> None:
    for seed in range(3):
        vote_all(begin(campaign), seed)
    assert len(VotesOf(campaign).counted) == 12 * len(UNITS)
    assert len(tallies.of_pairs(campaign)) == 6


@pytest.mark.django_db
def test_votes_that_do_not_count_teach_nothing(campaign: Campaign) -> None:
    judge, other = begin(campaign), begin(campaign)
    vote_all(judge, 1, 20)
    vote_all(other, 2, 20)
    assert sum(n for *_both, n in pair_choice._counted(campaign)) == 40
    Vote.objects.filter(assignment__judge=judge).update(values={})
    Judge.objects.filter(pk=other.pk).update(excluded_at=campaign.created_at)
    assert pair_choice._counted(campaign) == []
    assert not VotesOf(campaign).counted


@pytest.mark.django_db
def test_one_pair_in_ten_is_drawn_among_all(campaign: Campaign) -> None:
    free: Any = [(i, i + 1) for i in range(50)]
    random = Random(4)
    random.random = lambda: BY_CHANCE / 2  # type: ignore[method-assign]
    drawn = {pair_choice.chosen(campaign, free, random) for _turn in range(400)}
    assert len(drawn) > 40
