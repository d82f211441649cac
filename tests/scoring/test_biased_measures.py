"""Measures whose score lies to one side of the truth: many classes, calibration."""

import math

import numpy as np
import pytest

from benchmarks.simulation.biased_measures import (
    EVEN_CLASSES,
    calibration_scores,
    sureness_apart,
)
from benchmarks.simulation.measure_populations import (
    TEXTS,
    Speech,
    class_scores,
    fraction_scores,
    speech_scores,
)
from benchmarks.simulation.populations import Scores, alike, even, plain_words
from scoring import Plan
from scoring.scorers import get
from scoring.statistics import intervals
from scoring.statistics.bootstrap import Sample, estimates, mean_sample_of
from scoring.statistics.differences import difference_intervals
from scoring.statistics.intervals import Estimate, over_bias

PLAN = Plan(resamples=400, seed=5)
SHORT = Plan(resamples=150, seed=5)


def drawn(scores: Scores, seed: int) -> Estimate:
    (counts,) = scores.draw(np.random.default_rng(seed))
    return estimates(counts, [scores.measure], PLAN)[scores.measure.name]


def held(scores: Scores, tries: int) -> float:
    found = [drawn(scores, seed) for seed in range(tries)]
    return sum(holds(one, scores.truth) for one in found) / tries


def holds(found: Estimate, truth: float) -> bool:
    assert found.low is not None and found.high is not None
    return found.low <= truth <= found.high


def test_ends_are_moved_by_twice_the_bias_and_cover_the_old_ones() -> None:
    """By hand: resamples at 0.52 of a value of 0.58 say that it is 0.06 too low, and
    the interval around them 0.12."""
    assert over_bias(0.5, 0.7, 0.52, 0.58) == (0.5, pytest.approx(0.82))
    assert over_bias(0.0, 0.2, 0.13, 0.07) == (pytest.approx(-0.12), 0.2)
    # Less than a twentieth of the width may be luck of the draws.
    assert over_bias(0.5, 0.7, 0.575, 0.58) == (0.5, 0.7)
    assert over_bias(0.5, 0.5, 0.5 + 1e-16, 0.5) == (0.5, 0.5)


def test_an_average_over_twenty_classes_holds_the_truth() -> None:
    """.79 of the intervals did. 60 tries: .86 is three standard errors below .945."""
    assert held(class_scores("macro_f1", EVEN_CLASSES, 0.6, 100), 60) > 0.86


def test_a_calibrated_system_may_have_no_calibration_error() -> None:
    """.71 of the intervals held 0."""
    assert held(calibration_scores(0.0, 200), 100) > 0.87


def test_a_difference_to_a_calibrated_system_holds_the_truth() -> None:
    """.85 of them did, since the error of the one is larger than the truth."""
    pair, tries, fine = sureness_apart(0.1, 1000), 60, 0
    rng = np.random.default_rng(3)
    for _ in range(tries):
        rows = pair.draw(rng)
        strata = [[(counts, SHORT) for counts in row] for row in rows]
        sample: Sample = mean_sample_of(strata, pair.measure)
        low, high = difference_intervals(rows, pair.measure, sample, 0.95)
        fine += bool(low[0] <= pair.truth <= high[0])
    assert fine / tries > 0.9


@pytest.mark.parametrize(
    "scores",
    [
        plain_words("sentences", even, 60),
        fraction_scores("texts", "rougeL", TEXTS, 60),
        class_scores("macro_f1", (1 / 3,) * 3, 0.8, 200),
        speech_scores(Speech(0.14), 60),
        alike("pearson", 60, 0.9),
        alike("spearman", 60, 0.97),
        alike("kendall", 60, 0.9),
    ],
    ids=lambda scores: scores.name,
)
def test_measures_without_a_bias_keep_their_numbers(
    scores: Scores, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rank correlations, too: a row that was drawn twice is tied with itself, and so
    moves the resamples of measures that have no bias."""
    found = drawn(scores, 1)
    monkeypatch.setattr(intervals, "BIASED", math.inf)
    assert repr(drawn(scores, 1)) == repr(found)


def test_ends_that_are_moved_stay_where_the_measure_can_be() -> None:
    found = drawn(calibration_scores(0.0, 100), 1)
    assert found.mean is not None and found.value is not None
    assert found.low == 0 and found.mean > found.value


def test_the_formula_says_that_few_items_make_it_worse() -> None:
    for scorer, name in (
        ("probabilities", "calibration_error"),
        ("classes", "worst_group_accuracy"),
    ):
        assert "few items make it" in get(scorer).measure(name).formula
