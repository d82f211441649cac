"""Error rates spent over arrivals: sums by hand, and boards that are watched."""

import math
from statistics import NormalDist

import numpy as np
import pytest

from scoring.counts import Floats
from scoring.statistics.arrivals import KeptTests, shares, spent
from scoring.statistics.exchange import holm_of

SYSTEMS, BOARDS = 50, 400


def test_shares_of_all_pairs_add_up_to_the_whole_and_no_more() -> None:
    arrivals = np.arange(2, 10 * 2**12 + 1)
    whole = float(((arrivals - 1) * shares(arrivals)).sum())
    assert whole == pytest.approx(1 - 0.5**13)


def test_shares_are_those_by_hand() -> None:
    # 45 pairs of the first ten; 190 of twenty; 780 of forty.
    found = shares(np.array([2, 10, 11, 20, 21, 40]))
    expected = [1 / 90, 1 / 90, 1 / 4 / 145, 1 / 4 / 145, 1 / 8 / 590, 1 / 8 / 590]
    assert found == pytest.approx(expected)


def test_the_later_of_two_counts_and_no_p_is_above_one() -> None:
    p = np.array([0.001, 0.001, 0.5, math.nan])
    found = spent(p, np.array([12, 3, 1, 1]), np.array([3, 12, 2, 2]))
    assert found[0] == found[1] == pytest.approx(0.58)
    assert found[2] == 1
    assert np.isnan(found[3])


def test_pairs_keep_the_test_of_the_board_on_which_both_first_stood() -> None:
    nan = math.nan
    kept = KeptTests.none().beside(["a", "b"], np.array([0.01]))
    assert kept.beside(["b", "a"], np.array([0.5])) is kept
    # A newcomer in the middle: pairs a-c, a-b, c-b; of one of them there is no test.
    kept = kept.beside(["a", "c", "b"], np.array([0.2, 0.6, nan]))
    assert kept.of(["a", "c", "b"]).tolist() == pytest.approx(
        [0.2, 0.01, nan], nan_ok=True
    )
    # Without a for a while, and with it again.
    kept = kept.beside(["d", "c"], np.array([0.3]))
    assert kept.of(["d", "a"]).tolist() == pytest.approx([nan], nan_ok=True)
    kept = kept.beside(["c", "d", "a"], np.array([0.9, 0.8, 0.04]))
    assert kept.of(["c", "d", "a"]).tolist() == [0.3, 0.2, 0.04]
    assert kept.of(["x", "a"]).tolist() == pytest.approx([nan], nan_ok=True)


def watched(seed: int) -> tuple[Floats, Floats]:
    """Pairs of equal systems: p-values (systems, systems), the later in rows."""
    scores = np.random.default_rng([11, seed]).normal(size=SYSTEMS)
    z = np.abs(scores[:, None] - scores[None, :]) / math.sqrt(2)
    normal = NormalDist()
    p = np.array([2 * normal.cdf(-value) for value in z.ravel().tolist()])
    return p.reshape(z.shape), scores


def test_a_watched_board_of_equals_is_hardly_ever_wrong() -> None:
    by_looks = by_arrivals = 0
    first, second = np.tril_indices(SYSTEMS, -1)
    for seed in range(BOARDS):
        p, _scores = watched(seed)
        by_arrivals += bool(
            (spent(p[first, second], first + 1, second + 1) < 0.05).any()
        )
        by_looks += any(
            (holm_of(p[:k, :k][np.tril_indices(k, -1)]) < 0.05).any()
            for k in range(2, SYSTEMS + 1)
        )
    assert by_looks / BOARDS > 0.12
    # .05 and two standard errors of 400 boards.
    assert by_arrivals / BOARDS <= 0.072


def test_a_clear_difference_is_found_on_boards_of_fifty() -> None:
    # Five standard errors of a difference between neighbours in time, p = 6e-7.
    found = spent(np.array([6e-7]), np.array([49]), np.array([50]))
    assert found[0] < 0.05
