"""Boards that people judge: ratings from votes on pairs, and values from 0 to 100.

People prefer some systems, units suit some systems, and who judges with both hands full
clicks the first more often. Truth is what other units and other judges would say.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.simulation.claims import (
    Finding,
    _named,
    _trials,
    covered_scores,
    wrong_pairs,
)
from benchmarks.simulation.populations import Population, Rng, Scores, System
from benchmarks.simulation.random_factors import JUDGED, judged_systems
from leaderboard.extras.judging.votes import Ratings, Votes
from scoring.counts import Counts
from scoring.elsewhere import Judgements, Units
from scoring.scorers.table import count

# Standard deviations in e-folds of the odds, of a judge's taste for a system and lean
# to the first; how likely a tie is; votes of one judge, and units.
TASTE, LEAN, TIE = 0.2, 0.3, math.log(0.5)
VOTES, UNITS, RATED = 1800, 300, 6


def voted(rng: Rng, systems: int, judges: int, suited: float) -> list[System]:
    """Equal systems with ratings from votes; units suit them by `suited`."""
    unit_of = np.arange(VOTES) % UNITS
    judge_of = rng.permutation(np.arange(VOTES) % judges)
    first = rng.integers(0, systems, VOTES)
    second = (first + rng.integers(1, systems, VOTES)) % systems
    fits = rng.normal(0, suited, (UNITS, systems))
    likes = rng.normal(0, TASTE, (judges, systems))
    strength = fits[unit_of] + likes[judge_of]
    every = np.arange(VOTES)
    gap = strength[every, first] - strength[every, second]
    gap += rng.normal(0, LEAN, judges)[judge_of]
    odds = np.exp(np.stack([gap / 2, np.full(VOTES, TIE), -gap / 2]))
    shares = np.cumsum(odds, axis=0) / odds.sum(axis=0)
    result = 1 - (rng.random(VOTES) > shares[:2]).sum(axis=0) / 2
    ratings = Ratings.of(Votes(first, second, result, unit_of, judge_of), systems)
    rows = ratings.rows()
    names = [f"judge {k}" for k in rows.judge_of.tolist()]
    units = tuple(f"u{i:06}" for i in range(UNITS))
    tables: list[System] = []
    for values in rows.values[0].T:
        given = Judgements(units, rows.unit_of, names, {"score": values})
        counts: Counts = count(Units(units), given, {})
        tables.append([counts])
    return tables


def rated_systems(judges: int, suited: float) -> Population:
    def draw(rng: Rng, skills: Sequence[float]) -> list[System]:
        return voted(rng, len(skills), judges, suited)

    return Population(_name(judges, suited), draw, 0, JUDGED)


def rating(judges: int, suited: float) -> Scores:
    def draw(rng: Rng) -> System:
        return voted(rng, RATED, judges, suited)[0]

    return Scores(_name(judges, suited), draw, 0.0, 0.93, 0.98, JUDGED)


def _name(judges: int, suited: float) -> str:
    return f"ratings by {judges} judges, units that suit systems by {suited:g}"


BOARDS = (
    judged_systems(10, 2, 100),
    *(rated_systems(judges, 0.5) for judges in (3, 10, 30)),
)
COVERED = [rating(judges, x) for judges in (3, 10, 30) for x in (0.0, 0.5, 1.0)]


def votes_of_people(scale: float = 1.0, only: str = "") -> Iterator[Finding]:
    """Claims of what people judge on the site."""
    for systems in (10, 40):
        for population in _named(BOARDS, only):
            yield wrong_pairs(population, systems, _trials(200, scale))
    for scores in _named(COVERED, only):
        yield from covered_scores(scores, _trials(1000, scale))
