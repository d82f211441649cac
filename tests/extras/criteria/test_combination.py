"""Several measures in one number: cases worked by hand, and laws."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from leaderboard.extras.criteria.combination import (
    BORDA,
    MEAN,
    MIN_MAX,
    RANKS,
    WAYS,
    Z,
    better_high,
    coefficients,
    combine,
    fits,
    rank_ends,
    sum_of,
    surely_better_by_ranks,
)
from leaderboard.extras.criteria.combined_rank import CombinedRow
from scoring.measures import Measure, ratio, share_measure, weighed_measure
from scoring.statistics.ranks import SystemRank, ranks
from tests.loops import loop_over

# Three systems: accuracy (higher is better) and errors (lower is better).
VALUES = np.array([[0.9, 5.0], [0.8, 1.0], [0.7, 3.0]])
DIRECTIONS = (True, False)


@loop_over(
    ("way", "weights", "expected"),
    [
        # Ranks 1 2 3 and 3 1 2.
        (RANKS, (1, 1), (2.0, 1.5, 2.5)),
        (RANKS, (2, 1), (5 / 3, 5 / 3, 8 / 3)),
        (BORDA, (1, 1), (1.0, 1.5, 0.5)),
        # 1, 1/2, 0 and 0, 1, 1/2.
        (MIN_MAX, (1, 1), (0.5, 0.75, 0.25)),
        (MIN_MAX, (3, 1), (0.75, 0.625, 0.125)),
        # Standard deviations over n: of 0.7, 0.8, 0.9 sqrt(2 / 300), of 1, 3, 5
        # sqrt(8 / 3); so every distance from the mean is sqrt(3 / 2), or none.
        (Z, (1, 1), (0.0, 1.5**0.5 / 2, -(1.5**0.5) / 2)),
    ],
)
def test_three_systems_have_the_numbers_that_were_worked_out_by_hand(
    way: str, weights: tuple[float, ...], expected: tuple[float, ...]
) -> None:
    assert combine(VALUES, DIRECTIONS, weights, way) == pytest.approx(expected)


def test_equal_systems_share_the_mean_of_their_places() -> None:
    values = np.array([[3.0, 1.0], [2.0, 1.0], [2.0, 1.0], [1.0, 1.0]])
    found = combine(values, (True, True), (1, 1), RANKS)
    assert found == pytest.approx([1.75, 2.5, 2.5, 3.25])
    # In a measure in which all are equal nobody gains.
    for way in (Z, MIN_MAX):
        alone = combine(values[:, :1], (True,), (1,), way)
        assert combine(values, (True, True), (1, 1), way) == pytest.approx(alone / 2)


def test_a_plain_mean_needs_one_direction() -> None:
    values = np.array([[0.5, 0.7], [0.6, 0.4]])
    assert combine(values, (True, True), (3, 1), MEAN) == pytest.approx([0.55, 0.55])
    assert fits(MEAN, (False, False))
    assert not fits(MEAN, (True, False))


@loop_over("way", WAYS)
@loop_over("higher", [True, False])
def test_one_measure_with_weight_1_has_its_own_order(way: str, higher: bool) -> None:
    rng = np.random.default_rng(3)
    for size in (2, 5, 40):
        values = np.round(rng.normal(size=(size, 1)), 1)  # with ties
        found = combine(values, (higher,), (1,), way)
        own = ranks(values[:, 0], higher)
        assert (ranks(found, better_high(way, (higher,))) == own).all()


@pytest.mark.parametrize("way", WAYS)
def test_only_ratios_of_weights_count_and_a_measure_twice_is_one_of_twice_the_weight(
    way: str,
) -> None:
    rng = np.random.default_rng(4)
    values = rng.normal(size=(7, 3))
    found = combine(values, (True,) * 3, (2, 1, 4), way)
    assert combine(values, (True,) * 3, (4, 2, 8), way) == pytest.approx(found)
    doubled = combine(values[:, [0, 0, 1, 2]], (True,) * 4, (1, 1, 1, 4), way)
    assert doubled == pytest.approx(found)


@pytest.mark.parametrize("way", [way for way in WAYS if WAYS[way].line])
def test_a_straight_scale_is_a_sum_of_its_measures(way: str) -> None:
    directions = (True, True) if way == MEAN else DIRECTIONS
    factors, added = coefficients(VALUES, directions, (3, 1), way)
    expected = combine(VALUES, directions, (3, 1), way)
    assert VALUES @ factors + added == pytest.approx(expected)


def test_a_sum_of_measures_is_a_measure_of_their_columns() -> None:
    share = Measure("a", "A", ("hits", "all"), ratio, "")
    rate = Measure("b", "B", ("wrong", "all"), ratio, "", higher_is_better=False)
    both = sum_of([share, rate], [2.0, -1.0], True)
    assert both.columns == ("hits", "all", "wrong")
    assert both.of(np.array([6.0, 8.0, 4.0]), both.columns) == 2 * 0.75 - 0.5
    # With one of weighed rows: twice 4 + 2 of 8, and their greatest value.
    top = weighed_measure(
        "c", "C", ("x",), lambda w, t: np.array([t[r > 0, 0].max() for r in w]), ""
    )
    mixed = sum_of([share, top], [1.0, 10.0], True)
    table = np.array([[2.0, 4.0, 7.0], [1.0, 4.0, 9.0]])
    weights = np.array([[1.0, 1.0], [2.0, 0.0]])
    assert mixed.weighted is not None
    assert mixed.weighted(weights, table) == pytest.approx([3 / 8 + 90, 0.5 + 70])


def test_a_system_is_surely_better_by_ranks_where_every_order_says_so() -> None:
    """Four systems, two measures. The first orders all: a b c d. In the second only a
    and d differ: a before d."""
    chain = np.triu(np.ones((4, 4), dtype=bool), 1)
    last = np.zeros((4, 4), dtype=bool)
    last[0, 3] = True
    sure = surely_better_by_ranks(np.stack([chain, last]), (1, 1))
    # a and d: -3 and at most -1. a and c: -2 in the first, in the second at most +2 (c
    # first, a third: it is above d), so they may be equal.
    expected = np.zeros((4, 4), dtype=bool)
    expected[0, 3] = True
    assert (sure == expected).all()
    # Where the first counts twice, -4 and 2 leave no doubt of a and c either, nor of
    # b and d: -4 and at most 2.
    expected[0, 2] = expected[1, 3] = True
    assert (surely_better_by_ranks(np.stack([chain, last]), (2, 1)) == expected).all()
    low, high = rank_ends(np.stack([chain, last]), (1, 1))
    assert low.tolist() == [1, 1.5, 2, 3]
    assert high.tolist() == [2, 3, 3.5, 4]


def test_what_is_surely_better_is_so_in_every_order_that_is_possible() -> None:
    """All orders of five systems are gone through."""
    from itertools import permutations

    rng = np.random.default_rng(5)
    places = np.array(list(permutations(range(5))))
    for _ in range(30):
        sure = np.zeros((2, 5, 5), dtype=bool)
        left = []
        for m in range(2):
            true = rng.permutation(5)
            keep = rng.random((5, 5)) < 0.5
            sure[m] = (true[:, None] < true[None, :]) & keep
            first, second = np.nonzero(sure[m])
            left.append(places[(places[:, first] < places[:, second]).all(axis=1)])
        found = surely_better_by_ranks(sure, (1, 1))
        # The worst of each measure: i as far behind j as may be.
        worst = sum((p[:, :, None] - p[:, None, :]).max(axis=0) for p in left)
        assert not (found & ~(worst < 0)).any()


def test_a_combined_row_prints_scores_with_the_decimals_of_their_measures() -> None:
    rating = share_measure("rating", "Rating", ("won", "played"), "won / played")
    rating = replace(rating, percent=False, decimals=0)
    row: Any = None
    standing = SystemRank(1, 1, 1, 1)
    printed = CombinedRow(row, standing, 1.0, 1.0, 1.0, [rating], [445.2], ())
    assert printed.scores == ["445"]
