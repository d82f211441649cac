"""The shown interval: few units, scores near 0 and 1, means; scipy is the oracle."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from scoring.counts import Counts
from scoring.statistics.bootstrap import (
    Numbers,
    Plan,
    board_numbers,
    estimates,
    mean_estimates,
    mean_of,
)
from scoring.statistics.intervals import Estimate, t_quantile
from tests.loops import loop_over
from tests.scoring.made import ACCURACY, ERROR, F1, counts_of, random_counts, replicates

PLAN = Plan(resamples=2000, seed=3)
# The same number, but the mean of fractions.
PLAIN = replace(ACCURACY, fractions=True)


@loop_over("degrees", [*range(1, 40), 99, 640, 999, 1000, 1287, 10**6])
@loop_over("level", [0.5, 0.8, 0.95, 0.99, 0.999])
def test_quantiles_of_student_are_scipys(level: float, degrees: int) -> None:
    probability = (1 + level) / 2
    expected = stats.t.ppf(probability, degrees)
    assert t_quantile(probability, degrees) == pytest.approx(expected, rel=1e-11)
    assert len(f"{t_quantile(probability, degrees)!r}".replace(".", "")) <= 13


def binary(right: int, units: int) -> Counts:
    return counts_of([[1, 1, 1]] * right + [[0, 1, 1]] * (units - right))


def wilson(share: float, answers: float, reach: float) -> tuple[float, float]:
    """Ends of Wilson's (1927) interval, as roots of its own equation."""
    part = reach**2 / answers
    ends = np.roots([1 + part, -2 * share - part, share**2])
    low, high = sorted(ends.real)
    return float(low), float(high)


def one(counts: Counts, measure=ACCURACY, plan: Plan = PLAN) -> Estimate:
    return estimates(counts, [measure], plan)[measure.name]


def test_all_right_is_not_certain() -> None:
    """Fifty right answers of fifty: scipy's Wilson interval where z is Student's t."""
    found = one(binary(50, 50))
    reach = stats.t.ppf(0.975, 49)
    level = 2 * stats.norm.cdf(reach) - 1
    expected = stats.binomtest(50, 50).proportion_ci(level, "wilson")
    assert found.low == pytest.approx(expected.low, rel=1e-9)
    assert found.low == pytest.approx(0.9252, abs=1e-4)
    assert found.high == 1
    assert (found.percentile_low, found.percentile_high, found.variance) == (1, 1, 0)
    none = one(binary(0, 50))
    assert (none.low, none.high) == pytest.approx((0, 1 - expected.low))


def test_all_right_counts_large_units_as_few_answers() -> None:
    """W * W / sum(w * w): one unit of 90 words and ten of one word are hardly two."""
    counts = counts_of([[90, 90, 90], *[[1, 1, 1]] * 10])
    answers = 100**2 / (90**2 + 10)
    low, _ = wilson(1.0, answers, stats.t.ppf(0.975, 10))
    assert one(counts).low == pytest.approx(low)


def test_a_share_near_the_border_reaches_as_far_as_wilson_says() -> None:
    """29 of 30: the linearised variance with n / (n - 1) gives n - 1 answers."""
    found = one(binary(29, 30))
    low, high = wilson(29 / 30, 29, stats.t.ppf(0.975, 29))
    assert found.low == pytest.approx(low, rel=1e-9)
    assert found.high == pytest.approx(max(high, found.percentile_high))


def test_sentences_alike_in_everything_are_no_more_answers_than_words() -> None:
    """The variance is far below that of independent words: their number is the most."""
    rows = [[7, 10, 10]] * 20 + [[8, 10, 10]] * 20
    low, high = wilson(0.75, 400, stats.t.ppf(0.975, 39))
    found = one(counts_of(rows))
    assert (found.low, found.high) == pytest.approx((low, high))


def test_the_percentile_interval_is_taken_where_students_t_begins() -> None:
    counts = random_counts(12, 5)
    reach = stats.t.ppf(0.975, 11) * math.sqrt(12 / 11)
    resampled = replicates(counts, PLAIN, PLAN)
    tail = stats.norm.sf(reach)
    expected = np.quantile(resampled, (tail, 1 - tail))
    found = one(counts, PLAIN)
    assert (found.low, found.high) == pytest.approx(tuple(expected), abs=1e-12)
    assert found.low < found.percentile_low < found.percentile_high < found.high


def test_the_shown_interval_covers_both() -> None:
    for seed, skill in enumerate((0.5, 0.8, 0.97, 0.995)):
        counts = random_counts(25, seed, skill)
        for measure in (ACCURACY, F1, ERROR):
            whole, plain = (
                one(counts, measure),
                one(counts, replace(measure, fractions=True)),
            )
            assert whole.low <= plain.low <= plain.high <= whole.high
            assert 0 <= whole.low <= whole.high <= 1


def test_units_that_say_nothing_add_no_certainty() -> None:
    """The tag in three of three documents, or in three of two hundred."""
    rows = [[3, 4, 5], [1, 3, 2], [2, 2, 2]]
    many = one(counts_of(rows + [[0, 0, 0]] * 197), F1)
    few = one(counts_of(rows), F1)
    assert many.informative_units == few.informative_units == 3
    low, high = wilson(few.value, 22, stats.t.ppf(0.975, 2))
    for found in (few, many):
        assert found.low <= low and high <= found.high


def test_fewer_than_two_informative_units_have_no_interval() -> None:
    for rows in ([[3, 4, 4]], [[3, 4, 4]] + [[0, 0, 0]] * 30, [[0, 0, 0]] * 5):
        found = one(counts_of(rows))
        assert found.low is found.high is None
        assert found.informative_units == min(sum(map(sum, rows)), 1)


def test_two_units_say_next_to_nothing() -> None:
    found = one(counts_of([[5, 10, 10], [6, 10, 10]]))
    assert found.low < 0.1
    assert found.high > 0.9


def test_a_mean_with_a_test_set_of_one_unit_has_no_interval_and_no_variance() -> None:
    """The large test set alone would seem to be all the doubt there is."""
    strata = [(random_counts(1000, 1), PLAN), (counts_of([[3, 4, 4]]), Plan(2000, 4))]
    found = mean_estimates(strata, [ACCURACY])["accuracy"]
    expected = (one(strata[0][0]).value + 0.75) / 2
    assert found == Estimate(expected, informative_units=1)


def test_a_mean_has_the_doubt_of_its_smallest_test_set() -> None:
    """Welch and Satterthwaite: five units beside a thousand leave four degrees."""
    small = counts_of([[1, 9, 9], [8, 9, 9], [3, 9, 9], [7, 9, 9], [5, 9, 9]])
    strata = [(random_counts(1000, 1), PLAN), (small, Plan(2000, 4))]
    found = mean_estimates(strata, [PLAIN])["accuracy"]
    rows = [replicates(counts, PLAIN, plan) for counts, plan in strata]
    told = np.array([row.var() for row in rows])
    free = np.array([999, 4])
    real = told * (free + 1) / free
    degrees = math.floor(real.sum() ** 2 / (real**2 / free).sum())
    assert degrees == 4
    reach = stats.t.ppf(0.975, degrees) * math.sqrt(real.sum() / told.sum())
    tail = stats.norm.sf(reach)
    expected = np.quantile(mean_of(rows, 2), (tail, 1 - tail))
    assert (found.low, found.high) == pytest.approx(tuple(expected), abs=1e-12)
    assert found.informative_units == 5


def test_a_mean_of_perfect_scores_is_not_certain() -> None:
    """Two test sets of 50 units are as good as 100 answers."""
    strata = [(binary(50, 50), PLAN), (binary(50, 50), Plan(2000, 4))]
    found = mean_estimates(strata, [ACCURACY])["accuracy"]
    low, _ = wilson(1.0, 100, stats.t.ppf(0.975, 98))
    assert (found.low, found.high) == (pytest.approx(low), 1)


def test_a_measure_that_may_exceed_one_is_left_to_the_resamples() -> None:
    counts = counts_of([[5, 4, 4], [4, 3, 4], [6, 5, 4], [5, 5, 4]])
    found = one(counts)
    assert found.value > 1
    assert (found.low, found.high) == (one(counts, PLAIN).low, one(counts, PLAIN).high)


def test_a_board_prints_the_numbers_of_each_system_alone() -> None:
    """To the last bit, whoever else stands on it; two test sets, one not sent."""
    plans = Plan(300, 1), Plan(300, 2)
    systems = [
        [
            (random_counts(40, seed, skill), plans[0]),
            None if seed == 2 else (random_counts(300, seed, skill), plans[1]),
        ]
        for seed, skill in enumerate((0.7, 0.9, 1.0, 0.99, 0.995))
    ]
    measures = (ACCURACY, PLAIN, F1, ERROR)
    for test_sets in (slice(1), slice(2)):
        rows = [system[test_sets] for system in systems]
        for i, numbers in enumerate(board_numbers(rows, measures)):
            for row, found in zip(rows, numbers.tolist(), strict=True):
                alone = mean_estimates(row, [measures[i]])[measures[i].name].as_dict()
                again = board_numbers([row], [measures[i]])[0][0].tolist()
                assert str(again) == str(found)
                for name, number in zip(Numbers._fields[:3], found, strict=False):
                    expected = math.nan if alone[name] is None else alone[name]
                    assert str(number) == str(expected), name
                assert alone["informative_units"] == found[4]
                if alone["stddev"] is not None:
                    assert found[3] == pytest.approx(alone["stddev"])
