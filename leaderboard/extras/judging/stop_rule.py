"""A rule for when votes are enough, which stays valid although one looks all the time.

Whoever looks after every vote, and stops when a difference shows, finds differences
that are none. So whenever one asks, only certain numbers of votes are looked at, each
half as many again as the one before; and of the error that is allowed (`ERROR`), look k
spends 1 / (k (k + 1)), which all together is the whole (alpha spending: Lan and DeMets
1983). At each look pairs of systems are tested as a family (Holm). A pair that was told
apart once stays so. The chance of a wrong pair, at any look, is then at most `ERROR` if
each test keeps its level.

Tests are those of differences of means or ratings whose units and judges are samples:
what each cell (unit, judge) adds to a difference is summed by units and by judges
(two-way clustered variance: Cameron, Gelbach and Miller 2011), with degrees of freedom
by Satterthwaite. Three judges may happen to see two systems alike, and of many pairs
those look surest: no pair's judges are taken to differ less than those of all pairs do
on average (docs/decisions/0021). Who judged much counts by that share, as on boards.
The tests are for planning; boards test as they always do.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from leaderboard.extras.judging.votes import Moves
from scoring.counts import Flags, Floats, Integers
from scoring.statistics.exchange import holm_of
from scoring.statistics.intervals import normal, t_quantile
from scoring.statistics.variance_components import student_tails

ERROR, POWER = 0.05, 0.8
FIRST, GROWTH = 10, 1.5  # votes of a system at the first look, and from look to look
# Of more than that many times what is there no plan is made.
MOST_TIMES = 100
NEVER = -1


@dataclass(frozen=True)
class PairErrors:
    """Differences of systems (n, n), row less column, their standard errors, and
    degrees of freedom; nan where a system has no value."""

    values: Floats
    errors: Floats
    degrees: Integers

    @classmethod
    def of(cls, moves: Moves) -> "PairErrors":
        units, judges = (len(np.unique(x)) for x in (moves.unit_of, moves.judge_of))
        values = moves.values[:, None] - moves.values
        by_unit = _pair_squares(_sums(moves.unit_of, moves.cells))
        by_unit *= units / max(units - 1, 1)
        excess, squares = _judge_variance(moves, np.isfinite(values))
        # Judges come on top of units, without what both have of single judgements.
        variance = by_unit + excess
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = by_unit**2 / max(units - 1, 1) + squares
            degrees = np.nan_to_num(variance**2 / parts, nan=1, posinf=1)
        if min(units, judges) < 2:
            variance = np.full_like(variance, np.nan)
        whole = np.maximum(np.floor(degrees), 1).astype(np.int64)
        return cls(values, np.sqrt(variance), whole)

    def p_values(self) -> Floats:
        """Two-sided, of the pairs (i, j) with i < j, in order; 1 where nothing varies
        or a system has no value."""
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.abs(self.values) / self.errors
        first, second = np.triu_indices(len(t), 1)
        t = t[first, second]
        comparable = np.isfinite(t)
        tails = np.ones(len(t))
        if comparable.any():
            degrees = self.degrees[first, second][comparable]
            tails[comparable] = student_tails(t[comparable], degrees)
        return tails


def _judge_variance(moves: Moves, comparable: Flags) -> tuple[Floats, Floats]:
    """The judges' part of the variance of each difference (n, n), and their term in the
    degrees of freedom of Satterthwaite; no pair gets less than the `comparable` ones
    on average.
    """
    of_cell = _pair_squares(moves.cells)
    _names, sizes = np.unique(moves.judge_of, return_counts=True)
    if len(sizes) < 2:
        return np.zeros_like(of_cell), np.zeros_like(of_cell)
    shares = sizes / sizes.sum()
    free = 1 / float((shares**2).sum()) - 1
    sums = _sums(moves.judge_of, moves.cells)
    whole = _pair_squares(sums / np.sqrt(1 - shares)[:, None])
    systems = int(comparable.any(axis=1).sum())
    pairs = comparable & ~np.eye(len(comparable), dtype=np.bool_)
    usual = float(whole[pairs].mean()) if pairs.any() else 0.0
    more = max(usual - float(of_cell[pairs].mean()), 0.0) if pairs.any() else 0.0
    low = whole - of_cell < more
    excess = np.maximum(whole - of_cell, more)
    squares = np.where(low, usual**2 / max(systems - 1, 1), whole**2) / free
    return excess, squares


def _sums(place_of: Integers, cells: Floats) -> Floats:
    _names, places = np.unique(place_of, return_inverse=True)
    sums = np.zeros((int(places.max(initial=-1)) + 1, cells.shape[1]))
    np.add.at(sums, places, cells)
    return sums


def _pair_squares(sums: Floats) -> Floats:
    """Sums of squares of differences of columns, (n, n)."""
    products = sums.T @ sums
    own = np.diag(products)
    return np.maximum(own[:, None] + own - 2 * products, 0)


def looks(votes: int, systems: int) -> Iterator[int]:
    """Numbers of votes at which one looks, as far as there are so many."""
    at = float(FIRST * systems)
    while int(at) <= votes:
        yield int(at)
        at *= GROWTH


def spent(look: int) -> float:
    """The error that look 1, 2, ... may make."""
    return ERROR / (look * (look + 1))


@dataclass(frozen=True)
class Progress:
    """The pairs that were told apart, and how many votes the others need.

    Of each pair (i, j), i < j, in order: the number of votes at the look that told it
    apart, or 0; and about how many more votes there have to be if they are spread as
    up to now, `NEVER` where that is out of reach or nothing is known.
    """

    first: Integers
    second: Integers
    told_at: Integers
    needed: Integers
    looked_at: int
    next_look: int

    @property
    def open_pairs(self) -> Integers:
        return np.flatnonzero(self.told_at == 0)

    @property
    def is_over(self) -> bool:
        """Whether every pair is told apart: votes may stop."""
        return bool(len(self.told_at)) and not len(self.open_pairs)


def progress(votes: int, systems: int, moves_of: Callable[[int], Moves]) -> Progress:
    """How far votes tell systems apart. `moves_of` gives what the first so many add."""
    first, second = np.triu_indices(systems, 1)
    told_at = np.zeros(len(first), dtype=np.int64)
    looked_at, look = 0, 0
    for look, at in enumerate(looks(votes, systems), 1):
        adjusted = holm_of(PairErrors.of(moves_of(at)).p_values())
        told_at[(told_at == 0) & (adjusted <= spent(look))] = at
        looked_at = at
    *_earlier, next_look = looks(
        math.ceil(GROWTH * max(votes, FIRST * systems)), systems
    )
    still = max(int((told_at == 0).sum()), 1)
    now = PairErrors.of(moves_of(votes)) if votes else None
    needed = (
        _votes_needed(now, votes, spent(look + 1) / still, next_look)
        if now
        else np.full(len(first), NEVER)
    )
    return Progress(first, second, told_at, needed, looked_at, next_look)


def _votes_needed(
    now: PairErrors, votes: int, level: float, next_look: int
) -> Integers:
    """How many more votes make a difference as large as now likely to be seen, with as
    many degrees of freedom; never fewer than there are until the next look."""
    first, second = np.triu_indices(len(now.values), 1)
    degrees, place = np.unique(now.degrees[first, second], return_inverse=True)
    wanted = np.array([t_quantile(1 - level / 2, n) for n in degrees.tolist()])
    reach = wanted[place] + normal().inv_cdf(POWER)
    with np.errstate(divide="ignore", invalid="ignore"):
        gaps = np.abs(now.values)[first, second]
        times = (reach * now.errors[first, second] / gaps) ** 2
    within_reach = np.isfinite(times) & (times <= MOST_TIMES)
    more = np.ceil(votes * (np.where(within_reach, times, 1.0) - 1))
    more = np.maximum(more, next_look - votes)
    return np.where(within_reach, more, NEVER).astype(np.int64)
