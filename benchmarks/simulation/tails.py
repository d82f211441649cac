"""`python -m benchmarks.simulation.tails [--pairs N]`: which tail finds what?

Pairs of systems that are apart, at the first level of Holm's correction on a board of
fifty, by three tails of the same sum: a normal one, the saddlepoint's, and the exact
one, for which all signs of whole numbers are counted.
"""

import argparse
import math

import numpy as np

from benchmarks.simulation.claims import stream
from benchmarks.simulation.populations import even, lognormal, of_words
from scoring.counts import Floats
from scoring.statistics.exchange import tails
from scoring.statistics.sign_flips import tails_of

LEVEL, GAP = 0.05 / math.comb(50, 2), 0.08
POPULATIONS = [
    of_words("sentences", even, 60),
    of_words("lognormal sizes (1)", lognormal(1.0), 100),
    *(of_words("lognormal sizes (1.5)", lognormal(1.5), n) for n in (30, 100, 300)),
    of_words("one answer each", lambda _rng, n: np.ones(n, np.int64), 300),
]


def main() -> None:
    called = argparse.ArgumentParser(description=__doc__)
    called.add_argument("--pairs", type=int, default=200)
    pairs = called.parse_args().pairs
    print("| population | normal | saddlepoint | exact |\n|---|--:|--:|--:|")
    for population in POPULATIONS:
        rng, counts = stream(population.name), np.zeros(3)
        for _ in range(pairs):
            (one,), (other,) = population.draw(rng, [0.8 + GAP / 2, 0.8 - GAP / 2])
            terms = (one.table - other.table)[:, 0]
            z = abs(terms.sum()) / max(math.sqrt((terms**2).sum()), 1.0)
            saddle = tails_of(terms[None]).p_value[0]
            p_values = np.array([tails(np.array([z]))[0], saddle, exact(terms)])
            counts += p_values < LEVEL
        shares = " | ".join(f"{share:.2f}" for share in counts / pairs)
        print(f"| {population.name} | {shares} |", flush=True)


def exact(terms: Floats) -> float:
    """The share of all signs whose sum is as far from 0 as that of whole numbers."""
    whole = np.abs(terms).astype(int)
    middle = int(whole.sum())
    chances = np.zeros(2 * middle + 1)
    chances[middle] = 1.0
    for term in whole[whole > 0].tolist():
        chances = (np.roll(chances, term) + np.roll(chances, -term)) / 2
    far = float(chances[middle + abs(int(terms.sum())) :].sum())
    return min(1.0, 2 * far)


if __name__ == "__main__":
    main()
