"""Test sets as a sample: on how many of them a difference shows, and on a new one.

Each test set is tested by itself, and Holm's correction over the test sets of a pair
makes it unlikely that any of those counted is a mistake (Dror et al. 2017). The
interval for a new test set takes the differences on those that there are as a normal
sample of their kind: it is wider than that of the mean over them, which is theirs
alone.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.counts import Counts, Floats
from scoring.measures import Measure
from scoring.pairs import all_pairs, holm_of
from scoring.student import t_quantile

LEAST = 3  # test sets for an interval


@dataclass(frozen=True)
class Replications:
    """Of each pair, (pairs,): test sets in all, and with a significant difference.

    `low` and `high` are the interval of its difference on one more test set. nan for a
    pair of which one lacks a test set or has no value there, and for all pairs where
    there is only one test set.
    """

    test_sets: Floats
    better: Floats
    worse: Floats
    low: Floats
    high: Floats


def replications(
    systems: Sequence[Sequence[Counts | None]], measure: Measure, level: float
) -> Replications:
    """Every pair of systems, each with its counts per test set, at 1 - level."""
    columns = list(zip(*systems, strict=True))
    size = len(systems) * (len(systems) - 1) // 2
    if len(columns) < 2:
        return Replications(*(np.full(size, np.nan) for _ in range(5)))
    alone = [all_pairs([[one] for one in column], measure) for column in columns]
    p_values = np.stack([pairs.p_value for pairs in alone], axis=1)
    differences = np.stack([pairs.difference for pairs in alone], axis=1)
    known = ~np.isnan(p_values).any(axis=1)
    adjusted = np.array([holm_of(row) for row in p_values]).reshape(p_values.shape)
    clear = adjusted < round(1 - level, 9)
    higher = differences > 0 if measure.higher_is_better else differences < 0
    better, worse = (clear & higher).sum(axis=1), (clear & ~higher).sum(axis=1)
    ends = [_of_a_new_one(row, level) for row in differences.tolist()]
    low, high = np.array(ends).reshape(size, 2).T
    everything = (np.full(size, len(columns)), better, worse, low, high)
    return Replications(*(np.where(known, one, np.nan) for one in everything))


def _of_a_new_one(differences: Sequence[float], level: float) -> tuple[float, float]:
    """Where the next of a normal sample lies: Student's t, its own spread included."""
    size = len(differences)
    if size < LEAST or any(one != one for one in differences):
        return math.nan, math.nan
    mean = math.fsum(differences) / size
    squares = math.fsum((one - mean) * (one - mean) for one in differences)
    spread = math.sqrt(squares / (size - 1) * (1 + 1 / size))
    half = t_quantile((1 + level) / 2, size - 1) * spread
    return mean - half, mean + half
