"""Ranks with ties, and how sure they are: rank range, lines, who differs from whom.

All but the rank follows from the tests of pairs, so that no two of these can disagree.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.counts import Flags, Floats, Integers
from scoring.statistics.exchange import Pairs
from scoring.statistics.intervals import TIE
from scoring.statistics.large_boards import ToldApart

ROWS_AT_ONCE = 512


def ranks(values: Floats, higher_is_better: bool = True) -> Integers:
    """Competition ranks along the last axis; nan shares the rank after all numbers.

    `values` (..., systems); the rank is one more than the number of better systems.
    Means of fractions that are equal may differ in their last digit (0.1 + 0.2 and
    0.3): such values tie, as they do in the tests of pairs.
    """
    signed = -values if higher_is_better else values
    order = np.argsort(signed, axis=-1)
    ordered = np.take_along_axis(signed, order, axis=-1)
    before, after = ordered[..., :-1], ordered[..., 1:]
    tied = after - before <= TIE * np.abs(before)
    fresh = ~tied & ~(np.isnan(before) & np.isnan(after))
    places = np.zeros(ordered.shape, dtype=np.int64)
    places[..., 1:] = np.where(fresh, np.arange(1, ordered.shape[-1]), 0)
    numbers = np.empty_like(places)
    np.put_along_axis(numbers, order, np.maximum.accumulate(places, axis=-1), axis=-1)
    return numbers + 1


def rank_of(values: Sequence[float | None], higher_is_better: bool) -> list[int | None]:
    """Ranks of a board's column; None (n/a) is not ranked."""
    numbers = np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    if not len(numbers):
        return []
    placed = ranks(numbers, higher_is_better).tolist()
    return [None if v is None else r for v, r in zip(values, placed, strict=True)]


def runs(numbers: Sequence[int]) -> str:
    """Ascending numbers in short: "2-4", "1, 3-5"."""
    parts: list[list[int]] = []
    for number in sorted(set(numbers)):
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(
        str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts
    )


@dataclass(frozen=True, slots=True)
class SystemRank:
    """One system on a board; None throughout for n/a, which is not ranked.

    `low, high` is the range of ranks that the tests leave possible among the tested
    systems, others staying where their scores put them; `cluster` counts
    from 1 at the top and rises at each line; `level_with` has the ranks of the other
    systems that do not differ significantly from this one, "2-4, 6" (a rank that nobody
    has, for two share the one before it, divides no range), and `level` says
    how many they are; `few_decide` those from which it differs by a few units only;
    `others` is how many other systems are tested, and `untested` how many of the board
    are not: one without an answer for some test set is ranked by its score but not
    tested. Where testing all would take too long, nobody is.
    """

    rank: int | None = None
    low: int | None = None
    high: int | None = None
    cluster: int | None = None
    level_with: str = ""
    level: int = 0
    others: int = 0
    few_decide: str = ""
    complete: bool = True
    untested: int = 0

    @property
    def range(self) -> str:
        """The rank range in short, "2-5" or "2"; empty where there is none."""
        if self.low is None or self.high is None:
            return ""
        return f"{self.low}" if self.low == self.high else f"{self.low}-{self.high}"


def standings(
    pairs: Pairs | ToldApart, higher_is_better: bool, level: float = 0.95
) -> list[SystemRank]:
    """Standings in the order of the systems (STATISTICS: "Ranks").

    A system is better than another where its score is, and the adjusted p-value of
    the two is below 1 - `level`. With that confidence all true ranks at once lie in
    their ranges (Mogstad, Romano, Shaikh and Wilhelm 2024).
    """
    if pairs.too_many:
        return ranks_without_tests(pairs.values, pairs.complete, higher_is_better)
    ranked = np.flatnonzero(~np.isnan(pairs.values))
    if isinstance(pairs, ToldApart):
        better, few = pairs.better, pairs.few
    else:
        better = better_than(pairs, higher_is_better, level)
        few = _square(pairs, pairs.few_decide)
    placed = ranks(pairs.values[ranked], higher_is_better)
    better, few = _among(better, ranked), _among(few, ranked)
    placings = standings_from(placed, better, pairs.complete[ranked], few)
    rows = [SystemRank() for _ in pairs.values]
    for system, standing in zip(ranked.tolist(), placings, strict=True):
        rows[system] = standing
    return rows


def ranks_without_tests(
    values: Floats, complete: Flags, higher_is_better: bool
) -> list[SystemRank]:
    """Standings from scores alone, (systems,), where there was no test; nan is n/a."""
    others = int(np.count_nonzero(complete & ~np.isnan(values))) - 1
    columns = values.tolist(), ranks(values, higher_is_better).tolist(), complete
    return [
        SystemRank()
        if value != value
        else SystemRank(rank, others=others)
        if whole
        else SystemRank(rank, complete=False)
        for value, rank, whole in zip(*columns, strict=True)
    ]


def better_than(pairs: Pairs, higher_is_better: bool, level: float) -> Flags:
    """[i, j]: i is significantly better than j, shape (systems, systems)."""
    size = len(pairs.values)
    better = np.zeros((size, size), dtype=np.bool_)
    differ = pairs.adjusted < round(1 - level, 9)
    first = differ & ((pairs.difference > 0) == higher_is_better)
    second = differ & ~first
    better[pairs.first[first], pairs.second[first]] = True
    better[pairs.second[second], pairs.first[second]] = True
    return better


def _square(pairs: Pairs, flags: Flags) -> Flags:
    """Flags of pairs (pairs,) as (systems, systems), both ways."""
    size = len(pairs.values)
    square = np.zeros((size, size), dtype=np.bool_)
    square[pairs.first, pairs.second] = flags
    return square | square.T


def standings_from(
    placed: Integers,
    better: Flags,
    tested: Flags | None = None,
    few_decide: Flags | None = None,
) -> list[SystemRank]:
    """Standings from ranks and from who is surely better than whom.

    Those who are not `tested` have the rank that their score gives them, and no range;
    ranges of the others are among these, and count whoever has a better score of those
    left out, so that a rank lies in its range. `few_decide` says where a few units make
    a pair differ, (systems, systems) as `better`.
    """
    if tested is None:
        tested = np.ones(len(placed), dtype=np.bool_)
    places = np.flatnonzero(tested)
    among, texts, by_few = _among(better, places), [], []
    few = None if few_decide is None else _among(few_decide, places)
    level_with = np.zeros(len(places), dtype=np.int64)
    for top in range(0, len(places), ROWS_AT_ONCE):
        some = slice(top, top + ROWS_AT_ONCE)
        differ = among[some] | among[:, some].T
        same = ~differ
        np.fill_diagonal(same[:, some], False)
        level_with[some] = np.count_nonzero(same, axis=1)
        texts += ranks_in_short(placed, places, same)
        by_few += (
            [""] * len(same)
            if few is None
            else ranks_in_short(placed, places, differ & few[some])
        )
    left_out = np.sort(placed[~tested])
    above = np.searchsorted(left_out, placed[places])
    columns = (
        placed[places],
        above + 1 + np.count_nonzero(among, axis=0),
        above + len(places) - np.count_nonzero(among, axis=1),
        clusters(placed[places], among),
        level_with,
    )
    rows = [SystemRank(int(rank), complete=False) for rank in placed]
    others, left = len(places) - 1, len(left_out)
    for place, text, marked, (rank, *numbers) in zip(
        places.tolist(), texts, by_few, np.stack(columns, axis=1).tolist(), strict=True
    ):
        low, high, cluster, level = numbers
        about = (cluster, text, level, others, marked)
        rows[place] = SystemRank(rank, low, high, *about, untested=left)
    return rows


def _among(flags: Flags, chosen: Integers) -> Flags:
    """Flags (systems, systems) of the chosen ones, ascending, alone."""
    return flags if len(chosen) == len(flags) else flags[np.ix_(chosen, chosen)]


def ranks_in_short(placed: Integers, tested: Integers, chosen: Flags) -> list[str]:
    """The ranks of chosen systems in short, "2-4, 6", of those that somebody has.

    `placed` has the ranks of all, `tested` says which of them `chosen` is about, (rows,
    tested systems). One that is not tested divides a range.
    """
    if not tested.size:
        return [""] * len(chosen)
    numbers, places = np.unique(placed, return_inverse=True)
    order = np.argsort(places[tested], kind="stable")
    of_tested, begins = np.unique(places[tested][order], return_index=True)
    has = np.zeros((len(chosen), len(numbers)), dtype=np.bool_)
    has[:, of_tested] = np.logical_or.reduceat(chosen[:, order], begins, axis=1)
    joined = has[:, :-1] & has[:, 1:]
    first, last = has.copy(), has.copy()
    first[:, 1:] &= ~joined
    last[:, :-1] &= ~joined
    parts: list[list[str]] = [[] for _ in chosen]
    row, low = np.nonzero(first)
    _row, high = np.nonzero(last)
    ends = numbers[low].tolist(), numbers[high].tolist()
    for of, one, other in zip(row.tolist(), *ends, strict=True):
        parts[of].append(str(one) if one == other else f"{one}-{other}")
    return [", ".join(texts) for texts in parts]


def clusters(placed: Integers, differ: Flags) -> Integers:
    """Cluster numbers (systems,) from ranks and who differs from whom, said of [i, j]
    or of [j, i]. A line runs between two neighbours where every system above differs
    from every system below."""
    order = np.argsort(placed, kind="stable")
    size = len(order)
    lowest = np.arange(size)
    for top in range(0, size, ROWS_AT_ONCE):
        some = order[top : top + ROWS_AT_ONCE]
        level = ~(differ[some] | differ[:, some].T)[:, order[::-1]]
        last = size - 1 - np.argmax(level, axis=1)
        # Nobody differs from itself, whatever the flags say.
        lowest[top : top + len(some)] = np.maximum(last, lowest[top : top + len(some)])
    reach = np.maximum.accumulate(lowest)
    lines = np.concatenate(([False], reach[:-1] == np.arange(size - 1)))
    numbers = np.empty(size, dtype=np.int64)
    numbers[order] = 1 + np.cumsum(lines)[:size]
    return numbers


def in_words(standing: SystemRank) -> str:
    """One plain sentence on how sure the rank is; empty for n/a."""
    sentence = _rank_sentence(standing)
    if not standing.few_decide:
        return sentence
    return (
        f"{sentence}; a few units decide against {_ranks_in_words(standing.few_decide)}"
    )


def _rank_sentence(standing: SystemRank) -> str:
    if standing.rank is None:
        return ""
    if not standing.complete:
        return "incomplete: not compared with other systems"
    if not standing.others:
        return f"the only {'complete' if standing.untested else 'ranked'} system"
    if standing.low is None:
        return "not compared with other systems"
    system = "complete system" if standing.untested else "system"
    if not standing.level:
        return f"significantly different from every other {system}"
    if standing.level == standing.others:
        return f"not significantly different from any other {system}"
    if standing.level_with == str(standing.rank):
        systems = "system" if standing.level == 1 else "systems"
        return f"not significantly different from the other {systems} of this rank"
    return f"not significantly different from {_ranks_in_words(standing.level_with)}"


def _ranks_in_words(ranks: str) -> str:
    """Ranks in short as a sentence has them: "rank 2", "ranks 1, 3 and 6-8"."""
    first, _comma, last = ranks.rpartition(", ")
    word = "rank" if ranks.isdigit() else "ranks"
    return f"{word} {first} and {last}" if first else f"{word} {last}"
