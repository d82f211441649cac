"""`python -m benchmarks.pairs [SYSTEMS]`: all pairs of a large board, in one process;
with --documents those of systems that do well in so many documents by themselves.

Printed are processor time, time by the clock and the memory of the process at its most,
for boards of three kinds: systems far apart, closer together, and all alike.
"""

import argparse
import os
import resource
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as in a worker

from dataclasses import replace

import numpy as np

from benchmarks.bootstrap import UNITS, made
from benchmarks.simulation.documents import Documents, tested
from scoring.counts import Counts, narrow
from scoring.scorers import get
from scoring.statistics.large_boards import told_apart
from scoring.statistics.power import resolution
from scoring.statistics.ranks import standings

SPREADS = (0.3, 0.1, 0.0)  # between the skills of the best and the worst
LEVEL = 0.95


def main(arguments: list[str] | None = None) -> int:
    called = argparse.ArgumentParser(prog="python -m benchmarks.pairs")
    called.add_argument("systems", type=int, nargs="?", default=10_000)
    called.add_argument("--spread", type=float, help="one kind of board only")
    called.add_argument("--documents", type=int, nargs="+", default=())
    options = called.parse_args(arguments)
    for documents in options.documents:
        print(_by_document(options.systems, documents), flush=True)
    if options.documents:
        return 0
    spreads = SPREADS if options.spread is None else (options.spread,)
    for spread in spreads:
        print(_row(options.systems, spread), flush=True)
    return 0


def _row(size: int, spread: float) -> str:
    las = get("attachment").measure("las")
    systems = [[_counts(number, size, spread)] for number in range(size)]
    worked, clock = time.process_time(), time.monotonic()
    pairs = told_apart(systems, las, LEVEL)
    ranks, smallest = standings(pairs, True, LEVEL), resolution(pairs, LEVEL)
    worked, clock = time.process_time() - worked, time.monotonic() - clock
    lines = max(rank.cluster or 0 for rank in ranks) - 1
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    told = pairs.family.told_apart if pairs.family else 0
    return (
        f"{size:,} systems, skills {spread} apart, {UNITS:,} units: {worked:.1f} s of "
        f"processor time, {clock:.1f} s, {memory:,} MiB; {told:,} pairs told apart, "
        f"{lines} lines, resolution {smallest}"
    )


def _by_document(size: int, documents: int) -> str:
    skills = np.linspace(0.6, 0.9, size).tolist()
    rows = Documents(documents, 0.05).draw(np.random.default_rng(3), skills)
    worked, clock = time.process_time(), time.monotonic()
    tested(rows)
    worked, clock = time.process_time() - worked, time.monotonic() - clock
    return (
        f"{size:,} systems, {documents} documents: {worked:.1f} s of processor time, "
        f"{clock:.1f} s"
    )


def _counts(number: int, size: int, spread: float) -> Counts:
    """Counts as a board keeps them: the columns of one measure, and names shared."""
    counts = made(UNITS, number, 0.85 - spread * number / size)
    counts = counts.of_columns(get("attachment").measure("las").columns)
    return replace(counts, units=_NAMES, table=narrow(counts.table))


_NAMES = made(UNITS, 0).units


if __name__ == "__main__":
    sys.exit(main())
