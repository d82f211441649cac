"""Means over test sets: each is resampled by itself, a missing one counts 0."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from scoring.statistics.bootstrap import Plan, estimates, mean_estimates, mean_sample_of
from scoring.statistics.comparison import compare, compare_means
from scoring.statistics.intervals import Estimate
from tests.scoring.made import (
    ACCURACY,
    F1,
    counts_of,
    random_counts,
    systems_on_shared_units,
)

PLAN = Plan(resamples=500, seed=3)
FOUR = systems_on_shared_units(60, [0.8, 0.79, 0.7, 0.8], seed=1)


def test_the_mean_of_test_sets_is_resampled_within_each() -> None:
    """The variance of a mean of two independent means: a quarter of the sum."""
    first, second = random_counts(80, 1), random_counts(120, 2)
    plans = Plan(4000, 1), Plan(4000, 2)
    alone = [
        estimates(counts, [ACCURACY], plan)["accuracy"]
        for counts, plan in zip((first, second), plans, strict=True)
    ]
    strata = [(first, plans[0]), (second, plans[1])]
    both = mean_estimates(strata, [ACCURACY])["accuracy"]
    assert both.value == pytest.approx((alone[0].value + alone[1].value) / 2)
    expected = (alone[0].variance + alone[1].variance) / 4
    assert both.variance == pytest.approx(expected, rel=0.1)
    assert both.bca_low == pytest.approx(both.percentile_low, abs=0.2 * both.stddev)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.99])
def test_the_interval_of_a_mean_is_of_the_level_asked_for(level: float) -> None:
    """As wide beside that of 95 % as a normal distribution says."""

    def width(level: float) -> float:
        plans = Plan(4000, 1, level), Plan(4000, 2, level)
        sets = random_counts(400, 1), random_counts(400, 2)
        found = mean_estimates(list(zip(sets, plans, strict=True)), [ACCURACY])
        low, high = found["accuracy"].low, found["accuracy"].high
        assert low is not None and high is not None
        return high - low

    expected = norm.ppf((1 + level) / 2) / norm.ppf(0.975)
    assert width(level) / width(0.95) == pytest.approx(expected, rel=0.06)


def test_a_missing_test_set_counts_zero_and_leaves_no_interval() -> None:
    counts = random_counts(80, 1)
    whole = estimates(counts, [ACCURACY], PLAN)["accuracy"]
    half = mean_estimates([(counts, PLAN), None], [ACCURACY])["accuracy"]
    assert half == Estimate(whole.value / 2)


def test_one_test_set_is_its_own_mean() -> None:
    counts = random_counts(80, 1)
    assert mean_estimates([(counts, PLAN)], [F1]) == estimates(counts, [F1], PLAN)


def test_no_answer_at_all_is_zero() -> None:
    found = mean_estimates([None, None], [ACCURACY])["accuracy"]
    assert found == Estimate(0.0)


def test_an_undefined_test_set_makes_the_mean_undefined() -> None:
    strata = [(random_counts(9, 1), PLAN), (counts_of([[0, 0, 0]]), PLAN)]
    assert mean_estimates(strata, [ACCURACY])["accuracy"].value is None


def test_means_over_test_sets_are_compared_within_each() -> None:
    other = systems_on_shared_units(90, [0.8, 0.7, 0.7, 0.8], seed=4)
    plans = Plan(2000, 1), Plan(2000, 2)
    rows = {
        name: [(FOUR[name], plans[0]), (other[name], plans[1])]
        for name in ("system1", "system3")
    }
    (both,) = compare_means(rows, ACCURACY)
    alone = [
        compare(("system1", "system3"), (s["system1"], s["system3"]), ACCURACY, plan)
        for s, plan in zip((FOUR, other), plans, strict=True)
    ]
    assert both.difference == pytest.approx(sum(c.difference for c in alone) / 2)
    widths = [c.high - c.low for c in alone]
    expected = math.hypot(*widths) / 2
    assert both.high - both.low == pytest.approx(expected, rel=0.1)


def test_the_mean_sample_is_the_mean_estimates_own() -> None:
    strata = [(FOUR["system1"], PLAN), (random_counts(40, 3), Plan(500, 9))]
    whole = mean_estimates(strata, [F1])["f1"]
    sample = mean_sample_of([strata], F1)
    assert sample.values.tolist() == [whole.value]
    assert np.sort(sample.resampled[0]).mean() == pytest.approx(whole.mean)
    assert sample.units == 100


def test_a_missing_test_set_counts_zero_in_a_comparison() -> None:
    plans = PLAN, Plan(500, 4)
    full = [(FOUR["system1"], plans[0]), (FOUR["system1"], plans[1])]
    half = [(FOUR["system1"], plans[0]), None]
    (found,) = compare_means({"full": full, "half": half}, ACCURACY)
    value = estimates(FOUR["system1"], [ACCURACY], PLAN)["accuracy"].value
    assert found.difference == pytest.approx(value / 2)
    untested = (found.low, found.probability, found.p_value, found.randomization)
    assert set(untested) == {None}


def test_one_incomplete_system_leaves_the_tests_of_the_others_alone() -> None:
    plans = PLAN, Plan(500, 4)
    rows = {
        name: [(counts, plans[0]), (counts, plans[1])] for name, counts in FOUR.items()
    }
    before = compare_means(rows, ACCURACY)
    half = {"half": [(FOUR["system1"], plans[0]), None]}
    after = compare_means({**rows, **half}, ACCURACY)
    assert [c for c in after if c.second != "half"] == before
    assert all(c.randomization is not None for c in before)


def test_systems_of_a_test_set_share_its_plan() -> None:
    rows = {"a": [(FOUR["system1"], PLAN)], "b": [(FOUR["system2"], Plan(500, 8))]}
    with pytest.raises(ValueError, match="share its plan"):
        compare_means(rows, ACCURACY)
