"""Ratings of systems from votes on pairs: Bradley-Terry with ties (Davidson 1970).

A vote says of two systems on one unit which is better, or that they are equal. With
ratings r the odds are e^(r_i) : e^(r_j) : e^(t + (r_i + r_j) / 2) for the first, the
second, and a tie. Ratings are in points of Elo, 0 on average of the rated systems:
400 points are odds of 10 to 1.

Ratings exist among systems that are connected: of any two, each must have been better
than or equal to the other, directly or by way of others. The largest such group is
rated. Votes between groups say nothing about ratings within one. Nor do ties alone:
where no way from a system back to itself has more wins than ties, gaps and the chance
of a tie could grow together without end, and nobody is rated.

Units and judges vary, and votes on one unit or of one judge go together. So a rating is
written as a mean over units and judges: what each unit and judge adds to it, to first
order (its influence: Hampel 1974), is a row of a table as other judgements are. Its
means are the ratings, and what varies between its rows is their uncertainty, so that
intervals and tests need nothing of their own.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scoring.counts import Flags, Floats, Integers
from scoring.statistics.averages import in_order

# Points of Elo for odds of e to 1.
ELO = 400 / math.log(10)
# What the first of a pair got; a half is a tie.
BETTER, TIE, WORSE = 1.0, 0.5, 0.0
MOST_STEPS = 100
NEAR = 1e-11
# No step changes a rating by more: far from the end the likelihood is flat.
LONGEST_STEP = 2.0


@dataclass(frozen=True)
class Votes:
    """Votes (n,) on pairs: places of both systems, what the first got (1, 0.5 or 0),
    and places of the unit and of the judge."""

    first: Integers
    second: Integers
    result: Floats
    unit_of: Integers
    judge_of: Integers

    def __len__(self) -> int:
        return len(self.first)

    def where(self, chosen: Flags) -> "Votes":
        return Votes(
            self.first[chosen],
            self.second[chosen],
            self.result[chosen],
            self.unit_of[chosen],
            self.judge_of[chosen],
        )


@dataclass(frozen=True)
class Ratings:
    """Ratings (systems,) in points of Elo, nan of one that is not connected, and the
    votes among those that are."""

    values: Floats
    votes: Votes
    # By how many e-folds a tie is likelier than either win between equals; None where
    # there is no tie.
    tie: float | None

    @classmethod
    def of(cls, votes: Votes, systems: int) -> "Ratings":
        """The maximum of the likelihood."""
        rated = largest_group(votes, systems)
        chosen = np.asarray(rated[votes.first] & rated[votes.second])
        values, among = np.full(systems, np.nan), votes.where(chosen)
        if not len(among):
            return cls(values, among, None)
        ties = bool((among.result == TIE).any())
        names = np.cumsum(rated) - 1
        table = _table(among, names, int(rated.sum()))
        fit = _fit(table, ties)
        values[rated] = fit[:-1] * ELO
        return cls(values, among, float(fit[-1]) if ties else None)

    @cached_property
    def has_rating(self) -> Flags:
        return np.asarray(~np.isnan(self.values))

    def chances(self) -> Floats:
        """How likely each system (systems, systems) is to be better than the other,
        ties as half; nan on the diagonal and of systems without a rating."""
        strength = self.values / ELO
        better, _worse, tie = _shares(strength[:, None] - strength, self.tie)
        chances = np.asarray(better + tie / 2)
        np.fill_diagonal(chances, np.nan)
        return chances

    def wins(self) -> Floats:
        """The chance of each against another rated system, on average (systems,)."""
        wins, rated = np.full(len(self.values), np.nan), self.has_rating
        if rated.any():
            own = self.chances()[np.ix_(rated, rated)]
            wins[rated] = np.nansum(own, axis=1) / (len(own) - 1)
        return wins

    @cached_property
    def _influence(self) -> tuple[Integers, Integers, Floats]:
        """The unit and the judge of each cell of votes, and what each cell adds to the
        ratings and to the wins, (2, cells, rated), in their units."""
        rated, votes = self.has_rating, self.votes
        if not len(votes):
            none = np.zeros(0, dtype=np.int64)
            return none, none, np.zeros((2, 0, 0))
        names, n = np.cumsum(rated) - 1, int(rated.sum())
        first, second = names[votes.first], names[votes.second]
        strength = self.values[rated] / ELO
        gap = strength[first] - strength[second]
        better, _worse, tie = _shares(gap, self.tie)
        slope = votes.result - (better + tie / 2)
        judges = int(votes.judge_of.max()) + 1
        cells, cell_of = np.unique(
            votes.unit_of * judges + votes.judge_of, return_inverse=True
        )
        scores = np.zeros((len(cells), n + 1))
        np.add.at(scores, (cell_of, first), slope)
        np.add.at(scores, (cell_of, second), -slope)
        if self.tie is not None:
            last = np.full(len(votes), n)
            np.add.at(scores, (cell_of, last), (votes.result == TIE) - tie)
        table = _table(votes, names, n)
        information = _information(strength, self.tie, table)
        moves = np.linalg.solve(information, scores.T).T
        slopes = _slopes_of_wins(strength, self.tie)
        both = np.stack([moves[:, :n] * ELO, moves @ slopes.T])
        return cells // judges, cells % judges, both

    @property
    def moves(self) -> "Moves":
        """The part of each unit and judge in each rating; nan of those without one."""
        unit_of, judge_of, moves = self._influence
        cells = np.full((len(unit_of), len(self.values)), np.nan)
        cells[:, self.has_rating] = moves[0]
        return Moves(self.values, unit_of, judge_of, cells)

    def rows(self) -> "RatingRows":
        """Rows of a table of judgements: a value of each rated system for each unit and
        judge, so that means over judges and then units are ratings and wins."""
        unit_of, judge_of, moves = self._influence
        units, place, sizes = np.unique(
            unit_of, return_inverse=True, return_counts=True
        )
        share = (sizes[place] * len(units))[:, None]
        ends = np.stack([self.values[self.has_rating], self.wins()[self.has_rating]])
        return RatingRows(unit_of, judge_of, ends[:, None, :] + moves * share)


@dataclass(frozen=True)
class Moves:
    """Values of systems (n,), and by how much each cell of a unit and a judge moves
    them, (cells, n), to first order."""

    values: Floats
    unit_of: Integers
    judge_of: Integers
    cells: Floats

    @classmethod
    def of_means(
        cls,
        system_of: Integers,
        unit_of: Integers,
        judge_of: Integers,
        given: Floats,
        systems: int,
    ) -> "Moves":
        """Moves of means over judgements (k,) of each system; nan without any."""
        judges = int(judge_of.max(initial=0)) + 1
        sizes = np.bincount(system_of, minlength=systems)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.bincount(system_of, given, systems) / sizes
        names, place = np.unique(unit_of * judges + judge_of, return_inverse=True)
        cells = np.zeros((len(names), systems))
        off = (given - means[system_of]) / sizes[system_of]
        np.add.at(cells, (place, system_of), off)
        return cls(np.asarray(means), names // judges, names % judges, cells)


@dataclass(frozen=True)
class RatingRows:
    """Cells (c,) of units and judges with the values of each rated system in it:
    ratings and wins, (2, c, rated)."""

    unit_of: Integers
    judge_of: Integers
    values: Floats


def largest_group(votes: Votes, systems: int) -> Flags:
    """The systems of the largest connected group (systems,), none where no two are or
    ties alone hold it together; of equally large ones that with more votes, then the
    first."""
    reaches = np.eye(systems, dtype=np.bool_)
    wins, losses = votes.result > WORSE, votes.result < BETTER
    reaches[votes.first[wins], votes.second[wins]] = True
    reaches[votes.second[losses], votes.first[losses]] = True
    for _doubling in range(max(systems, 2).bit_length()):
        reaches = (reaches.astype(np.float64) @ reaches) > 0
    same = reaches & reaches.T
    nobody = np.zeros(systems, dtype=np.bool_)
    best, size = nobody, (1, 0)
    for group in np.unique(same, axis=0)[::-1]:
        among = int((group[votes.first] & group[votes.second]).sum())
        if (int(group.sum()), among) > size:
            best, size = np.asarray(group), (int(group.sum()), among)
    inside = votes.where(np.asarray(best[votes.first] & best[votes.second]))
    return best if _is_decided(inside, systems) else nobody


def _is_decided(votes: Votes, systems: int) -> bool:
    """Whether some way from a system back to itself has more wins than ties, or there
    is no tie."""
    ties = votes.result == TIE
    if not ties.any():
        return True
    lead = np.full((systems, systems), -np.inf)
    for first, second in (
        (votes.first[ties], votes.second[ties]),
        (votes.second[ties], votes.first[ties]),
    ):
        lead[first, second] = -1.0
    better = np.where(votes.result == BETTER, votes.first, votes.second)
    worse = votes.first + votes.second - better
    lead[better[~ties], worse[~ties]] = 1.0
    if ((lead > 0) & (lead.T > 0)).any():
        return True
    for via in range(systems):  # the longest ways, in turn over more systems
        lead = np.maximum(lead, lead[:, via, None] + lead[via])
        if (np.diag(lead) > 0).any():
            return True
    return False


def _shares(gap: Floats, tie: float | None) -> tuple[Floats, Floats, Floats]:
    """How likely the first is better, worse, or equal, by the gap of strengths."""
    half = np.abs(gap) / 2
    # Divided by the largest of the terms, which may overflow.
    up, down = np.exp(gap / 2 - half), np.exp(-gap / 2 - half)
    middle = np.zeros_like(gap) if tie is None else np.exp(tie - half)
    whole = up + down + middle
    return up / whole, down / whole, middle / whole


def _table(votes: Votes, names: Integers, systems: int) -> Floats:
    """How often the row was better than the column, and (below) how often they were
    equal, once for each vote: (2, systems, systems)."""
    table = np.zeros((2, systems, systems))
    first, second = names[votes.first], names[votes.second]
    for result, layer, row, column in (
        (BETTER, 0, first, second),
        (WORSE, 0, second, first),
        (TIE, 1, first, second),
    ):
        of = votes.result == result
        np.add.at(table[layer], (row[of], column[of]), 1)
    return table


def _fit(table: Floats, ties: bool) -> Floats:
    """Strengths with mean 0, and the logarithm of the tie, by Newton's method on the
    concave likelihood: (systems + 1,)."""
    n = table.shape[1]
    fit = np.zeros(n + 1)
    for _step in range(MOST_STEPS):
        tie = float(fit[-1]) if ties else None
        slope = _slope(fit[:-1], tie, table)
        step = np.linalg.solve(_information(fit[:-1], tie, table), slope)
        step *= min(1.0, LONGEST_STEP / max(float(np.abs(step).max()), 1e-300))
        fit += step
        fit[:-1] -= in_order(fit[:-1]) / n
        if float(np.abs(step).max()) < NEAR:
            break
    return fit


def _slope(strength: Floats, tie: float | None, table: Floats) -> Floats:
    """The derivative of the likelihood by strengths and tie."""
    wins, equal = table
    pairs = wins + wins.T + equal + equal.T
    better, _worse, middle = _shares(strength[:, None] - strength, tie)
    got = wins + (equal + equal.T) / 2
    slope = np.zeros(len(strength) + 1)
    slope[:-1] = (got - pairs * (better + middle / 2)).sum(axis=1)
    if tie is not None:
        slope[-1] = equal.sum() - (pairs * middle).sum() / 2
    return slope


def _information(strength: Floats, tie: float | None, table: Floats) -> Floats:
    """The negative second derivative, made regular: strengths have mean 0, and without
    ties the last one is of nothing."""
    wins, equal = table
    n = len(strength)
    pairs = wins + wins.T + equal + equal.T
    better, _worse, middle = _shares(strength[:, None] - strength, tie)
    variance = pairs * (better + middle / 4 - (better + middle / 2) ** 2)
    whole = np.zeros((n + 1, n + 1))
    whole[:n, :n] = np.diag(variance.sum(axis=1)) - variance + 1 / n
    whole[n, n] = 1.0
    if tie is not None:
        cross = (pairs * middle * (0.5 - (better + middle / 2))).sum(axis=1)
        whole[:n, n] = whole[n, :n] = cross
        whole[n, n] = (pairs * middle * (1 - middle)).sum() / 2
    return whole


def _slopes_of_wins(strength: Floats, tie: float | None) -> Floats:
    """The derivative of the chance of each system against the others, on average, by
    strengths and tie: (systems, systems + 1)."""
    n = len(strength)
    better, _worse, middle = _shares(strength[:, None] - strength, tie)
    expected = better + middle / 2
    by_gap = better + middle / 4 - expected**2
    np.fill_diagonal(by_gap, 0.0)
    slopes = np.zeros((n, n + 1))
    slopes[:, :n] = (np.diag(by_gap.sum(axis=1)) - by_gap) / (n - 1)
    if tie is not None:
        by_tie = middle * (0.5 - expected)
        np.fill_diagonal(by_tie, 0.0)
        slopes[:, n] = by_tie.sum(axis=1) / (n - 1)
    return slopes


def systems_without_rating(
    votes: Votes, systems: int, names: Sequence[str]
) -> list[tuple[str, str]]:
    """Systems that have no rating, each with why: "no_votes", "only_won", "only_lost",
    "apart" from the group that is rated, "undecided" where none is."""
    rated = largest_group(votes, systems)
    won = np.bincount(votes.first, votes.result, systems)
    won += np.bincount(votes.second, 1 - votes.result, systems)
    of = np.bincount(votes.first, minlength=systems)
    of += np.bincount(votes.second, minlength=systems)
    lone = []
    for i in np.flatnonzero(~rated).tolist():
        why = "apart" if rated.any() else "undecided"
        if not of[i]:
            why = "no_votes"
        elif won[i] == of[i]:
            why = "only_won"
        elif won[i] == 0:
            why = "only_lost"
        lone.append((names[i], why))
    return lone
