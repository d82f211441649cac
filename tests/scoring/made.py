"""Made-up counts and measures with known properties."""

from collections.abc import Sequence

import numpy as np

from scoring.counts import Counts, Floats
from scoring.measures import Measure, f1, f1_share, ratio, simple_share
from scoring.statistics.bootstrap import Plan, ordered_table, totals_of

COLUMNS = ("right", "returned", "wanted")

ACCURACY = Measure(
    "accuracy",
    "Accuracy",
    ("right", "wanted"),
    ratio,
    "right / wanted",
    share=simple_share,
)
F1 = Measure("f1", "F1", COLUMNS, f1, "harmonic mean", share=f1_share)
TOTAL = Measure("total", "Total", ("right",), np.asarray, "right", percent=False)


def mistakes_per_word(right: Floats, wanted: Floats) -> Floats:
    return ratio(wanted - right, wanted)


ERROR = Measure(
    "error",
    "Error rate",
    ("right", "wanted"),
    mistakes_per_word,
    "1 - right / wanted",
    higher_is_better=False,
    share=lambda right, wanted: (wanted - right, wanted),
)


def counts_of(rows: Sequence[Sequence[float]], prefix: str = "u") -> Counts:
    """Counts of (right, returned, wanted) rows; unit names sort as the rows do."""
    names = tuple(f"{prefix}{i:06}" for i in range(len(rows)))
    table = np.array(rows, dtype=np.float64).reshape(len(rows), len(COLUMNS))
    return Counts(names, COLUMNS, table)


def random_counts(units: int, seed: int, skill: float = 0.8) -> Counts:
    """Sentences of 1 to 30 words, each word right with probability `skill`."""
    rng = np.random.default_rng(seed)
    wanted = rng.integers(1, 31, units)
    right = rng.binomial(wanted, skill)
    returned = np.maximum(right, wanted - rng.integers(0, 3, units))
    return counts_of(np.stack([right, returned, wanted], axis=1))


def replicates(counts: Counts, measure: Measure, plan: Plan) -> Floats:
    """The measure in every resample, nan where undefined (resamples,)."""
    totals = totals_of(ordered_table(counts), plan)
    return measure.resampled(totals, counts.columns)


def systems_on_shared_units(
    units: int, skills: Sequence[float], seed: int
) -> dict[str, Counts]:
    """Systems that meet the same sentences: hard ones are hard for all of them."""
    rng = np.random.default_rng(seed)
    wanted = rng.integers(1, 31, units)
    ease = rng.normal(0, 0.1, units)
    found = {}
    for number, skill in enumerate(skills, 1):
        right = rng.binomial(wanted, np.clip(skill + ease, 0, 1))
        rows = np.stack([right, wanted, wanted], axis=1)
        found[f"system{number}"] = counts_of(rows)
    return found
