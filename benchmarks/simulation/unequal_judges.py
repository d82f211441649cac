"""People who judge unequally much, unlike in taste, or beside a model; and lines that
stay while systems arrive.

Truth is what other units and other judges would say.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from benchmarks.simulation.claims import (
    Finding,
    _named,
    _trials,
    covered_scores,
    false_positives,
    stream,
    wrong_pairs,
)
from benchmarks.simulation.populations import (
    EQUAL,
    Population,
    Rng,
    Scores,
    System,
)
from benchmarks.simulation.random_factors import (
    CHANCE,
    GOOD,
    JUDGED,
    STRICT,
    TRUE_JUDGED,
    judged_systems,
    several_runs,
)
from benchmarks.simulation.votes import TIE, UNITS
from leaderboard.extras.judging.stop_rule import progress
from leaderboard.extras.judging.votes import Moves, Ratings, Votes
from scoring.counts import Floats, Integers
from scoring.elsewhere import Judgements, Units
from scoring.scorers.table import count
from scoring.statistics.agreement import interval
from scoring.statistics.arrivals import KeptTests, spent
from scoring.statistics.exchange import all_pairs
from scoring.vocabulary import count_units, declared_measures

(CORRECTED, *_BESIDE) = [
    measure.measure
    for measure in declared_measures(
        ["quality = corrected(model, people)"], of_judgements=True
    )
]
# Standard deviation of how much a judge likes a system, from 0 to 100.
LIKES = 4.0
VOTED = 1200
ARRIVALS = 12
# The share of judgements that are right, whatever chance says of the others.
RIGHT = 0.8


def unequal_systems(
    judges: int, most: float, units: int, *, others: bool = False
) -> Population:
    """Systems of which one judge gave so many of the judgements, the others equally
    many: the same people for all systems, who have tastes, or `others` for each."""

    def draw(rng: Rng, skills: Sequence[float]) -> list[System]:
        good, strict = rng.normal(0, GOOD, units), rng.normal(0, STRICT, judges)
        systems: list[System] = []
        for i, skill in enumerate(skills):
            if others:
                strict = rng.normal(0, STRICT, judges)
            likes = strict + rng.normal(0, LIKES * (not others), judges)
            if others or not systems:
                who = _turns(rng, judges, most, units)
            said = TRUE_JUDGED + good + skill + likes[who]
            said += rng.normal(0, CHANCE, units)
            systems.append(_table(who, said, f"{i * others}"))
        return systems

    whose = " of its own" if others else ""
    name = f"{judges} judges{whose}, one with {most:.0%} of the judgements"
    return Population(f"{name}, {units} units", draw, 0, JUDGED)


def _turns(rng: Rng, judges: int, most: float, units: int) -> Integers:
    own = np.arange(units) < most * units
    others = 1 + np.arange(units) % (judges - 1)
    return np.asarray(rng.permutation(np.where(own, 0, others)))


def _table(who: Integers, said: Floats, whose: str) -> System:
    units = tuple(f"u{i:06}" for i in range(len(said)))
    names = [f"{whose}-{k}" for k in who.tolist()]
    judgements = Judgements(units, np.arange(len(said)), names, {"score": said})
    return [count(Units(units), judgements, {})]


def unequal_score(judges: int, most: float, units: int) -> Scores:
    population = unequal_systems(judges, most, units, others=True)

    def draw(rng: Rng) -> System:
        return population.draw(rng, [0.0])[0]

    name = population.name.replace(" of its own", "")
    return Scores(name, draw, TRUE_JUDGED, 0.93, 1.0, JUDGED)


def right_or_wrong(sample: int, right: float, agree: float) -> Scores:
    """A judge model of answers, 0 or 1, of ten times as many units as people judge."""

    def draw(rng: Rng) -> System:
        units = 10 * sample
        people = (rng.random(units) < right).astype(np.float64)
        model = np.where(rng.random(units) < agree, people, 1 - people)
        people[sample:] = np.nan
        names = tuple(f"u{i:06}" for i in range(units))
        return [count_units(names, {"model": model, "people": people})]

    name = f"{right:g} right, judge model right in {agree:g}, {sample} units of people"
    return Scores(name, draw, right, 0.93, 1.0, CORRECTED)


@dataclass(frozen=True)
class Campaign:
    """People who vote on pairs of equal systems, with tastes of that spread, in e-folds
    of the odds, while somebody looks after each vote whether to stop."""

    judges: int
    systems: int
    tastes: float

    @property
    def name(self) -> str:
        people = f"{self.judges} judges, tastes of sd {self.tastes:g}"
        return f"{people}, {self.systems} systems"

    def draw(self, rng: Rng) -> Votes:
        unit_of = rng.integers(UNITS, size=VOTED)
        judge_of = rng.integers(self.judges, size=VOTED)
        first = rng.integers(self.systems, size=VOTED)
        others = rng.integers(1, self.systems, size=VOTED)
        second = (first + others) % self.systems
        likes = rng.normal(0, self.tastes, (self.judges, self.systems))
        gap = likes[judge_of, first] - likes[judge_of, second]
        odds = np.exp(np.stack([gap / 2, np.full(VOTED, TIE), -gap / 2]))
        shares = np.cumsum(odds, axis=0) / odds.sum(axis=0)
        result = 1 - (rng.random(VOTED) > shares[:2]).sum(axis=0) / 2
        return Votes(first, second, result, unit_of, judge_of)

    def stops_wrongly(self, rng: Rng) -> bool:
        """Whether at any look two systems are told apart."""
        votes, order = self.draw(rng), np.arange(VOTED)

        def moves_of(at: int) -> Moves:
            return Ratings.of(votes.where(order < at), self.systems).moves

        return bool(progress(VOTED, self.systems, moves_of).told_at.any())


def stops(campaign: Campaign, trials: int) -> Finding:
    """Campaigns in which the rule to stop ever tells equal systems apart."""
    rng = stream(campaign.name)
    wrong = sum(campaign.stops_wrongly(rng) for _ in range(trials))
    claim = "the rule to stop ever tells equal systems apart"
    return Finding(claim, campaign.name, wrong / trials, trials, most=0.05)


@dataclass(frozen=True)
class Agreement:
    """Three judges who say what is right in four of five cases, else anything, of
    answers of which one is rare."""

    rare: float
    units: int

    @property
    def name(self) -> str:
        return f"agreement on an answer in {self.rare:g}, {self.units} units"

    def draw(self, rng: Rng) -> Floats:
        right = rng.random((self.units, 1)) < self.rare
        other = rng.random((self.units, 3)) < self.rare
        said = np.where(rng.random((self.units, 3)) < RIGHT, right, other)
        return np.asarray(said.astype(np.float64).ravel())


def covered_alphas(agreement: Agreement, trials: int) -> Finding:
    """Intervals that hold the alpha of all units, of those that there are."""
    rng, covered, defined = stream(agreement.name), 0, 0
    unit_of = np.repeat(np.arange(agreement.units), 3)
    for _ in range(trials):
        ends = interval(unit_of, agreement.draw(rng), "nominal")
        if ends is not None:
            defined, covered = defined + 1, covered + (ends[0] <= RIGHT**2 <= ends[1])
    defined = defined or trials
    claim, share = "intervals of 95 % hold the true agreement", covered / defined
    return Finding(claim, agreement.name, share, defined, 0.93)


def stays(population: Population, apart: float, trials: int) -> Iterator[Finding]:
    """Boards on which systems arrive one by one, equal ones first: how often equal ones
    ever differ; and of systems `apart`, whether a difference is ever taken back."""
    rng, wrong, back = stream(population.name), 0, 0
    for _ in range(trials):
        equal = [EQUAL] * ARRIVALS
        wrong += bool(_shown(population.draw(rng, equal), population)[-1])
        unlike = rng.permutation(ARRIVALS) // 4 * apart + EQUAL
        sets = _shown(population.draw(rng, unlike.tolist()), population)
        back += any(not earlier <= later for earlier, later in pairwise(sets))
    name = f"{ARRIVALS} arrivals of {population.name}"
    claim = "lines that stay: any two equal systems ever differ"
    yield Finding(claim, name, wrong / trials, trials, most=0.06)
    claim = "lines that stay: a difference is taken back"
    yield Finding(claim, name, back / trials, trials, most=0.001)


def _shown(systems: Sequence[System], population: Population) -> list[set[str]]:
    """The pairs that differ significantly after each arrival, the first ones first."""
    tests_kept, shown = KeptTests.none(), []
    for size in range(2, len(systems) + 1):
        names = [str(i) for i in range(size)]
        tests = all_pairs(systems[:size], population.measure)
        tests_kept = tests_kept.beside(names, tests.p_value)
        p_value, pairs = (
            tests_kept.of(names),
            zip(tests.first, tests.second, strict=True),
        )
        told = spent(p_value, tests.first + 1, tests.second + 1) < 0.05
        named = [f"{i} {j}" for i, j in pairs]
        shown.append(
            {name for name, differs in zip(named, told, strict=True) if differs}
        )
    return shown


SHARES = ((10, 0.1), (10, 0.4), (10, 0.6), (30, 0.4), (30, 0.6), (5, 0.5))
UNEQUAL_SCORES = [unequal_score(*shares, 200) for shares in SHARES]
OF_MODELS = [
    right_or_wrong(sample, right, agree)
    for right, agree in ((0.8, 0.9), (0.95, 0.9), (0.98, 0.95), (0.95, 0.6))
    for sample in (30, 100)
]
CAMPAIGNS = [
    *(Campaign(3, 8, tastes) for tastes in (0.2, 0.4, 0.6)),
    Campaign(3, 4, 0.6),
    Campaign(3, 2, 0.6),
    Campaign(5, 8, 0.6),
]
AGREED = [Agreement(rare, units) for rare in (0.05, 0.5) for units in (40, 100)]
# Populations with how far apart, in each measure, systems are of which differences
# can be taken back.
STAYING = (
    (several_runs(3, 0.01, 100), 0.02),
    (several_runs(3, 0.03, 100), 0.04),
    (judged_systems(6, 2, 100), 4.0),
    (unequal_systems(6, 0.4, 100), 6.0),
)
UNEQUAL_BOARDS = [
    unequal_systems(10, most, 200, others=others)
    for most in (0.4, 0.6)
    for others in (False, True)
]


def of_unequal_judges(scale: float = 1.0, only: str = "") -> Iterator[Finding]:
    """Claims where judges, or what they are asked, are unlike."""
    for scores in _named(UNEQUAL_SCORES, only):
        yield from covered_scores(scores, _trials(400, scale))
    for scores in _named(OF_MODELS, only):
        yield from covered_scores(scores, _trials(150, scale))
    for agreement in _named(AGREED, only):
        yield covered_alphas(agreement, _trials(600, scale))
    for campaign in _named(CAMPAIGNS, only):
        yield stops(campaign, _trials(200, scale))
    for population, apart in STAYING:
        if only in f"{ARRIVALS} arrivals of {population.name}":
            yield from stays(population, apart, _trials(60, scale))
    for population in _named(UNEQUAL_BOARDS, only):
        yield from false_positives(population, _trials(600, scale))
        yield wrong_pairs(population, 8, _trials(150, scale))
