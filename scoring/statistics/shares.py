"""Wilson's interval of shares, with the effective number of independent answers.

The number is that of Korn and Graubard (1998): R (1 - R) / v, with v the linearised
variance over units. Answers that are right or wrong are never worth more than there
are. A mean of fractions has no such limit: texts that all score about 0.6 say more
about their mean than as many coin flips. Its interval is that of the resamples, and
Wilson's only where nearly all units are 0 or 1.
"""

from dataclasses import dataclass, fields, replace
from typing import Self, TypeVar

import numpy as np

from scoring.counts import Flags, Floats, Integers

Rows = TypeVar("Rows", Floats, Integers)

# Two values that differ by less than this share of their size are the same number,
# reached on two ways.
TIE = 1e-12
# With so many units between 0 and 1 the resamples of fractions are enough.
ENOUGH_BETWEEN = 10


@dataclass(frozen=True)
class OfSystems:
    """Numbers of systems: each array has a row for each of them."""

    def among_all(self, answered: Flags) -> Self:
        """These numbers among systems of which only those `answered` (systems,): 0 for
        all others."""
        if answered.all():
            return self
        moved = {f.name: getattr(self, f.name) for f in fields(self)}
        for name, value in moved.items():
            if isinstance(value, np.ndarray):
                moved[name] = rows_among_all(value, answered)
            elif isinstance(value, OfSystems):
                moved[name] = value.among_all(answered)
        return replace(self, **moved)


@dataclass(frozen=True)
class Shares(OfSystems):
    """Part / whole of every system in one test set, each (systems,).

    `variance` is the linearised one of the share; `whole` is the most answers that
    there can be, infinite for a mean of fractions, and `even` the number where all
    units are as their sizes say. `between` counts units of a mean of fractions that are
    neither 0 nor 1, and is 0 for answers.
    """

    variance: Floats
    whole: Floats
    even: Floats
    between: Integers

    @classmethod
    def of(
        cls, part: Floats, whole: Floats, units: Integers, runs: Integers, mean: bool
    ) -> "Shares":
        """Shares from parts and wholes (units, systems), summed over so many `runs`
        (systems,). `mean` says that they are declared as a mean of fractions; parts
        that are no whole numbers, of wholes that are, show that they are."""
        fractions = mean | (_broken(part) & ~_broken(whole))
        inside = (part > TIE * whole) & (part < (1 - TIE) * whole)
        between = np.where(fractions, inside.sum(axis=0), 0)
        # One row a system: each is then summed in an order that no other can change.
        part, whole = (np.ascontiguousarray((side / runs).T) for side in (part, whole))
        answers = whole.sum(axis=1)
        variance, even = linearise(part, whole, units)
        return cls(variance, np.where(fractions, np.inf, answers), even, between)


def rows_among_all(rows: Rows, answered: Flags, empty: float = 0.0) -> Rows:
    """Rows of the systems that `answered` (systems,) among all; `empty` for others."""
    if answered.all():
        return rows
    everyone = np.full((len(answered), *rows.shape[1:]), empty, dtype=rows.dtype)
    everyone[answered] = rows
    return everyone


def _broken(table: Floats) -> Flags:
    """Flags of the systems (units, systems) that have any number that is not whole."""
    return np.asarray((table != np.rint(table)).any(axis=0))


def linearise(part: Floats, whole: Floats, units: Integers) -> tuple[Floats, Floats]:
    """Variance of part / whole (..., units), and the number of answers where there is
    none, each (...); `units` (...) are those that bear on it."""
    answers = whole.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = part.sum(axis=-1) / answers
        off = part - value[..., None] * whole
        off[np.abs(off) <= TIE * whole] = 0.0
        more = units / (units - 1)
        variance = (off * off).sum(axis=-1) / (answers * answers) * more
    return variance, even_units(whole)


def even_units(sizes: Floats) -> Floats:
    """How many units of one size tell as much as those of `sizes` (..., units): 1 over
    the sum of squares of their shares of the whole (...); nan where they have none."""
    whole = sizes.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(whole * whole / (sizes * sizes).sum(axis=-1))


def wilson(values: Floats, answers: Floats, t: Floats) -> tuple[Floats, Floats]:
    """Ends of Wilson's interval, nan where the values are no shares of anything.

    It knows z and n as z * z / n only, so that t in the place of z is the same as
    n * (z / t) ** 2 in the place of n.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        part = t * t / answers
        middle = values + part / 2
        reach = np.sqrt(part * (values * (1 - values) + part / 4))
        below, above = (middle - reach) / (1 + part), (middle + reach) / (1 + part)
    fits = (values >= 0) & (values <= 1) & (answers > 0)
    below, above = np.maximum(below, 0.0), np.minimum(above, 1.0)
    return np.where(fits, below, np.nan), np.where(fits, above, np.nan)
