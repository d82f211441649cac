"""Areas under curves of few positives: variance of DeLong, degrees of both classes."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from benchmarks.simulation.biased_measures import area_scores
from scoring import Counts, Plan
from scoring.counts import Floats
from scoring.scorers import get
from scoring.statistics.areas import Areas, sides_of
from scoring.statistics.bootstrap import board_numbers, estimates, mean_sample_of
from scoring.statistics.differences import difference_intervals
from scoring.statistics.row_weights import Rows

AUC = get("probabilities").measure("auc")
PLAN = Plan(resamples=200, seed=5)


def two_classes(scores: Floats, held: Floats, *, both: bool = False) -> Counts:
    """Counts of the one class, or of both with the scores turned round."""
    ranks = stats.rankdata(scores)
    columns = {"items": np.ones(len(held)), "rank[y]": ranks, "gold[y]": held}
    if both:
        columns |= {"rank[n]": len(held) + 1 - ranks, "gold[n]": 1 - held}
    units = tuple(f"u{i:03}" for i in range(len(held)))
    return Counts(units, tuple(columns), np.stack([*columns.values()], axis=1))


def areas(counts: Counts) -> Areas:
    rows, sides = Rows.of([counts], AUC), sides_of([counts], AUC)
    assert sides is not None
    return Areas.of(sides, rows.moves(AUC), rows.values(AUC))


def delong(scores: Floats, held: Floats) -> tuple[float, float]:
    """Variance and degrees of freedom, written out from placements."""
    mine, theirs = scores[held > 0], scores[held == 0]
    wins = (mine[:, None] > theirs) + 0.5 * (mine[:, None] == theirs)
    parts = [wins.mean(axis=1 - k).var(ddof=1) / wins.shape[k] for k in (0, 1)]
    free = [size - 1 for size in wins.shape]
    whole = sum(parts)
    return whole, whole**2 / sum(p * p / n for p, n in zip(parts, free, strict=True))


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_the_variance_is_that_of_delong(seed: int, both: bool) -> None:
    """With ties, too, and the same of one class as of both, which mirror each other."""
    rng = np.random.default_rng(seed)
    held = (np.arange(40) < 6) * 1.0
    scores = np.round(rng.normal(size=40) + held, 1 - seed % 2)
    found = areas(two_classes(scores, held, both=both))
    variance, degrees = delong(scores, held)
    assert found.variance[0] == pytest.approx(variance, rel=1e-9)
    assert found.degrees[0] == pytest.approx(degrees, rel=1e-9)
    assert (found.pairs[0], found.least[0]) == (6 * 34, 6)


def test_a_single_positive_says_next_to_nothing() -> None:
    """It stands before 15 of 20: how others would stand, nothing tells."""
    held = (np.arange(21) == 15) * 1.0
    counts = two_classes(np.arange(21.0), held)
    found = areas(counts)
    assert found.variance[0] > 0.75 * 0.25
    estimate = estimates(counts, [AUC], PLAN)["auc"]
    assert estimate.low is not None and estimate.low < 0.05
    assert estimate.high is not None and estimate.high > 0.95


def test_a_perfect_curve_is_as_sure_as_its_rarer_class() -> None:
    """Wilson's interval of 5 of 5 with Student's t of 4 degrees: 5 / (5 + t²)."""
    held = (np.arange(100) < 5) * 1.0
    found = estimates(two_classes(held, held), [AUC], PLAN)["auc"]
    t = stats.t.ppf(0.975, 4)
    assert found.value == found.high == 1
    assert found.low == pytest.approx(5 / (5 + t * t), rel=1e-9)


def test_units_that_hold_items_of_both_sides_are_taken_as_they_are() -> None:
    held = (np.arange(40) < 10) * 1.0
    counts = two_classes(np.random.default_rng(1).normal(size=40) + held, held)
    documents = replace(
        counts, groups={"document": tuple(f"d{i % 8}" for i in range(40))}
    )
    by_document = documents.by("document", keep_rows=True)
    assert sides_of([by_document], AUC) is None
    assert estimates(by_document, [AUC], PLAN)["auc"].low is not None
    assert sides_of([counts], get("probabilities").measure("brier")) is None


@pytest.mark.parametrize("precision", [False, True])
def test_few_positives_hold_the_truth(precision: bool) -> None:
    """Of the intervals of AUC .79 did, of those of average precision .89; .93 and .94
    do, and .84 is three standard errors below."""
    scores = area_scores(0.95, 5, 100, precision=precision)
    rng, held, tries = np.random.default_rng(6), 0, 60
    for _ in range(tries):
        (counts,) = scores.draw(rng)
        found = estimates(counts, [scores.measure], PLAN)[scores.measure.name]
        assert found.low is not None and found.high is not None
        held += found.low <= scores.truth <= found.high
    assert held / tries > 0.84


def test_a_perfect_average_precision_is_as_sure_as_its_positives() -> None:
    """As of a perfect curve: Wilson's interval of 5 of 5 with 4 degrees. No scores are
    equal, so that what a unit moves is 0 but for rounding."""
    held = (np.arange(100) < 5) * 1.0
    measure = get("probabilities").measure("ap")
    counts = two_classes(held + np.arange(100) / 1000, held)
    found = estimates(counts, [measure], PLAN)["ap"]
    t = stats.t.ppf(0.975, 4)
    assert found.value == found.high == 1
    assert found.low == pytest.approx(5 / (5 + t * t), rel=1e-9)


def test_a_board_has_the_ends_of_each_system_alone() -> None:
    rng = np.random.default_rng(8)
    held = (np.arange(60) < 7) * 1.0
    systems = [two_classes(rng.normal(size=60) + k * held, held) for k in (0, 1, 2)]
    (together,) = board_numbers([[(one, PLAN)] for one in systems], [AUC])
    for row, one in zip(together, systems, strict=True):
        (alone,) = board_numbers([[(one, PLAN)]], [AUC])
        assert row.tobytes() == alone[0].tobytes()


def test_a_difference_knows_how_few_positives_there_are() -> None:
    """By hand: parts of the positives and of the others by themselves, with Student's t
    of both, where 99 degrees were taken."""
    rng = np.random.default_rng(9)
    held = (np.arange(100) < 5) * 1.0
    rows = [[two_classes(rng.normal(size=100) + k * held, held)] for k in (2, 1)]
    sample = mean_sample_of([[(one, PLAN) for one in row] for row in rows], AUC)
    low, high = difference_intervals(rows, AUC, sample, 0.95)
    value = sample.values[0] - sample.values[1]
    scores = [row[0].table[:, 1] for row in rows]
    wins = [s[held > 0][:, None] > s[held == 0] for s in scores]
    apart = [(wins[0] * 1.0 - wins[1]).mean(axis=1 - k) for k in (0, 1)]
    parts = [own.var(ddof=1) / len(own) for own in apart]
    degrees = sum(parts) ** 2 / (parts[0] ** 2 / 4 + parts[1] ** 2 / 94)
    half = stats.t.ppf(0.975, int(degrees)) * np.sqrt(sum(parts))
    # The pool of both stands for each of them, and a rule of three is added.
    assert high[0] - value > 0.9 * half and value - low[0] > 0.9 * half
