"""Boards that people judge: ratings from votes on pairs, and values from 0 to 100.

People prefer some systems, units suit some systems, and who judges with both hands full
clicks the first more often. Truth is what other units and other judges would say.
Answers of some systems are longer, and people like length: ratings are then those of
answers of equal length, with length and side as covariates.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.simulation.claims import (
    Finding,
    _named,
    _trials,
    covered_scores,
    stream,
    wrong_pairs,
)
from benchmarks.simulation.populations import Population, Rng, Scores, System
from benchmarks.simulation.random_factors import JUDGED, judged_systems
from leaderboard.extras.judging.effects import effects_of
from leaderboard.extras.judging.votes import Ratings, Votes
from scoring.counts import Counts, Floats, Integers
from scoring.elsewhere import Judgements, Units
from scoring.scorers.table import count

# Standard deviations in e-folds of the odds, of a judge's taste for a system and lean
# to the first; how likely a tie is; votes of one judge, and units.
TASTE, LEAN, TIE = 0.2, 0.3, math.log(0.5)
VOTES, UNITS, RATED = 1800, 300, 6
# E-folds that an answer twice as long gains, and by how much judges differ in it; how
# many times as long are answers, as powers of 2: of systems, and of single units.
LIKED, LIKES_LENGTH, OF_SYSTEMS, OF_UNITS = 0.4, 0.15, 0.5, 0.5


def voted(
    rng: Rng,
    systems: int,
    judges: int,
    suited: float,
    liked: float | None = None,
) -> list[System]:
    """Counts of systems with ratings as `rated` gives them."""
    ratings = rated(rng, systems, judges, suited, liked)
    rows = ratings.rows()
    names = [f"judge {k}" for k in rows.judge_of.tolist()]
    units = tuple(f"u{i:06}" for i in range(UNITS))
    found: list[System] = []
    for values in rows.values[0].T:
        given = Judgements(units, rows.unit_of, names, {"score": values})
        counts: Counts = count(Units(units), given, {})
        found.append([counts])
    return found


def rated(
    rng: Rng,
    systems: int,
    judges: int,
    suited: float,
    liked: float | None = None,
) -> Ratings:
    """Equal systems with ratings from votes; units suit them by `suited`. Where length
    is `liked`, ratings take it into account, and the side."""
    unit_of = np.arange(VOTES) % UNITS
    judge_of = rng.permutation(np.arange(VOTES) % judges)
    first = rng.integers(0, systems, VOTES)
    second = (first + rng.integers(1, systems, VOTES)) % systems
    fits = rng.normal(0, suited, (UNITS, systems))
    likes = rng.normal(0, TASTE, (judges, systems))
    strength = fits[unit_of] + likes[judge_of]
    if liked is not None:
        lengths = rng.normal(0, OF_SYSTEMS, systems) + rng.normal(
            0, OF_UNITS, (UNITS, systems)
        )
        by_judge = rng.normal(liked, LIKES_LENGTH, judges)
        strength += by_judge[judge_of, None] * lengths[unit_of]
    every = np.arange(VOTES)
    gap = strength[every, first] - strength[every, second]
    gap += rng.normal(0, LEAN, judges)[judge_of]
    odds = np.exp(np.stack([gap / 2, np.full(VOTES, TIE), -gap / 2]))
    shares = np.cumsum(odds, axis=0) / odds.sum(axis=0)
    result = 1 - (rng.random(VOTES) > shares[:2]).sum(axis=0) / 2
    about = None
    if liked is not None:
        likes_length = longer(lengths, unit_of, first, second)
        about = np.stack([likes_length, np.ones(VOTES)], axis=1)
    votes = Votes(first, second, result, unit_of, judge_of, about)
    return Ratings.of(votes, systems)


def longer(
    lengths: Floats, unit_of: Integers, first: Integers, second: Integers
) -> Floats:
    """How many times as long the first is, as powers of 2."""
    return np.asarray(lengths[unit_of, first] - lengths[unit_of, second])


def rated_systems(judges: int, suited: float, liked: float | None = None) -> Population:
    def draw(rng: Rng, skills: Sequence[float]) -> list[System]:
        return voted(rng, len(skills), judges, suited, liked)

    return Population(_name(judges, suited, liked), draw, 0, JUDGED)


def rating(judges: int, suited: float, liked: float | None = None) -> Scores:
    def draw(rng: Rng) -> System:
        return voted(rng, RATED, judges, suited, liked)[0]

    name = _name(judges, suited, liked)
    return Scores(name, draw, 0.0, 0.93, 0.98, JUDGED)


def covered_effects(judges: int, trials: int) -> Finding:
    """Intervals of 95 % that hold an effect of length that is none: some judges like
    what is longer, others what is shorter."""
    population = _name(judges, 0.5, liked=0.0)
    rng, covered = stream(f"effects, {population}"), 0
    for _ in range(trials):
        length = effects_of(rated(rng, RATED, judges, 0.5, liked=0.0))[0]
        assert length.low is not None and length.high is not None
        covered += length.low <= 0 <= length.high
    claim = "intervals of 95 % hold the effect of length"
    return Finding(claim, population, covered / trials, trials, 0.93, 0.98)


def _name(judges: int, suited: float, liked: float | None = None) -> str:
    name = f"ratings by {judges} judges, units that suit systems by {suited:g}"
    if liked is not None:
        name += f", length liked by {liked:g} and taken into account"
    return name


BOARDS = (
    judged_systems(10, 2, 100),
    *(rated_systems(judges, 0.5) for judges in (3, 10, 30)),
    *(rated_systems(judges, 0.5, liked=LIKED) for judges in (3, 10, 30)),
)
COVERED = [
    *(rating(judges, x) for judges in (3, 10, 30) for x in (0.0, 0.5, 1.0)),
    *(rating(judges, 0.5, LIKED) for judges in (3, 10, 30)),
]


def votes_of_people(scale: float = 1.0, only: str = "") -> Iterator[Finding]:
    """Claims of what people judge on the site."""
    for systems in (10, 40):
        for population in _named(BOARDS, only):
            yield wrong_pairs(population, systems, _trials(200, scale))
    for scores in _named(COVERED, only):
        yield from covered_scores(scores, _trials(1000, scale))
    for judges in (3, 10, 30):
        if only in _name(judges, 0.5, liked=0.0):
            yield covered_effects(judges, _trials(1000, scale))
