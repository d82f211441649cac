"""Classes: 25,000 labels, reading included, against a report of scikit-learn.

The peer gets lists of labels that were read for it beforehand.
"""

import random
import warnings
from typing import Any

from sklearn.metrics import classification_report

from benchmarks._timing import row
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source

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


def rows() -> list[dict[str, Any]]:
    """Paired timings, ours and the peer's in turn; medians, in milliseconds."""
    warnings.simplefilter("ignore")
    return [_row(size) for size in LABELS]


def _row(size: int) -> dict[str, Any]:
    gold, system = made(LABELS[size])
    scorer = get("classes")
    options = parse(scorer.options, {})
    answers, file = scorer.read_gold(table(gold), options), table(system)

    def ours() -> None:
        found = scorer.read_system(file, options, answers)
        counts = scorer.count(answers, found, options)
        for measure in scorer.measures(counts.columns):
            measure.of(counts.totals, counts.columns)

    def peer() -> None:
        classification_report(gold, system, zero_division=0)

    work = f"{ITEMS} labels of {size} classes: all measures"
    target = "10 ms" if size == 3 else ""
    return row(work, ours, ("scikit-learn", peer), target)
