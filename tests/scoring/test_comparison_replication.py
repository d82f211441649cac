"""Test sets as a sample: against scipy, and by hand."""

import math

import numpy as np
import pytest
from scipy import stats

from scoring.counts import Counts
from scoring.measures import Measure
from scoring.statistics.bootstrap import Plan
from scoring.statistics.comparison import Comparison, compare_means
from tests.scoring.made import ACCURACY, ERROR, counts_of


def sentences(won: int, lost: int, units: int = 40) -> tuple[Counts, Counts]:
    """Sentences of one word of which the first alone has so many, and the second."""
    first = [1] * won + [0] * lost + [1] * (units - won - lost)
    second = [0] * won + [1] * lost + [1] * (units - won - lost)
    one, other = ([[r, 1, 1] for r in rows] for rows in (first, second))
    return counts_of(one), counts_of(other)


def compared(
    *test_sets: tuple[int, int], measure: Measure = ACCURACY, level: float = 0.95
) -> Comparison:
    counts = [sentences(*one) for one in test_sets]
    plans = [Plan(50, seed, level) for seed in range(len(counts))]
    rows = {
        name: [(pair[i], plan) for pair, plan in zip(counts, plans, strict=True)]
        for i, name in enumerate("ab")
    }
    return compare_means(rows, measure)[0]


def counted(found: Comparison) -> tuple[int | None, int | None, int | None]:
    return found.test_sets, found.better_on, found.worse_on


@pytest.mark.parametrize(("measure", "turned"), [(ACCURACY, 1), (ERROR, -1)])
def test_test_sets_are_counted_after_holms_correction(
    measure: Measure, turned: int
) -> None:
    """Exact sign tests: 2/2**9 x 4 and 2/2**8 x 3 are below .05, 2/2**7 x 2 = 1/32
    too, but against the first; 2/2**5 = 1/16 is not."""
    found = compared((9, 0), (8, 0), (0, 7), (5, 0), measure=measure)
    assert counted(found) == (4, 2, 1)
    assert found.difference == pytest.approx(turned * 15 / 160)


def test_holm_stops_at_the_first_that_fails() -> None:
    """2/2**6 = 1/32 is below .05 alone; two of them, times two, are not."""
    assert counted(compared((6, 0), (6, 0))) == (2, 0, 0)
    assert counted(compared((6, 0), (9, 0))) == (2, 2, 0)


def test_the_level_is_the_boards() -> None:
    """1/32 x 2 is below .1."""
    assert counted(compared((6, 0), (6, 0), level=0.9)) == (2, 2, 0)


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_the_interval_for_a_new_test_set_is_students(level: float) -> None:
    """The prediction interval: sqrt(1 + 1/n) times their standard deviation."""
    found = compared((9, 0), (8, 0), (0, 7), (5, 0), level=level)
    differences = np.array([9, 8, -7, 5]) / 40
    half = stats.t.ppf((1 + level) / 2, 3) * differences.std(ddof=1) * math.sqrt(5 / 4)
    ends = (differences.mean() - half, differences.mean() + half)
    assert (found.new_low, found.new_high) == pytest.approx(ends, rel=1e-10)


def test_the_interval_for_a_new_test_set_by_hand() -> None:
    """Differences of .1, .2 and .3: .2 +- 4.3027 x .1 x sqrt(4/3)."""
    found = compared((4, 0), (8, 0), (12, 0))
    assert (found.new_low, found.new_high) == pytest.approx((-0.2968, 0.6968), abs=1e-4)


def test_two_test_sets_are_too_few_for_a_new_one() -> None:
    found = compared((9, 0), (9, 0))
    assert (found.new_low, found.new_high) == (None, None)
    assert found.test_sets == 2


def test_one_test_set_is_no_sample() -> None:
    found = compared((9, 0))
    assert counted(found) == (None, None, None)


def test_a_system_without_a_test_set_is_not_counted() -> None:
    """Nor does it hide the pair of the others."""
    pairs = [sentences(9, 0), sentences(8, 0)]
    plans = [Plan(50, seed) for seed in range(2)]
    rows = {
        "a": [(pairs[0][0], plans[0]), (pairs[1][0], plans[1])],
        "part": [(pairs[0][1], plans[0]), None],
        "b": [(pairs[0][1], plans[0]), (pairs[1][1], plans[1])],
    }
    found = {(c.first, c.second): counted(c) for c in compare_means(rows, ACCURACY)}
    nothing = (None, None, None)
    assert found == {
        ("a", "part"): nothing,
        ("a", "b"): (2, 2, 0),
        ("part", "b"): nothing,
    }
