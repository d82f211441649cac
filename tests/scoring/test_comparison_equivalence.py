"""Equivalence within a margin: by hand, against scipy, and on simulated systems."""

import math

import numpy as np
import pytest
from scipy import stats

from scoring.counts import Counts
from scoring.statistics.bootstrap import Plan
from scoring.statistics.comparison import (
    Comparison,
    compare,
    compare_all,
    compare_means,
    equivalence,
)
from scoring.statistics.exchange import all_pairs
from tests.scoring.made import ACCURACY, TOTAL, counts_of, systems_on_shared_units

PLAN = Plan(resamples=50)
# The rule of three, in squared standard errors: (-log .05 / 1.645)**2
MORE = (math.log(0.05) / stats.norm.ppf(0.95)) ** 2


def sentences(won: int, lost: int, units: int) -> tuple[Counts, Counts]:
    """Sentences of one word of which the first alone has so many, and the second."""
    first = [1] * won + [0] * lost + [1] * (units - won - lost)
    second = [0] * won + [1] * lost + [1] * (units - won - lost)
    one, other = ([[r, 1, 1] for r in rows] for rows in (first, second))
    return counts_of(one), counts_of(other)


def compared(won: int, lost: int, units: int, plan: Plan = PLAN) -> Comparison:
    return compare(("a", "b"), sentences(won, lost, units), ACCURACY, plan)


def variance(won: int, lost: int, units: int) -> float:
    """The variance of the mean of 1, -1 and 0, and the units that may differ yet."""
    d = np.array([1] * won + [-1] * lost + [0] * (units - won - lost))
    return float((d.var(ddof=1) + MORE / units) / units)


@pytest.mark.parametrize(("won", "lost", "units"), [(3, 1, 40), (9, 9, 200)])
def test_the_interval_is_students_at_twice_alpha(
    won: int, lost: int, units: int
) -> None:
    found = compared(won, lost, units)
    reach = stats.t.ppf(0.95, units - 1) * math.sqrt(variance(won, lost, units))
    middle = (won - lost) / units
    ends = (found.equivalence_low, found.equivalence_high)
    assert ends == pytest.approx((middle - reach, middle + reach), rel=1e-9)


@pytest.mark.parametrize("units", [200, 2000])
def test_answers_that_never_differed_reach_as_far_as_the_rule_of_three(
    units: int,
) -> None:
    """3 / n: were more than that different, one would have been seen."""
    found = compared(0, 0, units)
    assert found.equivalence_high == pytest.approx(3 / units, rel=0.01)
    assert found.equivalence_low == -found.equivalence_high


def test_several_test_sets_have_the_freedom_of_welch_and_satterthwaite() -> None:
    sets = [(3, 1, 40), (2, 4, 90)]
    pairs = [sentences(*one) for one in sets]
    plans = [Plan(50, seed) for seed in range(2)]
    rows = {
        name: [(pair[i], plan) for pair, plan in zip(pairs, plans, strict=True)]
        for i, name in enumerate("ab")
    }
    (found,) = compare_means(rows, ACCURACY)
    parts = np.array([variance(*one) / 4 for one in sets])
    free = parts.sum() ** 2 / (parts**2 / np.array([39, 89])).sum()
    reach = stats.t.ppf(0.95, math.floor(free)) * math.sqrt(parts.sum())
    middle = (2 / 40 - 2 / 90) / 2
    assert found.equivalence_low == pytest.approx(middle - reach, rel=1e-9)
    assert found.equivalence_high == pytest.approx(middle + reach, rel=1e-9)


def test_equivalent_is_what_lies_inside_the_margin() -> None:
    """Nine won and nine lost of 1000: 0 +- 1.646 x .0045."""
    found = compared(9, 9, 1000)
    assert found.equivalence_high == pytest.approx(0.0075, abs=0.0002)
    assert found.at(0.01).equivalent is True
    assert found.at(0.005).equivalent is False
    assert (found.at(None).margin, found.at(None).equivalent) == (None, None)


def test_a_clear_difference_may_lie_inside_a_wide_margin() -> None:
    found = compared(30, 2, 1000)
    assert found.p_value < 0.001
    assert found.at(0.05).equivalent is True
    assert found.at(0.028).equivalent is False
    turned = compared(2, 30, 1000)
    assert turned.at(0.05).equivalent is True
    assert turned.at(0.028).equivalent is False


def test_a_pair_that_is_not_tested_is_not_equivalent_either() -> None:
    three = systems_on_shared_units(60, [0.8, 0.79, 0.7], seed=1)
    systems = {"empty": counts_of([[0, 0, 0]] * 60), **three}
    for found in compare_all(systems, ACCURACY, PLAN):
        pair = systems[found.first], systems[found.second]
        alone = compare((found.first, found.second), pair, ACCURACY, PLAN)
        assert found.equivalence_low == alone.equivalence_low
        assert (found.first == "empty") == (found.equivalence_low is None)
        assert (found.first == "empty") == (found.at(0.5).equivalent is None)


def test_one_unit_or_a_level_of_a_half_say_nothing() -> None:
    assert compared(0, 0, 1).at(0.9).equivalent is None
    assert compared(1, 1, 40, Plan(50, level=0.5)).at(0.9).equivalent is None


def test_a_sum_has_no_whole_to_compare_with() -> None:
    """Nobody knows what a unit could add to it: only what differed counts."""
    pair = sentences(0, 0, 40)
    found = compare(("a", "b"), pair, TOTAL, PLAN)
    assert (found.equivalence_low, found.equivalence_high) == (0, 0)


@pytest.mark.parametrize(
    ("units", "margin"),
    [
        (60, 0.08),
        pytest.param(200, 0.03, marks=pytest.mark.thorough),
        pytest.param(500, 0.02, marks=pytest.mark.thorough),
    ],
)
def test_systems_a_margin_apart_are_seldom_called_equivalent(
    units: int, margin: float
) -> None:
    """Where rare units decide, and only for one system: the hardest case for t.

    At .05, of 400 pairs 20 are expected at most; 33 are three standard errors more.
    """
    rng, wrong = np.random.default_rng(5), 0
    perfect = counts_of([[1, 1, 1]] * units)
    for _ in range(400):
        worse = rng.random(units) >= margin
        rows = [[perfect], [counts_of([[right, 1, 1] for right in worse])]]
        low, high = equivalence(rows, ACCURACY, all_pairs(rows, ACCURACY), 0.95)
        wrong += int(low[0] > -margin and high[0] < margin)
    assert wrong <= 33
