"""Rare errors, and cells of a confusion matrix, that a test set may not have shown.

Units that never differed are no proof that others never will. Of errors that did not
happen in n units, up to 3 / n may happen (the rule of three, at 95 %): each of them may
move the measure as far as a unit can. Where units do differ, those that move it most
stand for the others of their kind that were not drawn.

Errors without an upper limit, as a word error rate, have no furthest: a unit in which
a system runs away can be wrong by more than all its words. No interval knows of such a
failure where none was drawn. `Failures` says what three of them would do, each in the
largest unit, wrong in all its words, or as wrong as any unit was: where they would take
a score out of its interval, or make a difference insignificant, a mark says so. Where a
task declares the worst value of a unit, they are as wrong as that, and intervals know
of them, too.

An agreement beyond chance, as Cohen's kappa, hangs on cells of the confusion matrix
that may be empty. Resamples get half an item of a random cell each, as in the posterior
of the matrix with a Dirichlet prior of 1/2 spread over its cells.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from scoring.counts import Flags, Floats, Integers, pick
from scoring.measures import ClassShares, Measure
from scoring.statistics.averages import classes_of, in_order
from scoring.statistics.shares import TIE, OfSystems

# Apart from the streams of other draws.
SEED = 0x756E736565
# Masses are whole multiples of this, so that sums with counts stay exact.
STEP = 2.0**-20
# Fewer units than this that move a measure at all say nothing of how far one can: those
# that move it by a tenth of what the first of them does.
ENOUGH, AT_ALL = 2, 0.1
# Items of a class of which, at 95 %, all may be otherwise where none was.
ENOUGH_SEEN = 3.0
# Of failures that did not happen so many may, at 95 %: the rule of three.
UNSEEN = 3


@dataclass(frozen=True)
class Failures:
    """The part of one failed unit in a measure of errors without an upper limit: `most`
    (systems,), of the largest unit that there is."""

    most: Floats

    @classmethod
    def of(
        cls, tables: Floats, columns: tuple[str, ...], measure: Measure
    ) -> "Failures":
        """The failures in `tables` (units, systems, columns); 0 for other measures."""
        if measure.sizes is None or not tables.size:
            return cls(np.zeros(tables.shape[1]))
        named = [pick(tables, columns, name) for name in measure.columns]
        sizes = np.asarray(measure.sizes(*named))
        whole = sizes.sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.nan_to_num(sizes.max(axis=0) / whole)
        return cls(shares * furthest(measure, tables, columns))

    @property
    def together(self) -> Floats:
        """The part of as many units as may have been missed."""
        return UNSEEN * self.most

    def undo(
        self, pairs: tuple[Integers, Integers], shift: Floats, spread: Floats, z: float
    ) -> Flags:
        """Flags (pairs,) of differences, with the standard errors `spread`, that are
        at least z of them now, and would not be with so many failures more."""
        most = np.maximum(*(self.most[side] for side in pairs))
        left = np.abs(shift) - UNSEEN * most
        wider = np.sqrt(spread**2 + UNSEEN * most**2)
        flags = (most > 0) & (np.abs(shift) >= z * spread) & (left < z * wider)
        return np.asarray(flags)


@dataclass(frozen=True)
class UnitMoves(OfSystems):
    """How far single units move a measure of every system, each (systems,).

    `variance` is that of the measure, by what each unit adds; `up` and `down` are the
    largest moves of one unit. A variance of nan stands for one that is not known.
    """

    variance: Floats
    up: Floats
    down: Floats

    @classmethod
    def of(cls, moves: Floats, values: Floats, least: Floats) -> "UnitMoves":
        """The moves, from what each unit adds to the values, `moves` (systems, units).
        `least` (systems,) is how far a unit can move a measure in which hardly any
        differs."""
        size = max(moves.shape[1], 1)
        lacking = np.isnan(moves)
        if lacking.any():
            moves = np.where(lacking & ~lacking.all(axis=1, keepdims=True), 0.0, moves)
        off = moves - (moves.sum(axis=1) / size)[:, None]
        sizes = np.abs(off)
        # What is left of leaving a unit out that changes nothing is rounding.
        if (sizes <= TIE * np.abs(values)[:, None]).any():
            off[sizes <= TIE * np.abs(values)[:, None]] = 0.0
        variance = (off * off).sum(axis=1) * (size / max(size - 1, 1))
        few = hardly_any(off) & ~np.isnan(variance)
        least = np.where(few, least, 0.0)
        up, down = (side.max(axis=1, initial=0.0) for side in (off, -off))
        return cls(variance, np.maximum(up, least), np.maximum(down, least))

    def or_of(self, resampled: Floats, least: Floats) -> "UnitMoves":
        """These moves, and where the units are not known the variance of the resamples;
        where that is 0, a unit can move the measure by `least` (systems,)."""
        defined = ~np.isnan(self.variance)
        if defined.all():
            return self
        variance = variance_of(resampled)
        moved = np.where(variance > 0, 0.0, least)
        up, down = (np.where(defined, own, moved) for own in (self.up, self.down))
        return UnitMoves(np.where(defined, self.variance, variance), up, down)

    def with_failures(self, measure: Measure, failures: Failures) -> "UnitMoves":
        """These moves, and where a worst value is declared, a unit that is as bad as
        that."""
        if measure.worst is None:
            return self
        side = "down" if measure.higher_is_better else "up"
        most = np.maximum(getattr(self, side), failures.most)
        return replace(self, **{side: most})

    def and_more(self, variance: Floats) -> "UnitMoves":
        """These moves with so much more variance, (systems,)."""
        return replace(self, variance=self.variance + variance)


def hardly_any(moves: Floats) -> Flags:
    """Flags (...) of moves (..., units) of which fewer than two are worth a word."""
    sizes = np.abs(moves)
    largest = sizes.max(axis=-1, initial=0.0, keepdims=True)
    at_all = (sizes >= AT_ALL * largest) & (sizes > 0)
    return np.asarray(at_all.sum(axis=-1) < ENOUGH)


def rule_of_three(level: float) -> float:
    """How many units may differ where none did: 3 at 95 %, over their number."""
    return -math.log(round(1 - level, 9))


def unseen_variance(
    measure: Measure, tables: Floats, columns: tuple[str, ...]
) -> Floats:
    """The variance that a measure's own lacks, (rows,), by `tables` (units, rows,
    columns): 0 for a measure without `unseen`."""
    if measure.unseen is None:
        return np.zeros(tables.shape[1])
    named = [pick(tables, columns, name) for name in measure.columns]
    rows = np.stack(named, axis=-1).transpose(1, 0, 2)
    return np.array([measure.unseen(row) for row in rows])


def furthest(measure: Measure, tables: Floats, columns: tuple[str, ...]) -> Floats:
    """How far the measure of each system could move if all its units did, (systems,).

    `tables` (units, systems, columns) are counts. Without any limits that are known it
    is the largest value of a unit, and 1 where all are 0.
    """
    systems, totals = tables.shape[1], tables.sum(axis=0)
    if measure.worst is not None:
        return _to_worst(measure, measure.worst, tables, columns)
    if measure.reach is not None:
        named = (pick(totals, columns, name) for name in measure.columns)
        return np.asarray(measure.reach(*named)) * np.ones(systems)
    if measure.classes is not None:
        return _through_classes(classes_of(measure, totals, columns), len(tables))
    if measure.bounds is not None and np.isfinite(measure.bounds).all():
        return np.full(systems, measure.bounds[1] - measure.bounds[0])
    if measure.percent or measure.share or not measure.by_unit:
        return np.ones(systems)
    of_units = np.nan_to_num(np.abs(measure.of(tables, columns)))
    largest = of_units.max(axis=0, initial=0.0)
    return np.where(largest > 0, largest, 1.0)


def _to_worst(
    measure: Measure, worst: float, tables: Floats, columns: tuple[str, ...]
) -> Floats:
    """The way from the value of each system to the worst of a unit, declared or
    seen."""
    value = measure.of(tables.sum(axis=0), columns)
    of_units = measure.of(tables, columns)
    away = value - of_units if measure.higher_is_better else of_units - value
    seen = np.nan_to_num(away).max(axis=0, initial=0.0)
    return np.asarray(np.maximum(np.nan_to_num(np.abs(worst - value)), seen))


def _through_classes(classes: ClassShares, units: int) -> Floats:
    """How far an average could move: a unit moves the average by its class alone, the
    more the fewer items that has."""
    items = np.maximum(classes.held / 2, 1.0)  # counted on both sides
    weights = classes.weight / np.maximum(in_order(classes.weight), 1.0)[..., None]
    moved = weights * np.minimum(units / items, units / ENOUGH_SEEN)
    return np.sqrt(in_order(moved * moved))


def doubts(resamples: int, seed: int) -> tuple[Floats, npt.NDArray[np.uint64]]:
    """Masses (resamples,) with the distribution gamma(1/2), and a random number for
    each, by which its cell is chosen."""
    from statistics import NormalDist  # Slow to import, and for intervals alone.

    raw = np.random.PCG64([SEED, seed]).random_raw(2 * resamples)
    normal = NormalDist()
    z = [normal.inv_cdf((1 + (i + 0.5) / resamples) / 2) for i in range(resamples)]
    masses = np.rint(np.array(z) ** 2 / 2 / STEP) * STEP
    order = np.argsort(np.argsort(raw[:resamples], kind="stable"), kind="stable")
    return masses[order], raw[resamples:]


def with_doubts(
    measure: Measure,
    totals: Floats,
    drawn: Floats,
    columns: tuple[str, ...],
    seed: int,
) -> Floats:
    """Replicates (resamples, rows) with an item of a random kind in each; `totals` are
    those of the file (rows, columns)."""
    assert measure.with_item is not None
    masses, kinds = doubts(len(drawn), seed)
    whole, some = (
        [pick(table, columns, name) for name in measure.columns]
        for table in (totals, drawn)
    )
    more = measure.with_item(masses[:, None], kinds[:, None], whole, some)
    return np.asarray(measure.score(*more))


def means_of(resampled: Floats) -> Floats:
    """Mean of each row's numbers; nan without any."""
    whole = resampled.sum(axis=-1)
    if resampled.shape[-1] and not np.isnan(whole).any():
        return np.asarray(whole / resampled.shape[-1])
    defined = ~np.isnan(resampled)
    size = defined.sum(axis=-1)
    whole = np.where(defined, resampled, 0.0).sum(axis=-1)
    return np.where(size > 0, whole / np.maximum(size, 1), np.nan)


def variance_of(resampled: Floats) -> Floats:
    """Population variance of each row's numbers; nan without any."""
    off = resampled - means_of(resampled)[..., None]
    return means_of(off * off)
