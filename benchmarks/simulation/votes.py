"""Boards that people judge: ratings from votes on pairs, and values from 0 to 100.

People prefer some systems, units suit some systems, and who judges with both hands full
clicks the first more often. Truth is what other units and other judges would say.
Pairs are drawn or, as campaigns may do, chosen by what earlier votes leave to learn.
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
from scoring.counts import Counts, Floats, Integers
from scoring.elsewhere import Judgements, Units
from scoring.scorers.table import count
from scoring.statistics.votes import BY_CHANCE, Ratings, Votes, gains

# Standard deviations in e-folds of the odds, of a judge's taste for a system and lean
# to the first; how likely a tie is; votes of one judge, and units.
TASTE, LEAN, TIE = 0.2, 0.3, math.log(0.5)
VOTES, UNITS, RATED = 1800, 300, 6
BLOCK = 60  # votes between two looks at what is to be learnt


def voted(
    rng: Rng, systems: int, judges: int, suited: float, chosen: bool = False
) -> list[System]:
    """Equal systems with ratings from votes; units suit them by `suited`. Where pairs
    are `chosen`, every block of votes is on the most informative ones."""
    unit_of = np.arange(VOTES) % UNITS
    judge_of = rng.permutation(np.arange(VOTES) % judges)
    first = rng.integers(0, systems, VOTES)
    second = (first + rng.integers(1, systems, VOTES)) % systems
    fits = rng.normal(0, suited, (UNITS, systems))
    likes = rng.normal(0, TASTE, (judges, systems))
    strength = fits[unit_of] + likes[judge_of]
    every = np.arange(VOTES)
    lean, luck = rng.normal(0, LEAN, judges)[judge_of], rng.random(VOTES)
    result, table = np.zeros(VOTES), np.zeros((2, systems, systems))
    for now in np.split(every, range(BLOCK, VOTES, BLOCK) if chosen else []):
        if chosen and now[0]:
            first[now], second[now] = to_learn(rng, table, first[now], second[now])
        gap = strength[now, first[now]] - strength[now, second[now]] + lean[now]
        odds = np.exp(np.stack([gap / 2, np.full(len(now), TIE), -gap / 2]))
        shares = np.cumsum(odds, axis=0) / odds.sum(axis=0)
        result[now] = 1 - (luck[now] > shares[:2]).sum(axis=0) / 2
        for layer, got in ((0, 1.0), (1, 0.5)):
            of = now[result[now] == got]
            np.add.at(table[layer], (first[of], second[of]), 1)
        of = now[result[now] == 0]
        np.add.at(table[0], (second[of], first[of]), 1)
    ratings = Ratings.of(Votes(first, second, result, unit_of, judge_of), systems)
    rows = ratings.rows()
    names = [f"judge {k}" for k in rows.judge_of.tolist()]
    units = tuple(f"u{i:06}" for i in range(UNITS))
    found: list[System] = []
    for values in rows.values[0].T:
        given = Judgements(units, rows.unit_of, names, {"score": values})
        counts: Counts = count(Units(units), given, {})
        found.append([counts])
    return found


def to_learn(
    rng: Rng, table: Floats, first: Integers, second: Integers
) -> tuple[Integers, Integers]:
    """Pairs in the place of these, which chance gave, but for a few of them."""
    systems = table.shape[1]
    weights = gains(table).ravel()  # both orders of each pair, none with itself
    chosen = rng.choice(systems**2, len(first), p=weights / weights.sum())
    kept = rng.random(len(first)) < BY_CHANCE
    return (
        np.where(kept, first, chosen // systems),
        np.where(kept, second, chosen % systems),
    )


def rated_systems(judges: int, suited: float, chosen: bool = False) -> Population:
    def draw(rng: Rng, skills: Sequence[float]) -> list[System]:
        return voted(rng, len(skills), judges, suited, chosen)

    return Population(_name(judges, suited, chosen), draw, 0, JUDGED)


def rating(judges: int, suited: float) -> Scores:
    def draw(rng: Rng) -> System:
        return voted(rng, RATED, judges, suited)[0]

    return Scores(_name(judges, suited), draw, 0.0, 0.93, 0.98, JUDGED)


def _name(judges: int, suited: float, chosen: bool = False) -> str:
    name = f"ratings by {judges} judges, units that suit systems by {suited:g}"
    return name + ", pairs chosen" * chosen


BOARDS = (
    judged_systems(10, 2, 100),
    *(rated_systems(judges, 0.5) for judges in (3, 10, 30)),
    *(rated_systems(judges, 0.5, chosen=True) for judges in (3, 10, 30)),
)
COVERED = [rating(judges, x) for judges in (3, 10, 30) for x in (0.0, 0.5, 1.0)]


def votes_of_people(scale: float = 1.0, only: str = "") -> Iterator[Finding]:
    """Claims of what people judge on the site."""
    for systems in (10, 40):
        for population in _named(BOARDS, only):
            yield wrong_pairs(population, systems, _trials(200, scale))
    for scores in _named(COVERED, only):
        yield from covered_scores(scores, _trials(1000, scale))
