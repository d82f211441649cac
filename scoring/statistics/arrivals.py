"""Differences that stay: the error rate of a board spent over arrivals, not over looks.

Holm's correction over the pairs of a board keeps its promise for one look. Who looks
after each newcomer sees many boards, and a wrong difference on any of them is likelier
(for fifty equal systems .2 instead of .05). Here every pair has its own share of the
error rate, fixed when the later of the two arrives, whatever comes after. The shares of
all pairs there will ever be add up to 1, so that with the board's confidence no wrong
difference is ever shown, and none that was shown is taken back by a newcomer.

Arrivals come in blocks: the first ten have half of the error rate, up to the 20th half
of what is left, up to the 40th again half, and so on; within a block it is the same for
every pair. On a board of ten a pair has half of what Bonferroni's correction gives it,
on one of forty a sixth.

Where runs or judges vary, the test of a pair depends on all that stand beside it
(`variance_components`), and so on who comes later. A pair keeps the p-value of the
board on which both stood first (`KeptTests`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.counts import Floats, Integers

FIRST_BLOCK = 10


@dataclass(frozen=True)
class KeptTests:
    """Tests of a board as pairs of systems first had them: `p_value` is (systems,
    systems), nan where the two never stood there together."""

    systems: Sequence[str]
    p_value: Floats

    @classmethod
    def none(cls) -> "KeptTests":
        return cls((), np.zeros((0, 0)))

    def of(self, systems: Sequence[str]) -> Floats:
        """P-values of pairs of these (pairs,), nan where none is kept."""
        place = {system: i for i, system in enumerate(self.systems)}
        places = np.array([place.get(system, -1) for system in systems], int)
        first, second = (places[side] for side in np.triu_indices(len(places), 1))
        both_tested = (first >= 0) & (second >= 0)
        p_values = np.full(len(first), np.nan)
        p_values[both_tested] = self.p_value[first[both_tested], second[both_tested]]
        return p_values

    def beside(self, systems: Sequence[str], p_value: Floats) -> "KeptTests":
        """These tests and those of a board now, `p_value` (pairs,), of pairs that are
        new there; itself where there are none."""
        earlier = self.of(systems)
        new = np.isnan(earlier) & ~np.isnan(p_value)
        if not new.any():
            return self
        names = list(dict.fromkeys([*self.systems, *systems]))
        table = np.full((len(names), len(names)), np.nan)
        table[: len(self.systems), : len(self.systems)] = self.p_value
        place = {system: i for i, system in enumerate(names)}
        places = np.array([place[system] for system in systems], int)
        first, second = (places[side][new] for side in np.triu_indices(len(places), 1))
        table[first, second] = table[second, first] = p_value[new]
        return KeptTests(names, table)


def shares(later: Integers) -> Floats:
    """The share of the error rate of each pair (pairs,), by the number, from 1, of the
    arrival of the later system of the two."""
    last = np.maximum(np.asarray(later, dtype=np.float64), 2.0)
    block = np.maximum(np.ceil(np.log2(last / FIRST_BLOCK)), 0.0)
    end = FIRST_BLOCK * 2.0**block
    before = np.where(block > 0, end / 2, 0.0)
    pairs = end * (end - 1) / 2 - before * (before - 1) / 2 * (block > 0)
    return np.asarray(0.5 ** (block + 1) / pairs)


def spent(p_values: Floats, first: Integers, second: Integers) -> Floats:
    """Adjusted p-values (pairs,) of systems that arrived as `first` and as `second`;
    nan stays nan."""
    return np.minimum(1.0, p_values / shares(np.maximum(first, second)))
