"""A rule to stop judging: errors by hand, and what it keeps when one always looks."""

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist, stdev

import numpy as np
import pytest

from leaderboard.extras.judging.stop_rule import (
    ERROR,
    NEVER,
    PairErrors,
    Progress,
    _judge_variance,
    looks,
    progress,
    spent,
)
from leaderboard.extras.judging.votes import Moves, Ratings, Votes
from scoring.counts import Floats


def campaign(
    rng: np.random.Generator,
    strengths: Sequence[float],
    *,
    votes: int,
    units: int = 200,
    judges: int = 10,
    items: float = 0.0,
    tastes: float = 0.0,
) -> Votes:
    """Votes by the model of Bradley and Terry with ties, whose units and judges prefer
    some systems by chance, in the order in which they came."""
    n = len(strengths)
    of_unit, of_judge = (
        rng.normal(0, items, (units, n)),
        rng.normal(0, tastes, (judges, n)),
    )
    unit, judge = rng.integers(units, size=votes), rng.integers(judges, size=votes)
    first = rng.integers(n, size=votes)
    second = (first + rng.integers(1, n, size=votes)) % n
    worth: Floats = np.array(strengths) + of_unit[unit] + of_judge[judge]
    rows = np.arange(votes)
    gap = worth[rows, first] - worth[rows, second]
    odds = np.stack([np.exp(gap / 2), np.ones(votes), np.exp(-gap / 2)], axis=1)
    ends = np.cumsum(odds / odds.sum(axis=1, keepdims=True), axis=1)
    drawn = (rng.random(votes)[:, None] > ends[:, :2]).sum(axis=1)
    return Votes(first, second, 1 - drawn / 2, unit, judge)


def found_in(votes: Votes, systems: int) -> Progress:
    order = np.arange(len(votes))
    return progress(
        len(votes),
        systems,
        lambda at: Ratings.of(votes.where(order < at), systems).moves,
    )


def test_the_error_of_all_looks_together_is_what_is_allowed() -> None:
    assert sum(spent(look) for look in range(1, 100_000)) == pytest.approx(
        ERROR, rel=1e-4
    )
    assert list(looks(100, 3)) == [30, 45, 67]
    assert list(looks(29, 3)) == []


def test_the_error_of_a_difference_of_means_is_that_of_paired_values() -> None:
    rng = np.random.default_rng(5)
    n = 400
    good = rng.normal(0, 9, n)
    one, two = good + rng.normal(3, 2, n), good + rng.normal(0, 2, n)
    places = np.arange(n)
    moves = Moves.of_means(
        np.repeat([0, 1], n),
        np.tile(places, 2),
        np.tile(places, 2),  # a judge of its own for each unit, for both systems
        np.concatenate([one, two]),
        2,
    )
    errors = PairErrors.of(moves)
    gaps = (one - two).tolist()
    assert errors.values[0, 1] == pytest.approx(sum(gaps) / n)
    assert errors.errors[0, 1] == pytest.approx(stdev(gaps) / sqrt(n), rel=0.01)


def test_judges_who_differ_make_errors_larger_than_units_alone() -> None:
    rng = np.random.default_rng(6)
    units, judges = 100, 5
    unit_of = np.tile(np.repeat(np.arange(units), judges), 2)
    judge_of = np.tile(np.tile(np.arange(judges), units), 2)
    system_of = np.repeat([0, 1], units * judges)
    taste = rng.normal(0, 4, (2, judges))
    given = taste[system_of, judge_of] + rng.normal(0, 1, len(unit_of))
    errors = PairErrors.of(Moves.of_means(system_of, unit_of, judge_of, given, 2))
    # The difference of the judges' means, judges being the sample.
    by_judge = [
        given[(system_of == 0) & (judge_of == j)].mean()
        - given[(system_of == 1) & (judge_of == j)].mean()
        for j in range(judges)
    ]
    wanted = stdev(by_judge) / sqrt(judges)
    assert errors.errors[0, 1] == pytest.approx(wanted, rel=0.02)
    assert errors.degrees[0, 1] in (judges - 2, judges - 1)


def test_no_pair_of_systems_looks_surer_than_all_do_on_average() -> None:
    """Two judges see the first two systems alike, and are 10 apart on the third, on
    each of four units. By judge a difference to that has moves of -2.5 and 2.5, squares
    of 25 after the correction for two judges, and 3.125 by single cells: 21.875. The
    mean over the three pairs is two thirds of that. What it comes from are squares of
    25, two thirds of them on average, with two degrees: 14.58² / (16.67² / 2) = 1.5."""
    system_of = np.repeat([0, 1, 2], 8)
    unit_of = np.tile(np.repeat(np.arange(4), 2), 3)
    judge_of = np.tile([0, 1], 12)
    given = np.where(system_of == 2, 10.0 * judge_of, 3.0)
    moves = Moves.of_means(system_of, unit_of, judge_of, given, 3)
    errors = PairErrors.of(moves)
    assert errors.errors[0, 2] ** 2 == pytest.approx(21.875)
    assert errors.errors[0, 1] ** 2 == pytest.approx(21.875 * 2 / 3)
    assert errors.degrees[0, 1] == 1
    _excess, squares = _judge_variance(moves, np.ones((3, 3), dtype=np.bool_))
    assert squares[0, 1] == pytest.approx((50 / 3) ** 2 / 2)
    assert squares[0, 2] == pytest.approx(25**2)


def test_a_judge_with_most_votes_counts_by_that_share() -> None:
    """Three quarters of the judgements are one person's: squares over 1 - h, and the
    degrees of freedom of 1.6 judges."""
    judge_of = np.tile([0, 0, 0, 1], 2)
    given = np.array([2.0, 2.0, 5.0, 7.0, 0.0, 0.0, 0.0, 0.0])
    moves = Moves.of_means(
        np.repeat([0, 1], 4), np.tile(np.arange(4), 2), judge_of, given, 2
    )
    errors = PairErrors.of(moves)
    # Sums of -.75 and .75; units and cells alike have 18 / 16, the former times 4 / 3.
    assert errors.errors[0, 1] ** 2 == pytest.approx(1.5 + 3 - 18 / 16)
    _excess, squares = _judge_variance(moves, np.ones((2, 2), dtype=np.bool_))
    assert squares[0, 1] == pytest.approx(3**2 / 0.6)


def test_clear_differences_are_told_apart_and_stay_so() -> None:
    votes = campaign(np.random.default_rng(7), [2, 0, 0.05], votes=3000)
    found = found_in(votes, 3)
    clear, _other, alike = found.told_at.tolist()
    assert 0 < clear < 3000 and alike == 0
    assert found.looked_at <= 3000 < found.next_look
    assert not found.is_over and found.open_pairs.tolist() == [2]
    assert found.needed[2] == NEVER or found.needed[2] > 3000
    more = found_in(votes.where(np.arange(3000) < clear), 3)
    assert more.told_at[0] == clear


def test_no_pair_needs_fewer_votes_than_there_are_until_the_next_look() -> None:
    votes = campaign(
        np.random.default_rng(11), [3, 1.5, 0], votes=140, units=8, judges=5
    )
    found = found_in(votes, 3)
    still = found.needed[found.open_pairs]
    assert all(n == NEVER or n >= found.next_look - 140 for n in still.tolist())
    assert len(still), "few judges tell little apart"


def test_nothing_is_said_of_systems_without_votes_or_of_one_judge() -> None:
    none = np.zeros(0, dtype=np.int64)
    found = found_in(Votes(none, none, np.zeros(0), none, none), 3)
    assert found.told_at.tolist() == [0, 0, 0] and set(found.needed) == {NEVER}
    votes = campaign(np.random.default_rng(8), [2, 0], votes=200, judges=1)
    found = found_in(votes, 2)
    assert found.told_at.tolist() == [0] and found.needed.tolist() == [NEVER]


@pytest.mark.slow
@pytest.mark.parametrize("tastes", [0.2, 0.4, 0.6])
def test_three_judges_with_tastes_find_a_wrong_pair_at_most_one_time_in_twenty(
    tastes: float,
) -> None:
    """Of eight systems some pair would look sure by luck, were it taken by itself."""
    rng, trials, wrong = np.random.default_rng(12), 100, 0
    for _trial in range(trials):
        votes = campaign(rng, [0] * 8, votes=1200, judges=3, tastes=tastes)
        wrong += bool(found_in(votes, 8).told_at.any())
    assert wrong / trials <= ERROR


@pytest.mark.slow
@pytest.mark.parametrize(
    ("judges", "items", "tastes"),
    [(10, 0.0, 0.0), (10, 1.0, 0.0), (10, 0.5, 0.3), (30, 0.5, 0.3), (3, 0.5, 0.3)],
)
def test_who_looks_after_each_vote_finds_a_wrong_pair_at_most_one_time_in_twenty(
    judges: int, items: float, tastes: float
) -> None:
    rng, trials, wrong = np.random.default_rng(9), 300, 0
    for _trial in range(trials):
        votes = campaign(
            rng, [0] * 5, votes=1500, judges=judges, items=items, tastes=tastes
        )
        wrong += bool(found_in(votes, 5).told_at.any())
    assert wrong / trials <= ERROR + 3 * sqrt(ERROR * (1 - ERROR) / trials)


@pytest.mark.slow
def test_the_votes_that_are_needed_are_enough_four_times_in_five() -> None:
    """Planned on many votes, where the difference is known, and tried on others."""
    rng, trials, strengths = np.random.default_rng(10), 200, [0.5, 0]
    known = campaign(rng, strengths, votes=20_000, units=5000, judges=500)
    now = PairErrors.of(Ratings.of(known, 2).moves)
    look = len(list(looks(20_000, 2))) + 1
    z = NormalDist().inv_cdf(1 - spent(look) / 2)
    size = round(20_000 * ((z + NormalDist().inv_cdf(0.8)) / _t(now)) ** 2)
    told = 0
    for _trial in range(trials):
        votes = campaign(rng, strengths, votes=size, units=5000, judges=500)
        told += _t(PairErrors.of(Ratings.of(votes, 2).moves)) > z
    assert told / trials == pytest.approx(0.8, abs=0.1)


def _t(errors: PairErrors) -> float:
    return float(errors.values[0, 1] / errors.errors[0, 1])
