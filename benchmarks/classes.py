"""Classes: 25,000 labels, from the bytes of two CSV files to every measure.

scikit-learn's time has that of the module csv, which reads the same bytes; it makes one
report of its three kinds of averages; MCC and kappa are asked for beside it.
"""

import csv
import random
import warnings
from typing import Any

from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    classification_report,
    cohen_kappa_score,
    matthews_corrcoef,
)

from benchmarks._timing import row
from scoring.engine import count, read_pair
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source

OTHERS = (
    accuracy_score,
    balanced_accuracy_score,
    matthews_corrcoef,
    cohen_kappa_score,
)
ITEMS, SKILL = 25_000, 0.8
LABELS = {
    3: ["negative", "neutral", "positive"],
    50: [f"intent-{i}" for i in range(50)],
}


def made(labels: list[str]) -> tuple[list[str], list[str]]:
    """Labels of gold and of a system that has four of five right."""
    rng = random.Random(1)
    gold = rng.choices(labels, k=ITEMS)
    system = [x if rng.random() < SKILL else rng.choice(labels) for x in gold]
    return gold, system


def table(labels: list[str]) -> Source:
    rows = "".join(f"item{i:06},{label}\n" for i, label in enumerate(labels))
    return Source.of_bytes("file.csv", f"id,label\n{rows}".encode())


def _plain(file: Source) -> list[list[str]]:
    return [*csv.reader(file.single().decode().splitlines())][1:]


def rows() -> list[dict[str, Any]]:
    """Paired timings, ours and the peer's in turn; medians, in milliseconds."""
    warnings.simplefilter("ignore")
    return [_row(size) for size in LABELS]


def _row(size: int) -> dict[str, Any]:
    gold, system = made(LABELS[size])
    scorer = get("classes")
    options = parse(scorer.options, {})
    files = table(gold), table(system)

    def ours() -> None:
        counts = count(scorer, read_pair(scorer, *files, options), options)
        for measure in scorer.measures(counts.columns):
            measure.of(counts.totals, counts.columns)

    def peer() -> None:
        read = [{name: label for name, label in _plain(file)} for file in files]
        pair = [*read[0].values()], [read[1][name] for name in read[0]]
        classification_report(*pair, zero_division=0)
        for score in OTHERS:
            score(*pair)

    work = f"{ITEMS} labels of {size} classes, from CSV: all measures"
    return row(work, ours, ("scikit-learn", peer), "5 x")
