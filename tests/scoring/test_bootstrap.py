"""Resampling: what the draws depend on, exact totals, estimates, means."""

import math
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from scoring.counts import Counts
from scoring.statistics import bootstrap, intervals
from scoring.statistics.bootstrap import (
    Numbers,
    Plan,
    draws,
    estimates,
    mean_samples_of,
    ordered_table,
    remarks,
    totals_of,
)
from scoring.statistics.intervals import estimate
from tests.scoring.made import ACCURACY, F1, TOTAL, counts_of, random_counts, replicates

ROOT = Path(__file__).parents[2]
PLAN = Plan(resamples=1000, seed=11)


def weights_of(units: int, resamples: int, seed: int) -> np.ndarray:
    return np.concatenate(list(draws(units, resamples, seed)))


def test_every_resample_draws_as_many_units_as_there_are() -> None:
    weights = weights_of(37, 200, 5)
    assert weights.shape == (200, 37)
    assert set(weights.sum(axis=1).tolist()) == {37}


def test_draws_depend_on_units_resamples_and_seed_only() -> None:
    assert np.array_equal(weights_of(20, 50, 1), weights_of(20, 50, 1))
    assert not np.array_equal(weights_of(20, 50, 1), weights_of(20, 50, 2))


def test_fewer_resamples_are_the_first_of_more() -> None:
    assert np.array_equal(weights_of(20, 30, 1), weights_of(20, 100, 1)[:30])


def test_the_size_of_blocks_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = weights_of(23, 100, 3)
    monkeypatch.setattr(bootstrap, "BLOCK_CELLS", 23 * 7)
    monkeypatch.setattr(bootstrap, "KEPT_CELLS", 0)
    assert np.array_equal(weights_of(23, 100, 3), whole)


def test_the_first_draw_is_the_same_on_every_machine() -> None:
    """Worked by hand from the published PCG64 stream: the high 32 bits times 5."""
    raw = np.random.PCG64(2026).random_raw(5)
    drawn = [int(word >> 32) * 5 >> 32 for word in raw.tolist()]
    expected = [drawn.count(unit) for unit in range(5)]
    assert weights_of(5, 1, 2026)[0].tolist() == expected


def test_units_are_drawn_equally_often() -> None:
    weights = weights_of(10, 20_000, 4).sum(axis=0)
    assert stats.chisquare(weights).pvalue > 1e-3


@given(st.lists(st.tuples(*[st.integers(0, 2**30)] * 3), min_size=1, max_size=30))
@settings(max_examples=50)
def test_resampled_totals_are_exact_whole_numbers(rows: list[tuple[int, ...]]) -> None:
    counts, plan = counts_of(rows), Plan(resamples=20, seed=9)
    found = totals_of(ordered_table(counts), plan).tolist()
    for weights, totals in zip(weights_of(len(rows), 20, 9), found, strict=True):
        by_hand = [
            sum(int(w) * row[column] for w, row in zip(weights, rows, strict=True))
            for column in range(3)
        ]
        assert totals == by_hand


def test_the_order_of_rows_changes_no_total() -> None:
    counts = random_counts(200, 1)
    mixed = counts.where(np.random.default_rng(0).permutation(200))
    totals = (totals_of(ordered_table(one), PLAN) for one in (counts, mixed))
    assert np.array_equal(*totals)


PROGRAM = """
import sys
sys.path.insert(0, ".")
from scoring.statistics.bootstrap import Plan, estimates
from scoring.statistics.comparison import compare_all
from tests.scoring.made import ACCURACY, F1, random_counts
systems = {str(k): random_counts(2500, k) for k in range(4)}
print(estimates(systems["1"], (ACCURACY, F1), Plan()))
print(compare_all(systems, F1, Plan()))
"""


def test_totals_of_more_units_than_fit_into_the_cache_are_the_same_product() -> None:
    units = 2 * bootstrap.UNITS_AT_ONCE + 17
    table = np.arange(units * 19, dtype=np.float64).reshape(units, 19) % 101
    weights = weights_of(units, 30, 4)
    product = weights.astype(np.int64) @ table.astype(np.int64)
    assert bootstrap.sums(weights, table).tolist() == product.tolist()


def test_columns_that_are_nearly_empty_are_summed_as_exactly() -> None:
    """Among them one with other numbers than 1, and one with nothing at all."""
    random = np.random.default_rng(4)
    table = np.zeros((300, 42))
    table[np.arange(300), random.integers(0, 40, 300)] = 1
    table[::17, 3] = 2.0**40 + 1
    table[:, 41] = random.integers(0, 9, 300)
    weights = random.integers(0, 5, (70, 300)).astype(np.uint16)
    product = weights.astype(object) @ table.astype(object)
    assert bootstrap.sums(weights, table).tolist() == product.tolist()


def test_the_number_of_threads_cannot_be_seen_in_the_result() -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={
                "OPENBLAS_NUM_THREADS": threads,
                "OMP_NUM_THREADS": threads,
                "PYTHONHASHSEED": threads,
            },
            cwd=ROOT,
            check=True,
            capture_output=True,
        ).stdout
        for threads in ("1", "2", "5")
    }
    assert len(outputs) == 1
    assert b"Estimate(value=" in outputs.pop()


def test_percentile_and_bca_intervals_agree_with_scipy() -> None:
    """Both are Monte-Carlo: a tenth of the standard error apart at most."""
    counts = random_counts(150, 3, skill=0.93)
    right, wanted = counts.table[:, 0], counts.table[:, 2]
    plan = Plan(resamples=20_000, seed=1)
    ours = estimates(counts, [ACCURACY], plan)["accuracy"]
    assert ours.stddev is not None
    for method, low, high in (
        ("percentile", ours.percentile_low, ours.percentile_high),
        ("BCa", ours.bca_low, ours.bca_high),
    ):
        theirs = stats.bootstrap(
            (right, wanted),
            lambda r, w, axis=-1: r.sum(axis=axis) / w.sum(axis=axis),
            paired=True,
            vectorized=True,
            n_resamples=20_000,
            method=method,
            rng=np.random.default_rng(7),
        )
        margin = 0.1 * ours.stddev
        assert low == pytest.approx(theirs.confidence_interval.low, abs=margin)
        assert high == pytest.approx(theirs.confidence_interval.high, abs=margin)
        assert ours.stddev == pytest.approx(theirs.standard_error, rel=0.03)


def test_intervals_are_scipys_on_the_same_replicates() -> None:
    """With scipy's own formulas on our replicates nothing is left to chance."""
    counts = random_counts(60, 8, skill=0.9)
    resampled = replicates(counts, ACCURACY, PLAN)
    right, wanted = counts.table[:, 0], counts.table[:, 2]
    given_ours = stats.bootstrap(
        (right, wanted),
        lambda r, w, axis=-1: r.sum(axis=axis) / w.sum(axis=axis),
        paired=True,
        vectorized=True,
        n_resamples=0,
        method="BCa",
        bootstrap_result=type("Given", (), {"bootstrap_distribution": resampled})(),
    ).confidence_interval
    ours = estimates(counts, [ACCURACY], PLAN)["accuracy"]
    assert ours.bca_low == pytest.approx(given_ours.low, abs=1e-9)
    assert ours.bca_high == pytest.approx(given_ours.high, abs=1e-9)
    low, high = ours.percentile_low, ours.percentile_high
    assert low == pytest.approx(np.quantile(resampled, 0.025), abs=1e-12)
    assert high == pytest.approx(np.quantile(resampled, 0.975), abs=1e-12)
    assert ours.mean == pytest.approx(resampled.mean(), abs=1e-12)
    assert ours.variance == pytest.approx(resampled.var(), rel=1e-9)


@pytest.mark.parametrize("units", [2, 3, 4, 5, 6])
def test_few_units_agree_with_listing_every_draw(units: int) -> None:
    """All units**units draws against 20,000 of them, within five standard errors."""
    counts, resamples = random_counts(units, units), 20_000
    values = np.array(
        [
            ACCURACY.of(counts.table[list(drawn)].sum(axis=0), counts.columns)
            for drawn in product(range(units), repeat=units)
        ]
    )
    found = estimates(counts, [ACCURACY], Plan(resamples, 1))["accuracy"]
    error = values.std() / math.sqrt(resamples)
    assert found.mean == pytest.approx(values.mean(), abs=5 * error)
    spread = np.sqrt(((values - values.mean()) ** 2).var() / resamples)
    assert found.variance == pytest.approx(values.var(), abs=5 * spread)
    ends = found.percentile_low, found.percentile_high
    for share, bound in zip((0.025, 0.975), ends, strict=True):
        assert np.quantile(values, share - 0.006, method="lower") <= bound
        assert bound <= np.quantile(values, share + 0.006, method="higher")


def test_resamples_that_reach_the_value_on_another_way_are_equal_to_it() -> None:
    """As many below as above and an even jackknife: BCa is the percentile interval."""
    tied = [0.1 + 0.2] * 10
    resampled = np.concatenate(
        [np.linspace(0, 0.29, 45), tied, np.linspace(0.31, 0.6, 45)]
    )
    found = estimate(0.3, resampled, [np.array([0.2, 0.3, 0.4])], 0.9)
    assert tied[0] > 0.3
    percentile = found.percentile_low, found.percentile_high
    assert (found.bca_low, found.bca_high) == pytest.approx(percentile)


def test_one_unit_has_variance_zero_and_a_remark() -> None:
    found = estimates(counts_of([[1, 3, 3]]), [ACCURACY], PLAN)["accuracy"]
    assert found.variance == found.stddev == 0
    assert found.percentile_low == found.percentile_high == 1 / 3
    assert found.mean == found.value == 1 / 3
    assert found.low is found.high is None
    assert remarks({"accuracy": found}) == ["1 unit bears on accuracy: no interval"]


def test_few_units_bring_a_remark_and_ten_do_not() -> None:
    found = {f"of {n}": Numbers(informative_units=n) for n in (9, 0, 10)}
    assert remarks(found) == [
        "0 units bear on of 0: no interval",
        "only 9 units bear on of 9: the interval means little",
    ]
    one = Numbers(informative_units=1)
    assert remarks({f"m{i}": one for i in range(7)}) == [
        "1 unit bears on m0, m1, m2, m3, m4 and 2 more: no interval"
    ]


def test_no_units_are_not_available() -> None:
    found = estimates(counts_of([]), [ACCURACY, F1], PLAN)
    assert found["accuracy"].as_dict() == {
        "value": None,
        "low": None,
        "high": None,
        "percentile_low": None,
        "percentile_high": None,
        "bca_low": None,
        "bca_high": None,
        "mean": None,
        "variance": None,
        "stddev": None,
        "left_out": 0,
        "informative_units": 0,
    }
    assert found["f1"].value is None


def test_resamples_without_the_measure_are_left_out_and_counted() -> None:
    """One of four units has words; 0.75**4 of the resamples miss it."""
    counts = counts_of([[1, 2, 2], [0, 0, 0], [0, 0, 0], [0, 0, 0]])
    found = estimates(counts, [ACCURACY], Plan(10_000, 1))["accuracy"]
    assert found.left_out == pytest.approx(10_000 * 0.75**4, abs=250)
    assert found.mean == found.percentile_low == found.percentile_high == 0.5
    assert (found.low, found.high, found.informative_units) == (None, None, 1)


def test_a_measure_with_a_value_for_nothing_needs_something_in_a_resample() -> None:
    """A precision of 1 for no spans at all is no evidence when none was drawn."""
    kind = replace(ACCURACY, score=lambda r, w: np.ones_like(r), present=("wanted",))
    counts = counts_of([[1, 2, 2], [0, 0, 0], [0, 0, 0], [0, 0, 0]])
    found = estimates(counts, [kind], Plan(10_000, 1))["accuracy"]
    assert found.left_out == pytest.approx(10_000 * 0.75**4, abs=250)
    (sample,) = mean_samples_of([[(counts, Plan(10_000, 1))]], (kind,))
    (resampled,) = sample.resampled
    assert np.isnan(resampled).sum() == found.left_out


def test_an_interval_widens_with_its_level() -> None:
    counts = random_counts(50, 2)
    levels = (0.5, 0.9, 0.99)
    widths = []
    for level in levels:
        found = estimates(counts, [F1], Plan(1000, 1, level))["f1"]
        assert found.low is not None and found.high is not None
        assert found.low < found.mean < found.high
        widths.append(found.high - found.low)
    assert widths == sorted(widths)


def test_a_lopsided_sample_has_no_bca_interval_where_it_is_undefined() -> None:
    """All resamples lie on one side of the value when the unit drawn is fixed."""
    found = intervals.estimate(1.0, np.zeros(10), [np.zeros(3)], 0.95)
    assert found.bca_low is None and found.bca_high is None
    assert found.percentile_low == 0


def test_totals_need_no_denominator() -> None:
    counts = Counts(("a", "b"), ("right",), np.array([[2.0], [4.0]]))
    found = estimates(counts, [TOTAL], Plan(4000, 1))["total"]
    assert found.value == 6
    assert found.variance == pytest.approx(2, rel=0.1)  # 2 draws of variance 1
