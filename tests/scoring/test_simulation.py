"""Claims of docs/statistics.md, with a fiftieth of the trials of `make simulate`."""

import pytest

from benchmarks.simulation.__main__ import row
from benchmarks.simulation.claims import (
    Finding,
    intervals,
    pairs_and_boards,
    ranks_and_power,
)

SCALE = 0.02


@pytest.mark.thorough
def test_equals_are_told_apart_no_more_often_than_is_claimed() -> None:
    broken = [row(one) for one in pairs_and_boards(SCALE) if not one.passed]
    assert not broken


@pytest.mark.thorough
def test_ranks_lie_in_their_ranges_and_power_is_as_promised() -> None:
    found = ranks_and_power(SCALE)
    assert not [row(one) for one in found if not (one.passed or one.beyond)]


@pytest.mark.thorough
def test_intervals_hold_the_truth_as_often_as_is_claimed() -> None:
    """Only the lower bounds: with so few trials nothing is known of the upper ones."""
    found = list(intervals(SCALE))
    short = [one for one in found if one.share < one.least - 3 * one.error]
    assert not [row(one) for one in short if not one.beyond]


def test_a_claim_that_is_not_kept_is_told_from_luck() -> None:
    """0.065 of 100 trials may be 0.06; of 100,000 it is not."""
    assert Finding("", "", 0.065, 100, most=0.06).passed
    assert not Finding("", "", 0.065, 100_000, most=0.06).passed
    assert not Finding("", "", 0.01, 10_000, least=0.035).passed


def test_only_intervals_that_hold_too_often_are_wrong_on_the_safe_side() -> None:
    assert Finding("", "", 0.999, 1000, least=0.93, most=0.98).safe
    assert not Finding("", "", 0.8, 1000, least=0.93, most=0.98).safe
    assert not Finding("", "", 0.2, 1000, most=0.06).safe
    assert not Finding("", "", 0.9, 1000, least=0.035, most=0.06).safe
