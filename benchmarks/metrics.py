"""`metrics`: accuracy with calibrated ties of 30 systems on 1,000 segments.

The peer is plain numpy: for each segment the pairs of its systems, all of them sorted
by difference, and a running sum. Both have read the scores.
"""

from typing import Any

import numpy as np

from benchmarks._timing import row
from scoring.counts import Floats
from scoring.engine import count
from scoring.options import parse
from scoring.scorers import get
from scoring.scorers.metrics.ties import Averaged, calibrate, forget
from scoring.source import Source
from scoring.statistics.row_weights import Rows

SYSTEMS, SEGMENTS = 30, 1000
TARGET = 5


def made() -> tuple[Floats, Floats]:
    """Scores of people from 0 to 100 and of a metric, (systems, segments)."""
    rng = np.random.default_rng(1)
    size = SYSTEMS, SEGMENTS
    quality = 8 * rng.normal(size=(SYSTEMS, 1)) + 10 * rng.normal(size=(1, SEGMENTS))
    people = np.clip(np.rint(80 + quality + 12 * rng.normal(size=size)), 0, 100)
    return people, np.round(0.01 * people + 0.1 * rng.normal(size=size), 4)


def plain(people: Floats, metric: Floats) -> float:
    """The accuracy in plain numpy."""
    close, before, after = [], [], []
    first, second = np.triu_indices(SYSTEMS, 1)
    for segment in range(SEGMENTS):
        human = people[first, segment] - people[second, segment]
        gap = metric[first, segment] - metric[second, segment]
        close.append(np.abs(gap))
        before.append(np.sign(human) == np.sign(gap))
        after.append(human == 0)
    differences = np.concatenate(close)
    order = np.argsort(differences)
    differences = differences[order]
    gains = np.concatenate(after)[order].astype(float) - np.concatenate(before)[order]
    sums = np.concatenate(before).sum() + np.cumsum(gains)
    last = np.append(differences[1:] != differences[:-1], True)
    return float(sums[last].max()) / len(differences)


def source(scores: Floats) -> Source:
    lines = [
        f"s{system:02},{segment},{score!r}\n"
        for system, own in enumerate(scores.tolist())
        for segment, score in enumerate(own)
    ]
    text = "system,segment,score\n" + "".join(lines)
    return Source.of_bytes("scores.csv", text.encode())


def rows() -> list[dict[str, Any]]:
    """Paired timings, ours and the peer's in turn; medians, in milliseconds."""
    people, metric = made()
    scorer = get("metrics")
    options = parse(scorer.options, {})
    gold = scorer.read_gold(source(people), options)
    counts = count(
        scorer, (gold, scorer.read_system(source(metric), options, gold)), options
    )
    (table,) = Rows.of([counts], scorer.measure("acc_eq_item")).tables
    ones = np.ones((1, SEGMENTS))

    def ours() -> float:
        forget()
        return float(calibrate(ones, table, Averaged.ITEM).values[0])

    def peer() -> float:
        return plain(people, metric)

    if abs(ours() - peer()) > 1e-9:
        raise ValueError(f"{ours()} and {peer()}")
    work = f"accuracy with ties, {SYSTEMS} systems, {SEGMENTS:,} segments"
    return [row(work, ours, ("plain numpy", peer), TARGET)]
