"""A measure is a value: a name and a function of summed counts, or of weighed rows."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

import numpy as np

from scoring.counts import (
    Flags,
    Floats,
    Integers,
    columns_of_all_tags,
    is_of_all_tags,
    pick,
)


class ClassShares(NamedTuple):
    """Classes that a measure averages over, each (..., classes).

    `part` and `whole` are those of the measure of each class, `held` how often it is on
    either side, and `weight` how much it counts, where the rows are those of a file.
    """

    part: Floats
    whole: Floats
    held: Floats
    weight: Floats


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure of a result, a function of summed counts or of weighed rows.

    `score` takes one array per name in `columns`, each of any one shape (...), and
    returns an array of that shape, nan where undefined (shown as "n/a"). The same
    function so gives the score of a file, of every unit and of every resample. A name
    as `match[]` stands for the columns of all tags, (..., tags); one that nobody used
    must change nothing.
    `percent` says that values are shares, displayed times 100. `present` names columns
    of which one must be above 0 in a resample, else it is left out. `share` takes what
    `score` takes and returns part and whole where the measure is part / whole with
    0 <= part <= whole: those get an interval near 0 and 1, too. `of_file` says that the
    value is given for a whole file, not computed from units: it has no interval, and
    systems are not tested by it. `decimals` are those of the value as shown.

    What else an interval needs to know: `fractions` says that the share is a mean of
    fractions, as of a similarity of each text, not of answers right or wrong. `classes`
    takes what `score` takes and returns the shares that the measure averages over.
    `with_item` is for measures of a confusion matrix: of masses, random numbers, and
    two lists of what `score` takes, of a file and of resamples, it returns the second
    with an item of a random pair of the file's classes added to each. `bounds` are the
    lowest and the highest value that there can be, and `reach` takes what `score` takes
    and returns how far the measure could move if all units were otherwise; without it
    the bounds say so, and for shares they are 0 and 1. `sizes` is for errors without an
    upper limit: it takes what `score` takes, of units, and returns how large each is,
    such as its words, of which the measure is the errors of one. `worst` is the value
    that no unit can be worse than, where somebody declared one. `unseen` takes a table
    as `weighted` does and returns what the variance of the measure lacks where answers
    that are likely were not drawn.

    A measure that is no function of sums, as a rank correlation, has `weighted` in
    place of `score` (`weighed_measure`). It takes weights (k, rows), how often each row
    counts, and a table (rows, columns), and returns an array (k,), nan where undefined.
    Each row that counts twice is as good as two rows; whole weights give the same
    result in any order of the rows. `slopes` takes weights (rows,), here any number
    from 0, and a table, and returns the derivative of the value by each row's weight;
    it may be left out, and is then worked out by small steps, which takes long.
    `stepwise` says that the value turns over at once or not at all, as an order does:
    its slopes are 0, and systems are tested by swaps of whole units instead. `biased`
    says that few rows move the value to one side, as resamples do again: intervals
    reach as far as that may have been. On fewer units than `tested_from` systems are
    not tested, since differences would be found too often. `sides` is for areas under
    curves: it takes a table and returns a number for each row (rows,), the same for
    rows that are compared with the same others.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    score: Callable[..., Floats]
    formula: str
    higher_is_better: bool = True
    percent: bool = True
    present: tuple[str, ...] = ()
    share: Callable[..., tuple[Floats, Floats]] | None = None
    of_file: bool = False
    decimals: int | None = None
    weighted: Callable[[Floats, Floats], Floats] | None = None
    slopes: Callable[[Floats, Floats], Floats] | None = None
    fractions: bool = False
    classes: Callable[..., ClassShares] | None = None
    with_item: Callable[..., list[Floats]] | None = None
    bounds: tuple[float, float] | None = None
    reach: Callable[..., Floats] | None = None
    sizes: Callable[..., Floats] | None = None
    worst: float | None = None
    unseen: Callable[[Floats], float] | None = None
    stepwise: bool = False
    biased: bool = False
    tested_from: int = 0
    sides: Callable[[Floats], Integers] | None = None

    @property
    def open_ended(self) -> bool:
        """Whether these are errors of which nothing says how bad a unit may be."""
        limits = (self.worst, self.reach, self.bounds, self.classes, self.share)
        limited = self.percent or any(limit is not None for limit in limits)
        return self.sizes is not None and not limited

    @property
    def ranks_rows(self) -> bool:
        """Whether the mean of resamples leaves the value without any bias, since rows
        that are drawn twice are tied."""
        return self.weighted is not None and not self.biased

    @property
    def by_unit(self) -> bool:
        """Whether a single unit has a value: not where only rows together have one."""
        return self.weighted is None

    def part_and_whole(
        self, table: Floats, columns: tuple[str, ...]
    ) -> tuple[Floats, Floats] | None:
        """Part and whole of each row of `table` (..., columns); None for no share."""
        if self.share is None:
            return None
        return self.share(*(pick(table, columns, name) for name in self.columns))

    def informed(self, table: Floats, columns: tuple[str, ...]) -> Flags:
        """Flags of units that bear on the measure: one of its columns is not 0."""
        shares = self.part_and_whole(table, columns)
        if shares is not None:
            return np.asarray((shares[0] != 0) | (shares[1] != 0))
        bears = np.zeros(table.shape[:-1], dtype=np.bool_)
        for name in self.columns:
            own = pick(table, columns, name) != 0
            bears |= own.any(axis=-1) if is_of_all_tags(name) else own
        return bears

    def of(self, totals: Floats, columns: tuple[str, ...]) -> Floats:
        """Values for `totals` of shape (..., columns), shape (...): nan where the
        measure is no function of sums."""
        return self.score(*(pick(totals, columns, name) for name in self.columns))

    def written_out(self, columns: Iterable[str]) -> list[list[str]]:
        """The columns behind each name, of which only one of all tags has several."""
        return [
            columns_of_all_tags(columns, name) if is_of_all_tags(name) else [name]
            for name in self.columns
        ]

    def over(self, columns: tuple[str, ...]) -> "Measure":
        """This measure with single columns only, those that a table has."""
        if not any(is_of_all_tags(name) for name in self.columns):
            return self
        written, own = self.written_out(columns), self.columns
        single = tuple(chain.from_iterable(written))

        def score(*values: Floats) -> Floats:
            table = np.stack(np.broadcast_arrays(*values), axis=-1)
            return self.score(*(pick(table, single, name) for name in own))

        return replace(
            self,
            columns=single,
            score=score,
            classes=None,
            with_item=None,
            reach=None,
            sizes=None,
        )

    def resampled(self, totals: Floats, columns: tuple[str, ...]) -> Floats:
        """Values for resamples: nan also where nothing of `present` was drawn.

        A tag without any span has documented values, but a resample without any span
        of the tag says nothing about it (SCORING.md, `spans`).
        """
        values = self.of(totals, columns)
        if not self.present:
            return values
        drawn = np.zeros(values.shape, dtype=np.bool_)
        for name in self.present:
            drawn |= pick(totals, columns, name) > 0
        return np.where(drawn, values, np.nan)


def no_function_of_sums(*columns: Floats) -> Floats:
    """N/a throughout: the `score` of a measure of weighed rows."""
    return np.full(np.shape(columns[0]), np.nan)


def weighed_measure(
    name: str,
    title: str,
    columns: tuple[str, ...],
    weighted: Callable[[Floats, Floats], Floats],
    formula: str,
    slopes: Callable[[Floats, Floats], Floats] | None = None,
    higher_is_better: bool = True,
    percent: bool = False,
    bounds: tuple[float, float] | None = None,
    stepwise: bool = False,
) -> Measure:
    """Measure that is no function of sums, but of rows and how often each counts. One
    of its columns should be 1 in every row: units without any do not bear on it."""
    return Measure(
        name,
        title,
        columns,
        no_function_of_sums,
        formula,
        higher_is_better,
        percent,
        weighted=weighted,
        slopes=slopes,
        bounds=bounds,
        stepwise=stepwise,
    )


def ratio(part: Floats, whole: Floats) -> Floats:
    """part / whole, nan where whole is 0."""
    out = np.full(np.broadcast_shapes(np.shape(part), np.shape(whole)), np.nan)
    np.divide(part, whole, out=out, where=np.asarray(whole) != 0)
    return out


def simple_share(part: Floats, whole: Floats) -> tuple[Floats, Floats]:
    """Share of the first of two columns in the second."""
    return part, whole


def share_measure(
    name: str,
    title: str,
    columns: tuple[str, str],
    formula: str,
    score: Callable[..., Floats] = ratio,
) -> Measure:
    """Measure that is the share of the first of two columns in the second."""
    return Measure(name, title, columns, score, formula, share=simple_share)


def mean_of_fractions(
    name: str, title: str, columns: tuple[str, str], formula: str
) -> Measure:
    """Measure that is the mean of numbers from 0 to 1: the first of two columns has
    their sum, the second how many they are."""
    measure = share_measure(name, title, columns, formula)
    return replace(measure, fractions=True)


def f1_share(correct: Floats, system: Floats, gold: Floats) -> tuple[Floats, Floats]:
    """F1 as a share: correct, counted on both sides, of both sides."""
    return 2 * correct, system + gold


def ratio_or_zero(part: Floats, whole: Floats) -> Floats:
    """part / whole, 0 where whole is 0."""
    out = np.zeros(np.broadcast_shapes(np.shape(part), np.shape(whole)))
    np.divide(part, whole, out=out, where=np.asarray(whole) != 0)
    return out


def f1(correct: Floats, system: Floats, gold: Floats) -> Floats:
    """Harmonic mean of correct/system and correct/gold; nan where either is."""
    undefined = (np.asarray(system) == 0) | (np.asarray(gold) == 0)
    return np.where(undefined, np.nan, ratio(2 * correct, system + gold))


def f1_of_any(correct: Floats, system: Floats, gold: Floats) -> Floats:
    """F1, 0 where one side has nothing, nan where neither has."""
    return ratio(2 * correct, np.asarray(system) + gold)


def f1_or_zero(correct: Floats, system: Floats, gold: Floats) -> Floats:
    """F1, 0 wherever a side has nothing."""
    return ratio_or_zero(2 * correct, np.asarray(system) + gold)


def f1_measure(
    name: str,
    title: str,
    columns: tuple[str, str, str],
    formula: str,
    score: Callable[..., Floats] = f1,
) -> Measure:
    """Measure that is the F1 of columns: correct, of the system, of the gold."""
    return Measure(name, title, columns, score, formula, share=f1_share)
