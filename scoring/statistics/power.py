"""The difference that a test finds in four of five cases: before launch, on a board.

Holm's correction asks of the first of K pairs a p-value below (1 - level) / K. A
difference is laid over the terms of two systems, each unit getting its share of the
measure, and made as large as the test asks for; a true one has to be larger by as many
standard errors as the power takes. What runs and judges add to a difference does not
become less with more units, and few of them mostly show too little of it: the median of
chi square is below its mean.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from scoring.counts import Counts, Floats, Integers
from scoring.errors import Problem, UsageError
from scoring.measures import Measure
from scoring.messages import Messages, _
from scoring.statistics.bootstrap import Plan, Stratum
from scoring.statistics.comparison import counts_of
from scoring.statistics.exchange import (
    FAR,
    ROUNDING,
    Exchange,
    Pairs,
    tables_of,
    tails,
    value_of,
    without_slope,
)
from scoring.statistics.groups import by_group, grouping_to_exchange
from scoring.statistics.intervals import normal, t_quantile
from scoring.statistics.large_boards import ToldApart
from scoring.statistics.sign_flips import tails_of
from scoring.statistics.variance_components import Planned, p_values

MESSAGES = Messages(
    pilots=_("expected two or more pilots with a value of %(measure)s"),
    no_separation=_(
        "in %(measure)s pilots differ in too few units to separate any "
        "difference on a board of %(systems)s"
    ),
    no_slope=_(
        "no unit moves %(measure)s by itself, so nothing tells which difference "
        "would be found"
    ),
)

POWER = 0.8
MOST_DOUBLINGS, SMOOTH_STEPS, MOST_STEPS = 20, 5, 30
# Of standard errors, and of a sum: what a crossing is found to.
CLOSE = 1e-4
# Below, a difference adds to its spread as fast as it grows.
LEAST_GROWTH = 0.01
TINY = 1e-300
# Times the difference that is found, the pair's own: systems so far apart in a measure
# without bounds say nothing of those that are close.
FARTHEST = 1000.0
FEWEST = 2.0  # degrees of freedom: of fewer no approximation of chi square is any good


@dataclass(frozen=True, slots=True)
class Separation:
    """The smallest difference that a test set separates, in units of the measure.

    `smallest` is for pilots that differ from each other as most pairs do (the
    median), from `low` to `high` at `level` since pilots tell it no better, and
    `cautious` for the pair hardest to tell apart; `per_pair` holds each pair's,
    infinite for one that differs in too few units to be told apart at all.
    A true difference of that size is found with probability `power` by the two-sided
    test at 1 - `level` on a board of `systems`. `beside_units` is the share of runs and
    judges in the variance of a typical difference; `runs` and `judges` are how many of
    them there are now, None without several. `compared_by` is the grouping whose groups
    are the `units`, None where single ones are (`scoring.statistics.groups`).
    """

    measure: str
    units: int
    smallest: float
    low: float
    high: float
    cautious: float
    per_pair: Mapping[tuple[str, str], float]
    level: float
    power: float
    systems: int
    beside_units: float = 0.0
    runs: int | None = None
    judges: int | None = None
    compared_by: str | None = None

    def units_for(self, difference: float, cautious: bool = False) -> int | None:
        """The number of units that would separate `difference` (above 0); None where no
        number would, since runs or judges vary too much.

        Standard errors shrink with the root of the number of units, so halving the
        difference takes four times as many. Raises ValueError for 0 or less.
        """
        if not difference > 0:
            raise ValueError("expected a difference above 0")
        return self.units_from(self.cautious if cautious else self.smallest, difference)

    def units_from(self, here: float, difference: float) -> int | None:
        """`units_for` a pair of which `here` is found with the units that there are."""
        if not self.beside_units:
            return math.ceil(self.units * (here / difference) ** 2)
        left = (difference / here) ** 2 - self.beside_units
        if not left > 0:
            return None
        return math.ceil(round(self.units * (1 - self.beside_units) / left, 6))


def separation(
    pilots: Mapping[str, Counts],
    measure: Measure,
    plan: Plan,
    power: float = POWER,
    systems: int = 2,
    planned: Planned | None = None,
    groups: Sequence[str] = (),
) -> Separation:
    """The separation that pilots on one test set show, for a board of so many systems;
    by one of the `groups` where their differences are alike inside it.

    Raises UsageError with fewer than two pilots, where no pair has the measure
    defined, where so few units differ that no difference can be separated, or where no
    single unit moves the measure; ValueError when the pilots' units differ.
    """
    rows = {name: [(counts, plan)] for name, counts in pilots.items()}
    group = grouping_to_exchange(
        [[counts] for counts in pilots.values()], measure, groups
    )
    return mean_separation(rows, measure, power, systems, planned, group)


def mean_separation(
    pilots: Mapping[str, Sequence[Stratum | None]],
    measure: Measure,
    power: float = POWER,
    systems: int = 2,
    planned: Planned | None = None,
    group: str = "",
) -> Separation:
    """`separation` for means over test sets; units are those of all together, or the
    groups of a grouping if one is named."""
    given = {
        name: [counts for counts in counts_of(row) if counts is not None]
        for name, row in pilots.items()
        if None not in row
    }
    plans = [stratum[1] for row in pilots.values() for stratum in row if stratum]
    level = plans[0].level if plans else Plan().level
    wanted = (level, power, max(systems, 2))
    names = list(given)
    coarse = by_group(list(given.values()), measure, group)
    rows = [[counts for counts in row if counts] for row in coarse]
    exchange = Exchange(tables_of(rows, [measure]), measure)
    if measure.stepwise or _flat(exchange, rows):
        raise UsageError(Problem("pilots", MESSAGES("no_slope", measure=measure.name)))
    factors = exchange.random_factors
    spreads = {
        (names[first], names[second]): spread
        for first, second, spread in _spreads(exchange, wanted, planned)
        if spread.smallest == spread.smallest
    }
    if not spreads:
        message = MESSAGES("pilots", measure=measure.name)
        raise UsageError(Problem("pilots", message))
    per_pair = {pair: spread.smallest for pair, spread in spreads.items()}
    units = units_of(rows)
    smallest = median(per_pair.values())
    if not math.isfinite(smallest):
        message = MESSAGES("no_separation", measure=measure.name, systems=wanted[2])
        raise UsageError(Problem("pilots", message))
    middle = min(per_pair, key=lambda pair: abs(per_pair[pair] - smallest))
    degrees, z = spreads[middle].degrees, normal().inv_cdf((1 + level) / 2)
    least, typical, most = (_true_root(degrees, side) for side in (-z, 0.0, z))
    return Separation(
        measure.name,
        units,
        smallest,
        smallest * least / typical,
        smallest * most / typical,
        max(per_pair.values()),
        per_pair,
        *wanted,
        beside_units=spreads[middle].beside_units,
        runs=factors.of_runs if factors else None,
        judges=factors.of_judges if factors else None,
        compared_by=group or None,
    )


def _flat(exchange: Exchange, systems: Sequence[Sequence[Counts]]) -> bool:
    """Whether values differ though no unit moves a difference."""
    sums = exchange.pairs()
    values = np.array([value_of(system, exchange.measure) for system in systems])
    pair = values[sums.first], values[sums.second]
    flat = without_slope(exchange.measure, sums.spread, *pair)
    return bool(flat.any() and not (sums.spread > 0).any())


@dataclass(frozen=True)
class PairSpread:
    """The smallest difference that is found between the two systems of a pair, the
    `degrees` of freedom that its variance is known with, and the share of runs and
    judges in that."""

    smallest: float
    degrees: float
    beside_units: float


Wanted = tuple[float, float, int]  # level, power, systems on the board
Beside = tuple[Floats, Floats]  # `Exchange.beside_units`


def _spreads(
    exchange: Exchange, wanted: Wanted, planned: Planned | None
) -> Iterator[tuple[int, int, PairSpread]]:
    sums = exchange.pairs()
    terms, shares = exchange.terms_in_order(sums), exchange.shares(sums)
    beside = exchange.beside_units(sums, planned)
    satterthwaite = _satterthwaite_terms(exchange.beside_units(sums), beside)
    units = exchange.units
    smallest = differences_found(terms, shares, units, *wanted, beside, satterthwaite)
    of_units = errors_of(terms, shares, units) ** 2
    whole = of_units + beside[0]
    parts = beside[0] / np.where(whole > 0, whole, 1.0)
    unsure = _unsure(terms, units) * of_units**2 + satterthwaite
    degrees = whole**2 / np.where(unsure > 0, unsure, TINY)
    pairs = zip(sums.first.tolist(), sums.second.tolist(), strict=True)
    spreads = zip(smallest.tolist(), degrees.tolist(), parts.tolist(), strict=True)
    for (one, other), spread in zip(pairs, spreads, strict=True):
        yield one, other, PairSpread(*spread)


def _satterthwaite_terms(now: Beside, planned: Beside) -> Floats:
    """The terms of Satterthwaite of what is planned, (pairs,), as well as what there is
    now tells it."""
    scale = np.where(now[0] > 0, planned[0] / np.where(now[0] > 0, now[0], 1.0), 1.0)
    return np.asarray(now[1] * scale**2)


def units_of(systems: Sequence[Sequence[Counts]]) -> int:
    """The number of units over all test sets."""
    return sum(len(counts.units) for counts in systems[0]) if systems else 0


def errors_of(terms: Floats, shares: Floats, units: int) -> Floats:
    """Standard errors of sums of terms, (pairs,), around each unit's share of them."""
    off = terms - terms.sum(axis=1, keepdims=True) * shares
    return np.asarray(np.sqrt((off * off).sum(axis=1) * units / max(units - 1, 1)))


def _unsure(terms: Floats, units: int) -> Floats:
    """One over the degrees of freedom of the variance over units, (pairs,), from the
    fourth moment."""
    squares = terms * terms
    whole = squares.sum(axis=1)
    fourth = (squares * squares).sum(axis=1) / np.where(whole > 0, whole, 1.0) ** 2
    return np.asarray(np.maximum(fourth - 1 / max(units, 1), 0.0) / 2)


def _true_root(degrees: float, z: float = 0.0) -> float:
    """The root of a variance by that of its estimate: the median, or as far up as the
    quantile of a normal `z`; by chi square (Wilson and Hilferty 1931)."""
    step = 2 / (9 * max(degrees, FEWEST))
    root = 1 - step - z * math.sqrt(step)
    return root**-1.5 if root > 0 else math.inf


def differences_found(
    terms: Floats,
    shares: Floats,
    units: int,
    level: float,
    power: float,
    systems: int,
    beside: Beside | None = None,
    satterthwaite: Floats | None = None,
) -> Floats:
    """The smallest true difference that is found with that power between systems that
    differ as the pairs of `terms` (pairs, units) do, on a board of so many. `beside`
    is what runs and judges add to its variance, none by default, and `satterthwaite`
    its second part by those that there are, where others are planned.

    0 for systems that answer alike. Infinite where not even all units in favour of one
    system would be enough, nan where terms are.
    """
    alpha = (1 - level) / math.comb(systems, 2)
    errors = errors_of(terms, shares, units)
    excess, squares = np.zeros((2, len(terms))) if beside is None else beside
    critical = _critical_sums(terms, shares, alpha, (excess, squares))
    whole = errors**2 + excess
    # What the test asks for is itself uncertain where few runs or judges tell.
    degrees = whole**2 / np.where(squares > 0, squares, 1.0)
    wide, mostly = np.full(len(terms), normal().inv_cdf(power)), np.ones(len(terms))
    satterthwaite = squares if satterthwaite is None else satterthwaite
    for i in np.flatnonzero((squares > 0) & np.isfinite(whole)).tolist():
        wide[i] = t_quantile(power, max(1, int(degrees[i])))
        mostly[i] = _true_root(float(whole[i] ** 2 / satterthwaite[i]))
    return np.asarray((critical + wide * np.sqrt(whole)) * mostly)


def _critical_sums(
    terms: Floats, shares: Floats, alpha: float, beside: Beside
) -> Floats:
    """The sums (pairs,) of which the p-value is `alpha`, had the units so much more."""
    differing = terms != 0
    sums = np.where(np.isnan(terms).any(axis=1), np.nan, 0.0)
    most = np.count_nonzero(differing, axis=1)
    enough = np.exp2(1.0 - most) <= alpha
    sums[(most > 0) & ~enough & ~np.isnan(sums)] = np.inf
    (some,) = np.nonzero((most > 0) & enough & ~np.isnan(sums))
    if not len(some):
        return sums
    # A difference shows where the two differ at all.
    shares = np.where(differing[some], shares[some], 0.0)
    whole = shares.sum(axis=1, keepdims=True)
    even = differing[some] / most[some, None]
    shares = np.where(whole > 0, shares / np.where(whole > 0, whole, 1.0), even)
    off = terms[some] - terms[some].sum(axis=1, keepdims=True) * shares
    spread = np.sqrt((off * off).sum(axis=1))

    excess, squares = (values[some] for values in beside)
    wanted = -normal().inv_cdf(alpha / 2)

    def beyond(x: Floats, pairs: Integers) -> Floats:
        """The standard errors of a normal tail by which p-values are below `alpha`."""
        moved = off[pairs] + x[:, None] * shares[pairs]
        variance = (moved * moved).sum(axis=1)
        z = x / np.sqrt(variance)
        # As `exchange.p_values` has it.
        p_value = np.where(z <= FAR, tails_of(moved).p_value, tails(z))
        p_value = p_values(p_value, z, variance, excess[pairs], squares[pairs])
        quantiles = [normal().inv_cdf(max(p, TINY) / 2) for p in p_value.tolist()]
        return -np.array(quantiles) - wanted

    least = np.abs(terms[some]).sum(axis=1) * ROUNDING
    first = np.maximum(_normal_sums(spread, off, shares, excess, wanted), least)
    sums[some] = _crossings(beyond, first, -wanted)
    return sums


def _normal_sums(
    spread: Floats, off: Floats, shares: Floats, excess: Floats, wanted: float
) -> Floats:
    """The sums (pairs,) that are `wanted` standard errors from 0, the spread growing
    with the shares that are laid on; without that where it grows as fast."""
    square = wanted * wanted
    grows = 1 - square * (shares * shares).sum(axis=1)
    half = square * (off * shares).sum(axis=1)
    fixed = square * (spread * spread + excess)
    roots = np.sqrt(half * half + np.maximum(grows, 0.0) * fixed) + half
    safe = np.where(grows > LEAST_GROWTH, grows, 1.0)
    return np.where(grows > LEAST_GROWTH, roots / safe, np.sqrt(fixed))


def _crossings(
    beyond: Callable[[Floats, Integers], Floats], first: Floats, at_zero: float
) -> Floats:
    """The points where `beyond` rises above 0, sought near `first` (pairs,); it is
    `at_zero` at 0. Infinite where it does not rise so far.

    By the Illinois method of false position, where an end of the bracket that stays for
    a second step counts half, and by halves where `beyond` turns out to jump.
    """
    high, low = first.copy(), np.zeros(len(first))
    above, below = np.zeros(len(first)), np.full(len(first), at_zero)
    open_ = np.arange(len(first))
    for _doubling in range(MOST_DOUBLINGS):
        above[open_] = beyond(high[open_], open_)
        open_ = open_[above[open_] < -CLOSE]
        if not len(open_):
            break
        low[open_], below[open_] = high[open_], above[open_]
        high[open_] *= 2
    sums, last = high.copy(), np.zeros(len(first))
    sums[open_] = np.inf
    open_ = np.flatnonzero(above > CLOSE)
    for step in range(MOST_STEPS):
        if not len(open_):
            break
        share = above[open_] / (above[open_] - below[open_])
        if step >= SMOOTH_STEPS:
            share[:] = 0.5
        x = high[open_] - share * (high[open_] - low[open_])
        value = beyond(x, open_)
        side = np.where(value > 0, 1.0, -1.0)
        again = side == last[open_]
        last[open_] = side
        up, down = open_[value > 0], open_[value <= 0]
        high[up], above[up] = x[value > 0], value[value > 0]
        low[down], below[down] = x[value <= 0], value[value <= 0]
        below[open_[again & (side > 0)]] /= 2
        above[open_[again & (side < 0)]] /= 2
        sums[open_] = np.where(np.abs(value) > CLOSE, high[open_], x)
        wide = high[open_] - low[open_] > CLOSE * high[open_]
        open_ = open_[wide & (np.abs(value) > CLOSE)]
    return sums


def resolution(
    pairs: Pairs | ToldApart, level: float, power: float = POWER
) -> float | None:
    """The difference that is found on a board with that power, between systems that
    differ as its pair of the median spread does.

    None where no two systems differ, where the units are too few to tell any two of so
    many apart, or where that pair is too far apart to say it.
    """
    terms, shares = (values[None] for values in pairs.typical)
    systems = int(pairs.tested.sum())
    if not terms.size or systems < 2:
        return None
    excess, squares = (np.array([value]) for value in pairs.typical_beside)
    wanted = pairs.units, level, power, systems
    (smallest,) = differences_found(terms, shares, *wanted, (excess, squares))
    far = FARTHEST * smallest < abs(terms.sum())
    return float(smallest) if 0 < smallest < math.inf and not far else None
