"""Measures of two groupings of the same items, by how many items clusters share.

All are part / whole of nine sums over clusters and over pairs of a gold cluster and a
system's. Formulas: Hubert and Arabie 1985 (adjusted Rand index), Rosenberg and
Hirschberg 2007 (V-measure), Bagga and Baldwin 1998 (B-cubed).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from scoring.counts import Floats, Integers
from scoring.measures import Measure, weighed_measure
from scoring.messages import _
from scoring.statistics.averages import in_order
from scoring.statistics.correlations import group_sums, one_column

# `PARTITION` is a number of the system's whole grouping, the same in all rows.
ITEMS, PARTITION = "items", "partition[system]"
GOLD, SYSTEM = "cluster[gold]", "cluster[system]"
COLUMNS = (ITEMS, GOLD, SYSTEM, PARTITION)
# Of two equal systems 18 % differ by V-measure on 60 items, 6 % on 200, where 5 % may.
TESTED_FROM = 200
STEP = 1e-30  # of a derivative; imaginary, so that nothing is rounded away


class ClusteringSums(NamedTuple):
    """Sums that all measures are made of, each (k,); complex where slopes are taken.

    `shared`, `gold` and `system` are ordered pairs of two items that are together on
    both sides and on each. `precisions` and `recalls` are sums over items of the share
    of its cluster that is together with it on the other side. The last three are sums
    of x log x over sizes x.
    """

    items: Floats
    shared: Floats
    gold: Floats
    system: Floats
    precisions: Floats
    recalls: Floats
    shared_logs: Floats
    gold_logs: Floats
    system_logs: Floats


Parts = Callable[[ClusteringSums], tuple[Floats, Floats]]


@dataclass(frozen=True)
class Overlaps:
    """Sizes, by weights of rows (k, rows), of clusters that share items.

    `row` (rows,) is the place of each row among the pairs of clusters that share any,
    `first` and `second` (pairs,) the clusters of these; the sizes are `both` (k, pairs)
    of what they share, `gold` and `system` (k, clusters) of clusters.
    """

    row: Integers
    first: Integers
    second: Integers
    both: Floats
    gold: Floats
    system: Floats

    @classmethod
    def of(cls, weights: Floats, table: Floats) -> "Overlaps":
        sides = one_column(table[:, 1]), one_column(table[:, 2])
        clusters = int(sides[1].max(initial=-1)) + 1
        pairs, row = np.unique(sides[0] * clusters + sides[1], return_inverse=True)
        first, second = np.divmod(pairs, max(clusters, 1))
        both = group_sums(weights, row.reshape(-1), len(pairs))
        of_sides = (
            group_sums(both, codes, int(codes.max(initial=-1)) + 1)
            for codes in (first, second)
        )
        return cls(row.reshape(-1), first, second, both, *of_sides)

    def sums(self) -> ClusteringSums:
        whole = self.gold.sum(axis=1)
        squares = self.both**2
        return ClusteringSums(
            whole,
            squares.sum(axis=1) - whole,
            (self.gold**2).sum(axis=1) - whole,
            (self.system**2).sum(axis=1) - whole,
            in_order(_over(squares, self.system[:, self.second])),
            in_order(_over(squares, self.gold[:, self.first])),
            *(in_order(_times_log(side)) for side in self._sizes()),
        )

    def slopes(self) -> ClusteringSums:
        """Derivatives of the sums by the weight of each row, (rows,), for one row of
        weights."""
        both, gold, system = (side[0] for side in self._sizes())
        gold, system = gold[self.first], system[self.second]
        sides = ((system, self.second), (gold, self.first))
        credits = (
            2 * _over(both, size) - _over(_squares(both, codes), size**2)
            for size, codes in sides
        )
        of_pairs = (
            np.ones(len(both)),
            2 * both - 1,
            2 * gold - 1,
            2 * system - 1,
            *credits,
            *(_log(size) + 1 for size in (both, gold, system)),
        )
        return ClusteringSums(*(values[self.row] for values in of_pairs))

    def _sizes(self) -> tuple[Floats, Floats, Floats]:
        return self.both, self.gold, self.system


def _squares(sizes: Floats, codes: Integers) -> Floats:
    """The sum of squares of all pairs of each pair's cluster, (pairs,)."""
    return np.asarray(np.bincount(codes, sizes**2)[codes])


def _over(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def _log(sizes: Floats) -> Floats:
    return np.log(np.where(sizes == 0, 1.0, sizes))


def _times_log(sizes: Floats) -> Floats:
    return np.asarray(sizes * _log(sizes))


def _adjusted_rand(sums: ClusteringSums) -> tuple[Floats, Floats]:
    pairs = sums.items**2 - sums.items
    apart = sums.gold * (pairs - sums.system) + sums.system * (pairs - sums.gold)
    return 2 * (sums.shared * pairs - sums.gold * sums.system), apart


def _pair_f1(sums: ClusteringSums) -> tuple[Floats, Floats]:
    return 2 * sums.shared, sums.gold + sums.system


def _bcubed_f1(sums: ClusteringSums) -> tuple[Floats, Floats]:
    both = sums.precisions + sums.recalls
    return 2 * sums.precisions * sums.recalls, sums.items * both


def _bcubed_precision(sums: ClusteringSums) -> tuple[Floats, Floats]:
    return sums.precisions, sums.items


def _bcubed_recall(sums: ClusteringSums) -> tuple[Floats, Floats]:
    return sums.recalls, sums.items


def _information(sums: ClusteringSums) -> tuple[Floats, Floats, Floats]:
    """The information of one side about the other, and the entropies of gold and
    system, each times the number of items."""
    whole = _times_log(sums.items)
    mutual = sums.shared_logs + whole - sums.gold_logs - sums.system_logs
    return mutual, whole - sums.gold_logs, whole - sums.system_logs


def _homogeneity(sums: ClusteringSums) -> tuple[Floats, Floats]:
    mutual, gold, _system = _information(sums)
    return mutual, gold


def _completeness(sums: ClusteringSums) -> tuple[Floats, Floats]:
    mutual, _gold, system = _information(sums)
    return mutual, system


def _v_measure(sums: ClusteringSums) -> tuple[Floats, Floats]:
    mutual, gold, system = _information(sums)
    return 2 * mutual, gold + system


def _value(parts: Parts, sums: ClusteringSums) -> Floats:
    """Part / whole; 1 where there is nothing to tell apart on a side, nan without
    items."""
    part, whole = parts(sums)
    defined = whole != 0
    values = np.where(defined, part, 1.0) / np.where(defined, whole, 1.0)
    return np.where(sums.items != 0, values, np.nan)


def _slopes(parts: Parts, weights: Floats, table: Floats) -> tuple[float, Floats]:
    """The value of one grouping, and its derivative by the weight of each row."""
    overlaps = Overlaps.of(weights[None], table)
    sums = overlaps.sums()
    slopes = np.zeros(len(weights))
    for place, by_row in enumerate(overlaps.slopes()):
        moved = list(sums)
        moved[place] = np.add(moved[place], 1j * STEP)
        slopes += _value(parts, ClusteringSums(*moved)).imag[0] / STEP * by_row
    return float(_value(parts, sums)[0]), slopes


def _groupings(weights: Floats, table: Floats) -> Iterator[tuple[Integers, Floats]]:
    """Rows of each system in a table, and their weights (k, some) as if it were alone:
    a test of two systems brings the rows of both."""
    codes = one_column(table[:, 3])
    whole = weights.sum(axis=1, keepdims=True)
    for code in range(int(codes.max(initial=0)) + 1):
        rows = np.flatnonzero(codes == code)
        own = weights[:, rows]
        yield rows, own * _over(whole, own.sum(axis=1, keepdims=True))


def mean_value(parts: Parts, weights: Floats, table: Floats) -> Floats:
    """The value, of several systems the mean by their weights, (k,)."""
    whole = weights.sum(axis=1)
    value = np.zeros(len(weights))
    for rows, own in _groupings(weights, table):
        share = _over(weights[:, rows].sum(axis=1), whole)
        of_one = _value(parts, Overlaps.of(own, table[rows]).sums())
        value += share * np.nan_to_num(of_one)
    return np.where(whole > 0, value, np.nan)


def slopes(parts: Parts, weights: Floats, table: Floats) -> Floats:
    """Derivative of `mean_value` by the weight of each row, (rows,)."""
    moves, value, scale = np.zeros(len(weights)), 0.0, 0.0
    if not len(weights):
        return moves
    whole = float(weights.sum())
    for rows, own in _groupings(weights[None], table):
        share = float(weights[rows].sum()) / whole
        of_one, by_row = _slopes(parts, own[0], table[rows])
        # What all weights of a system together change, as pairs grow with their square.
        scaled = float(own[0] @ by_row)
        moves[rows] = by_row + (of_one - scaled) / whole
        value += share * of_one
        scale += share * scaled
    return np.asarray(moves + (scale - value) / whole)


def _measure(
    name: str,
    title: str,
    parts: Parts,
    formula: str,
    bounds: tuple[float, float] = (0.0, 1.0),
    *,
    biased: bool = True,
) -> Measure:
    """Measure of clusters; `biased` where few items in a cluster raise the value."""
    measure = weighed_measure(
        name,
        title,
        COLUMNS,
        partial(mean_value, parts),
        formula,
        partial(slopes, parts),
        percent=bounds == (0.0, 1.0),
        bounds=bounds,
    )
    return replace(measure, biased=biased, tested_from=TESTED_FROM if biased else 0)


MEASURES = (
    _measure(
        "ari",
        "Adjusted Rand index",
        _adjusted_rand,
        _(
            "(agreement on pairs of items - agreement by chance) / (the most there can "
            "be - agreement by chance)"
        ),
        (-0.5, 1.0),
        biased=False,
    ),
    _measure(
        "v_measure",
        "V-measure",
        _v_measure,
        _(
            "harmonic mean of homogeneity and completeness; many small clusters raise "
            "it by chance"
        ),
    ),
    _measure(
        "homogeneity",
        "Homogeneity",
        _homogeneity,
        _("1 - entropy of the gold within the system's clusters / entropy of the gold"),
    ),
    _measure(
        "completeness",
        "Completeness",
        _completeness,
        _(
            "1 - entropy of the system's clusters within the gold's / entropy of the "
            "system's"
        ),
    ),
    _measure(
        "bcubed_f1",
        "B-cubed F1",
        _bcubed_f1,
        _("harmonic mean of B-cubed precision and recall"),
    ),
    _measure(
        "bcubed_precision",
        "B-cubed precision",
        _bcubed_precision,
        _("mean over items of the share of its cluster that gold has together with it"),
    ),
    _measure(
        "bcubed_recall",
        "B-cubed recall",
        _bcubed_recall,
        _("mean over items of the share of its gold cluster that is together with it"),
    ),
    _measure(
        "pair_f1",
        "Pair F1",
        _pair_f1,
        _("2 pairs together on both sides / (pairs together in gold + in the system)"),
        biased=False,
    ),
)
