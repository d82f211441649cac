"""Mean ranks: which pairs an exchange of units tells apart."""

from itertools import product

import numpy as np
import pytest

from benchmarks.simulation.combinations import TWO, labelled, told_apart
from leaderboard.extras.criteria import rank_exchange
from leaderboard.extras.criteria.combination import combine
from leaderboard.extras.criteria.rank_exchange import apart_by_ranks
from scoring.counts import Counts
from scoring.measures import Measure, ratio, weighed_measure

EQUAL, NEAR = [0.8] * 8, [0.87 - 0.02 * i for i in range(8)]
FIRST, SECOND = (
    Measure(f"m{i}", f"M{i}", (f"x{i}", "size"), ratio, "", percent=False)
    for i in (1, 2)
)


def made(rows: list[list[tuple[int, int]]]) -> list[list[Counts]]:
    """Systems of two measures with these sums in each unit."""
    return [
        [
            Counts(
                tuple(f"{unit:02}" for unit in range(len(row))),
                ("x1", "x2", "size"),
                np.array([[one, two, 1] for one, two in row], dtype=np.float64),
            )
        ]
        for row in rows
    ]


def test_systems_two_points_apart_are_told_apart_by_their_mean_rank() -> None:
    rng = np.random.default_rng(3)
    boards = [told_apart(labelled(rng, 100, NEAR), TWO) for _ in range(4)]
    found = sum(int(np.count_nonzero(np.triu(told))) for told in boards)
    # Of 112 pairs; the orders that single measures leave possible tell ten apart.
    assert found >= 24
    assert not any(np.tril(told).any() for told in boards)


def test_a_clear_leader_is_told_from_the_next_one_though_nobody_stands_between() -> (
    None
):
    """Exchanged, two neighbours lie one place apart again: measures tell them apart."""
    systems = labelled(np.random.default_rng(3), 100, [0.9, 0.6, 0.6, 0.6])
    told = told_apart(systems, TWO)
    assert told[0, 1:].all() and not told[1:, 1:].any()


def test_of_equal_systems_none_is_told_apart() -> None:
    systems = labelled(np.random.default_rng(4), 200, EQUAL)
    assert not told_apart(systems, TWO).any()


def test_p_values_are_those_of_all_exchanges_listed() -> None:
    """Seven units, three systems: every exchange, ranked by the rule of the page."""
    rng = np.random.default_rng(5)
    rows = rng.integers(0, 9, (3, 7, 2))
    rows[0] += 4
    systems = made(rows.tolist())
    ranked = rank_exchange._Ranked(
        [rank_exchange._TestSet.of([row[0] for row in systems], [FIRST, SECOND])],
        [FIRST, SECOND],
        [1.0, 1.0],
        np.array([0.5, 0.5]),
    )
    found, better = rank_exchange._p_values(ranked, 3, 20_000)
    for place, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        gaps = []
        for signs in product((False, True), repeat=7):
            side = np.array(signs)[:, None]
            swapped = rows.copy()
            swapped[i], swapped[j] = (
                np.where(side, rows[j], rows[i]),
                np.where(side, rows[i], rows[j]),
            )
            places = combine(swapped.mean(axis=1), (True, True), (1, 1), "ranks")
            gaps.append(places[i] - places[j])
        listed = np.mean(np.abs(gaps) >= abs(gaps[0]) - 1e-9)
        assert bool(better[place]) == (gaps[0] < 0)
        # Settled pairs have 2,000 draws: three standard errors.
        assert found[place] == pytest.approx(listed, abs=0.035)


def test_a_measure_that_is_better_low_counts_the_other_way() -> None:
    rows = [[(9 - 2 * k, 1 + 2 * k)] * 60 for k in range(5)]
    errors = Measure("m2", "M2", ("x2", "size"), ratio, "", False, percent=False)
    told = apart_by_ranks(made(rows), (FIRST, errors), (1, 1), 0.95)
    assert told is not None and told[0, -1] and not told[-1].any()
    against = apart_by_ranks(made(rows), (FIRST, SECOND), (1, 1), 0.95)
    assert against is not None and not against.any()


def test_what_cannot_be_exchanged_has_no_test() -> None:
    systems = made([[(9, 1)] * 20, [(1, 9)] * 20])
    by_rows = weighed_measure("w", "W", ("x1",), lambda w, t: w @ t[:, 0], "")
    assert apart_by_ranks(systems, (FIRST, by_rows), (1, 1), 0.95) is None
    many = made([[(1, 1)] * 2] * 60)
    assert apart_by_ranks(many, (FIRST, SECOND), (1, 1), 0.95) is None
