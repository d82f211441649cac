"""Scores expected on new data: cases by hand, and attempts whose truth is known."""

import numpy as np
import pytest

from benchmarks.simulation.combinations import HISTORIES, History
from scoring.statistics.selection import luck_of_choice
from tests.loops import loop_over


def test_the_luck_of_two_attempts_is_worked_out_by_hand() -> None:
    """Best there are .9 of the first, which has .8, and .8 of the second, .7."""
    values, resampled = np.array([0.8, 0.7]), np.array([[0.9, 0.7], [0.6, 0.8]])
    assert luck_of_choice(values, resampled) == pytest.approx(1.5 * (0.1 + 0.1) / 2)
    # Of errors: .6 of the second there and .7 of the first, .7 and .8 here.
    down = luck_of_choice(values, resampled, higher_is_better=False)
    assert down == pytest.approx(-1.5 * (0.1 + 0.1) / 2)


def test_one_attempt_has_no_luck_of_choice() -> None:
    assert luck_of_choice(np.array([0.8]), np.array([[0.9, 0.85]])) == 0


def test_an_attempt_without_a_value_leaves_nothing_to_tell() -> None:
    values = np.array([0.8, np.nan])
    assert np.isnan(luck_of_choice(values, np.array([[0.8], [np.nan]])))


@loop_over("history", HISTORIES)
def test_what_is_expected_is_right_on_average_however_attempts_differ(
    history: History,
) -> None:
    """In shares: the score itself is up to .042 too high. Where one attempt is far the
    best, nothing was luck, and still nearly one point is taken off."""
    rng = np.random.default_rng(8)
    off = np.array([history.missed(rng) for _ in range(300)])
    assert abs(off.mean()) < 0.012
    assert np.sqrt((off**2).mean()) < 0.04
