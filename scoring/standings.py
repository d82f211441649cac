"""A board's order with its doubt: rank, rank range, cluster, who is level with whom."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.counts import Integers
from scoring.pairs import all_pairs
from scoring.ranks import rank_ranges, ranks, runs
from scoring.samples import Sample

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Standing:
    """One system on a board; None throughout for n/a, which is not ranked.

    `low, high` is the range of the rank over the shared resamples; `cluster` counts
    from 1 at the top and rises at each cluster line; `level_with` holds the ranks of
    the other systems that the test cannot tell from this one, ascending; `others` is
    how many other ranked systems there are.
    """

    rank: int | None = None
    low: int | None = None
    high: int | None = None
    cluster: int | None = None
    level_with: tuple[int, ...] = ()
    others: int = 0

    @property
    def range(self) -> str:
        """The rank range in short, "2-5" or "2"; empty for n/a."""
        if self.low is None or self.high is None:
            return ""
        return runs(range(self.low, self.high + 1))


def standings(
    sample: Sample, higher_is_better: bool, level: float = 0.95
) -> list[Standing]:
    """Standings in the order of the sample's systems (DESIGN.md, "Ranks").

    Two systems differ when the paired bootstrap's two-sided p-value, Holm-corrected
    over all pairs of ranked systems, is below 1 - `level`.
    """
    ranked = np.flatnonzero(~np.isnan(sample.values))
    board = Sample(sample.values[ranked], sample.resampled[ranked], sample.units)
    placed = ranks(board.values, higher_is_better)
    low, high = rank_ranges(board.resampled.T, higher_is_better, level)
    differ = differences(board, level)
    lines = clusters(placed, differ)
    found = [Standing() for _ in sample.values]
    for place, system in enumerate(ranked.tolist()):
        rank = int(placed[place])
        found[system] = Standing(
            rank=rank,
            low=min(rank, int(low[place])),
            high=max(rank, int(high[place])),
            cluster=int(lines[place]),
            level_with=_level(place, placed, differ),
            others=len(ranked) - 1,
        )
    return found


def differences(sample: Sample, level: float) -> Flags:
    """Which systems differ, symmetric, shape (systems, systems)."""
    pairs = all_pairs(sample)
    size = len(sample.values)
    found = np.zeros((size, size), dtype=np.bool_)
    found[pairs.first, pairs.second] = pairs.adjusted < round(1 - level, 9)
    return found | found.T


def clusters(placed: Integers, differ: Flags) -> Integers:
    """Cluster numbers (systems,) from ranks and who differs from whom.

    A line runs between two neighbours where every system above differs from every
    system below.
    """
    order = np.argsort(placed, kind="stable")
    size = len(order)
    level = ~differ[np.ix_(order, order)]
    level[np.diag_indices(size)] = True
    lowest = size - 1 - np.argmax(level[:, ::-1], axis=1) if size else order
    reach = np.maximum.accumulate(lowest)
    lines = np.concatenate(([False], reach[:-1] == np.arange(size - 1)))
    numbers = np.empty(size, dtype=np.int64)
    numbers[order] = 1 + np.cumsum(lines)[:size]
    return numbers


def _level(place: int, placed: Integers, differ: Flags) -> tuple[int, ...]:
    same = ~differ[place]
    same[place] = False
    return tuple(sorted(placed[same].tolist()))


def in_words(standing: Standing) -> str:
    """One plain sentence on how sure the rank is; empty for n/a."""
    if standing.rank is None:
        return ""
    if not standing.others:
        return "the only ranked system"
    if not standing.level_with:
        return "statistically apart from every other system"
    if len(standing.level_with) == standing.others:
        return "statistically level with every other system"
    word = "rank" if len(set(standing.level_with)) == 1 else "ranks"
    return f"statistically level with {word} {runs(standing.level_with)}"
