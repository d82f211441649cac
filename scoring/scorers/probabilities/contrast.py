"""Information contrast between what a system and what people say (ICM).

The more surprising a class is in the gold, the more it says: its information is -log2
of its share of the items (Amigó and Delgado 2022). Of soft labels it is -log2 of the
chance of at least such a share of the class, from a normal distribution of the gold's
mean and mean deviation. Of two answers, their information twice each is set against
three times that of both together. There is no hierarchy: classes have nothing in
common.
"""

import math

import numpy as np

from scoring.counts import Flags, Floats

SIDES, BOTH = 2.0, 3.0


def contrast(gold: Flags, system: Flags) -> tuple[Floats, Floats]:
    """ICM of each item (n,) by its classes (n, classes), and of the gold itself."""
    size = len(gold)
    held = gold.sum(axis=0)
    # A class that gold lacks says as much as one of a single item.
    information = -np.log2(np.maximum(held, 1) / size)
    return _contrast(gold * information, system * information)


def soft_contrast(gold: Floats, system: Floats) -> tuple[Floats, Floats]:
    """ICM-soft of each item (n,) by its shares (n, classes), and of the gold itself."""
    mean = gold.mean(axis=0)
    deviation = np.abs(gold - mean).mean(axis=0)
    sides = (_information(side, mean, deviation) for side in (gold, system))
    return _contrast(*sides)


def _contrast(gold: Floats, system: Floats) -> tuple[Floats, Floats]:
    # The larger share of a class says more: that is what both together say.
    both = np.maximum(gold, system)
    contrast = SIDES * (gold + system) - BOTH * both
    return contrast.sum(axis=1), gold.sum(axis=1)


def _information(shares: Floats, mean: Floats, deviation: Floats) -> Floats:
    """The information of each share, 0 of none; at most that of one item of all."""
    most = math.log2(len(shares))
    information = np.zeros(shares.shape)
    for column, own in enumerate(shares.T):
        distinct, codes = np.unique(own, return_inverse=True)
        values = [
            0.0 if share == 0 else _surprise(share - middle, spread, most)
            for share in distinct.tolist()
            for middle, spread in [(float(mean[column]), float(deviation[column]))]
        ]
        information[:, column] = np.array(values)[codes.reshape(-1)]
    return information


def _surprise(above: float, deviation: float, most: float) -> float:
    """-log2 of the chance of a share so far above the mean."""
    if deviation:
        chance = 1 - (1 + math.erf(above / (deviation * math.sqrt(2)))) / 2
    else:
        chance = 0.5 - math.copysign(0.5, above) if above else 0.5
    return -math.log2(chance) if chance else most
