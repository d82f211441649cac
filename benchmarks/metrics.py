"""`metrics`: accuracy with calibrated ties of 30 systems on 1,000 segments.

The peer is plain numpy: for each segment the pairs of its systems, all of them sorted
by difference, and a running sum; Pearson and Kendall of each segment by scipy. Both
read the same files; ours has correlations of systems and of all scores, too.
"""

import csv
from typing import Any

import numpy as np
from scipy.stats import kendalltau, pearsonr

from benchmarks._timing import row
from scoring.counts import Floats
from scoring.engine import count, read_pair
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


def correlations(people: Floats, metric: Floats) -> tuple[float, float]:
    """Means over segments, which scipy says one by one."""
    pairs = [*zip(people.T, metric.T, strict=True)]
    return (
        float(np.mean([pearsonr(*pair).statistic for pair in pairs])),
        float(np.mean([kendalltau(*pair).statistic for pair in pairs])),
    )


def source(scores: Floats) -> Source:
    lines = [
        f"s{system:02},{segment},{score!r}\n"
        for system, own in enumerate(scores.tolist())
        for segment, score in enumerate(own)
    ]
    text = "system,segment,score\n" + "".join(lines)
    return Source.of_bytes("scores.csv", text.encode())


def read(file: Source) -> Floats:
    """The scores of a file, (systems, segments), by the module csv."""
    lines = csv.reader(file.single().decode().splitlines()[1:])
    scores: dict[str, list[float]] = {}
    for system, _segment, score in lines:
        scores.setdefault(system, []).append(float(score))
    return np.array([*scores.values()])


def rows() -> list[dict[str, Any]]:
    """Paired timings, ours and the peer's in turn; medians, in milliseconds."""
    people, metric = map(source, made())
    scorer = get("metrics")
    options = parse(scorer.options, {})
    ones = np.ones((1, SEGMENTS))

    def ours() -> float:
        forget()
        pair = read_pair(scorer, people, metric, options)
        counts = count(scorer, pair, options)
        (table,) = Rows.of([counts], scorer.measure("acc_eq_item")).tables
        return float(calibrate(ones, table, Averaged.ITEM)[0][0])

    def peer() -> float:
        scores = read(people), read(metric)
        correlations(*scores)
        return plain(*scores)

    if abs(ours() - peer()) > 1e-9:
        raise ValueError(f"{ours()} and {peer()}")
    work = f"metrics, {SYSTEMS} systems, {SEGMENTS:,} segments, from CSV"
    return [row(work, ours, ("plain numpy and scipy", peer), TARGET)]
