"""Standings from published numbers alone, where exact ones would tell too much.

Two systems are told apart where their published intervals, widened for the number of
pairs (Bonferroni), do not overlap: nothing that the table does not show already.
"""

from collections.abc import Sequence
from math import comb, inf
from statistics import NormalDist

import numpy as np

from leaderboard.results.scores import Score
from scoring.counts import Flags, Floats
from scoring.statistics.ranks import SystemRank, ranks, standings_from

NORMAL = NormalDist()


def overlap_standings(
    scores: Sequence[Score],
    higher_is_better: bool,
    level: float = 0.95,
    complete: Sequence[bool] | None = None,
) -> list[SystemRank]:
    """A standing per score, none of which is n/a; each contradicts no number shown.

    `level` is that of the intervals; `complete` says who sent every test set.
    """
    if not scores:
        return []
    values = np.array([score.numbers.value for score in scores], dtype=np.float64)
    tested = np.array([True] * len(scores) if complete is None else complete)
    wider = widening(int(tested.sum()), level)
    low = _ends(scores, values, "low", -inf, wider)
    high = _ends(scores, values, "high", inf, wider)
    better: Flags = low[:, None] > high[None, :]
    if not higher_is_better:
        better = high[:, None] < low[None, :]
    return standings_from(ranks(values, higher_is_better), better, tested)


def widening(systems: int, level: float) -> float:
    """The factor between an interval and one that holds for all pairs of systems."""
    alpha = 1 - level
    pairs = max(comb(systems, 2), 1)
    return NORMAL.inv_cdf(1 - alpha / (2 * pairs)) / NORMAL.inv_cdf(1 - alpha / 2)


def _ends(
    scores: Sequence[Score], values: Floats, key: str, unknown: float, wider: float
) -> Floats:
    """Ends as far from the value as `wider` says; a score without one is never sure."""
    ends = [score.exact[key] for score in scores]
    known = np.array([unknown if end is None else end for end in ends])
    return np.asarray(values + wider * (known - values))
