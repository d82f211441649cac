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
"""

import numpy as np

from scoring.counts import Floats, Integers

FIRST_BLOCK = 10


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
