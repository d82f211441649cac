"""Not different or not known: the interval of two one-sided tests (Schuirmann 1987).

Two systems are equivalent within a margin, at alpha, where the 1 - 2 alpha interval of
their difference lies inside plus and minus the margin. It is the difference plus and
minus Student's t times the standard error that the units' d give, each test set around
its own mean (see `scoring.exchange`).

Units that never differed are no proof that others never will. So each test set counts
as if a few more of its units differed, as many as make the interval of a pair without
any difference reach log(1 / alpha) / units, the rule of three; each by as much as the
most that one did, and in a share by no less than a unit's part of the whole.
"""

import math
from collections.abc import Sequence

import numpy as np

from scoring.counts import Counts, Floats
from scoring.exchange import Exchange, tables_of
from scoring.measures import Measure
from scoring.pairs import Pairs
from scoring.student import NORMAL, rounded, t_quantile


def equivalence(
    systems: Sequence[Sequence[Counts | None]],
    measure: Measure,
    pairs: Pairs,
    level: float,
) -> tuple[Floats, Floats]:
    """Low and high of each of the `pairs` of these systems, alpha being 1 - level.

    nan for a pair that is not tested, and where a test set has a single unit.
    """
    alpha = round(1 - level, 9)
    whole = [[c for c in system if c is not None] for system in systems]
    given = [
        system
        for system, complete in zip(whole, pairs.complete, strict=True)
        if complete
    ]
    exchange = Exchange(tables_of(given, (measure,)), measure)
    first, second, sums = exchange.pairs()
    reach = np.full(len(pairs.first), np.nan)
    both = pairs.complete[pairs.first] & pairs.complete[pairs.second]
    tested = ~np.isnan(pairs.p_value[both])
    found = np.full(len(first), np.nan)
    for i in np.flatnonzero(tested):
        gradients = [of_part[i : i + 1] for of_part in sums.gradients]
        one = exchange.terms_by_test_set(first[i : i + 1], second[i : i + 1], gradients)
        found[i] = _reach([t[0].tolist() for t in one], exchange, alpha)
    reach[both] = found
    return pairs.difference - reach, pairs.difference + reach


def _reach(terms: Sequence[Sequence[float]], exchange: Exchange, alpha: float) -> float:
    """Half the width of one pair's interval, from its d in each test set."""
    if alpha >= 0.5:  # An interval of no width.
        return math.nan
    more = (math.log(alpha) / NORMAL.inv_cdf(1 - alpha)) ** 2
    variances, degrees = [], []
    for part, d in zip(exchange.parts, terms, strict=True):
        units = part.digits.shape[2]
        if units < 2:
            return math.nan
        total = math.fsum(d)
        squares = math.fsum(one * one for one in d) - total * total / units
        least = 1 / (units * len(terms)) if exchange.measure.percent else 0.0
        most = max([least, *map(abs, d)])
        variances.append(max(squares, 0.0) * units / (units - 1) + more * most * most)
        degrees.append(units - 1)
    variance = math.fsum(variances)
    if not variance:
        return 0.0
    shares = zip(variances, degrees, strict=True)
    free = variance * variance / math.fsum(v * v / n for v, n in shares)
    return t_quantile(1 - alpha, max(1, int(rounded(free)))) * math.sqrt(variance)
