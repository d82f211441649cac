"""Standings from published numbers alone, where exact ones would tell too much.

Two systems are told apart where their published intervals do not overlap: coarser
than the paired test, but nothing that the table does not show already.
"""

from collections.abc import Sequence

import numpy as np

from leaderboard.submissions.scores import Score
from scoring.counts import Floats
from scoring.ranks import ranks
from scoring.standings import Standing, clusters


def overlap_standings(
    scores: Sequence[Score], higher_is_better: bool
) -> list[Standing]:
    """A standing per score, none of which is n/a; each contradicts no number shown."""
    if not scores:
        return []
    values = np.array([score.exact["value"] for score in scores], dtype=np.float64)
    surely = _surely_better(scores, higher_is_better)
    placed = ranks(values, higher_is_better)
    differ = surely | surely.T
    lines = clusters(placed, differ)
    last = len(scores) - 1
    return [
        Standing(
            rank=int(placed[i]),
            low=1 + int(surely[:, i].sum()),
            high=last + 1 - int(surely[i].sum()),
            cluster=int(lines[i]),
            level_with=_level(i, placed, differ),
            others=last,
        )
        for i in range(len(scores))
    ]


def _surely_better(scores: Sequence[Score], higher_is_better: bool) -> Floats:
    """[i, j]: the whole interval of i is better than that of j."""
    low = np.array([_end(score, "low") for score in scores], dtype=np.float64)
    high = np.array([_end(score, "high") for score in scores], dtype=np.float64)
    if higher_is_better:
        return np.asarray(low[:, None] > high[None, :])
    return np.asarray(high[:, None] < low[None, :])


def _end(score: Score, key: str) -> float | None:
    end = score.exact[key]
    return score.exact["value"] if end is None else end


def _level(i: int, placed: np.ndarray, differ: np.ndarray) -> tuple[int, ...]:
    same = ~differ[i]
    same[i] = False
    return tuple(sorted(placed[same].tolist()))
