"""Several runs of one system, as from several seeds, counted as one entry.

The value of the entry is the mean over its runs. Two things make it uncertain: which
units the test set has, and which runs there happened to be. Resamples of the mean over
the same units get the first; the second adds to each the mean of as many runs drawn
with replacement, less the mean of all. Drawn means of R runs vary too little, by
(R - 1) / R, which is made up for.

Where an entry names the prompt of each run, it is prompts that there happened to be:
the means of their runs take the place of runs.

Systems of a board may have different numbers of runs, and one run as before. Arrays
called `rows` have a row for each run of each system, in order.
"""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from scoring.counts import Counts, Floats, Integers
from scoring.measures import Measure
from scoring.statistics.row_weights import Rows

# One stream for all test sets: a run is the same system on each of them.
SEED = 0x72756E73


def apart(systems: Sequence[Counts]) -> tuple[list[Counts], Integers]:
    """Each run as a system by itself, and the number of runs of each, (systems,)."""
    singles = [system.each_run() for system in systems]
    sizes = np.array([len(some) for some in singles], dtype=np.int64)
    return [run for some in singles for run in some], sizes


def runs_unknown(sizes: Iterable[int]) -> bool:
    """Whether nothing tells how much runs of a system differ, from the numbers of runs
    of all: none has several. Intervals and tests are then of units alone."""
    return all(size == 1 for size in sizes)


def common_multiple(systems: Sequence[Counts]) -> int:
    """The smallest number that all their numbers of runs divide."""
    return math.lcm(*(system.size for system in systems))


def means(rows: Floats, sizes: Integers) -> Floats:
    """Means over runs of `rows` (rows, ...), shape (systems, ...)."""
    if len(rows) == len(sizes):
        return rows
    if rows.ndim == 1:
        parts = np.split(rows, _starts(sizes)[1:])
        return np.array([_mean(part) for part in parts])
    averages = np.zeros((len(sizes), *rows.shape[1:]))
    for i, start in enumerate(_starts(sizes)):
        for row in rows[start : start + sizes[i]]:
            averages[i] += row
        averages[i] /= sizes[i]
    return averages


def sums_over_runs(tables: Floats, sizes: Integers) -> Floats:
    """Sums over runs of `tables` (units, rows, columns), (units, systems, columns)."""
    if tables.shape[1] == len(sizes):
        return tables
    return np.asarray(np.add.reduceat(tables, _starts(sizes), axis=1))


def several_prompts(counts: Counts) -> bool:
    """Whether an entry names two prompts or more."""
    return len(set(counts.prompts)) > 1


def by_prompt(rows: Floats, prompts: Sequence[str]) -> Floats:
    """`rows` (runs, ...) as means of the runs of each prompt, in the order of names. As
    they are where fewer than two prompts are named."""
    names = sorted(set(prompts))
    if len(names) < 2:
        return rows
    of = np.array([names.index(name) for name in prompts])
    return np.stack(
        [
            means(rows[of == k], np.array([(of == k).sum()]))[0]
            for k in range(len(names))
        ]
    )


def side_by_side(
    rows: Floats, sizes: Integers, prompts: Sequence[Sequence[str]] = ()
) -> Floats | None:
    """`rows` (rows,) as (systems, most runs), nan behind the last run of a system; the
    runs of one prompt are one there, their mean. None where no system has several."""
    if len(rows) == len(sizes):
        return None
    by_system = np.full((len(sizes), int(sizes.max())), np.nan)
    for i, start in enumerate(_starts(sizes)):
        own = rows[start : start + sizes[i]]
        own = by_prompt(own, prompts[i] if prompts else ())
        by_system[i, : len(own)] = own
    return by_system


def mean_of_sets(sets: Sequence[Floats | None], size: int) -> Floats | None:
    """Values of runs (systems, most runs) in the mean over `size` test sets. A system
    that lacks a test set has 0 on it in each run."""
    given = [values for values in sets if values is not None]
    if not given:
        return None
    most = max(values.shape[1] for values in given)
    averages = np.zeros((len(given[0]), most))
    counted = np.max([_sizes(values) for values in given], axis=0)
    for values in given:
        sizes = _sizes(values)
        for r in range(values.shape[1]):
            has = sizes > r
            averages[has, r] += values[has, r] / size
    averages[np.arange(most) >= counted[:, None]] = np.nan
    return averages


def between(runs: Floats | None, systems: int) -> Floats:
    """Standard deviation between the runs of each system, nan where it has one."""
    deviations = np.full(systems, np.nan)
    for i, values in enumerate(() if runs is None else _values(runs)):
        if len(values) > 1:
            deviations[i] = math.sqrt(_squares(values) / (len(values) - 1))
    return deviations


def resample_runs(resampled: Floats, runs: Floats | None) -> Floats:
    """Resampled means (systems, resamples) with the runs drawn anew, too."""
    if runs is None:
        return resampled
    changed = resampled.copy()
    for i, values in enumerate(_values(runs)):
        size = len(values)
        if size < 2:
            continue
        off = (values - _mean(values)) * math.sqrt(size / (size - 1)) / size
        often = _draws_of_runs(size, resampled.shape[1])
        for r in range(size):
            changed[i] += often[:, r] * off[r]
    return changed


def _draws_of_runs(runs: int, resamples: int) -> Integers:
    """Counts of draws of each run, (resamples, runs), the same for all systems."""
    raw = np.random.PCG64([SEED, runs]).random_raw(resamples * runs)
    places = ((raw >> np.uint64(32)) * np.uint64(runs)) >> np.uint64(32)
    cells = places.astype(np.int64).reshape(resamples, runs)
    cells += np.arange(resamples, dtype=np.int64)[:, None] * runs
    often = np.bincount(cells.ravel(), minlength=resamples * runs)
    return often.reshape(resamples, runs)


def value_of(counts: Counts, measure: Measure) -> float:
    """The mean over runs; nan where the measure is undefined in one."""
    each = counts.each_run()
    if measure.weighted is not None:
        return _mean(Rows.of(each, measure).values(measure))
    values = [float(measure.of(run.totals, run.columns)) for run in each]
    return _mean(np.array(values))


def _mean(values: Floats) -> float:
    """Mean; of numbers that are all the same that number, to the last bit."""
    first = float(values[0])
    same = bool((values == first).all())
    return first if same else math.fsum(values.tolist()) / len(values)


def _starts(sizes: Integers) -> Integers:
    return np.cumsum(sizes) - sizes


def _sizes(runs: Floats) -> Integers:
    """The number of runs of each system: a value may be nan, but not all behind it."""
    return np.asarray((~np.isnan(runs)).sum(axis=1))


def _values(runs: Floats) -> list[Floats]:
    return [row[~np.isnan(row)] for row in runs]


def _squares(values: Floats) -> float:
    mean = _mean(values)
    return math.fsum((value - mean) ** 2 for value in values.tolist())
