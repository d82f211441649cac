"""The engine on one, ten and a hundred times the words and sentences."""

from collections.abc import Callable
from statistics import median
from time import process_time
from typing import Any

import numpy as np

from benchmarks import attachment, bootstrap
from benchmarks._treebanks import pair
from scoring.source import Source
from scoring.statistics.bootstrap import Plan, estimates

TIMES = (1, 10, 100)
PLAN = Plan()


def measured(runs: int) -> dict[str, Any]:
    """Milliseconds of processor time at each size, and of the limit named for it."""
    return {"input": _input(runs), "resampling": _resampling(runs)}


def _input(runs: int) -> dict[str, Any]:
    """Reading, aligning and counting, beside reading the same bytes and no more."""
    gold, system = pair()
    ours, limit = [], []
    for times in TIMES:
        sides = [
            Source.of_bytes(name, data * times)
            for name, data in (("gold.conllu", gold), ("x.conllu", system))
        ]
        ours.append(timed(lambda s=sides: attachment.ours(*s), runs))
        limit.append(timed(lambda s=sides: [_read(side.single()) for side in s], runs))
    size = len(gold) + len(system)
    return {"sizes": [size * times for times in TIMES], "ms": ours, "limit": limit}


def _read(data: bytes) -> int:
    """Every byte, as fast as memory gives them."""
    whole = np.frombuffer(data, np.uint64, len(data) // 8)
    return int(whole.sum())


def _resampling(runs: int) -> dict[str, Any]:
    """A thousand resamples, beside one product of matrices of that shape."""
    ours, limit, units = [], [], [bootstrap.UNITS * times for times in TIMES]
    for number in units:
        counts = bootstrap.made(number, 1)
        work = bootstrap.forgotten(
            lambda c=counts: estimates(c, bootstrap.measures(), PLAN)
        )
        ours.append(timed(work, runs))
        limit.append(_product(counts.table, runs))
    return {"sizes": units, "ms": ours, "limit": limit}


def _product(table: Any, runs: int) -> float:
    """Draws by counts, in pieces that fit into memory; the first one, times all."""
    piece = table[: bootstrap.UNITS]
    draws = np.ones((PLAN.resamples, len(piece)))
    return timed(lambda: draws @ piece, runs) * len(table) / len(piece)


def timed(work: Callable[[], object], runs: int) -> float:
    """The median of some runs, after one that does not count."""
    work()
    times = []
    for _ in range(runs):
        start = process_time()
        work()
        times.append(1000 * (process_time() - start))
    return median(times)
