"""What a test set can tell apart, from pilot systems."""

import math

import numpy as np
import pytest
from scipy import stats

from scoring.bootstrap import Plan
from scoring.compare import compare
from scoring.counts import Counts
from scoring.errors import UsageError
from scoring.power import mean_separation, separation
from tests.scoring.made import ACCURACY, counts_of, systems_on_shared_units

PILOTS = systems_on_shared_units(300, [0.8, 0.78, 0.6], seed=2)
PLAN = Plan(4000, 1)


def test_the_smallest_difference_is_a_multiple_of_the_standard_error() -> None:
    """(1.95996 + 0.84162) standard errors of the paired difference of the means."""
    two = {name: PILOTS[name] for name in ("system1", "system2")}
    found = separation(two, ACCURACY, PLAN)
    first, second = (counts.table for counts in two.values())
    gap = ((first - second)[:, 0]).sum() / first[:, 2].sum()
    residual = (first - second)[:, 0] - gap * first[:, 2]
    error = residual.std() * math.sqrt(300) / first[:, 2].sum()
    assert found.smallest == pytest.approx(2.80159 * error, rel=0.05)
    assert found.cautious == found.smallest
    assert found.units == 300


def test_several_pilots_give_a_middle_and_a_cautious_answer() -> None:
    found = separation(PILOTS, ACCURACY, PLAN)
    values = sorted(found.per_pair.values())
    assert len(values) == 3
    assert (found.smallest, found.cautious) == (values[1], values[2])


def test_half_the_difference_takes_four_times_the_units() -> None:
    found = separation(PILOTS, ACCURACY, PLAN)
    assert found.units_for(found.smallest) == 300
    assert found.units_for(found.smallest / 2) == 1200
    assert found.units_for(found.smallest, cautious=True) > 300


def test_more_power_asks_for_a_larger_difference() -> None:
    powers = (0.5, 0.8, 0.95)
    found = [separation(PILOTS, ACCURACY, PLAN, power).smallest for power in powers]
    assert found == sorted(found)


def test_no_difference_cannot_be_separated() -> None:
    with pytest.raises(ValueError, match="above 0"):
        separation(PILOTS, ACCURACY, PLAN).units_for(0)


@pytest.mark.parametrize("pilots", [{}, {"a": counts_of([[1, 2, 2]])}])
def test_fewer_than_two_pilots_are_refused(pilots: dict[str, Counts]) -> None:
    with pytest.raises(UsageError, match="two or more pilots"):
        separation(pilots, ACCURACY, PLAN)


def test_means_over_test_sets_need_smaller_differences() -> None:
    """Two test sets like one: the error of their mean is 1 / sqrt(2) of one's."""
    once = separation(PILOTS, ACCURACY, PLAN)
    rows = {
        name: [(counts, PLAN), (counts, Plan(4000, 2))]
        for name, counts in PILOTS.items()
    }
    twice = mean_separation(rows, ACCURACY)
    assert twice.smallest == pytest.approx(once.smallest / math.sqrt(2), rel=0.05)
    assert twice.units == 600


@pytest.mark.slow
def test_the_smallest_difference_is_found_as_often_as_promised() -> None:
    """Systems that far apart are told apart in 80 % of 600 fresh test sets."""
    gap, plan = 0.02, Plan(400, 1)
    trials = [
        systems_on_shared_units(300, [0.8, 0.8 - gap], seed=seed) for seed in range(600)
    ]
    typical = np.median([
        separation(pilots, ACCURACY, plan).smallest for pilots in trials[:100]
    ])  # fmt: skip
    factor = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    expected = stats.norm.sf(stats.norm.ppf(0.975) - gap * factor / typical)
    found = [
        compare(("a", "b"), tuple(pilots.values()), ACCURACY, plan).p_value < 0.05
        for pilots in trials
    ]
    assert np.mean(found) == pytest.approx(expected, abs=0.05)
