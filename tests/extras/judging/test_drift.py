"""Drift of judges: late against early, with an interval that holds for all at once."""

from random import Random
from typing import Any

import numpy as np
import pytest

from leaderboard.extras.judging.assignment import Sent, begin, new_key, next_for, vote
from leaderboard.extras.judging.drift import drift, drifts
from leaderboard.extras.judging.results import VotesOf
from leaderboard.teams.models import User
from tests.extras.judging.campaigns import campaign_of, people_task, quality_of, system


def test_a_drift_is_the_difference_of_two_means_with_welchs_interval() -> None:
    # Both variances are 2.5, so the standard error is 1 with 8 degrees of freedom, of
    # which tables of Student's t have 2.306 at .975.
    found = drift([1, 2, 3, 4, 5, 3, 4, 5, 6, 7])
    assert found is not None and found.change == 2
    assert (found.low, found.high) == pytest.approx((-0.306, 4.306), abs=5e-4)
    assert not found.is_sure


def test_unequal_spread_has_fewer_degrees_of_freedom() -> None:
    # Means 0 and 10, variances 2.5 and 250: error 50.5 ** .5, and Welch's formula gives
    # 4.08 degrees, rounded down to 4: 2.776.
    found = drift([-2, -1, 0, 1, 2, -10, 0, 10, 20, 30])
    assert found is not None and found.change == 10
    assert found.high - found.change == pytest.approx(2.776 * 50.5**0.5, abs=5e-3)


@pytest.mark.parametrize("units", [[], [1.0] * 9, [3.0] * 20])
def test_few_units_or_none_that_vary_have_no_drift(units: list[float]) -> None:
    assert drift(units) is None


def test_of_judges_who_do_not_drift_one_campaign_in_twenty_at_most_tells_one() -> None:
    rng = np.random.default_rng(7)
    wrong, campaigns = 0, 300
    for _campaign in range(campaigns):
        judges = {
            judge: {f"u{i}": [x] for i, x in enumerate(rng.normal(5, 8, 24).tolist())}
            for judge in range(8)
        }
        wrong += any(one.is_sure for one in drifts(judges).values())
    assert wrong / campaigns <= 0.05 + 2 * (0.05 * 0.95 / campaigns) ** 0.5


@pytest.mark.django_db
def test_a_judge_who_grows_stricter_is_told_on_the_page(
    ada: User, ben: User, as_user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "tests.extras.judging.campaigns.UNITS", tuple(f"u{i}" for i in range(1, 25))
    )
    monkeypatch.setattr(
        "tests.extras.judging.campaigns.GOLD",
        "id,source\n" + "".join(f"u{i},sign {i}\n" for i in range(1, 25)),
    )
    task = people_task(ada, ["score = mean(score)"])
    for quality in (1, 2):
        system(task, ben, quality)
    campaign = campaign_of(
        task, kind="slider", questions="score: How good?", per_unit=3
    )
    for stricter in (0, 0, 2):
        judge, random, number = begin(campaign), Random(stricter), 0
        while (one := next_for(judge, random)) is not None:
            value = 60 + 5 * quality_of(one.first) + random.randint(-4, 4)
            score = {"score": value - stricter * number // 2}
            vote(judge, Sent(one.key, new_key(), score))
            number += 1
        assert number == 48
    reports = VotesOf(campaign).reports(list(campaign.judges.all()))
    *others, last = [one.drift for one in reports]
    assert last is not None and last.is_sure and last.change < -15
    assert all(one is not None for one in others)
    page = as_user(ada).get(f"/tasks/signs/organize/judging/{campaign.pk}/").text
    assert "Late against early" in page and "drifts" in page
