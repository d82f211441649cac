"""Items of a test set: hand work, other formulas, and planted wrong gold."""

import math

import numpy as np
import pytest

from leaderboard.extras.units.items import (
    LEAST_SYSTEMS,
    items_of,
    reliability,
    unit_values,
)
from scoring.counts import Counts, Flags, Floats
from scoring.measures import share_measure

NAN = float("nan")
ACCURACY = share_measure("accuracy", "Accuracy", ("right", "all"), "right / all")


def simulated(seed: int, systems: int = 30, units: int = 500) -> tuple[Floats, Flags]:
    """Right (1) and wrong (0) answers to yes-no questions, by the logistic model with
    two parameters of a unit; of 2 % of the units the gold is wrong."""
    rng = np.random.default_rng(seed)
    ability = rng.normal(1.2, 1.0, systems)
    difficulty, slope = rng.normal(0, 1.2, units), np.exp(rng.normal(0, 0.3, units))
    chance = 1 / (1 + np.exp(-slope * (ability[:, None] - difficulty)))
    right = rng.random((systems, units)) < chance
    wrong_gold = np.isin(np.arange(units), rng.permutation(units)[: units // 50])
    return np.where(wrong_gold, ~right, right).astype(np.float64), wrong_gold


def test_half_of_planted_wrong_gold_is_found_and_four_of_five_marks_are_right() -> None:
    planted = marked = both = 0
    for seed in range(20):
        values, wrong = simulated(seed)
        suspect = items_of(values).suspect
        planted, marked = planted + wrong.sum(), marked + suspect.sum()
        both += (wrong & suspect).sum()
    assert both / planted >= 0.5
    assert both / marked >= 0.8


def test_whoever_may_mark_is_right_in_three_of_four_marks() -> None:
    marked = right = 0
    for seed in range(40):
        values, wrong = simulated(seed, systems=LEAST_SYSTEMS)
        suspect = items_of(values).suspect
        marked, right = marked + suspect.sum(), right + (wrong & suspect).sum()
    assert right / marked >= 0.75


def test_right_gold_is_hardly_ever_marked() -> None:
    marks = []
    for seed in range(20):
        values, wrong = simulated(100 + seed)
        marks.append(items_of(values[:, ~wrong]).suspect.sum())
    assert np.mean(marks) < 1


def test_difficulty_and_item_rest_correlation_are_those_by_hand() -> None:
    values = np.array([[1.0, 1, 1, 0], [1, 0, 1, 0], [0, 0, 1, 0], [1, 1, 0, 0]])
    found = items_of(values)
    assert found.mean.tolist() == [0.75, 0.5, 0.75, 0]
    rest = [np.delete(values, u, axis=1).mean(axis=1) for u in range(4)]
    for unit in range(3):
        expected = np.corrcoef(values[:, unit], rest[unit])[0, 1]
        assert found.rest[unit] == pytest.approx(expected)
    # Nobody is right on the last: it tells nothing.
    assert math.isnan(found.rest[3])
    assert found.mean_error[1] == pytest.approx(np.std([1, 0, 0, 1], ddof=1) / 2)
    r = found.rest[0]
    assert found.rest_error[0] == pytest.approx(((1 - r * r) / 2) ** 0.5)
    assert not found.suspect.any()


def test_a_system_without_a_value_is_left_out_of_that_unit_alone() -> None:
    values, _wrong = simulated(1, systems=12, units=60)
    values[0, 5] = NAN
    found = items_of(values)
    assert found.systems[5] == 11
    rest = np.delete(values, 5, axis=1).mean(axis=1)
    assert found.mean[5] == pytest.approx(values[1:, 5].mean())
    assert found.rest[5] == pytest.approx(np.corrcoef(values[1:, 5], rest[1:])[0, 1])


def test_few_systems_mark_no_unit() -> None:
    """Of marks by 15 systems half to three quarters were right."""
    values, _wrong = simulated(2, systems=19)
    assert not items_of(values).suspect.any()


def test_values_of_units_come_from_counts_whatever_their_order() -> None:
    def counts(units: tuple[str, ...], right: list[float]) -> Counts:
        table = np.array([right, [2.0] * len(right)]).T
        return Counts(units, ("right", "all"), table)

    systems = [counts(("a", "b"), [1, 2]), counts(("b", "a"), [0, 1])]
    assert unit_values(systems, ACCURACY).tolist() == [[0.5, 1.0], [0.5, 0.0]]
    with pytest.raises(ValueError, match="same units"):
        unit_values([systems[0], counts(("a", "c"), [1, 1])], ACCURACY)


def test_the_reliability_is_what_another_half_of_the_units_shows() -> None:
    values, wrong = simulated(3, systems=60, units=400)
    values = values[:, ~wrong]
    first, second = values[:, ::2].mean(axis=1), values[:, 1::2].mean(axis=1)
    between = np.corrcoef(first, second)[0, 1]
    found = reliability(values)
    assert found is not None
    # Two halves make one whole (Spearman and Brown).
    assert found.alpha == pytest.approx(2 * between / (1 + between), abs=0.02)
    assert found.low < found.alpha < found.high
    half = reliability(values[:, ::2])
    assert half is not None
    assert half.units_for(found.alpha) == pytest.approx(found.units, rel=0.4)


def test_kuder_and_richardson_agree_by_hand() -> None:
    # KR-20 of four systems on three questions: 3 / 2 * (1 - sum(p * q) / variance).
    values = np.array([[1.0, 1, 1], [1, 1, 0], [1, 0, 0], [0, 0, 0]])
    p = values.mean(axis=0)
    expected = 1.5 * (1 - (p * (1 - p)).sum() / values.sum(axis=1).var())
    found = reliability(values)
    assert found is not None
    assert found.alpha == pytest.approx(expected)


def test_equal_systems_have_no_reliability() -> None:
    assert reliability(np.ones((5, 20))) is None
    assert reliability(np.ones((2, 20))) is None
