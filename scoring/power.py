"""Before launch: what this test set can tell apart, from two or more pilot systems."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist, median

import numpy as np

from scoring.bootstrap import Plan, Stratum
from scoring.counts import Counts
from scoring.errors import Problem, UsageError
from scoring.measures import Measure
from scoring.pairs import all_pairs
from scoring.samples import Sample, mean_sample_of, sample_of


@dataclass(frozen=True, slots=True)
class Separation:
    """The smallest difference that a test set separates, in units of the measure.

    `smallest` is for pilots that differ from each other as most pairs do (the
    median), `cautious` for the pair hardest to tell apart; `per_pair` holds each
    pair's. A true difference of that size is found with probability `power` by the
    two-sided test at 1 - `level`.
    """

    measure: str
    units: int
    smallest: float
    cautious: float
    per_pair: Mapping[tuple[str, str], float]
    level: float
    power: float

    def units_for(self, difference: float, cautious: bool = False) -> int:
        """How many units would separate `difference` (above 0).

        Standard errors shrink with the root of the number of units, so halving the
        difference takes four times as many. Raises ValueError for 0 or less.
        """
        if not difference > 0:
            raise ValueError("expected a difference above 0")
        here = self.cautious if cautious else self.smallest
        return math.ceil(self.units * (here / difference) ** 2)


def separation(
    pilots: Mapping[str, Counts], measure: Measure, plan: Plan, power: float = 0.8
) -> Separation:
    """From pilots counted on one test set.

    Raises UsageError with fewer than two pilots or where no pair has the measure
    defined, ValueError when the pilots' units differ.
    """
    sample = sample_of(list(pilots.values()), measure, plan)
    return _separation(tuple(pilots), measure, sample, (plan.level, power))


def mean_separation(
    pilots: Mapping[str, Sequence[Stratum | None]],
    measure: Measure,
    power: float = 0.8,
) -> Separation:
    """The same for means over test sets; units are those of all together."""
    rows = list(pilots.values())
    plans = [stratum[1] for row in rows for stratum in row if stratum is not None]
    level = plans[0].level if plans else Plan().level
    sample = mean_sample_of(rows, measure)
    return _separation(tuple(pilots), measure, sample, (level, power))


def _separation(
    names: tuple[str, ...],
    measure: Measure,
    sample: Sample,
    wanted: tuple[float, float],
) -> Separation:
    level, power = wanted
    pairs = all_pairs(sample)
    factor = _factor(level, power)
    per_pair = {
        pair: factor * spread
        for pair, spread in zip(
            combinations(names, 2), pairs.spread.tolist(), strict=True
        )
        if not np.isnan(spread)
    }
    if not per_pair:
        message = f"expected two or more pilots with a value of {measure.name}"
        raise UsageError(Problem("pilots", message))
    found = per_pair.values()
    return Separation(
        measure.name, sample.units, median(found), max(found), per_pair, level, power
    )


def _factor(level: float, power: float) -> float:
    """Standard errors between 0 and a difference found with that power."""
    normal = NormalDist()
    return normal.inv_cdf((1 + level) / 2) + normal.inv_cdf(power)
