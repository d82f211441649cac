"""Boards in measures that move in steps, and in several measures at once."""

from collections.abc import Iterator, Sequence

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

METRICS = get("metrics")
PAIRWISE = METRICS.measure("system_pairwise_accuracy")
RATED = 10  # systems that metrics score


def metrics(segments: int, noise: float) -> Population:
    """Metrics that follow people with so much noise, each on a scale of its own; a
    skill is how much less of the noise there is."""

    def draw(rng: Rng, skills: Sequence[float]) -> list[System]:
        quality = rng.normal(0, 0.3, RATED)
        people = quality + rng.normal(0, 1, (segments, RATED))
        found: list[System] = []
        for place, skill in enumerate(skills):
            errors = rng.normal(0, noise * (1.8 - skill), people.shape)
            found.append([_metric(people, (people + errors) * 8.0**place)])
        return found

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
# Of sentences: the share of words that are right, and F1 where some too many are given.
TWO = (ACCURACY, f1_measure("f1", "F1", ("right", "returned", "wanted"), "F1"))
RANKED = 8  # systems on a board


def labelled(rng: Rng, units: int, skills: Sequence[float]) -> list[System]:
    """Sentences whose words are right as often as a skill says."""
    sizes = even(rng, units)
    found: list[System] = []
    for (counts,) in ([one] for one in words(rng, sizes, skills)):
        right, wanted = counts.table.T
        returned = right + rng.poisson(0.2 * sizes)
        columns = {"right": right, "wanted": wanted, "returned": returned}
        found.append([counts_of(columns)])
    return found


def profiles(rng: Rng, units: int, skills: Sequence[float]) -> list[System]:
    """Sentences of which each word has two answers: who is better in the one is as much
    worse in the other, so that all mean ranks are equal."""
    sizes = even(rng, units)
    found = words(rng, sizes, [*skills, *skills[::-1]])
    pairs = zip(found[: len(skills)], found[len(skills) :], strict=True)
    return [
        [
            counts_of(
                {
                    "first": one.table[:, 0],
                    "second": other.table[:, 0],
                    "wanted": one.table[:, 1],
                }
            )
        ]
        for one, other in pairs
    ]


PROFILES = tuple(
    share_measure(name, name, (name, "wanted"), name) for name in ("first", "second")
)


def told_apart(systems: Sequence[System], measures: Sequence[Measure]) -> Flags:
    """[i, j]: i has a better mean rank than j, as the page of a board says it."""

    def sure(level: float) -> Flags:
        tests = (all_pairs(systems, measure) for measure in measures)
        return np.stack([better_than(one, True, level) for one in tests])

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
            found, boards = 0, _trials(60, scale)
            for _ in range(boards):
                told = told_apart(labelled(rng, units, near), TWO)
                found += int(np.count_nonzero(np.triu(told)))
            share = found / (boards * pairs)
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


def combinations(scale: float = 1.0, only: str = "") -> Iterator[Finding]:
    """Claims of measures that move in steps, and of combined ranks."""
    for population in _named(IN_STEPS, only):
        yield from false_positives(population, _trials(300, scale))
    yield from combined_ranks(scale, only)
