"""Scores to be expected on new data, where the best of several attempts is shown.

The best of m attempts is partly better and partly luckier than the others, and the
first of a board is too. What luck added is not there on other units. Two steps take it
out:

- Of a team's m attempts the luck of the best is the mean of the largest of m normal
  errors. Their size is the standard error of a system's difference from the others, or
  the spread between the team's own attempts where that is smaller: attempts that are
  nearly the same leave nothing to choose from.
- What is left is drawn towards the mean of the board, the more so the more uncertain it
  is beside the spread between systems (empirical Bayes; Efron and Morris 1975).

The order of two systems can change; the ranks of a board do not follow these numbers.
"""

import math
from functools import lru_cache

import numpy as np

from scoring.counts import Floats, Integers
from scoring.statistics.intervals import normal, rounded

# With fewer systems nothing is known of the spread between them.
LEAST_SYSTEMS = 4
REACH, STEPS = 9.0, 2000  # of the integral: 1e-9 of the whole


@lru_cache(maxsize=1024)
def largest_of(attempts: int) -> tuple[float, float]:
    """Mean and variance of the largest of so many independent standard normals."""
    if attempts < 2:
        return 0.0, 1.0
    step = 2 * REACH / STEPS
    first = second = 0.0
    for i in range(STEPS):
        x = -REACH + (i + 0.5) * step
        density = attempts * normal().pdf(x) * normal().cdf(x) ** (attempts - 1)
        first, second = first + x * density * step, second + x * x * density * step
    return rounded(first), rounded(second - first * first)


def expected(
    values: Floats,
    resampled: Floats,
    attempts: Integers,
    spreads: Floats,
    higher_is_better: bool = True,
) -> Floats | None:
    """Expected values of systems with these `values` (systems,), `resampled` (systems,
    resamples) over draws shared by all. Each is the best of `attempts`, whose standard
    deviation is in `spreads`, nan where it is not known. None for too few systems."""
    if len(values) < LEAST_SYSTEMS or not np.isfinite(resampled).all():
        return None
    centre = resampled.mean(axis=0)
    variance = (resampled - centre).var(axis=1)
    error = np.sqrt(variance)
    luck = np.where(np.isnan(spreads), error, np.minimum(error, spreads))
    moments = np.array([largest_of(int(m)) for m in attempts])
    sign = 1.0 if higher_is_better else -1.0
    unlucky = values - sign * moments[:, 0] * luck
    # What the choice leaves of the luck varies less; the rest of the error stays.
    left = variance - luck**2 * (1 - moments[:, 1])
    mean = float(unlucky.mean())
    between = max(float(unlucky.var(ddof=1)) - float(left.mean()), 0.0)
    whole = between + left
    share = np.divide(between, whole, out=np.ones_like(whole), where=whole > 0)
    return np.asarray(mean + share * (unlucky - mean))


def spread_of_attempts(values: Floats) -> float:
    """Standard deviation of a team's attempts, nan for fewer than two."""
    known = values[~np.isnan(values)]
    return float(known.std(ddof=1)) if len(known) > 1 else math.nan
