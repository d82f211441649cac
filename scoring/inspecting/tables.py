"""A system at a glance: confusions of labels, and scores of slices."""

import re
from dataclasses import dataclass

import numpy as np

from scoring.counts import Counts
from scoring.formats.codes import shared_codes
from scoring.inspecting import Inspection
from scoring.inspecting.listing import number
from scoring.measures import Measure

LEADING = re.compile(r"[0-9]{1,9}")
MOST_LABELS = 15
MOST_SLICES, MOST_SHOWN = 1000, 40


@dataclass(frozen=True)
class Matrix:
    """How often gold says `labels[i]` (row) and the system `labels[j]` (column).

    The label "" stands for nothing on that side. `left_out` items have other labels.
    """

    layer: str
    labels: list[str]
    cells: list[list[int]]
    left_out: int


@dataclass(frozen=True)
class UnitSlice:
    """A slice of the units: how many, and what the measure is there.

    `large` are the largest of each grouping: as many as a table has room for.
    """

    group: str
    label: str
    units: int
    value: float | None
    large: bool


def matrices(found: Inspection) -> list[Matrix]:
    """One per layer, of the labels that are confused most often, then most frequent."""
    return [_matrix(found, layer) for layer in found.layers]


def _matrix(found: Inspection, layer: str) -> Matrix:
    first, second = found.layers[layer]
    # Codes of both sides count distinct labels in the order in which they are met.
    known = list(dict.fromkeys((*first.values, *second.values)))
    gold, system = shared_codes(first, second)
    size = len(known)
    table = np.bincount(gold * size + system, minlength=size * size)
    table = table.reshape(size, size)
    if "" in known:  # an item that has no such label at all
        table[known.index(""), known.index("")] = 0
    both = table.sum(axis=0) + table.sum(axis=1)
    confused = both - 2 * np.diag(table)
    order = np.lexsort((np.arange(size), -both, -confused))
    kept = [int(i) for i in order if both[i]][:MOST_LABELS]
    kept.sort(key=lambda i: -int(both[i]))
    cells: list[list[int]] = table[np.ix_(kept, kept)].tolist()
    shown = int(table[np.ix_(kept, kept)].sum())
    return Matrix(layer, [known[i] for i in kept], cells, int(table.sum()) - shown)


def slices(counts: Counts, measure: Measure) -> list[UnitSlice]:
    """Every grouping of the units, its largest slices in the order of their names."""
    found = []
    for group in counts.groups:
        whole = counts.by(group)
        values = measure.of(whole.table, whole.columns)
        labels, sizes = np.unique(np.array(counts.groups[group]), return_counts=True)
        units = dict(zip(labels.tolist(), sizes.tolist(), strict=True))
        scores = dict(zip(whole.units, np.asarray(values).tolist(), strict=True))
        largest = sorted(units, key=lambda label: (-units[label], label))[:MOST_SLICES]
        large = set(largest[:MOST_SHOWN])
        found += [
            UnitSlice(group, label, units[label], number(scores[label]), label in large)
            for label in sorted(largest, key=_natural)
        ]
    return found


def _natural(label: str) -> tuple[int, str]:
    """Labels that begin with a number in its order, after all others."""
    digits = LEADING.match(label)
    return (int(digits[0]) if digits else -1, label)
