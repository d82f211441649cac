"""Boards in measures that move in steps, and in several measures at once."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from benchmarks.simulation.claims import (
    Finding,
    _named,
    _trials,
    false_positives,
    stream,
)
from benchmarks.simulation.populations import (
    ACCURACY,
    EQUAL,
    Population,
    Rng,
    System,
    counts_of,
    even,
    words,
)
from leaderboard.extras.criteria.rank_exchange import better_by_ranks
from scoring.counts import Counts, Flags, Floats
from scoring.engine import count, read_pair
from scoring.measures import Measure, f1_measure, share_measure
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source
from scoring.statistics.exchange import all_pairs
from scoring.statistics.ranks import better_than
from scoring.statistics.selection import luck_of_choice

METRICS = get("metrics")
PAIRWISE = METRICS.measure("system_pairwise_accuracy")
RATED = 10  # systems that metrics score


def metrics(segments: int, noise: float) -> Population:
    """Metrics that follow people with so much noise, each on a scale of its own; a
    skill is how much less of the noise there is."""

    def draw(rng: Rng, skills: Sequence[float]) -> list[System]:
        quality = rng.normal(0, 0.3, RATED)
        people = quality + rng.normal(0, 1, (segments, RATED))
        systems: list[System] = []
        for place, skill in enumerate(skills):
            errors = rng.normal(0, noise * (1.8 - skill), people.shape)
            systems.append([_metric(people, (people + errors) * 8.0**place)])
        return systems

    name = f"pairwise accuracy of metrics, {segments} units"
    return Population(name, draw, 0, PAIRWISE)


def _metric(people: Floats, scores: Floats) -> Counts:
    options = parse(METRICS.options, {})
    pair = read_pair(METRICS, _table(people), _table(scores), options)
    return count(METRICS, pair, options)


def _table(scores: Floats) -> Source:
    lines = [
        f"s{j},{i},{value!r}"
        for i, row in enumerate(scores.tolist())
        for j, value in enumerate(row)
    ]
    text = "\n".join(["system,segment,score", *lines, ""])
    return Source.of_bytes("scores.csv", text.encode())


IN_STEPS = (metrics(30, 2.0), metrics(100, 2.0))
# The share of words that are right, and the F1 of a tag, which tells less.
TWO = (ACCURACY, f1_measure("f1", "F1", ("hits", "returned", "tagged"), "F1 of a tag"))
TAGGED = 1.5  # words of a sentence that have the tag, on average
RANKED = 8  # systems on a board


def labelled(rng: Rng, units: int, skills: Sequence[float]) -> list[System]:
    """Sentences whose words are right as often as a skill says, and those with the tag
    found as often."""
    sizes, tagged = even(rng, units), rng.poisson(TAGGED, units)
    systems: list[System] = []
    for counts, skill in zip(words(rng, sizes, skills), skills, strict=True):
        right, wanted = counts.table.T
        hits = rng.binomial(tagged, skill)
        columns = {
            "right": right,
            "wanted": wanted,
            "hits": hits * 1.0,
            "returned": hits + rng.binomial(tagged, 1 - skill) * 1.0,
            "tagged": tagged * 1.0,
        }
        systems.append([counts_of(columns)])
    return systems


def profiles(rng: Rng, units: int, skills: Sequence[float]) -> list[System]:
    """Sentences of which each word has two answers: who is better in the one is as much
    worse in the other, so that all mean ranks are equal."""
    sizes = even(rng, units)
    systems = words(rng, sizes, [*skills, *skills[::-1]])
    pairs = zip(systems[: len(skills)], systems[len(skills) :], strict=True)
    return [
        [
            counts_of(
                {
                    "first": table.table[:, 0],
                    "second": other.table[:, 0],
                    "wanted": table.table[:, 1],
                }
            )
        ]
        for table, other in pairs
    ]


PROFILES = tuple(
    share_measure(name, name, (name, "wanted"), name) for name in ("first", "second")
)


def told_apart(systems: Sequence[System], measures: Sequence[Measure]) -> Flags:
    """[i, j]: i has a better mean rank than j, as the page of a board says it."""

    def sure(level: float) -> Flags:
        tests = (all_pairs(systems, measure) for measure in measures)
        return np.stack([better_than(test, True, level) for test in tests])

    return better_by_ranks(systems, measures, (1.0, 1.0), 0.95, sure)


def combined_ranks(scale: float, only: str) -> Iterator[Finding]:
    """Boards by the mean rank in two measures: of equals, and of systems that are two
    points apart, of which the share of pairs is told that are found."""
    pairs = RANKED * (RANKED - 1) // 2
    near = [EQUAL + 0.07 - 0.02 * i for i in range(RANKED)]
    for units in (100, 400):
        name = f"mean rank in two measures, {units} units"
        if only in name:
            rng, wrong, trials = stream(name), 0, _trials(200, scale)
            for _ in range(trials):
                systems = labelled(rng, units, [EQUAL] * RANKED)
                wrong += bool(told_apart(systems, TWO).any())
            claim = f"any two of {RANKED} equal systems differ"
            yield Finding(claim, name, wrong / trials, trials, most=0.06)
            count, boards = 0, _trials(60, scale)
            for _ in range(boards):
                told = told_apart(labelled(rng, units, near), TWO)
                count += int(np.count_nonzero(np.triu(told)))
            share = count / (boards * pairs)
            claim = f"pairs of {RANKED} systems two points apart that are found"
            least = 0.5 if units == 400 else 0.0
            yield Finding(claim, name, share, boards * pairs, least)
        name = f"mean rank in two measures with opposite orders, {units} units"
        if only in name:
            rng, wrong, trials = stream(name), 0, _trials(200, scale)
            for _ in range(trials):
                told = told_apart(profiles(rng, units, near), PROFILES)
                wrong += bool(told.any())
            claim = f"any two of {RANKED} equal systems differ"
            yield Finding(claim, name, wrong / trials, trials, most=0.06)


@lru_cache(maxsize=4)
def _drawn(units: int) -> Floats:
    """How often each unit is drawn in each of 300 resamples, the same in all worlds."""
    rng = np.random.default_rng(units)
    return rng.multinomial(units, [1 / units] * units, 300) * 1.0


@dataclass(frozen=True)
class History:
    """Attempts of one team, their true scores by `skills(rng)`, on test sets of so many
    units; so large a share of the answers is the same in all."""

    name: str
    skills: Callable[[Rng], Floats]
    alike: float = 0.0
    units: int = 200

    def missed(self, rng: Rng) -> float:
        """The distance from the true score of the best up to the one expected of it."""
        skills = self.skills(rng)
        luck = rng.random((len(skills), self.units))
        shared = rng.random(self.units) < self.alike
        luck[:, shared] = luck[:1, shared]
        right = (luck < skills[:, None]) * 1.0
        draws = _drawn(self.units)
        values = right.mean(axis=1)
        best = int(values.argmax())
        resampled = right @ draws.T / self.units
        return float(values[best] - luck_of_choice(values, resampled) - skills[best])


def _one_good(_rng: Rng) -> Floats:
    return np.array([0.65] * 9 + [0.8])


HISTORIES = (
    History("ten equal attempts", lambda rng: np.full(10, 0.8)),
    History("ten attempts that share four fifths", lambda rng: np.full(10, 0.8), 0.8),
    History("ten attempts that truly differ", lambda rng: rng.normal(0.75, 0.05, 10)),
    History("nine poor attempts and a good one", _one_good),
    History("twenty attempts that climb", lambda rng: np.linspace(0.6, 0.8, 20)),
)


def expected_on_new_data(scale: float, only: str) -> Iterator[Finding]:
    """How often the best of a team is worse than is expected of it: half of the time
    if that is neither too much nor too little."""
    for history in HISTORIES:
        name = f"{history.name}, {history.units} units"
        if only in name:
            rng, trials = stream(name), _trials(1000, scale)
            above = sum(history.missed(rng) > 0 for _ in range(trials))
            claim = "the score expected on new data is above the true one"
            yield Finding(claim, name, above / trials, trials, 0.4, 0.6)


def combinations(scale: float = 1.0, only: str = "") -> Iterator[Finding]:
    """Claims of measures that move in steps, of combined ranks, and of
    what is expected on new data."""
    for population in _named(IN_STEPS, only):
        yield from false_positives(population, _trials(300, scale))
    yield from combined_ranks(scale, only)
    yield from expected_on_new_data(scale, only)
