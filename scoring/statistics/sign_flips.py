"""The distribution of a sum of terms whose signs are chance, and its tails.

Of S = sum(s * d), each s being 1 or -1 with the same chance, the logarithm of the
moment generating function is K(t) = sum(log cosh(t * d)). Where its derivative reaches
the observed sum x lies the saddlepoint t, and with

    w = sqrt(2 * (t * x - K(t))),    v = t * sqrt(K''(t))

the chance that S is at least x is close to tail(w) + density(w) * (1 / v - 1 / w),
those of a normal variable (Lugannani and Rice 1980). Where all d are whole multiples of
one step, S moves by two steps at a time: x is then taken one step earlier, and the t of
v is sinh(t * step) / step (Daniels 1987, second correction). The relative error is a
few per cent at any level, whatever the sizes of the terms.

Most terms are small beside the others: of these K is a power series, for which sums of
powers are enough. The large ones are added up one by one.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scoring.counts import Flags, Floats, Integers

# Libraries differ in the last bits of exp and log; of tails nine digits agree.
DIGITS = 9
# Powers of ten that are exact; from here on values times one are nine digits long.
TENS = np.array([float(10**k) for k in range(23)])
SMALLEST = 1e-13
# Of a product of nine digits: far more than it may be off.
UNCLEAR = 1e-5
# Where no more terms differ, all signs can be tried.
FEW = 12
# Steps below this share of the spread change no p-value by more than a few per cent.
FINE = 0.01
# A multiple of the step is one up to this share of it.
WHOLE = 1e-6
# So many terms mostly show what the step is, or that there is none.
FIRST = 24
# log cosh(x) as a series in x * x, to four digits for x up to SMALL. Terms are small or
# large at t = x, where the saddlepoint would be if S were normal; it is never below.
SERIES = (1 / 2, -1 / 12, 1 / 45, -17 / 2520)
SMALL, SMALL_AT_FIRST = 0.65, 0.42
MOST_STEPS = 200
FAR_OUT = 1e15  # where tanh(t * d) is 1 for every d that is not rounding
FEWER = 0.8  # terms of those found are dropped where so many pairs are left
CLOSE = 1e-7  # a step of this share of t: the next has all digits
ROUNDING = 1e-12
MIDDLE = ALIKE = 1e-3
# What a processor has close by, and pairs whose saddlepoints are sought together.
CELLS_AT_ONCE, PAIRS_AT_ONCE = 48_000, 4096

# The terms (pairs, units) of the pairs at some places, and what all terms of a pair are
# whole multiples of (pairs,), 0 where nothing is known.
Terms = Callable[[Integers], tuple[Floats, Floats]]


@dataclass(frozen=True)
class Tails:
    """Two-sided p-values of sums, (pairs,), and how many terms of one size would vary
    as much: all of them where they are of one size, and hardly more than one where one
    outweighs the others."""

    p_value: Floats
    effective_units: Floats


def tails(
    terms: Terms,
    units: int,
    totals: Floats,
    spread: Floats,
    wanted: Flags | None = None,
) -> Tails:
    """The chance that with random signs a sum is as far from 0 as `totals` (pairs,).

    Of the terms of each pair, so many `units`, more than FEW are not 0; `spread`
    (pairs,) is the root of the sum of their squares. Of m that are not 0 no p-value is
    less than 2 / 2**m. Of pairs that are not `wanted` (pairs,) it is 1, whatever they
    are.
    """
    x = np.abs(totals) / spread
    p_value, effective = np.ones(len(x)), np.ones(len(x))
    for top in range(0, len(x), PAIRS_AT_ONCE):
        some = np.arange(top, min(top + PAIRS_AT_ONCE, len(x)))
        large = SMALL_AT_FIRST / np.maximum(x[some], SMALL_AT_FIRST)
        cumulants = _gather_cumulants(terms, units, some, spread[some], large)
        effective[some] = 1 / cumulants.fourth
        if wanted is not None:
            needed = np.flatnonzero(wanted[some])
            some, cumulants = some[needed], cumulants.only(needed)
        while len(some):
            reached = x[some] - cumulants.steps
            t = _saddlepoints(cumulants, reached)
            p_value[some] = np.maximum(
                _lugannani_rice(cumulants, t, reached), cumulants.least
            )
            # Where the saddlepoint lies far out, all terms are large.
            some = some[(t * cumulants.most > SMALL) & (reached > 0)]
            none = np.zeros(len(some))
            cumulants = _gather_cumulants(terms, units, some, spread[some], none)
    return Tails(_round(p_value), _round(effective))


def tails_of(terms: Floats, wanted: Flags | None = None) -> Tails:
    """`tails` of the sums of terms, (pairs, units)."""
    spread = np.sqrt((terms * terms).sum(axis=1))
    return tails(
        lambda places: (terms[places], np.zeros(len(places))),
        terms.shape[1],
        terms.sum(axis=1),
        spread,
        wanted,
    )


@dataclass(frozen=True)
class _Cumulants:
    """K of each pair and its derivatives, where the terms' spread is 1.

    Terms above `most` (pairs,) are added up one by one: they are the `sizes`, of the
    pairs `pair`, ascending. `powers` (orders, pairs) are sums of even powers of the
    others. `steps` (pairs,) are those by which sums move, 0 for none that matters, and
    `least` is the chance of the largest sum.
    """

    most: Floats
    pair: Integers
    sizes: Floats
    powers: Floats
    steps: Floats
    least: Floats

    @cached_property
    def _having(self) -> tuple[Integers, Integers]:
        """The pairs that have large terms, and where those begin."""
        first = np.ones(len(self.pair), dtype=np.bool_)
        np.not_equal(self.pair[1:], self.pair[:-1], out=first[1:])
        starts = np.flatnonzero(first)
        return self.pair[starts], starts

    def only(self, pairs: Integers) -> "_Cumulants":
        """The terms of some pairs, ascending."""
        place = np.full(len(self.most), -1)
        place[pairs] = np.arange(len(pairs))
        there = place[self.pair] >= 0
        return _Cumulants(
            self.most[pairs],
            place[self.pair[there]],
            self.sizes[there],
            self.powers[:, pairs],
            self.steps[pairs],
            self.least[pairs],
        )

    @property
    def fourth(self) -> Floats:
        """Sums of the fourth powers of all terms."""
        return np.asarray(self.powers[1] + self._sums_by_pair(self.sizes**4))

    def height(self, t: Floats) -> Floats:
        """K(t)."""
        sizes = self.sizes * t[self.pair]
        logs = sizes + np.log1p(np.exp(-2 * sizes)) - math.log(2)
        return self._series(t, 0) + self._sums_by_pair(logs)

    def slopes(self, t: Floats) -> tuple[Floats, Floats]:
        """K'(t) and K''(t)."""
        small = t[self.pair]
        small *= self.sizes
        small *= -2
        np.exp(small, out=small)
        shares = 1 + small
        np.divide(self.sizes, shares, out=shares)
        first = self._sums_by_pair((1 - small) * shares)
        small *= 4
        small *= shares
        small *= shares
        second = self._sums_by_pair(small)
        return self._series(t, 1) + first, self._series(t, 2) + second

    def _sums_by_pair(self, values: Floats) -> Floats:
        """Sums over the large terms of each pair."""
        sums = np.zeros(len(self.most))
        if len(values):
            pairs, starts = self._having
            sums[pairs] = np.add.reduceat(values, starts)
        return sums

    def _series(self, t: Floats, derivative: int) -> Floats:
        value, square = np.zeros(len(t)), t * t
        power = t ** (2 - derivative)
        for k, (factor, sums) in enumerate(zip(SERIES, self.powers, strict=True)):
            value += factor * math.perm(2 * k + 2, derivative) * sums * power
            power = power * square
        return value


def _gather_cumulants(
    terms: Terms, units: int, places: Integers, spread: Floats, most: Floats
) -> _Cumulants:
    """The sums that saddlepoints need of some pairs, a few pairs at a time."""
    powers, steps, least = np.ones((4, len(places))), *np.zeros((2, len(places)))
    pairs, large = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
    step = max(1, CELLS_AT_ONCE // max(units, 1))
    for top in range(0, len(places), step):
        some = slice(top, top + step)
        cells, grid = terms(places[some])
        sizes = np.abs(cells)
        steps[some] = _steps(sizes, grid, FINE * spread[some])
        least[some] = _least(sizes)
        above = sizes > (most[some] * spread[some])[:, None]
        cell = np.flatnonzero(above)
        pairs.append(cell // units + top)
        large.append(sizes.reshape(-1)[cell] / spread[pairs[-1]])
        sizes.reshape(-1)[cell] = 0.0
        squares = np.multiply(sizes, sizes, out=sizes)
        fourth = squares * squares
        powers[1, some] = fourth.sum(axis=1)
        powers[2, some] = np.einsum("pu,pu->p", squares, fourth)
        powers[3, some] = np.einsum("pu,pu->p", fourth, fourth)
    for k in range(1, 4):
        powers[k] /= spread ** (2 * k + 2)
    cumulants = _Cumulants(
        most,
        np.concatenate(pairs),
        np.concatenate(large),
        powers,
        steps / spread,
        least,
    )
    # The squares of all terms add up to 1.
    powers[0] = np.where(most > 0, 1 - cumulants._sums_by_pair(cumulants.sizes**2), 0.0)
    return cumulants


def _least(sizes: Floats) -> Floats:
    """The chance of the largest sum of `sizes` (pairs, units), and of its opposite."""
    return np.asarray(np.exp2(1.0 - np.count_nonzero(sizes, axis=1)))


def _saddlepoints(cumulants: _Cumulants, x: Floats) -> Floats:
    """The points where K' is x, and 0 for x below 0. K' bends down and is below t: from
    below, Newton's steps stay below, and from above the next is below.

    Towards the largest sum K' has less and less left, as an exponential does. Where all
    terms are large, steps are Newton's for the logarithm of that, which are longer;
    of the largest sum itself there is no saddlepoint, and none is looked for.
    """
    t = x * (1 + np.minimum(cumulants.fourth * x * x / 3, 0.5))
    beyond = np.where(
        cumulants.most == 0, cumulants._sums_by_pair(cumulants.sizes) - x, np.inf
    )
    ends = beyond <= ROUNDING * x
    t[ends] = FAR_OUT
    pairs = np.flatnonzero(~ends)
    open_, cumulants = np.ones(len(pairs), dtype=np.bool_), cumulants.only(pairs)
    for _step in range(MOST_STEPS):
        own, wanted = t[pairs], x[pairs]
        reached, curve = cumulants.slopes(own)
        missing = wanted - reached
        missing[np.abs(missing) <= ROUNDING * wanted] = 0.0
        moves = open_ & (curve > 0)
        step = np.divide(missing, curve, out=np.zeros_like(own), where=moves)
        short = moves & (missing > 0) & np.isfinite(beyond[pairs])
        more = missing[short] / beyond[pairs[short]]
        step[short] *= (1 + 1 / more) * np.log1p(more)
        own[open_] = np.maximum(own + step, wanted)[open_]
        t[pairs] = own
        # Beyond SMALL the series says nothing.
        inside = (cumulants.most == 0) | (own * cumulants.most <= SMALL)
        open_ &= inside & (np.abs(step) > CLOSE * own)
        left = np.flatnonzero(open_)
        if not len(left):
            break
        if len(left) <= FEWER * len(pairs):
            pairs, open_, cumulants = pairs[left], open_[left], cumulants.only(left)
    return np.asarray(t)


def _lugannani_rice(cumulants: _Cumulants, t: Floats, x: Floats) -> Floats:
    """Twice the chance of a sum above x, at most 1."""
    w = np.sqrt(np.maximum(2 * (t * x - cumulants.height(t)), 0.0))
    _slope, curve = cumulants.slopes(t)
    steps = cumulants.steps
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        arms = np.where(steps > 0, np.sinh(t * steps) / steps, t)
        more = 1 / (arms * np.sqrt(curve)) - 1 / w
    densities = np.exp(-w * w / 2) / math.sqrt(2 * math.pi)
    normal = [math.erfc(value) for value in (w / math.sqrt(2)).tolist()]
    p_values = np.array(normal) + 2 * densities * more
    # In the middle the fractions cancel, and all sums are as far from it.
    p_values[~(w > MIDDLE)] = 1.0
    # All signs are alike, or hardly any other sum is as large.
    p_values[(t > 1) & (t * t * curve < ALIKE)] = 0.0
    return np.minimum(p_values, 1.0)


def _steps(sizes: Floats, grid: Floats, least: Floats) -> Floats:
    """The largest step of which all `sizes` (pairs, units) are multiples, (pairs,); 0
    where it is not above the `least` that matters. By Euclid's algorithm, on the first
    ones first."""
    steps = np.zeros(len(sizes))
    units = sizes[:, :FIRST]
    smallest = np.where(units > 0, units, np.inf).min(axis=1, initial=np.inf)
    step = _common(units, smallest, least)
    # Where these are all 0 nothing is known yet.
    (none,) = np.nonzero(np.isinf(step))
    rows = sizes[none]
    step[none] = np.where(rows > 0, rows, np.inf).min(axis=1)
    done = (step > least) & (step <= grid * (1 + WHOLE))
    steps[done] = step[done]
    (some,) = np.nonzero((step > least) & ~done)
    steps[some] = _common(sizes[some], step[some], least[some])
    return steps


def _common(sizes: Floats, step: Floats, least: Floats) -> Floats:
    """The largest step of which `step` and all sizes (pairs, units) are multiples."""
    steps = np.where(step > least, step, 0.0)
    open_ = np.flatnonzero((steps > 0) & np.isfinite(step))
    while len(open_):
        rest = sizes[open_] / steps[open_, None]
        rest = np.abs(rest - np.rint(rest))
        rest[rest <= WHOLE] = np.inf
        smallest = rest.min(axis=1)
        open_, smallest = open_[np.isfinite(smallest)], smallest[np.isfinite(smallest)]
        steps[open_] *= smallest
        small = steps[open_] <= least[open_]
        steps[open_[small]] = 0.0
        open_ = open_[~small]
    return steps


def _round(values: Floats) -> Floats:
    """The values to so many digits, as decimals are read: the quotient of two exact
    numbers, of which none is in the middle between two such decimals."""
    size = np.log10(np.clip(values, SMALLEST, 1 / SMALLEST))
    places = DIGITS - 1 - np.floor(size).astype(np.int64)
    tens = TENS[np.clip(places, 0, len(TENS) - 1)]
    scaled = values * tens
    found = np.asarray(np.rint(scaled) / tens)
    unclear = np.abs(scaled - np.floor(scaled) - 0.5) < UNCLEAR
    unclear |= (values < SMALLEST) | (places < 0)
    for place in np.flatnonzero(unclear).tolist():
        found[place] = float(f"{values[place]:.{DIGITS}g}")
    return found
