"""Units of very unequal size: the dagger and the remark go by what they tell."""

import numpy as np
import pytest

from leaderboard.results.scores import Score
from scoring import Counts, Plan
from scoring.counts import Floats
from scoring.scorers import get
from scoring.statistics.bootstrap import (
    Numbers,
    board_numbers,
    estimates,
    mean_estimates,
    remarks,
)
from scoring.statistics.intervals import Estimate, few
from tests.scoring.made import ACCURACY, F1, counts_of

PLAN = Plan(resamples=100, seed=5)
WER = get("transcripts").measure("wer")
# By hand: 30 documents, of which one has 90 words and 29 have one: 119 of 119 words,
# 119² / (90² + 29) = 14161 / 8129 = 1.742.
SIZES = np.array([90.0] + [1.0] * 29)
EFFECTIVE = 14161 / 8129


def documents(sizes: Floats) -> Counts:
    rows = [[size, size, size] for size in sizes.tolist()]
    rows[1][0] = 0.0
    return counts_of(rows)


def found(counts: Counts, measure=ACCURACY) -> Estimate:
    return estimates(counts, [measure], PLAN)[measure.name]


@pytest.mark.parametrize("measure", [ACCURACY, F1])
def test_one_large_document_tells_no_more_than_two_of_one_size(measure) -> None:
    estimate = found(documents(SIZES), measure)
    assert estimate.informative_units == 30
    assert estimate.effective_units == pytest.approx(EFFECTIVE)
    assert remarks({"las": estimate}) == [
        "30 units bear on las, some so large that they tell no more than 2 of one "
        "size: the interval means little"
    ]


def test_units_of_one_size_are_counted_as_before() -> None:
    estimate = found(documents(np.full(30, 7.0)))
    assert estimate.effective_units is None
    assert "effective_units" not in estimate.as_dict()
    assert remarks({"las": estimate}) == []
    few_of_one_size = found(documents(np.full(9, 7.0)))
    assert remarks({"las": few_of_one_size}) == [
        "only 9 units bear on las: the interval means little"
    ]


def test_sizes_of_errors_are_those_of_what_they_are_divided_by() -> None:
    none = np.zeros(30)
    table = np.stack([SIZES, none, none, none], axis=1)
    counts = Counts(tuple(f"u{i:02}" for i in range(30)), WER.columns, table)
    assert found(counts, WER).effective_units == pytest.approx(EFFECTIVE)


def test_items_of_all_classes_say_how_large_a_unit_is() -> None:
    """Documents of 90 items and of one, each of either class."""
    measure = get("classes").measure("macro_f1")
    half = SIZES / 2
    columns = {"items": SIZES, "right": SIZES}
    for k in (0, 1):
        columns |= {f"{side}[{k}]": half for side in ("correct", "system", "gold")}
    units = tuple(f"u{i:02}" for i in range(30))
    counts = Counts(units, tuple(columns), np.stack([*columns.values()], axis=1))
    assert found(counts, measure).effective_units == pytest.approx(EFFECTIVE)


def test_a_mean_has_the_fewest_of_its_test_sets() -> None:
    even, uneven = documents(np.full(12, 3.0)), documents(SIZES)
    plans = [PLAN, Plan(resamples=100, seed=6)]
    both = mean_estimates([(even, plans[0]), (uneven, plans[1])], [ACCURACY])
    assert both["accuracy"].effective_units == pytest.approx(EFFECTIVE)
    assert both["accuracy"].informative_units == 12


def test_a_board_has_the_numbers_of_each_system_alone() -> None:
    systems = [documents(SIZES), documents(np.full(30, 2.0))]
    for alone in systems:
        (numbers,) = board_numbers([[(alone, PLAN)]], [ACCURACY])
        own = found(alone).effective_units
        shown = Numbers(*numbers[0].tolist()).effective_units
        assert own == shown or (own is None and shown != shown)


@pytest.mark.parametrize(
    ("units", "effective", "dagger"),
    [(30, 9.9, True), (30, 10.0, False), (30, None, False), (9, None, True)],
)
def test_the_dagger_goes_by_units_of_one_size(
    units: int, effective: float | None, dagger: bool
) -> None:
    """Results that were stored before say nothing of sizes: units count."""
    numbers = Numbers(0.5, 0.4, 0.6, 0.05, units, None, effective)
    score = Score(ACCURACY, numbers)
    assert score.few is dagger and few(units, effective) is dagger
    assert score.interval.endswith("†") is dagger
