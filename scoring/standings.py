"""A board's order with its doubt: rank, rank range, lines, who differs from whom.

All of it follows from the tests of pairs, so that no two of these can disagree.
"""

from dataclasses import dataclass

import numpy as np

from scoring.counts import Integers
from scoring.pairs import Flags, Pairs
from scoring.ranks import ranks, runs


@dataclass(frozen=True, slots=True)
class Standing:
    """One system on a board; None throughout for n/a, which is not ranked.

    `low, high` is the range of ranks that the tests leave possible; `cluster` counts
    from 1 at the top and rises at each line; `level_with` has the ranks of the other
    systems that do not differ significantly from this one, "2-4, 6", and `level` says
    how many they are; `others` is how many other systems are tested. A system without
    an answer for some test set is ranked by its score but not tested.
    """

    rank: int | None = None
    low: int | None = None
    high: int | None = None
    cluster: int | None = None
    level_with: str = ""
    level: int = 0
    others: int = 0
    complete: bool = True

    @property
    def range(self) -> str:
        """The rank range in short, "2-5" or "2"; empty where there is none."""
        if self.low is None or self.high is None:
            return ""
        return runs(range(self.low, self.high + 1))


def standings(
    pairs: Pairs, higher_is_better: bool, level: float = 0.95
) -> list[Standing]:
    """Standings in the order of the systems (STATISTICS: "Ranks").

    A system is better than another where its score is, and the adjusted p-value of
    the two is below 1 - `level`. With that confidence all true ranks at once lie in
    their ranges (Mogstad, Romano, Shaikh and Wilhelm 2024).
    """
    ranked = np.flatnonzero(~np.isnan(pairs.values))
    better = better_than(pairs, higher_is_better, level)[np.ix_(ranked, ranked)]
    placed = ranks(pairs.values[ranked], higher_is_better)
    placings = standings_from(placed, better, pairs.complete[ranked])
    found = [Standing() for _ in pairs.values]
    for system, standing in zip(ranked.tolist(), placings, strict=True):
        found[system] = standing
    return found


def better_than(pairs: Pairs, higher_is_better: bool, level: float) -> Flags:
    """[i, j]: i is significantly better than j, shape (systems, systems)."""
    size = len(pairs.values)
    found = np.zeros((size, size), dtype=np.bool_)
    differ = pairs.adjusted < round(1 - level, 9)
    first = differ & ((pairs.difference > 0) == higher_is_better)
    second = differ & ~first
    found[pairs.first[first], pairs.second[first]] = True
    found[pairs.second[second], pairs.first[second]] = True
    return found


def standings_from(
    placed: Integers, better: Flags, tested: Flags | None = None
) -> list[Standing]:
    """Standings from ranks and from who is surely better than whom.

    Those who are not `tested` keep the place that their score gives them.
    """
    if tested is None:
        tested = np.ones(len(placed), dtype=np.bool_)
    places = np.flatnonzero(tested)
    among = better[np.ix_(places, places)]
    lines = clusters(placed[places], among | among.T)
    found = [Standing(int(rank), complete=False) for rank in placed]
    above = np.sort(placed[~tested])
    for i, place in enumerate(places.tolist()):
        untested = int(np.searchsorted(above, placed[place]))
        same = ~(among[i] | among[:, i])
        same[i] = False
        found[place] = Standing(
            rank=int(placed[place]),
            low=1 + untested + int(among[:, i].sum()),
            high=len(places) + untested - int(among[i].sum()),
            cluster=int(lines[i]),
            level_with=runs(placed[places[same]].tolist()),
            level=int(same.sum()),
            others=len(places) - 1,
        )
    return found


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


def in_words(standing: Standing) -> str:
    """One plain sentence on how sure the rank is; empty for n/a."""
    if standing.rank is None:
        return ""
    if not standing.complete:
        return "incomplete: not compared with other systems"
    if not standing.others:
        return "the only ranked system"
    if not standing.level:
        return "significantly different from every other system"
    if standing.level == standing.others:
        return "not significantly different from any other system"
    word = "rank" if standing.level_with.isdigit() else "ranks"
    return f"not significantly different from {word} {standing.level_with}"
