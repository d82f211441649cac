"""Comparing systems: against naive loops, scipy and worked examples."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from scoring.counts import Counts
from scoring.measures import Measure
from scoring.statistics.bootstrap import Plan, Sample, draws, mean_samples_of
from scoring.statistics.comparison import all_intervals, compare, compare_all
from scoring.statistics.exchange import holm_of
from tests.scoring.made import (
    ACCURACY,
    ERROR,
    F1,
    counts_of,
    random_counts,
    systems_on_shared_units,
)

PLAN = Plan(resamples=500, seed=3)
FOUR = systems_on_shared_units(60, [0.8, 0.79, 0.7, 0.8], seed=1)


def naive(
    first: Counts, second: Counts, measure: Measure, plan: Plan
) -> dict[str, float]:
    """One resample at a time, as one would write it down."""
    differences = []
    units = len(first.units)
    for weights in np.concatenate(list(draws(units, plan.resamples, plan.seed))):
        values = [
            float(measure.of(np.array(weights @ c.table), c.columns))
            for c in (first, second)
        ]
        differences.append(values[0] - values[1])
    observed = float(
        measure.of(first.totals, first.columns)
        - measure.of(second.totals, second.columns)
    )
    wins = sum(d > 0 for d in differences) + sum(d == 0 for d in differences) / 2
    reach = stats.t.ppf(0.975, units - 1)
    tail = stats.norm.sf(reach * np.sqrt(units / (units - 1)))
    low, high = np.quantile(differences, [tail, 1 - tail])
    # Both sides have as many words, so that a unit adds the words it gains.
    gains = (first.table[:, 0] - second.table[:, 0]) / first.total("wanted")
    error = np.std(gains, ddof=1) * np.sqrt(units)
    three = -np.log(0.05) * np.abs(gains).max()
    half = np.sqrt((reach * error) ** 2 + three**2)
    return {
        "difference": observed,
        "low": min(low, observed - half),
        "high": max(high, observed + half),
        "probability": wins / plan.resamples,
    }


@pytest.mark.parametrize("measure", [ACCURACY, F1])
def test_a_comparison_is_what_a_plain_loop_finds(measure: Measure) -> None:
    first, second = FOUR["system1"], FOUR["system2"]
    found = compare(("a", "b"), (first, second), measure, PLAN).as_dict()
    for name, expected in naive(first, second, measure, PLAN).items():
        assert found[name] == pytest.approx(expected, abs=1e-11), name


def test_all_pairs_are_what_comparing_two_by_two_finds() -> None:
    together = compare_all(FOUR, F1, PLAN)
    assert [(c.first, c.second) for c in together][:3] == [
        ("system1", "system2"),
        ("system1", "system3"),
        ("system1", "system4"),
    ]
    for found in together:
        pair = FOUR[found.first], FOUR[found.second]
        alone = compare((found.first, found.second), pair, F1, PLAN)
        same = ("difference", "low", "high", "probability", "p_value", "randomization")
        for name in same:
            assert getattr(alone, name) == getattr(found, name)
        assert alone.adjusted is None


def test_turning_a_pair_round_turns_its_signs() -> None:
    pair = FOUR["system1"], FOUR["system3"]
    one = compare(("a", "b"), pair, ACCURACY, PLAN)
    other = compare(("b", "a"), pair[::-1], ACCURACY, PLAN)
    assert other.difference == -one.difference
    assert other.low == pytest.approx(-one.high, abs=1e-12)
    assert other.probability == pytest.approx(1 - one.probability)
    assert other.p_value == one.p_value
    assert other.randomization == one.randomization


def test_the_lower_error_is_the_better_one() -> None:
    pair = FOUR["system1"], FOUR["system3"]
    accuracy = compare(("a", "b"), pair, ACCURACY, PLAN)
    error = compare(("a", "b"), pair, ERROR, PLAN)
    assert accuracy.difference > 0 > error.difference
    assert accuracy.probability == error.probability
    assert accuracy.p_value == error.p_value


def test_a_system_against_itself_is_level() -> None:
    found = compare(("a", "a"), (FOUR["system1"],) * 2, ACCURACY, PLAN)
    assert found.difference == 0
    three = 3 / 60  # of sixty units that do not differ so many may yet
    assert (found.low, found.high) == pytest.approx((-three, three), rel=0.01)
    assert (found.probability, found.p_value, found.randomization) == (0.5, 1, 1)


def test_an_undefined_measure_gives_nothing_but_names() -> None:
    empty = counts_of([[0, 0, 0]] * 60)
    found = compare(("a", "b"), (FOUR["system1"], empty), ACCURACY, PLAN)
    assert set(list(found.as_dict().values())[3:]) == {None}


def test_undefined_pairs_do_not_count_in_holms_family() -> None:
    with_empty = {**FOUR, "empty": counts_of([[0, 0, 0]] * 60)}
    without = {(c.first, c.second): c for c in compare_all(FOUR, ACCURACY, PLAN)}
    for found in compare_all(with_empty, ACCURACY, PLAN):
        expected = without.get((found.first, found.second))
        assert found.adjusted == (expected.adjusted if expected else None)


def test_the_order_of_rows_does_not_matter() -> None:
    order = np.random.default_rng(5).permutation(60)
    mixed = {name: counts.where(order) for name, counts in FOUR.items()}
    assert compare_all(mixed, F1, PLAN) == compare_all(FOUR, F1, PLAN)


def test_other_units_cannot_be_compared() -> None:
    other = random_counts(61, 1)
    with pytest.raises(ValueError, match="same units"):
        compare(("a", "b"), (FOUR["system1"], other), ACCURACY, PLAN)


def test_a_board_of_nobody_or_one_has_no_pairs() -> None:
    assert compare_all({}, ACCURACY, PLAN) == []
    assert compare_all({"a": FOUR["system1"]}, ACCURACY, PLAN) == []


def test_a_column_that_one_system_lacks_counts_zero() -> None:
    whole = counts_of([[1, 2, 2], [0, 0, 3]])
    part = type(whole)(whole.units, ("wanted",), whole.table[:, 2:])
    (sample,) = mean_samples_of([[(whole, PLAN)], [(part, PLAN)]], (ACCURACY,))
    assert sample.values.tolist() == [0.2, 0.0]


def test_one_unit_proves_nothing() -> None:
    pair = counts_of([[90, 100, 100]]), counts_of([[10, 100, 100]])
    found = compare(("a", "b"), pair, ACCURACY, PLAN)
    assert found.p_value == found.randomization == 1
    assert (found.low, found.high, found.probability) == (None, None, None)


@pytest.mark.parametrize("units", [2, 3, 4, 5])
def test_no_p_value_is_below_what_swapping_few_units_can_reach(units: int) -> None:
    pair = (
        counts_of([[90, 100, 100]] * units),
        counts_of([[10, 100, 100]] * units),
    )
    found = compare(("a", "b"), pair, ACCURACY, PLAN)
    assert found.p_value == found.randomization == 2 / 2**units


def test_a_clear_difference_is_told_from_a_board_of_many() -> None:
    """With 500 resamples a counted p-value could not be below 1/501."""
    skills = [0.9, *[0.5] * 29]
    systems = systems_on_shared_units(300, skills, seed=2)
    best = compare_all(systems, ACCURACY, PLAN)[:29]
    assert all(c.adjusted is not None and c.adjusted < 1e-6 for c in best)


def test_holm_by_hand() -> None:
    """0.01 x 4, 0.02 x 3, 0.03 x 2 (not below 0.06), 0.9."""
    adjusted = holm_of(np.array([0.03, 0.01, 0.9, 0.02]))
    assert adjusted.tolist() == pytest.approx([0.06, 0.04, 0.9, 0.06])


def test_holm_leaves_the_undefined_alone() -> None:
    adjusted = holm_of(np.array([np.nan, 0.03, np.nan]))
    assert np.array_equal(adjusted, [np.nan, 0.03, np.nan], equal_nan=True)
    assert holm_of(np.zeros(0)).tolist() == []


P_VALUES = st.lists(st.floats(0.0001, 1), max_size=12)


@given(P_VALUES)
def test_holm_lies_between_the_plain_value_and_bonferroni(values: list[float]) -> None:
    adjusted = holm_of(np.array(values)).tolist()
    for plain, found in zip(values, adjusted, strict=True):
        assert plain <= found <= min(1.0, plain * len(values)) + 1e-12
    order = np.argsort(values, kind="stable")
    assert [adjusted[i] for i in order] == sorted(adjusted)


@given(st.integers(2, 5), st.integers(0, 50))
@settings(max_examples=30)
def test_undefined_resamples_are_left_out_of_a_pair(systems: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    resampled = rng.normal(size=(systems, 80))
    hidden = rng.random((systems, 80)) < 0.3
    values = resampled.mean(axis=1)
    sample = Sample(values, np.where(hidden, np.nan, resampled), 80)
    low, _high, probability = all_intervals(sample, True, 0.95)
    for pair, (i, j) in enumerate(combinations(range(systems), 2)):
        seen = ~hidden[i] & ~hidden[j]
        rest = (resampled[i] - resampled[j])[seen]
        assert low[pair] == pytest.approx(np.quantile(rest, 0.025))
        assert probability[pair] == pytest.approx((rest > 0).mean())
