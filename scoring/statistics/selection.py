"""Scores to be expected on new data, where the best of several attempts is shown.

The best of m attempts is partly better and partly luckier than the others. What luck
added is not there on other units. Resamples tell how much that is: in each of them the
attempt that is best there has a score there, which is larger, on average, than its
score here, as the score here is larger than that on all units of this kind. Half as
much again is taken off, for a resample knows the units that the choice was made on
(simulated: `make simulate`). Attempts that are far apart leave little to luck, and so
do attempts that are alike.
"""

import numpy as np

from scoring.counts import Floats

RESAMPLES_LACK = 1.5


def luck_of_choice(
    values: Floats, resampled: Floats, higher_is_better: bool = True
) -> float:
    """The luck in the best of attempts with these `values` (attempts,), whose
    `resampled` (attempts, resamples) are over shared draws; 0 of one attempt, nan where
    a value is undefined."""
    if len(values) < 2:
        return 0.0
    if not (np.isfinite(values).all() and np.isfinite(resampled).all()):
        return float("nan")
    sign = 1.0 if higher_is_better else -1.0
    best = (sign * resampled).argmax(axis=0)
    there = resampled[best, np.arange(resampled.shape[1])]
    luck = RESAMPLES_LACK * float((there - values[best]).mean())
    return sign * max(sign * luck, 0.0)
