"""Effects in words: in how many units one system of a pair is better than the other."""

from collections.abc import Sequence

import numpy as np

from scoring.counts import Counts, Floats
from scoring.exchange import Exchange, tables_of
from scoring.measures import Measure


def units_won(systems: Sequence[Sequence[Counts | None]], measure: Measure) -> Floats:
    """Units won, lost and tied by the first of each pair, (3, pairs).

    Over all test sets, by the sign of what the unit adds to the difference that is
    tested (see `scoring.exchange`). nan for a pair of which one lacks a test set.
    """
    whole = [i for i, system in enumerate(systems) if None not in system]
    given = [[c for c in systems[i] if c is not None] for i in whole]
    exchange = Exchange(tables_of(given, (measure,)), measure)
    first, second, sums = exchange.pairs()
    above, below = exchange.favours(first, second, sums.gradients)
    won, lost = (above, below) if measure.higher_is_better else (below, above)
    found = np.full((3, len(systems), len(systems)), np.nan)
    places = np.array(whole, dtype=np.int64)
    counts = np.stack([won, lost, exchange.units - won - lost])
    found[:, places[first], places[second]] = counts
    return found[(slice(None), *np.triu_indices(len(systems), 1))]
