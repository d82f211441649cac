"""The smallest difference that a test set resolves: before launch, and on a board.

Holm's correction asks of the first of K pairs a p-value below (1 - level) / K. A
difference is resolved here if the test finds it with the stated power, so it has to be
so many standard errors large, where the standard error is that of two equally good
systems.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from scoring.counts import Counts, Floats
from scoring.errors import Problem, UsageError
from scoring.measures import Measure
from scoring.messages import Messages, _
from scoring.statistics.bootstrap import Plan, Stratum
from scoring.statistics.comparison import counts_of
from scoring.statistics.exchange import Exchange, Pairs, tables_of
from scoring.statistics.intervals import normal

MESSAGES = Messages(
    {
        "pilots": _("expected two or more pilots with a value of %(measure)s"),
        "no_separation": _(
            "in %(measure)s pilots differ in too few units to separate any "
            "difference on a board of %(systems)s"
        ),
    }
)

POWER = 0.8


@dataclass(frozen=True, slots=True)
class Separation:
    """The smallest difference that a test set separates, in units of the measure.

    `smallest` is for pilots that differ from each other as most pairs do (the
    median), from `low` to `high` at `level` since pilots tell it no better, and
    `cautious` for the pair hardest to tell apart; `per_pair` holds each pair's,
    infinite for one that differs in too few units to be told apart at all.
    A true difference of that size is found with probability `power` by the two-sided
    test at 1 - `level` on a board of `systems`.
    """

    measure: str
    units: int
    smallest: float
    low: float
    high: float
    cautious: float
    per_pair: Mapping[tuple[str, str], float]
    level: float
    power: float
    systems: int

    def units_for(self, difference: float, cautious: bool = False) -> int:
        """The number of units that would separate `difference` (above 0).

        Standard errors shrink with the root of the number of units, so halving the
        difference takes four times as many. Raises ValueError for 0 or less.
        """
        if not difference > 0:
            raise ValueError("expected a difference above 0")
        here = self.cautious if cautious else self.smallest
        return math.ceil(self.units * (here / difference) ** 2)


def separation(
    pilots: Mapping[str, Counts],
    measure: Measure,
    plan: Plan,
    power: float = POWER,
    systems: int = 2,
) -> Separation:
    """The separation that pilots on one test set show, for a board of so many systems.

    Raises UsageError with fewer than two pilots, where no pair has the measure
    defined, or where so few units differ that no difference can be separated;
    ValueError when the pilots' units differ.
    """
    rows = {name: [(counts, plan)] for name, counts in pilots.items()}
    return mean_separation(rows, measure, power, systems)


def mean_separation(
    pilots: Mapping[str, Sequence[Stratum | None]],
    measure: Measure,
    power: float = POWER,
    systems: int = 2,
) -> Separation:
    """`separation` for means over test sets; units are those of all together."""
    given = {
        name: [counts for counts in counts_of(row) if counts is not None]
        for name, row in pilots.items()
        if None not in row
    }
    plans = [stratum[1] for row in pilots.values() for stratum in row if stratum]
    level = plans[0].level if plans else Plan().level
    wanted = (level, power, max(systems, 2))
    spreads = {
        pair: spread
        for pair, spread in _spreads(given, measure)
        if spread.error == spread.error
    }
    if not spreads:
        message = MESSAGES("pilots", measure=measure.name)
        raise UsageError(Problem("pilots", message))
    per_pair = {
        pair: factor(*wanted, spread.units) * spread.error
        for pair, spread in spreads.items()
    }
    units = units_of(list(given.values()))
    smallest = median(per_pair.values())
    if not math.isfinite(smallest):
        message = MESSAGES("no_separation", measure=measure.name, systems=wanted[2])
        raise UsageError(Problem("pilots", message))
    middle = min(per_pair, key=lambda pair: abs(per_pair[pair] - smallest))
    doubt = math.exp(normal().inv_cdf((1 + level) / 2) * spreads[middle].doubt)
    return Separation(
        measure.name,
        units,
        smallest,
        smallest / doubt,
        smallest * doubt,
        max(per_pair.values()),
        per_pair,
        *wanted,
    )


@dataclass(frozen=True)
class PairSpread:
    """Standard error of the difference of a pair, `doubt` how well that is known
    (a relative standard error), and `units`, how many differ."""

    error: float
    doubt: float
    units: int


def _spreads(
    pilots: Mapping[str, Sequence[Counts]], measure: Measure
) -> list[tuple[tuple[str, str], PairSpread]]:
    names, systems = list(pilots), list(pilots.values())
    units = units_of(systems)
    exchange = Exchange(tables_of(systems, [measure]), measure)
    first, second, sums = exchange.pairs()
    terms = exchange.terms(first, second, sums.gradients)
    differing = np.count_nonzero(terms, axis=1)
    errors = errors_of(sums.spread, sums.shift, units)
    return [
        (
            (names[first[i]], names[second[i]]),
            PairSpread(float(errors[i]), _doubt(terms[i], units), int(differing[i])),
        )
        for i in range(len(first))
    ]


def units_of(systems: Sequence[Sequence[Counts]]) -> int:
    """The number of units over all test sets."""
    return sum(len(counts.units) for counts in systems[0]) if systems else 0


def errors_of(spreads: Floats, differences: Floats, units: int) -> Floats:
    """Standard errors around the mean from those around zero (the exchange test's)."""
    squares = spreads**2 - differences**2 / max(units, 1)
    return np.sqrt(np.maximum(squares, 0.0) * units / max(units - 1, 1))


def _doubt(terms: Floats, units: int) -> float:
    """Relative standard error of the spread, from the fourth moment."""
    whole = float((terms**2).sum())
    if not whole > 0:
        return 0.0
    fourth = float((terms**4).sum()) / whole**2
    return math.sqrt(max(fourth - 1 / units, 0.0)) / 2


def factor(level: float, power: float, systems: int, units: int) -> float:
    """Standard errors between 0 and a difference found with that power. Infinite where
    not even all units in favour of one system would be enough."""
    alpha = (1 - level) / math.comb(systems, 2)
    if units < 1 or 2.0 ** (1 - units) > alpha:
        return math.inf
    critical = -normal().inv_cdf(alpha / 2)
    # sum(d) / sqrt(sum(d * d)) above `critical` is Student's t above a larger value.
    rest = units - critical**2
    if rest <= 0:
        return math.inf
    return critical * math.sqrt((units - 1) / rest) + normal().inv_cdf(power)


def resolution(pairs: Pairs, level: float, power: float = POWER) -> float | None:
    """Smallest difference that a board resolves: the median of its pairs that differ.

    None where no two systems differ, or where the units are too few to tell any two
    of so many apart.
    """
    errors = errors_of(pairs.spread, pairs.difference, pairs.units)
    known = errors[errors > 0]
    if not len(known):
        return None
    systems = int(pairs.tested.sum())
    smallest = factor(level, power, systems, pairs.differing) * float(np.median(known))
    return smallest if math.isfinite(smallest) else None
