"""Whole numbers of every item: its clusters on both sides, and whose grouping it is."""

import zlib

import numpy as np

from scoring.counts import Counts, Flags, Floats, Integers
from scoring.inspection import Inspection, ItemTable, Picture, kinds_at
from scoring.options import Options
from scoring.scorer import DetailRows, details_of
from scoring.scorers.classes.items import Labels
from scoring.scorers.clusterings import figures


def count(gold: Labels, system: Labels, _options: Options) -> Counts:
    """One row per item."""
    ids = list(gold.answers.ids)
    first, second = (_numbers(ids, side.codes) for side in (gold, system))
    columns: dict[str, Floats] = {
        figures.ITEMS: np.ones(len(ids)),
        figures.GOLD: first.astype(np.float64),
        figures.SYSTEM: second.astype(np.float64),
        figures.PARTITION: np.full(len(ids), _partition(ids, second)),
    }
    return Counts.of_rows(ids, columns, gold.answers.groups)


def _numbers(ids: list[str], clusters: Integers) -> Integers:
    """Numbers of clusters (n,) from 1, in the order of their first ids, whatever they
    are called."""
    order = np.argsort(np.array(ids, dtype=np.str_), kind="stable")
    _, places, codes = np.unique(
        clusters[order], return_index=True, return_inverse=True
    )
    rank = np.argsort(np.argsort(places)) + 1
    numbers = np.empty(len(ids), dtype=np.int64)
    numbers[order] = rank[codes.reshape(-1)]
    return numbers


def _partition(ids: list[str], numbers: Integers) -> float:
    """A number of the whole grouping, the same in any order of the items."""
    named = sorted(zip(ids, numbers.tolist(), strict=True))
    return float(zlib.crc32(repr(named).encode("utf-8", "surrogatepass")))


def _shares(gold: Labels, system: Labels) -> tuple[Floats, Floats]:
    """B-cubed precision and recall of each item (n,)."""
    cells = gold.codes * max(len(system.names), 1) + system.codes
    both, own, other = (
        np.unique(codes, return_inverse=True, return_counts=True)[1:]
        for codes in (cells, system.codes, gold.codes)
    )
    together = both[1][both[0].reshape(-1)]
    precision, recall = (
        together / sizes[codes.reshape(-1)] for codes, sizes in (own, other)
    )
    return precision, recall


@details_of("id", "gold", "system", "precision", "recall")
def details(gold: Labels, system: Labels, _options: Options) -> DetailRows:
    """One row per item, in the order of the gold, with its B-cubed shares."""
    sides = (side.coded.texts() for side in (gold, system))
    shares = (share.tolist() for share in _shares(gold, system))
    yield from zip(gold.answers.ids, *sides, *shares, strict=True)


def inspect(gold: Labels, system: Labels, _options: Options) -> Inspection:
    """One item per unit: what its cluster has too much, and what it lacks."""
    precision, recall = _shares(gold, system)
    wrong: dict[str, Flags] = {"mixed": precision < 1, "parted": recall < 1}
    inputs = gold.answers.inputs

    def picture(unit: int) -> Picture:
        own, other = gold.of_item(unit), system.of_item(unit)
        shares = float(precision[unit]), float(recall[unit])
        sheet = ItemTable(
            (
                "gold_cluster",
                "system_cluster",
                "cluster_precision",
                "cluster_recall",
                *inputs,
            ),
            ((own[0], other[0], *shares, *gold.answers.inputs_of(unit)),),
            (kinds_at(wrong, unit),),
            judged=("cluster_precision", "cluster_recall"),
        )
        return Picture(sheet, lines=(tuple(own), tuple(other)))

    return Inspection.of_items(wrong, picture)
