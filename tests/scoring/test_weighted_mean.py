"""Means over test sets with weights: by hand, and by numpy on the resamples of each."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from scoring.counts import Counts
from scoring.statistics.bootstrap import (
    Plan,
    board_numbers,
    estimates,
    mean_estimates,
    mean_samples_of,
    weigh_strata,
)
from scoring.statistics.comparison import compare_means
from tests.scoring.test_numbers import SCORER, counted
from tests.scoring.toy import ACCURACY

# Right answers of 4 in each unit; the shares are 6/8, 6/12 and 5/20.
RIGHT = ((4, 2), (1, 2, 3), (0, 1, 1, 3, 0))
OTHER = ((3, 1), (1, 4, 2), (1, 1, 0, 1, 0))
WEIGHTS = (1, 2, 5)


def counts(right: tuple[int, ...]) -> Counts:
    table = np.array([(n, 4) for n in right], dtype=np.float64)
    units = tuple(f"u{i}" for i in range(len(right)))
    return Counts(units, tuple(ACCURACY.columns), table)


def strata(rights: tuple[tuple[int, ...], ...]) -> list[tuple[Counts, Plan]]:
    return [(counts(right), Plan(200, 7 + i)) for i, right in enumerate(rights)]


def test_the_weighted_mean_is_that_by_hand_and_its_spread_that_of_numpy() -> None:
    (row,) = weigh_strata([strata(RIGHT)], WEIGHTS)
    found = mean_estimates(row, [ACCURACY])[ACCURACY.name]
    # (1 * 6/8 + 2 * 6/12 + 5 * 5/20) / 8 = (0.75 + 1 + 1.25) / 8
    assert found.value == 0.375
    alone = [mean_samples_of([[one]], [ACCURACY])[0] for one in strata(RIGHT)]
    drawn = np.average([one.resampled[0] for one in alone], axis=0, weights=WEIGHTS)
    assert found.stddev == pytest.approx(np.std(drawn), rel=1e-9)
    (numbers,) = board_numbers(weigh_strata([strata(RIGHT)] * 2, WEIGHTS), [ACCURACY])
    assert numbers[1][:3].tolist() == [found.value, found.low, found.high]


def test_equal_weights_change_no_bit_and_one_that_is_missing_keeps_its_weight() -> None:
    (row,) = weigh_strata([strata(RIGHT)], (3, 3, 3))
    assert mean_estimates(row, [ACCURACY]) == mean_estimates(strata(RIGHT), [ACCURACY])
    short = [*strata(RIGHT)[:2], None]
    (row,) = weigh_strata([short], WEIGHTS)
    # (0.75 + 1 + 0) / 8
    assert mean_estimates(row, [ACCURACY])[ACCURACY.name].value == 0.21875
    # Nearly all the weight on one: its own estimate and interval.
    (row,) = weigh_strata([strata(RIGHT)], (1e-12, 1e-12, 1))
    own = estimates(counts(RIGHT[2]), [ACCURACY], Plan(200, 9))[ACCURACY.name]
    found = mean_estimates(row, [ACCURACY])[ACCURACY.name]
    assert found.stddev == pytest.approx(own.stddev)


def test_the_test_of_a_weighted_mean_lists_all_signs_of_weighted_differences() -> None:
    both = weigh_strata([strata(RIGHT), strata(OTHER)], WEIGHTS)
    (pair,) = compare_means({"a": both[0], "b": both[1]}, ACCURACY)
    # Whole right answers times weight by size: 8, 12 and 20 have 120 in common.
    shares = [w * 120 // (4 * len(r)) for w, r in zip(WEIGHTS, RIGHT, strict=True)]
    terms = [
        share * (a - b)
        for share, ours, theirs in zip(shares, RIGHT, OTHER, strict=True)
        for a, b in zip(ours, theirs, strict=True)
        if a != b
    ]
    assert pair.difference == pytest.approx(sum(terms) / 120 / sum(WEIGHTS))
    reached = [
        abs(sum(s * t for s, t in zip(signs, terms, strict=True))) >= abs(sum(terms))
        for signs in product((-1, 1), repeat=len(terms))
    ]
    assert pair.p_value == pytest.approx(np.mean(reached))
    assert pair.test_sets == 3  # each of them tested without a weight
    (plain,) = compare_means({"a": strata(RIGHT), "b": strata(OTHER)}, ACCURACY)
    assert (pair.better_on, pair.new_low) == (
        plain.better_on,
        plain.new_low,
    )


def test_systems_of_one_test_set_share_its_weight() -> None:
    one, other = strata(RIGHT)[0], strata(OTHER)[0]
    with pytest.raises(ValueError, match="share its weight"):
        board_numbers([[one], [(replace(other[0], weight=2.0), other[1])]], [ACCURACY])


def test_a_rank_correlation_and_several_runs_are_weighed_alike() -> None:
    """Nearly all the weight on one test set: its own p-value and spread of runs."""
    drawn = np.random.default_rng(3)
    sets = [
        [counted(gold, gold + drawn.normal(size=40) * noise) for noise in (1, 1.4)]
        for gold in drawn.normal(size=(2, 40))
    ]
    plans = [Plan(50, 1), Plan(50, 2)]
    systems = [list(zip(row, plans, strict=True)) for row in zip(*sets, strict=True)]
    spearman = SCORER.measure("spearman")
    both = weigh_strata(systems, (1, 10**9))
    (pair,) = compare_means({"a": both[0], "b": both[1]}, spearman)
    (own,) = compare_means({"a": [systems[0][1]], "b": [systems[1][1]]}, spearman)
    assert pair.p_value == pytest.approx(own.p_value)
    assert pair.randomization == pytest.approx(own.randomization, abs=0.1)
    assert pair.difference == pytest.approx(own.difference)

    runs = [
        (Counts.of_runs([counts(one), counts(other)]), Plan(100, 7 + i))
        for i, (one, other) in enumerate(zip(RIGHT, OTHER, strict=True))
    ]
    (row,) = weigh_strata([runs], WEIGHTS)
    found = mean_estimates(row, [ACCURACY])[ACCURACY.name]
    # (0.75 + 1 + 1.25) / 8 and (0.5 + 7/6 + 0.75) / 8: 0.375 and 29/96.
    assert found.value == pytest.approx((0.375 + 29 / 96) / 2)
    assert found.between_runs == pytest.approx((0.375 - 29 / 96) / 2**0.5)
