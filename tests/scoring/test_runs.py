"""Several runs of one system: means, the spread between runs, two-level intervals."""

import math

import numpy as np
import pytest

from scoring import Counts, Plan
from scoring.measures import Measure, f1, f1_share, ratio, simple_share
from scoring.statistics.bootstrap import (
    Numbers,
    board_numbers,
    estimates,
    mean_estimates,
)
from scoring.statistics.comparison import compare, compare_means
from scoring.statistics.exchange import all_pairs
from scoring.statistics.intervals import Estimate

ACCURACY = Measure(
    "accuracy", "Accuracy", ("right", "wanted"), ratio, "", share=simple_share
)
F1 = Measure("f1", "F1", ("correct", "system", "gold"), f1, "", share=f1_share)
PLAN = Plan(resamples=400, seed=5)


def answers(*right: float) -> Counts:
    """One answer a unit, right or wrong."""
    units = tuple(f"u{i:03}" for i in range(len(right)))
    table = np.array([right, np.ones(len(right))]).T
    return Counts(units, ("right", "wanted"), table)


def spans(correct: float, system: float, gold: float) -> Counts:
    table = np.array([[correct, system, gold]] * 3)
    return Counts(("a", "b", "c"), ("correct", "system", "gold"), table)


HALF, MORE, ALL = answers(1, 1, 0, 0), answers(1, 1, 1, 0), answers(1, 1, 1, 1)


def estimated(*runs: Counts) -> Estimate:
    return estimates(Counts.of_runs(runs), [ACCURACY], PLAN)["accuracy"]


def test_the_value_is_the_mean_and_the_spread_that_of_the_runs() -> None:
    found = estimated(HALF, MORE, ALL)
    assert found.value == 0.75
    # Off by -0.25, 0 and 0.25: the root of 0.125 / 2.
    assert found.between_runs == 0.25


def test_one_run_is_as_before_and_does_not_mention_runs() -> None:
    assert Counts.of_runs([MORE]) is MORE
    assert "between_runs" not in estimated(MORE).as_dict()


def test_the_mean_is_over_the_runs_and_not_over_their_counts() -> None:
    # 2 * 1 / (1 + 4) = 0.4 and 2 * 4 / (4 + 4) = 1; of the sums 10 / 13.
    runs = [spans(1, 1, 4), spans(4, 4, 4)]
    found = estimates(Counts.of_runs(runs), [F1], PLAN)["f1"]
    assert found.value == pytest.approx(0.7, abs=1e-15)
    pairs = all_pairs([[Counts.of_runs(runs)], [runs[1]]], F1)
    assert pairs.difference[0] == pytest.approx(-0.3, abs=1e-15)


def test_runs_that_are_all_the_same_add_no_doubt() -> None:
    rng = np.random.default_rng(3)
    one = answers(*rng.integers(0, 2, 40).astype(float))
    alone, thrice = estimated(one), estimated(one, one, one)
    assert thrice.between_runs == 0.0
    for name in ("value", "low", "high", "stddev"):
        expected = pytest.approx(getattr(alone, name), abs=1e-12)
        assert getattr(thrice, name) == expected


def test_runs_that_differ_widen_the_interval() -> None:
    rng = np.random.default_rng(4)
    runs = [answers(*rng.binomial(1, p, 200).astype(float)) for p in (0.6, 0.75, 0.9)]
    varied, (first, *_) = estimated(*runs), [estimated(one) for one in runs]
    # Three runs have two degrees of freedom: t is 4.3, and sd / sqrt(3) about 0.087.
    assert varied.low is not None and varied.high is not None
    assert first.low is not None and first.high is not None
    assert varied.high - varied.low > 3 * (first.high - first.low)


def test_an_interval_of_shares_stays_between_0_and_1() -> None:
    near, far = answers(*[1.0] * 20), answers(*[1.0] * 12, *[0.0] * 8)
    found = estimated(near, near, far)
    assert found.low is not None and found.high is not None
    assert found.low >= 0 and found.high == 1.0


def test_a_board_prints_the_numbers_of_each_system_alone() -> None:
    rng = np.random.default_rng(5)

    def some(p: float) -> Counts:
        return answers(*rng.binomial(1, p, 30).astype(float))

    def system(runs: int) -> list[tuple[Counts, Plan] | None]:
        sets = [Counts.of_runs([some(0.7) for _ in range(runs)]) for _ in range(2)]
        return [(sets[0], PLAN), (sets[1], Plan(400, 6))]

    systems = [system(1), system(3), system(5), [system(2)[0], None]]
    (numbers,) = board_numbers(systems, [ACCURACY])
    for row, strata in zip(numbers, systems, strict=True):
        alone = mean_estimates(strata, [ACCURACY])["accuracy"]
        expected = [getattr(alone, name) for name in Numbers._fields]
        if alone.low is None:
            expected[Numbers._fields.index("stddev")] = None
        wanted = np.array([np.nan if x is None else x for x in expected], dtype=float)
        # The two add up the squares of resamples in different orders.
        assert row == pytest.approx(wanted, rel=1e-12, nan_ok=True)


def test_the_test_is_on_the_mean_run_and_exact() -> None:
    # Half an answer better in each of four units: 2 of 16 signs reach that.
    runs = Counts.of_runs([answers(1, 1, 0, 0), answers(0, 0, 1, 1)])
    found = compare(("a", "b"), (runs, answers(0, 0, 0, 0)), ACCURACY, PLAN)
    assert found.difference == 0.5
    assert found.p_value == 2 / 16
    assert found.randomization == 2 / 16


def test_systems_of_different_numbers_of_runs_are_tested_together() -> None:
    better = answers(1, 1, 1, 1, 1, 0)
    systems = {
        "two": Counts.of_runs([better, better]),
        "three": Counts.of_runs([better, better, better]),
        "none": answers(0, 0, 0, 0, 0, 0),
    }
    rows = {name: [(counts, PLAN)] for name, counts in systems.items()}
    two_three, two_none, three_none = compare_means(rows, ACCURACY)
    assert two_three.p_value == 1.0
    # Five units that differ: 2 of 32 signs.
    assert two_none.p_value == three_none.p_value == 2 / 32


def test_a_tag_that_a_run_never_used_counts_0_in_it() -> None:
    more = Counts(HALF.units, ("right", "wanted", "x"), np.ones((4, 3)))
    both = Counts.of_runs([HALF, more])
    assert both.columns == ("right", "wanted", "x")
    assert both.each_run()[0].total("x") == 0
    assert both.total("x") == 4


def test_runs_on_other_units_are_refused() -> None:
    with pytest.raises(ValueError, match="not counted on the same units"):
        Counts.of_runs([HALF, answers(1, 0)])


def test_runs_survive_storing_choosing_and_grouping() -> None:
    labels = {"genre": ("x", "x", "y", "y")}
    first = Counts(HALF.units, HALF.columns, HALF.table, labels)
    both = Counts.load(Counts.of_runs([first, ALL]).save())
    assert [one.total("right") for one in both.each_run()] == [2, 4]
    some = both.where(np.array([False, False, True, True]))
    assert [one.total("right") for one in some.each_run()] == [0, 2]
    assert some.groups == {"genre": ("y", "y")}
    coarse = both.by("genre").each_run()
    assert [one.table[:, 0].tolist() for one in coarse] == [[2, 0], [2, 2]]
    assert coarse[0].units == ("x", "y")


def test_the_two_level_interval_covers_what_one_level_misses() -> None:
    """Runs differ by 0.05: 95 % intervals must know it, and those of units do not."""
    rng = np.random.default_rng(2026)
    tries, covered, missed = 300, 0, 0
    for _ in range(tries):
        shares = np.clip(rng.normal(0.7, 0.05, 4), 0, 1)
        runs = [answers(*rng.binomial(1, p, 400).astype(float)) for p in shares]
        both = estimated(*runs)
        assert both.low is not None and both.high is not None
        covered += both.low <= 0.7 <= both.high
        alone = estimated(runs[0])
        assert alone.low is not None and alone.high is not None
        missed += not alone.low <= 0.7 <= alone.high
    assert covered / tries > 0.95 - 3 * math.sqrt(0.95 * 0.05 / tries)
    assert missed / tries > 0.2
