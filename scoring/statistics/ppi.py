"""Means of a judge model's values, corrected by people: prediction-powered inference.

A model judges every unit, people judge a random sample of them. The mean of the model
is cheap and may be wrong, the mean of the people is right and uncertain. PPI++
(Angelopoulos, Duchi and Zrnic 2023) takes `share` times the model's mean over the units
that people did not judge, and adds the mean over the sample of what people say less
`share` times what the model says. The share follows from the data: 0 for a model that
knows nothing, which leaves the mean of the people, and near 1 for one that agrees with
them. So the corrected mean is right whatever the model, and the more certain the better
the model.

Answers that are right or wrong, 0 or 1, seldom show all ways in which people and model
may differ: of 30 units on which a good model is right none may be an error of one of
the two kinds. Two errors more, one each way, stand for these in the variance of what
people say less what the model says (as Agresti and Coull 1998 do for shares). Where
people say the same of all units, 3 / n of a whole answer is two standard errors at
least: the rule of three, as for people alone.

Estimates are those of weights of units, so that resamples, slices and tests of pairs of
a corrected measure need nothing of their own.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.counts import Flags, Floats

# Of fewer units that people judged nothing is said.
LEAST_JUDGED = 30
# Below this share of its square a variance is what rounding left of 0.
FLAT = 1e-12


def corrected_means(
    weights: Floats, judge: Floats, human: Floats, judged: Flags
) -> Floats:
    """Corrected means (k,) for weights (k, units): what a model says of all units
    (`judge`), and what people say of those that they `judged` (units,). N/a where
    people judged too few."""
    if judged.sum() < LEAST_JUDGED:
        return np.full(len(weights), np.nan)
    return _Moments.of(weights, judge, human, judged).value


def gains(weights: Floats, judge: Floats, human: Floats, judged: Flags) -> Floats:
    """The number of times as many units, for weights (k, units), that people would have
    to judge to be as certain without the model; n/a where they judged too few, or all
    say the same."""
    if judged.sum() < LEAST_JUDGED:
        return np.full(len(weights), np.nan)
    return _Moments.of(weights, judge, human, judged).gain


def unseen_errors(judge: Floats, human: Floats, judged: Flags) -> float:
    """The part of errors that were not drawn in the variance of a corrected mean of
    answers of two kinds, as 0 and 1; 0 for other values."""
    n = int(judged.sum())
    kinds = {*judge.tolist(), *human[judged].tolist()}
    kinds |= {0.0, 1.0} if kinds <= {0.0, 1.0} else set()
    if len(kinds) != 2 or n < LEAST_JUDGED:
        return 0.0
    share = float(_Moments.of(np.ones((1, len(judge))), judge, human, judged).share[0])
    low, high = min(kinds), max(kinds)
    pairs = list(zip(human[judged].tolist(), judge[judged].tolist(), strict=True))
    differences = [people - share * model for people, model in pairs]
    errors = [high - share * low, low - share * high]
    more = max(_spread([*differences, *errors]) - _spread(differences), 0.0) / n
    same = len({people for people, _model in pairs}) == 1
    return max(more, (1.5 * (high - low) / n) ** 2) if same else more


def _spread(values: Sequence[float]) -> float:
    """The population variance; the order of the values changes no bit of it."""
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values) / len(values)


def slopes(weights: Floats, judge: Floats, human: Floats, judged: Flags) -> Floats:
    """The derivative of the corrected mean by the weight of each unit, (units,)."""
    m = _Moments.of(weights[None, :], judge, human, judged)
    n, rest = m.n[0], m.rest[0]
    share, off = float(m.share[0]), float(m.elsewhere[0] - m.model[0])
    own = human - m.people[0] - share * (judge - m.model[0])
    of_rest = share * (judge - m.elsewhere[0])
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.where(judged, own / n, of_rest / rest)
    if 0 < share < 1:
        both = (human - m.people[0]) * (judge - m.model[0])
        covariance = np.where(judged, both - m.covariance[0], 0.0) / n
        spread = (judge - m.all[0]) ** 2 - m.variance[0]
        spread /= n + rest - 1
        size = np.where(judged, 1 / rest, -n / rest**2) / (1 + n / rest)
        relative = covariance / m.covariance[0] - spread / m.variance[0] - size
        value = value + off * share * relative
    return np.asarray(np.nan_to_num(value))


def _by_value(
    weights: Floats, judge: Floats, human: Floats, judged: Flags
) -> tuple[Floats, Floats, Floats, Flags]:
    """The same in the order of values, with the weights of alike units added up."""
    order = np.lexsort((human, judge, judged))
    judge, human, judged = judge[order], human[order], judged[order]
    new = np.ones(len(order), dtype=np.bool_)
    for column in (judge, human, judged):
        new[1:] &= column[1:] == column[:-1]
    new[1:] = ~new[1:]
    starts = np.flatnonzero(new)
    sums = np.add.reduceat(weights[:, order], starts, axis=1)
    return sums, judge[starts], human[starts], judged[starts]


def _sums(weights: Floats, column: Floats) -> Floats:
    """Sums (k,) of a column (rows,) by weights (k, rows), added in the order of rows:
    a product of matrices is added otherwise on other machines."""
    if not len(column):
        return np.zeros(len(weights))
    return np.asarray(np.cumsum(weights * column, axis=1)[:, -1])


@dataclass(frozen=True)
class _Moments:
    """Weighted moments, each (k,): `n` units that people judged and the `rest`; means
    of the people, of the model on the same units, `elsewhere` and over all."""

    n: Floats
    rest: Floats
    people: Floats
    model: Floats
    elsewhere: Floats
    all: Floats
    covariance: Floats
    variance: Floats
    people_variance: Floats
    model_variance: Floats
    elsewhere_variance: Floats

    @classmethod
    def of(
        cls, weights: Floats, judge: Floats, human: Floats, judged: Flags
    ) -> "_Moments":
        # In one order whatever that of the units, alike ones as one; and around a
        # constant, so that squares lose no digits.
        weights, judge, human, judged = _by_value(weights, judge, human, judged)
        about_judge, about_human = float(judge.mean()), float(human[judged].mean())
        j, h = judge - about_judge, human - about_human
        ours, others = weights[:, judged], weights[:, ~judged]
        a, b, c = j[judged], h[judged], j[~judged]
        n, rest = ours.sum(axis=1), others.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            model, people = _sums(ours, a) / n, _sums(ours, b) / n
            elsewhere = np.where(rest > 0, _sums(others, c) / rest, 0.0)
            whole = (_sums(ours, a) + _sums(others, c)) / (n + rest)
            own_squares, squares = _sums(ours, a * a), _sums(others, c * c)
            both = own_squares + squares
            variance = (both - (n + rest) * whole**2) / (n + rest - 1)
            return cls(
                n,
                rest,
                people + about_human,
                model + about_judge,
                elsewhere + about_judge,
                whole + about_judge,
                _sums(ours, a * b) / n - model * people,
                np.where(variance * (n + rest) > FLAT * both, variance, 0.0),
                np.maximum(_sums(ours, b * b) / n - people**2, 0.0),
                np.maximum(own_squares / n - model**2, 0.0),
                np.maximum(squares / rest - elsewhere**2, 0.0),
            )

    @property
    def share(self) -> Floats:
        """The share that makes the variance smallest; 0 where the model says one thing
        of all units, or no unit is left that people did not judge."""
        with np.errstate(divide="ignore", invalid="ignore"):
            best = self.covariance / ((1 + self.n / self.rest) * self.variance)
        usable = (self.variance > 0) & (self.rest > 0)
        return np.clip(np.where(usable, best, 0.0), 0.0, 1.0)

    @property
    def value(self) -> Floats:
        off = np.where(self.rest > 0, self.elsewhere - self.model, 0.0)
        return np.where(self.n > 0, self.people + self.share * off, np.nan)

    @property
    def gain(self) -> Floats:
        share = self.share
        own = self.people_variance + share * (
            share * self.model_variance - 2 * self.covariance
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            elsewhere = share**2 * self.elsewhere_variance / self.rest
            corrected = own / self.n + np.where(self.rest > 0, elsewhere, 0.0)
            ratio = (self.people_variance / self.n) / corrected
        return np.where(corrected > 0, ratio, np.nan)
