"""Resampling: ours against drawing units and counting again for every resample.

Resamples begin with the bytes of a stored table of counts, on both sides.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from math import comb
from random import Random
from typing import Any

import numpy as np

from benchmarks._timing import row
from scoring.counts import Counts, Floats, Integers
from scoring.measures import Measure
from scoring.scorers import get
from scoring.statistics import bootstrap
from scoring.statistics.bootstrap import Plan, estimates
from scoring.statistics.comparison import compare, compare_all
from scoring.statistics.exchange import all_pairs, pairs_of
from scoring.statistics.groups import by_group, grouping_to_exchange
from scoring.statistics.ranks import standings

UNITS, SYSTEMS, CROWD = 2077, 50, 1000
PLAN = Plan()
FEW = 20
EACH = 25  # sentences of a document


def made(units: int, seed: int, skill: float = 0.85) -> Counts:
    """Sentences with the columns of `attachment`; words, heads, labels, classes."""
    columns = dict.fromkeys(c for m in measures() for c in m.columns)
    rng = np.random.default_rng(seed)
    words = np.random.default_rng(0).integers(3, 40, units)
    right = rng.binomial(words, skill)
    table: dict[str, Floats] = {name: words * 1.0 for name in columns}
    for name in columns:
        if name.endswith("right") or name in ("uas", "las"):
            table[name] = rng.binomial(right, 0.95) * 1.0
    names = tuple(f"s{i:06}" for i in range(units))
    return Counts(names, tuple(table), np.stack(list(table.values()), axis=1))


def measures() -> tuple[Measure, ...]:
    return get("attachment").measures(())


def in_plain_python(counts: Counts) -> None:
    """Draw units, add their rows up one by one, score; resample after resample."""
    rows = [dict(zip(counts.columns, r, strict=True)) for r in counts.table.tolist()]
    random = Random(1)
    for _ in range(FEW):
        totals = dict.fromkeys(counts.columns, 0.0)
        for unit in random.choices(range(len(rows)), k=len(rows)):
            for name, value in rows[unit].items():
                totals[name] += value
        for measure in measures():
            measure.score(*(np.float64(totals[name]) for name in measure.columns))


def array_by_array(counts: Counts) -> None:
    """The usual way with arrays: gather the drawn rows, sum, score; draw by draw."""
    rng = np.random.default_rng(1)
    for _ in range(FEW):
        chosen = counts.table[rng.integers(0, len(counts.table), len(counts.table))]
        totals = chosen.sum(axis=0)
        for measure in measures():
            measure.of(totals, counts.columns)


def by_scipy(counts: Counts) -> None:
    """`scipy.stats.bootstrap` around one measure: its replicates and its jackknife."""
    from scipy import stats

    measure = measures()[0]

    def value(chosen: Integers) -> float:
        return float(measure.of(counts.table[chosen].sum(axis=0), counts.columns))

    units = np.arange(len(counts.table))
    interval = stats.bootstrap(
        (units,), value, vectorized=False, n_resamples=PLAN.resamples, method="BCa"
    )
    if not interval.standard_error > 0:
        raise ValueError("nothing was resampled")


def some_pairs(systems: dict[str, Counts], measure: Measure) -> None:
    """Both systems of a pair resampled for the pair alone, for one pair in 25."""
    for pair in list(combinations(systems, 2))[::25]:
        compare(pair, (systems[pair[0]], systems[pair[1]]), measure, PLAN)


def some_tests(systems: dict[str, Counts], measure: Measure) -> None:
    """The exchange test of a pair by itself, for the first FEW pairs."""
    for one, other in list(combinations(systems.values(), 2))[:FEW]:
        all_pairs([[one], [other]], measure)


def forgotten(work: Callable[[], Any]) -> Callable[[], Any]:
    """The same without draws at hand."""

    def run() -> None:
        bootstrap._stored_weights.cache_clear()
        work()

    return run


def rows() -> list[dict[str, Any]]:
    """Paired timings, ours and the peer's in turn; medians, in milliseconds."""
    stored = made(UNITS, 1).save()
    systems = {f"s{k}": made(UNITS, k, 0.85 - k / 2000) for k in range(SYSTEMS)}
    las = get("attachment").measure("las")

    def all_measures() -> None:
        estimates(Counts.load(stored), measures(), PLAN)

    def board() -> None:
        standings(all_pairs([[c] for c in systems.values()], las), True)

    def pairs() -> None:
        compare_all(systems, las, PLAN)

    crowd = {f"s{k}": made(UNITS, k) for k in range(CROWD)}

    def tests() -> None:
        pairs_of([[c] for c in systems.values()], measures())

    def crowded() -> None:
        all_pairs([[c] for c in crowd.values()], las)

    labels = tuple(f"d{i // EACH}" for i in range(UNITS))
    of_documents = [
        [replace(counts, groups={"document": labels})] for counts in crowd.values()
    ]

    def by_document() -> None:
        grouping_to_exchange(of_documents, las, ["document"])
        all_pairs(by_group(of_documents, las, "document"), las)

    share = PLAN.resamples / FEW
    plain = "plain Python loop", lambda: in_plain_python(Counts.load(stored))
    arrays = "NumPy, draw by draw", lambda: array_by_array(Counts.load(stored))
    scipy = "scipy.stats.bootstrap", lambda: by_scipy(Counts.load(stored))
    alone = "pair by pair", lambda: some_pairs(systems, las)
    tested = "pair by pair", lambda: some_tests(systems, las)
    board_of = f"board of {SYSTEMS}: ranks, ranges, clusters"
    words = f"{PLAN.resamples} resamples of {UNITS} stored sentences, 9 measures"
    at_hand = f"{words}, draws at hand"
    return [
        row(at_hand, all_measures, plain, "15 ms, 50 x", share),
        row(at_hand, all_measures, scipy, "15 ms, 50 x", len(measures())),
        row(at_hand, all_measures, arrays, "15 ms", share),
        row(f"{words}, draws made", forgotten(all_measures), plain, "60 ms", share),
        row(board_of, board, alone, "1000 ms", 25),
        row(f"all pairs of {SYSTEMS}, both tests", pairs, alone, "", 25),
        row(
            f"all pairs of {SYSTEMS} tested, 9 measures",
            tests,
            tested,
            "100 ms",
            len(measures()) * comb(SYSTEMS, 2) / FEW,
        ),
        row(
            f"all pairs of {CROWD} tested",
            crowded,
            tested,
            "3000 ms",
            comb(CROWD, 2) / FEW,
        ),
        row(
            f"all pairs of {CROWD} tested by document",
            by_document,
            tested,
            "3000 ms",
            comb(CROWD, 2) / FEW,
        ),
    ]
