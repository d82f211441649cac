"""Do intervals and tests keep their promise? Simulations with known truth."""

from collections.abc import Iterator

import numpy as np
import pytest

from scoring.counts import Counts, fixed_point
from scoring.measures import Measure
from scoring.scorers import get
from scoring.statistics.bootstrap import Plan, estimates
from scoring.statistics.exchange import all_pairs
from scoring.statistics.randomization import randomization
from scoring.statistics.ranks import standings
from tests.loops import loop_over
from tests.scoring.made import ACCURACY, ERROR, F1, random_counts
from tests.scoring.made import systems_on_shared_units as systems_on

pytestmark = pytest.mark.slow

PLAN = Plan(resamples=1000, seed=5)


def truth_of(measure: Measure, skill: float) -> float:
    """The population's value, from two million of its sentences."""
    counts = random_counts(2_000_000, 0, skill)
    return float(measure.of(counts.totals, counts.columns))


@loop_over("units", [200, 500])
@loop_over(("measure", "skill"), [(ACCURACY, 0.8), (F1, 0.9), (ERROR, 0.9)])
def test_intervals_cover_the_truth(measure: Measure, skill: float, units: int) -> None:
    truth, trials = truth_of(measure, skill), 3000
    covered = np.zeros(2)
    for seed in range(1, trials + 1):
        counts = random_counts(units, seed, skill)
        found = estimates(counts, [measure], PLAN)[measure.name]
        covered += (
            found.low <= truth <= found.high,
            found.bca_low <= truth <= found.bca_high,
        )
    shown, bca = covered / trials
    assert 0.93 <= shown <= 0.98
    assert 0.93 <= bca <= 0.97


@pytest.mark.parametrize(
    ("law", "truth"), [((10, 6.64), 10 / 16.64), ((2, 1.2), 2 / 3.2), ((0.8, 1), 4 / 9)]
)
def test_intervals_of_graded_means_cover_the_truth(
    law: tuple[float, float], truth: float
) -> None:
    """Texts of which each has a value between 0 and 1: not too seldom, nor always."""
    measure, trials, covered = get("texts").measure("rougeL"), 3000, 0
    rng = np.random.default_rng(6)
    names = tuple(f"u{i:03}" for i in range(100))
    for _ in range(trials):
        columns = {**fixed_point("rougeL", rng.beta(*law, 100)), "texts": np.ones(100)}
        table = np.stack([*columns.values()], axis=1)
        found = estimates(Counts(names, tuple(columns), table), [measure], PLAN)
        covered += found["rougeL"].low <= truth <= found["rougeL"].high
    assert 0.93 <= covered / trials <= 0.98


def boards(systems: int, units: int, trials: int) -> Iterator[list[Counts]]:
    """Boards on which all systems are equally good."""
    for seed in range(trials):
        yield list(systems_on(units, [0.8] * systems, seed).values())


def test_equal_systems_are_told_apart_one_time_in_twenty() -> None:
    """By randomization, the second opinion; the test itself is in test_simulation."""
    found = [
        randomization([[(first, PLAN)], [(second, PLAN)]], ACCURACY)[0]
        for first, second in boards(systems=2, units=200, trials=1000)
    ]
    assert 0.03 <= np.mean(np.array(found) < 0.05) <= 0.07


@pytest.mark.parametrize(
    ("systems", "units", "trials"), [(5, 200, 1500), (20, 200, 600), (40, 60, 400)]
)
def test_boards_of_equals_have_a_line_at_most_six_times_in_a_hundred(
    systems: int, units: int, trials: int
) -> None:
    lines = pairs = 0
    for board in boards(systems, units, trials):
        found = all_pairs([[counts] for counts in board], ACCURACY)
        pairs += bool((found.adjusted < 0.05).any())
        lines += max(s.cluster for s in standings(found, True)) > 1
    assert lines / trials <= 0.06
    assert pairs / trials <= 0.06 + 2 * np.sqrt(0.05 * 0.95 / trials)


def test_lines_beside_a_true_one_are_as_rare() -> None:
    """Two good and two bad equals: one line is right, every further one is wrong."""
    trials, wrong, right = 2500, 0, 0
    for seed in range(trials):
        systems = systems_on(200, [0.9, 0.9, 0.6, 0.6], seed).values()
        found = standings(all_pairs([[c] for c in systems], ACCURACY), True)
        first, second = {s.cluster for s in found[:2]}, {s.cluster for s in found[2:]}
        right += first.isdisjoint(second)
        wrong += len(first) > 1 or len(second) > 1
    assert right == trials
    assert wrong / trials <= 0.06
