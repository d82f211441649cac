"""Quantiles of Student's t, the same digits on every machine."""

import math
from functools import lru_cache
from statistics import NormalDist

NORMAL = NormalDist()
# Libraries of elementary functions differ in their last bits; twelve digits agree.
DIGITS = 12
# From here on the expansion in 1 / degrees is exact to more digits than that.
MANY = 1000
MOST_STEPS = 200


def rounded(number: float) -> float:
    return float(f"{number:.{DIGITS}g}")


@lru_cache(maxsize=4096)
def t_quantile(probability: float, degrees: int) -> float:
    """The quantile of Student's t, for probabilities above a half."""
    z = NORMAL.inv_cdf(probability)
    if degrees >= MANY:
        return rounded(_expanded(z, degrees))
    wanted, t = 2 * probability - 1, z
    # The distribution function bends down, so from below every step stays below.
    for _step in range(MOST_STEPS):
        step = (wanted - _between(t, degrees)) / (2 * _density(t, degrees))
        t += step
        if abs(step) <= 1e-14 * t:
            break
    return rounded(t)


def _expanded(z: float, degrees: int) -> float:
    """The expansion of Cornish and Fisher (Abramowitz and Stegun 26.7.5)."""
    s = z * z
    terms = (
        (s + 1) / 4,
        ((5 * s + 16) * s + 3) / 96,
        (((3 * s + 19) * s + 17) * s - 15) / 384,
        ((((79 * s + 776) * s + 1482) * s - 1920) * s - 945) / 92160,
    )
    powers = (degrees**-i for i in range(1, 5))
    return z * (1 + math.fsum(a * b for a, b in zip(terms, powers, strict=True)))


def _between(t: float, degrees: int) -> float:
    """P(-t < T < t), by the finite series (Abramowitz and Stegun 26.7.3, 26.7.4)."""
    square = degrees / (degrees + t * t)  # of the cosine
    sine = t / math.sqrt(degrees + t * t)
    odd = degrees % 2
    if degrees == 1:
        return 2 / math.pi * math.atan(t)
    term = math.sqrt(square) if odd else 1.0
    terms = [term]
    for k in range(3 if odd else 2, degrees - 1, 2):
        term *= square * (k - 1) / k
        terms.append(term)
    inner = sine * math.fsum(terms)
    if not odd:
        return inner
    return 2 / math.pi * (math.atan(t / math.sqrt(degrees)) + inner)


def _density(t: float, degrees: int) -> float:
    half = degrees / 2
    size = (
        math.lgamma(half + 0.5)
        - math.lgamma(half)
        - (half + 0.5) * math.log1p(t * t / degrees)
    )
    return math.exp(size) / math.sqrt(degrees * math.pi)
