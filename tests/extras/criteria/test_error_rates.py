"""Does a combination tell systems apart that are equal? By simulation."""

import numpy as np
import pytest

from leaderboard.extras.criteria.combination import (
    MEAN,
    MIN_MAX,
    Z,
    coefficients,
    moved_ends,
    sum_of,
    surely_better_by_ranks,
)
from scoring.counts import Counts
from scoring.measures import Measure, ratio
from scoring.statistics.bootstrap import Plan, mean_samples_of
from scoring.statistics.exchange import all_pairs
from scoring.statistics.ranks import better_than

MEASURES = [
    Measure(f"m{i}", f"M{i}", (f"x{i}", "size"), ratio, "", percent=False)
    for i in range(3)
]
COLUMNS = ("x0", "x1", "x2", "size")


def board(
    rng: np.random.Generator, units: int, systems: int, heavy: bool
) -> tuple[np.ndarray, list[list[Counts]]]:
    """Values and counts of equal systems whose measures go together."""
    size = rng.lognormal(0, 1, (units, 1, 1)) if heavy else np.ones((units, 1, 1))
    hard = rng.normal(size=(units, 1, 3))
    own = rng.normal(size=(units, systems, 1)) + rng.normal(size=(units, systems, 3))
    x, size = np.round(1000 * size * (hard + own)), np.round(1000 * size)
    names = tuple(f"{unit:04}" for unit in range(units))
    rows = [
        [Counts(names, COLUMNS, np.concatenate([x[:, i], size[:, 0]], axis=1))]
        for i in range(systems)
    ]
    return x.sum(axis=0) / size.sum(), rows


@pytest.mark.thorough
@pytest.mark.parametrize("heavy", [False, True])
def test_of_equal_systems_few_boards_tell_any_apart(heavy: bool) -> None:
    rng, boards = np.random.default_rng(11), 200
    wrong = dict.fromkeys(("ranks", Z, MIN_MAX, MEAN), 0)
    for _ in range(boards):
        values, rows = board(rng, 60, 6, heavy)
        sure = np.stack(
            [better_than(all_pairs(rows, m), True, 1 - 0.05 / 3) for m in MEASURES]
        )
        wrong["ranks"] += bool(surely_better_by_ranks(sure, (1, 1, 1)).any())
        for way in (Z, MIN_MAX, MEAN):
            factors, _added = coefficients(values, (True,) * 3, (1, 1, 1), way)
            both = sum_of(MEASURES, factors.tolist(), True)
            wrong[way] += bool(better_than(all_pairs(rows, both), True, 0.95).any())
    # .05 and two standard errors of 200 boards.
    assert max(wrong.values()) / boards <= 0.08


def test_intervals_on_a_straight_scale_cover_the_truth() -> None:
    """The truth is known, and taken on the scale of the board as it stands."""
    rng, inside, boards, true = np.random.default_rng(12), 0, 60, np.zeros((5, 3))
    for _ in range(boards):
        values, rows = board(rng, 60, 5, heavy=False)
        factors, added = coefficients(values, (True,) * 3, (1, 1, 1), Z)
        strata = [[(row[0], Plan(400, 3, 0.95))] for row in rows]
        drawn = mean_samples_of(strata, MEASURES)
        resampled = np.stack([one.resampled for one in drawn], axis=1)
        low, high = moved_ends(resampled, factors, added, 0.95, 60)
        truth = true @ factors + added
        inside += int(((low <= truth) & (truth <= high)).sum())
    assert 0.9 <= inside / (5 * boards) <= 0.99
