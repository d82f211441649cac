"""Scores expected on new data: order statistics, and boards whose truth is known."""

import math

import numpy as np
import pytest

from scoring.counts import Floats
from scoring.statistics.selection import (
    LEAST_SYSTEMS,
    expected,
    largest_of,
    spread_of_attempts,
)

NAN = math.nan


@pytest.mark.parametrize(
    ("attempts", "mean", "variance"),
    [
        # H. Harter (1961), expected values of normal order statistics; for two and
        # three in closed form: 1 / sqrt(pi), 1.5 / sqrt(pi).
        (1, 0.0, 1.0),
        (2, 0.5641895835, 1 - 1 / math.pi),
        (3, 0.8462843753, 0.5594672038),
        (10, 1.5387527308, 0.3443438233),
    ],
)
def test_the_largest_of_normals_is_that_of_tables(
    attempts: int, mean: float, variance: float
) -> None:
    assert largest_of(attempts) == pytest.approx((mean, variance), abs=1e-6)


def world(
    seed: int, systems: int = 20, units: int = 200, attempts: int = 1
) -> tuple[Floats, Floats, Floats]:
    """True scores, and what is expected and seen of the best of equal attempts."""
    rng = np.random.default_rng([5, seed])
    truth = rng.normal(0.75, 0.03, systems)
    right = rng.random((systems, attempts, units)) < truth[:, None, None]
    scores = right.mean(axis=2)
    best = scores.argmax(axis=1)
    chosen = right[np.arange(systems), best].astype(float)
    draws = rng.multinomial(units, [1 / units] * units, 300) / units
    numbers = np.full(systems, attempts)
    spreads = np.array([spread_of_attempts(row) for row in scores])
    found = expected(chosen.mean(axis=1), chosen @ draws.T, numbers, spreads)
    assert found is not None
    return truth, found, chosen.mean(axis=1)


@pytest.mark.parametrize("attempts", [1, 10, 50])
def test_the_first_of_a_board_is_expected_about_where_it_is(attempts: int) -> None:
    seen, corrected, worse, better = [], [], 0.0, 0.0
    for seed in range(60):
        truth, found, values = world(seed, attempts=attempts)
        first = int(values.argmax())
        seen.append(values[first] - truth[first])
        corrected.append(found[first] - truth[first])
        worse += ((values - truth) ** 2).mean()
        better += ((found - truth) ** 2).mean()
    assert np.mean(seen) > 0.03
    assert abs(np.mean(corrected)) < 0.3 * np.mean(seen)
    assert better < 0.6 * worse


def test_attempts_that_are_all_alike_leave_nothing_to_choose_from() -> None:
    values = np.array([0.7, 0.72, 0.8, 0.9])
    resampled = values[:, None] + np.random.default_rng(1).normal(0, 0.02, (4, 500))
    once = expected(values, resampled, np.ones(4, int), np.full(4, NAN))
    often = expected(values, resampled, np.full(4, 40), np.full(4, 0.0))
    apart = expected(values, resampled, np.full(4, 40), np.full(4, 0.1))
    assert once is not None
    assert often is not None
    assert apart is not None
    assert often == pytest.approx(once)
    assert (apart < once).all()


def test_lower_is_better_for_error_rates() -> None:
    values = np.array([0.3, 0.28, 0.2, 0.1])
    resampled = values[:, None] + np.random.default_rng(1).normal(0, 0.02, (4, 500))
    args = (np.full(4, 9), np.full(4, NAN))
    down = expected(values, resampled, *args, higher_is_better=False)
    up = expected(1 - values, 1 - resampled, *args)
    assert down is not None
    assert up is not None
    assert down == pytest.approx(1 - up)


def test_few_systems_say_nothing_of_their_spread() -> None:
    few = LEAST_SYSTEMS - 1
    assert (
        expected(np.ones(few), np.ones((few, 9)), np.ones(few, int), np.ones(few))
        is None
    )
