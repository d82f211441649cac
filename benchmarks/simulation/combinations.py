"""Boards in measures that move in steps, and in several measures at once."""

from collections.abc import Iterator, Sequence

from benchmarks.simulation.claims import Finding, _named, _trials, false_positives
from benchmarks.simulation.populations import Population, Rng, System
from scoring.counts import Counts, Floats
from scoring.engine import count, read_pair
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source

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


def combinations(scale: float = 1.0, only: str = "") -> Iterator[Finding]:
    """Claims of measures that move in steps."""
    for population in _named(IN_STEPS, only):
        yield from false_positives(population, _trials(300, scale))
