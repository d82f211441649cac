"""Assignment: pairs of rows and columns, each used once, of the largest total weight.

Weights that are not named are 0. Where several assignments have the same total, which
one is taken decides how mentions are paired, so that it has to be the one that the
field's scorer takes: we go by the shortest augmenting paths of Crouse (2016), in the
order of rows and with the ties of `scipy.optimize.linear_sum_assignment`.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.counts import Floats, Integers

Weighted = tuple[int, int, float]
# Larger tables are taken apart, and of equal assignments another may be found.
MOST_CELLS = 25_000_000
NONE = -1


def assign(shape: tuple[int, int], pairs: Sequence[Weighted]) -> list[Weighted]:
    """The pairs of an assignment of largest weight, by rows; of `pairs` each comes
    once and weighs more than 0."""
    if shape[0] * shape[1] > MOST_CELLS:
        return heaviest(pairs)
    weight = {(i, j): w for i, j, w in pairs}
    if shape[1] < shape[0]:
        turned = _Table((shape[1], shape[0]), [(j, i, w) for i, j, w in pairs])
        solved = sorted((i, j) for j, i in turned.solved())
    else:
        solved = _Table(shape, pairs).solved()
    return [(*pair, weight[pair]) for pair in solved if pair in weight]


def heaviest(pairs: Sequence[Weighted]) -> list[Weighted]:
    """An assignment as that of `assign`, whichever of equal ones."""
    weighted: list[Weighted] = []
    for part in _parts(pairs):
        rows = {i: place for place, i in enumerate(sorted({i for i, _, _ in part}))}
        columns = {j: place for place, j in enumerate(sorted({j for _, j, _ in part}))}
        if min(len(rows), len(columns)) == 1:
            weighted.append(max(part, key=lambda pair: pair[2]))
            continue
        names = [*rows], [*columns]
        inner = [(rows[i], columns[j], w) for i, j, w in part]
        shape = len(rows), len(columns)
        solved = _Table(shape, inner).solved() if shape[0] <= shape[1] else None
        if solved is None:
            turned = [(j, i, w) for i, j, w in inner]
            solved = [(i, j) for j, i in _Table(shape[::-1], turned).solved()]
        weight = {(i, j): w for i, j, w in inner}
        weighted += [
            (names[0][i], names[1][j], weight[i, j])
            for i, j in solved
            if (i, j) in weight
        ]
    return sorted(weighted)


def _parts(pairs: Sequence[Weighted]) -> Iterator[list[Weighted]]:
    """Pairs that hang together by their rows and columns, in order of first pairs."""
    leader: dict[int, int] = {}

    def root(node: int) -> int:
        while leader.setdefault(node, node) != node:
            leader[node] = leader[leader[node]]
            node = leader[node]
        return node

    for i, j, _weight in pairs:
        # Columns are the negative numbers.
        leader[root(i)] = root(-1 - j)
    parts: dict[int, list[Weighted]] = defaultdict(list)
    for pair in pairs:
        parts[root(pair[0])].append(pair)
    yield from parts.values()


@dataclass
class _Path:
    """The search from one row: the nearest columns so far, and by which row."""

    costs: Floats
    by_row: Integers
    rows: list[int]
    columns: list[int]
    length: float = 0.0
    end: int = NONE


class _Table:
    """Costs of rows and columns, no more rows than columns; costs are minus weights."""

    def __init__(self, shape: tuple[int, int], pairs: Sequence[Weighted]) -> None:
        self.rows, self.columns = shape
        inside: dict[int, tuple[list[int], list[float]]] = {}
        for i, j, weight in pairs:
            columns, costs = inside.setdefault(i, ([], []))
            columns.append(j)
            costs.append(-weight)
        self.costs = {
            i: (np.array(columns), np.array(costs))
            for i, (columns, costs) in inside.items()
        }
        self.of_rows = np.zeros(self.rows)
        self.of_columns = np.zeros(self.columns)
        self.column_of = np.full(self.rows, NONE)
        self.row_of = np.full(self.columns, NONE)

    def solved(self) -> list[tuple[int, int]]:
        """The column of every row."""
        for row in range(self.rows):
            path = self._search(row)
            self._lift(row, path)
            self._augment(row, path)
        return list(enumerate(self.column_of.tolist()))

    def _search(self, row: int) -> _Path:
        """The cheapest way from a row to a column that is free."""
        path = _Path(np.full(self.columns, np.inf), np.full(self.columns, NONE), [], [])
        # From last to first, and the last of equal ones is taken: the first column.
        left = np.arange(self.columns)[::-1].copy()
        size = self.columns
        while path.end == NONE:
            path.rows.append(row)
            place, size = self._step(row, path, left[:size]), size - 1
            column = int(left[place])
            path.columns.append(column)
            left[place] = left[size]
            row = int(self.row_of[column])
            if row == NONE:
                path.end = column
        return path

    def _step(self, row: int, path: _Path, left: Integers) -> int:
        """The place of the nearest of the columns that are left."""
        costs = np.zeros(self.columns)
        if row in self.costs:
            columns, own = self.costs[row]
            costs[columns] = own
        # In this order, as rounding decides which are equal.
        reached = path.length + costs[left] - self.of_rows[row] - self.of_columns[left]
        nearer = reached < path.costs[left]
        path.costs[left[nearer]] = reached[nearer]
        path.by_row[left[nearer]] = row
        costs = path.costs[left]
        path.length = float(costs.min())
        (equal,) = np.nonzero(costs == path.length)
        free = equal[self.row_of[left[equal]] == NONE]
        return int(free[-1] if len(free) else equal[0])

    def _lift(self, row: int, path: _Path) -> None:
        """Raise the prices of what was passed, so that no cost is below them."""
        self.of_rows[row] += path.length
        others = np.array(path.rows[1:], dtype=np.int64)
        self.of_rows[others] += path.length - path.costs[self.column_of[others]]
        columns = np.array(path.columns)
        self.of_columns[columns] -= path.length - path.costs[columns]

    def _augment(self, row: int, path: _Path) -> None:
        column, other = path.end, NONE
        while other != row:
            other = int(path.by_row[column])
            self.row_of[column] = other
            column, self.column_of[other] = int(self.column_of[other]), column
