"""Several measures in one number for each system, and how sure its order is.

Measures on scales of their own are brought on one before their weighted mean. Where the
scale is a straight line (z-scores, least to greatest, none), the combination is a
measure of the same counts: pairs of systems are tested by it as by any other, and
resamples move systems along the scale of the board as it stands. Ranks jump where two
systems are close, and resamples tell little of jumps: there units of pairs change sides
(`rank_exchange`), and every measure is tested, all at once: what is said of the
combination then holds in every order that these tests leave possible. So do the ends of
its number.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.counts import Flags, Floats
from scoring.measures import Measure, no_function_of_sums
from scoring.statistics.intervals import TIE, normal, t_quantile
from scoring.statistics.ranks import ranks

Line = tuple[Floats, Floats]  # offsets and factors of measures


def mean_ranks(values: Floats) -> Floats:
    """Ranks of systems in each measure, (systems, measures), 1 for the greatest; equal
    ones share the mean of their places."""
    above = ranks(values.T)
    below = len(values) + 1 - ranks(values.T, higher_is_better=False)
    return np.asarray(((above + below) / 2).T)


def z_scores(values: Floats) -> Line:
    """The mean of the systems, and one over their standard deviation (over n)."""
    spread = values.std(axis=0)
    return values.mean(axis=0), _inverse(spread, values)


def min_max(values: Floats) -> Line:
    """A line from the worst system, which gets 0, to the best, which gets 1."""
    low = values.min(axis=0)
    return low, _inverse(values.max(axis=0) - low, values)


def as_they_are(values: Floats) -> Line:
    return np.zeros(values.shape[1]), np.ones(values.shape[1])


def _inverse(spread: Floats, values: Floats) -> Floats:
    """The inverse of the spread; 0, for no say, where all systems are equal."""
    equal = spread <= TIE * np.abs(values).max(axis=0)
    return np.where(equal, 0.0, 1 / np.where(equal, 1.0, spread))


@dataclass(frozen=True)
class CombinationMethod:
    """A way to combine; `line` is its scale, None where it knows only ranks."""

    line: Callable[[Floats], Line] | None
    higher_is_better: bool = True


RANKS, BORDA, Z, MIN_MAX, MEAN = "ranks", "borda", "z", "min-max", "mean"
WAYS: Mapping[str, CombinationMethod] = {
    RANKS: CombinationMethod(None, higher_is_better=False),
    BORDA: CombinationMethod(None),
    Z: CombinationMethod(z_scores),
    MIN_MAX: CombinationMethod(min_max),
    MEAN: CombinationMethod(as_they_are),
}


def better_high(way: str, higher_is_better: Sequence[bool]) -> bool:
    """A plain mean has the direction of its measures."""
    return higher_is_better[0] if way == MEAN else WAYS[way].higher_is_better


def fits(way: str, higher_is_better: Sequence[bool]) -> bool:
    """Whether measures of these directions can be combined so."""
    return way != MEAN or len(set(higher_is_better)) == 1


def shares_of(weights: Sequence[float]) -> Floats:
    listed = np.asarray(weights, dtype=np.float64)
    return np.asarray(listed / listed.sum())


def _signs(way: str, higher_is_better: Sequence[bool]) -> Floats:
    if way == MEAN:
        return np.ones(len(higher_is_better))
    return np.where(higher_is_better, 1.0, -1.0)


def combine(
    values: Floats, higher_is_better: Sequence[bool], weights: Sequence[float], way: str
) -> Floats:
    """The combination (systems,) of `values` (systems, measures)."""
    shares, signed = shares_of(weights), values * _signs(way, higher_is_better)
    line = WAYS[way].line
    if line is not None:
        offsets, factors = line(signed)
        return np.asarray(((signed - offsets) * factors) @ shares)
    places = mean_ranks(signed)
    return np.asarray((places if way == RANKS else len(values) - places) @ shares)


def coefficients(
    values: Floats, higher_is_better: Sequence[bool], weights: Sequence[float], way: str
) -> tuple[Floats, float]:
    """Factors of the measures, and what is added, by which a straight scale is a sum of
    the measures as they are."""
    signs, shares = _signs(way, higher_is_better), shares_of(weights)
    line = WAYS[way].line
    assert line is not None
    offsets, factors = line(values * signs)
    return signs * factors * shares, -float((offsets * factors) @ shares)


def moved_ends(
    resampled: Floats, factors: Floats, added: float, level: float, units: int
) -> tuple[Floats, Floats]:
    """Ends of intervals on a straight scale, from resamples of the measures (systems,
    measures, resamples); widened as by Student's t with few units."""
    drawn = np.einsum("smr,m->sr", resampled, factors) + added
    outside = (1 - level) / 2
    wide = -t_quantile(outside, units - 1) * (units / (units - 1)) ** 0.5
    tail = normal().cdf(-wide)
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=1)
    return low, high


def sum_of(
    measures: Sequence[Measure], factors: Sequence[float], higher_is_better: bool
) -> Measure:
    """The sum of measures times factors, as a measure of their counts."""
    used = [(m, f) for m, f in zip(measures, factors, strict=True) if f]
    columns = tuple(dict.fromkeys(c for m, _f in used for c in m.columns))
    places = [[columns.index(name) for name in m.columns] for m, _f in used]

    def score(*given: Floats) -> Floats:
        total = np.zeros(())
        for (measure, factor), own in zip(used, places, strict=True):
            total = total + factor * measure.score(*(given[i] for i in own))
        return total

    def weigh(weights: Floats, table: Floats) -> Floats:
        total = np.zeros(len(weights))
        for (measure, factor), own in zip(used, places, strict=True):
            rows = table[:, own]
            if measure.weighted is None:
                value = measure.score(*(weights @ rows).T)
            else:
                value = measure.weighted(weights, rows)
            total = total + factor * value
        return total

    by_rows = any(m.weighted is not None for m, _f in used)
    name = "+".join(f"{float(f)!r}*{m.name}" for m, f in used)
    return Measure(
        name,
        name,
        columns,
        no_function_of_sums if by_rows else score,
        name,
        higher_is_better,
        percent=False,
        weighted=weigh if by_rows else None,
        stepwise=any(m.stepwise for m, _f in used),
    )


def surely_better_by_ranks(better: Flags, weights: Sequence[float]) -> Flags:
    """[i, j]: the mean rank of i is better than that of j in every order of the
    measures that leaves what is sure, `better` (measures, systems, systems), as it is.

    The difference of two ranks is the number of systems above the one less those above
    the other. Its upper limit counts for every third system the worst that can be: it
    is above i where i is not surely above it, and above j only where that is sure.
    """
    systems = better.shape[1]
    highest = np.zeros((systems, systems))
    for sure, share in zip(better, shares_of(weights), strict=True):
        counts = sure.astype(np.float64)
        below, above = counts.sum(axis=1), counts.sum(axis=0)
        open_ = systems - 1 - below[:, None] - above[None, :]
        # Who is above i is above j as well, and the sure ones lie between them.
        highest += share * np.where(sure, -1 - counts @ counts, open_)
    np.fill_diagonal(highest, 0)
    return np.asarray(highest < -TIE)


def rank_ends(better: Flags, weights: Sequence[float]) -> tuple[Floats, Floats]:
    """Least and greatest mean rank (systems,) that sure differences leave possible."""
    shares = shares_of(weights)
    least = 1 + better.sum(axis=1).T @ shares
    most = better.shape[1] - better.sum(axis=2).T @ shares
    return np.asarray(least), np.asarray(most)
