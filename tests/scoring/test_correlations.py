"""Rank correlations of weighed rows, against scipy on rows repeated as often."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

from scoring.counts import Floats
from scoring.measures import weighed_measure
from scoring.statistics.correlations import (
    kendall,
    kendall_slopes,
    pearson,
    spearman,
    spearman_slopes,
)
from scoring.statistics.row_weights import slopes_of

Oracle = Callable[..., object]
RANKS = pytest.mark.parametrize(
    ("weighted", "slopes", "oracle"),
    [
        (spearman, spearman_slopes, spearmanr),
        (kendall, kendall_slopes, kendalltau),
    ],
    ids=["spearman", "kendall"],
)


def table(rows: int, values: int, seed: int = 1) -> Floats:
    """Two columns that hang together, with ties where values are few."""
    rng = np.random.default_rng(seed)
    first, noise = rng.integers(0, values, (2, rows))
    return np.stack([first, first + 2 * noise], axis=1).astype(np.float64)


CASES = pytest.mark.parametrize(
    ("rows", "values"), [(5, 2), (16, 3), (33, 7), (200, 12), (257, 100_000)]
)


@RANKS
@CASES
def test_whole_weights_are_rows_repeated(
    weighted: Callable[[Floats, Floats], Floats],
    slopes: object,
    oracle: Oracle,
    rows: int,
    values: int,
) -> None:
    pairs = table(rows, values)
    draws = np.random.default_rng(2).multinomial(rows, [1 / rows] * rows, 12)
    weights = np.concatenate([np.ones((1, rows)), draws])
    found = weighted(weights, pairs)
    for row, value in zip(weights.astype(int), found.tolist(), strict=True):
        drawn = np.repeat(pairs, row, axis=0)
        level = drawn.min(axis=0) == drawn.max(axis=0)
        if level.any():
            assert np.isnan(value)
            continue
        expected = float(oracle(drawn[:, 0], drawn[:, 1]).statistic)  # type: ignore[attr-defined]
        assert value == pytest.approx(expected, abs=1e-12)


@RANKS
@CASES
def test_slopes_are_those_of_small_steps(
    weighted: Callable[[Floats, Floats], Floats],
    slopes: Callable[[Floats, Floats], Floats],
    oracle: Oracle,
    rows: int,
    values: int,
) -> None:
    pairs = table(rows, values, seed=3)
    weights = np.random.default_rng(4).integers(1, 4, rows) / 2
    steps = weighed_measure("m", "M", ("a", "b"), weighted, "")
    expected = slopes_of(steps, weights, pairs)
    most = np.abs(expected).max()
    assert slopes(weights, pairs) == pytest.approx(expected, abs=1e-6 * most)


@RANKS
def test_a_side_without_two_values_has_no_correlation(
    weighted: Callable[[Floats, Floats], Floats],
    slopes: Callable[[Floats, Floats], Floats],
    oracle: Oracle,
) -> None:
    pairs = np.array([[1.0, 2.0], [1.0, 3.0], [1.0, 1.0]])
    weights = np.array([[1.0, 1, 1], [0, 0, 0], [0, 2, 0]])
    assert np.isnan(weighted(weights, pairs)).all()
    assert np.isnan(weighted(weights, pairs[:, ::-1])).all()
    assert np.isnan(slopes(weights[0], pairs)).all()
    # No rows at all.
    assert np.isnan(weighted(np.zeros((2, 0)), np.zeros((0, 2)))).all()


@RANKS
def test_any_rising_function_leaves_it_as_it_is(
    weighted: Callable[[Floats, Floats], Floats],
    slopes: object,
    oracle: Oracle,
) -> None:
    pairs = table(60, 9)
    ones = np.ones((1, 60))
    cubed = np.stack([pairs[:, 0], np.exp(pairs[:, 1] / 3)], axis=1)
    assert weighted(ones, cubed).tolist() == weighted(ones, pairs).tolist()
    assert weighted(ones, pairs[:, [0, 0]]).tolist() == [1.0]
    assert weighted(ones, pairs * [1, -1]).tolist() == (-weighted(ones, pairs)).tolist()


def test_pearson_of_sums_is_that_of_rows() -> None:
    x, y = table(100, 50).T
    sums = (100.0, x.sum(), y.sum(), (x * x).sum(), (y * y).sum(), (x * y).sum())
    found = float(pearson(*map(np.array, sums)))
    assert found == pytest.approx(float(pearsonr(x, y).statistic), abs=1e-12)
    level = (3.0, 0.9, 1.8, 0.27, 1.4, 0.54)
    assert np.isnan(pearson(*map(np.array, level)))
