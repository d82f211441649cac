"""Numbers: resamples of rank correlations against scipy, which ranks each anew.

Both begin with the bytes of the files, which the module csv reads for scipy.
"""

import csv
from typing import Any

import numpy as np
from scipy.stats import kendalltau, spearmanr

from benchmarks._timing import row
from scoring.counts import Counts, Floats
from scoring.engine import Job, count_file
from scoring.measures import Measure
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source
from scoring.statistics import row_weights
from scoring.statistics.bootstrap import Plan, draws, mean_sample_of

PAIRS, PLAN = 2000, Plan(resamples=1000)


def values() -> tuple[Floats, Floats]:
    """Grades from 0 to 5 in steps of a fifth, and a system that comes near them."""
    rng = np.random.default_rng(1)
    gold = rng.integers(0, 26, PAIRS) / 5
    return gold, gold + rng.normal(size=PAIRS)


def source(numbers: Floats) -> Source:
    lines = (f"i{place},{value!r}\n" for place, value in enumerate(numbers.tolist()))
    return Source.of_bytes("numbers.csv", ("id,value\n" + "".join(lines)).encode())


def counted(gold: Source, system: Source) -> Counts:
    scorer = get("numbers")
    options = parse(scorer.options, {})
    answers = scorer.read_gold(gold, options)
    return count_file(Job(scorer, options), answers, system)


def read(file: Source) -> Floats:
    lines = [*csv.reader(file.single().decode().splitlines())][1:]
    return np.array([float(value) for _id, value in lines])


def resampled(counts: Counts, measure: Measure) -> Floats:
    row_weights.forget()
    return mean_sample_of([[(counts, PLAN)]], measure).resampled


def rows() -> list[dict[str, Any]]:
    """Paired timings, ours and the peer's in turn; medians, in milliseconds."""
    files = tuple(map(source, values()))
    weights = np.concatenate([*draws(PAIRS, PLAN.resamples, PLAN.seed)])
    lines = []
    for name, peer in (("spearman", spearmanr), ("kendall", kendalltau)):
        measure = get("numbers").measure(name)

        def ours(measure: Measure = measure) -> None:
            resampled(counted(*files), measure)

        def theirs(peer: Any = peer) -> None:
            gold, system = map(read, files)
            for drawn in weights:
                peer(np.repeat(gold, drawn), np.repeat(system, drawn))

        work = f"{PLAN.resamples:,} resamples of {name} on {PAIRS:,} pairs, from CSV"
        target = "under 400 ms" if name == "spearman" else ""
        lines.append(row(work, ours, ("scipy", theirs), target))
    return lines
