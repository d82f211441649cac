"""Corrected means with the interval of the paper, which boards take from resamples."""

import math
from dataclasses import dataclass

import numpy as np

from scoring.counts import Floats, Integers
from scoring.statistics.intervals import normal, t_quantile
from scoring.statistics.ppi import _Moments


@dataclass(frozen=True, slots=True)
class CorrectedMean:
    """A corrected mean with its interval, beside that of the people alone.

    `share` is how much of the model counts, from 0 to 1. `gain` says how many times as
    many units people would have to judge for an interval of this width without the
    model.
    """

    value: float
    low: float
    high: float
    people: float
    people_low: float
    people_high: float
    share: float
    gain: float


def corrected_mean(
    people: Floats,
    model: Floats,
    model_elsewhere: Floats,
    level: float = 0.95,
    clusters: tuple[Integers, Integers] | None = None,
) -> CorrectedMean:
    """The corrected mean of what `people` (n,) say of a sample, from what the `model`
    (n,) says of the same units and of all others, `model_elsewhere` (m,).

    `clusters` numbers the cluster of each unit of the sample and of the others, as
    documents of sentences: values of one cluster may be alike. The interval is then
    Student's with one degree of freedom less than there are clusters in the sample. It
    is that of the paper, also for answers of two kinds (`unseen_errors`).
    """
    n, m = len(people), len(model_elsewhere)
    judge = np.concatenate([model, model_elsewhere])
    human = np.concatenate([people, np.zeros(m)])
    judged = np.arange(n + m) < n
    moments = _Moments.of(np.ones((1, n + m)), judge, human, judged)
    share, value = float(moments.share[0]), float(moments.value[0])
    own, rest = people - share * model, share * model_elsewhere
    own_off, rest_off = (x - x.mean() if len(x) else x for x in (own, rest))
    people_off = people - people.mean()
    if clusters is None:
        reach = normal().inv_cdf((1 + level) / 2)
        variance = _mean_variance(own_off, n) + _mean_variance(rest_off, m)
        alone = _mean_variance(people_off, n)
    else:
        of_sample, of_others = clusters
        several = len(np.unique(of_sample))
        reach = t_quantile((1 + level) / 2, max(several - 1, 1))
        off = np.concatenate([own_off / n, rest_off / max(m, 1)])
        variance = _variance_by_cluster(off, np.concatenate([of_sample, of_others]))
        alone = _variance_by_cluster(people_off / n, of_sample)
    half, half_alone = reach * math.sqrt(variance), reach * math.sqrt(alone)
    mean = float(people.mean())
    return CorrectedMean(
        value,
        value - half,
        value + half,
        mean,
        mean - half_alone,
        mean + half_alone,
        share,
        alone / variance if variance > 0 else math.nan,
    )


def _mean_variance(off: Floats, size: int) -> float:
    return float(np.sum(off * off)) / size**2 if size else 0.0


def _variance_by_cluster(off: Floats, cluster_of: Integers) -> float:
    """The variance of a sum of terms that are independent between clusters alone."""
    _names, places = np.unique(cluster_of, return_inverse=True)
    sums = np.bincount(places, weights=off)
    several = len(sums)
    return float(np.sum(sums * sums)) * several / max(several - 1, 1)
