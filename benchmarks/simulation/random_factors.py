"""Populations in which more varies than units: runs of a system, prompts, judges."""

from collections.abc import Sequence

import numpy as np

from benchmarks.simulation.populations import (
    Population,
    Rng,
    Scores,
    System,
    even,
    words,
)
from scoring.counts import Counts, Floats
from scoring.elsewhere import Judgements, Units
from scoring.scorers.table import count, declare

TRUE_RUN = 0.7
# Of judgements from 0 to 100: the mean, and standard deviations of how good a unit is,
# of how strict a judge is, and of what one says by chance.
TRUE_JUDGED, GOOD, STRICT, CHANCE = 70.0, 12.0, 6.0, 15.0
(JUDGED,) = declare({"measure": ["score = mean(score)"]})


def several_runs(runs: int, spread: float, units: int) -> Population:
    """Systems of so many runs each, whose skills differ by `spread`."""

    def draw(rng: Rng, skills: Sequence[float]) -> list[System]:
        own = np.repeat(skills, runs) + rng.normal(0, spread, runs * len(skills))
        outputs = words(rng, even(rng, units), own.tolist())
        firsts = range(0, len(outputs), runs)
        return [[Counts.of_runs(outputs[i : i + runs])] for i in firsts]

    many = "1 run" if runs == 1 else f"{runs} runs"
    name = f"entries of {many} that differ by {spread:g}, {units} units"
    return Population(name, draw, 0)


def score_of_runs(runs: int, spread: float, units: int) -> Scores:
    population = several_runs(runs, spread, units)

    def draw(rng: Rng) -> System:
        return population.draw(rng, [TRUE_RUN])[0]

    return Scores(population.name, draw, TRUE_RUN, 0.93, 0.99)


def several_prompts(spread: float, units: int, shared: float = 0.0) -> Population:
    """Systems of two runs under each of four prompts, which move the skill of each by
    `spread`, and that of all alike by `shared`."""
    names = [name for name in "abcd" for _run in range(2)]

    def draw(rng: Rng, skills: Sequence[float]) -> list[System]:
        easy = rng.normal(0, shared, 4) if shared else np.zeros(4)
        moved = rng.normal(0, spread, (len(skills), 4)) + easy
        own = np.repeat(np.add(np.array(skills)[:, None], moved), 2, axis=1)
        own = np.clip(own + rng.normal(0, 0.01, own.shape), 0, 1)
        outputs = words(rng, even(rng, units), own.ravel().tolist())
        firsts = range(0, len(outputs), 8)
        return [[Counts.of_runs(outputs[i : i + 8], names)] for i in firsts]

    name = f"entries under 4 prompts that differ by {spread:g}"
    if shared:
        name += f", the same for all, and by {shared:g} for all alike"
    return Population(f"{name}, {units} units", draw, 0)


def score_of_prompts(spread: float, units: int) -> Scores:
    population = several_prompts(spread, units)

    def draw(rng: Rng) -> System:
        return population.draw(rng, [TRUE_RUN])[0]

    return Scores(population.name, draw, TRUE_RUN, 0.93, 0.99)


def judged_systems(
    judges: int, each: int, units: int, *, others: bool = False
) -> Population:
    """Systems that people judged, each unit by `each` of the `judges`: the same people
    for all systems, or `others` for each."""

    def draw(rng: Rng, skills: Sequence[float]) -> list[System]:
        good, strict = rng.normal(0, GOOD, units), rng.normal(0, STRICT, judges)
        systems: list[System] = []
        for i, skill in enumerate(skills):
            if others:
                strict = rng.normal(0, STRICT, judges)
            names = [f"{i * others}-{k}" for k in range(judges)]
            own = dict(zip(names, strict, strict=True))
            systems.append([_judged(rng, good + skill, own, each)])
        return systems

    whose = "of its own" if others else "for all"
    name = f"{judges} judges {whose}, {each} of each unit, {units} units"
    return Population(name, draw, 0, JUDGED)


def _judged(rng: Rng, good: Floats, judges: dict[str, float], each: int) -> Counts:
    units, names = len(good), list(judges)
    turns = (np.arange(units)[:, None] * each + np.arange(each)) % len(names)
    said = TRUE_JUDGED + good[:, None] + np.array(list(judges.values()))[turns]
    said += rng.normal(0, CHANCE, turns.shape)
    judgements = Judgements(
        tuple(f"u{i:06}" for i in range(units)),
        np.repeat(np.arange(units), each),
        [names[i] for i in turns.ravel().tolist()],
        {"score": said.ravel()},
    )
    return count(Units(judgements.units), judgements, {})


def judged_score(judges: int, each: int, units: int) -> Scores:
    population = judged_systems(judges, each, units)

    def draw(rng: Rng) -> System:
        return population.draw(rng, [0.0])[0]

    name = f"{judges} judges, {each} of each unit, {units} units"
    return Scores(name, draw, TRUE_JUDGED, 0.93, 0.98, JUDGED)


OF_ONE_RUN = several_runs(1, 0.01, 300)
OF_RUNS = tuple(
    several_runs(runs, spread, 300) for runs in (3, 5) for spread in (0, 0.01, 0.03)
)
OF_PROMPTS = (several_prompts(0.03, 300), several_prompts(0.02, 300, 0.05))
OF_JUDGES = (
    judged_systems(3, 3, 100),
    judged_systems(10, 2, 100),
    judged_systems(3, 3, 100, others=True),
    judged_systems(10, 2, 100, others=True),
    judged_systems(30, 1, 300, others=True),
)
# Of which the difference is named that is found in four of five cases.
PLANNED_TOO = (
    *(several_runs(runs, spread, 300) for runs in (3, 5) for spread in (0.01, 0.03)),
    several_runs(10, 0.01, 300),
    judged_systems(10, 2, 100),
)
VARYING_SCORES = (
    *(score_of_runs(runs, 0.01, 300) for runs in (3, 5)),
    score_of_runs(3, 0.03, 300),
    score_of_prompts(0.03, 300),
    judged_score(3, 3, 200),
    judged_score(10, 2, 200),
    judged_score(30, 1, 300),
)
