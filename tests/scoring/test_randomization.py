"""Approximate randomization: against scipy, by listing, and what it depends on."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from scoring.bootstrap import Plan
from scoring.compare import compare, compare_means
from scoring.counts import Counts
from scoring.measures import Measure
from scoring.randomization import randomization, swaps
from tests.scoring.made import ACCURACY, F1, counts_of, systems_on_shared_units

FEW = systems_on_shared_units(6, [0.8, 0.6], seed=1)
MANY = systems_on_shared_units(80, [0.8, 0.78, 0.7], seed=6)


def listed(first: Counts, second: Counts, measure: Measure) -> float:
    """The exact p-value: every way to swap, one by one."""
    differences = []
    for flips in product((False, True), repeat=len(first.units)):
        sides = np.array(flips)[:, None]
        one = np.where(sides, second.table, first.table).sum(axis=0)
        other = np.where(sides, first.table, second.table).sum(axis=0)
        differences.append(
            float(measure.of(one, first.columns) - measure.of(other, first.columns))
        )
    return float(np.mean(np.abs(differences) >= abs(differences[0]) - 1e-12))


@pytest.mark.parametrize("measure", [ACCURACY, F1])
def test_few_units_are_listed_exactly(measure: Measure) -> None:
    pair = FEW["system1"], FEW["system2"]
    found = randomization(pair, measure, Plan(resamples=64))
    assert found.tolist() == [listed(*pair, measure)]


def test_drawn_swaps_agree_with_listed_ones() -> None:
    pair = FEW["system1"], FEW["system2"]
    drawn = randomization(pair, F1, Plan(resamples=63, seed=5))
    assert drawn[0] == pytest.approx(listed(*pair, F1), abs=0.2)


def test_many_units_agree_with_scipys_paired_permutation_test() -> None:
    """Within five Monte-Carlo errors of two runs of 10,000."""
    first, second = MANY["system1"], MANY["system2"]
    wanted = first.table[:, 2]
    theirs = stats.permutation_test(
        (first.table[:, 0], second.table[:, 0]),
        lambda a, b, axis: (a.sum(axis=axis) - b.sum(axis=axis)) / wanted.sum(),
        permutation_type="samples",
        n_resamples=10_000,
        vectorized=True,
        rng=np.random.default_rng(1),
    ).pvalue
    ours = randomization((first, second), ACCURACY, Plan(10_000, 2))[0]
    error = np.sqrt(2 * theirs * (1 - theirs) / 10_000)
    assert ours == pytest.approx(theirs, abs=5 * error)


def test_both_methods_say_much_the_same() -> None:
    plan = Plan(5000, 1)
    pair = MANY["system1"], MANY["system2"]
    found = compare(("a", "b"), pair, ACCURACY, plan)
    assert found.randomization == pytest.approx(found.p_value, abs=0.05)


def test_all_pairs_equal_pairs_alone() -> None:
    plan = Plan(300, 1)
    systems = list(MANY.values())
    together = randomization(systems, F1, plan).tolist()
    alone = [
        randomization((systems[i], systems[j]), F1, plan)[0]
        for i, j in ((0, 1), (0, 2), (1, 2))
    ]
    assert together == alone


def test_swaps_depend_on_their_arguments_only() -> None:
    assert np.array_equal(swaps(100, 50, 1), swaps(100, 50, 1))
    assert not np.array_equal(swaps(100, 50, 1), swaps(100, 50, 2))


def test_every_unit_is_swapped_half_the_time() -> None:
    share = swaps(130, 20_000, 1).mean(axis=0)
    assert share == pytest.approx(np.full(130, 0.5), abs=0.02)


def test_few_units_take_every_pattern_once() -> None:
    patterns = swaps(5, 32, 1)
    assert len({tuple(row) for row in patterns.tolist()}) == 32


def test_swaps_are_not_the_draws_bits() -> None:
    """A stream of its own: the two methods must not share their luck."""
    raw = np.random.PCG64(1).random_raw(4).astype("<u8").view(np.uint8)
    drawn = np.unpackbits(raw, bitorder="little")
    assert not np.array_equal(swaps(256, 1, 1)[0], drawn)


def test_test_sets_are_swapped_each_by_itself() -> None:
    """Two copies of one test set hold twice the evidence, with the same difference."""
    once = compare(("a", "b"), (MANY["system1"], MANY["system2"]), F1, Plan(5000, 1))
    rows = {
        name: [(MANY[name], Plan(5000, 1)), (MANY[name], Plan(5000, 2))]
        for name in ("system1", "system2")
    }
    (twice,) = compare_means(rows, F1)
    assert twice.difference == pytest.approx(once.difference)
    assert twice.randomization < once.randomization


def test_no_units_give_no_p_value() -> None:
    nothing = counts_of([])
    assert np.isnan(randomization((nothing, nothing), ACCURACY, Plan(10))).all()
