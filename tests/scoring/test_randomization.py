"""Approximate randomization: against scipy, by listing, and what it depends on."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from scipy import stats

from scoring.counts import Counts
from scoring.measures import Measure
from scoring.statistics.bootstrap import Plan
from scoring.statistics.comparison import compare, compare_means
from scoring.statistics.randomization import SWAPS, randomization, swaps
from tests.loops import loop_over
from tests.scoring.made import ACCURACY, F1, counts_of, systems_on_shared_units

PLAN = Plan()
FEW = systems_on_shared_units(6, [0.8, 0.6], seed=1)
MANY = systems_on_shared_units(80, [0.8, 0.78, 0.7], seed=6)


def p_of(pair: Sequence[Counts], measure: Measure, plan: Plan = PLAN) -> float:
    """The p-value of two systems on one test set."""
    return float(randomization([[(counts, plan)] for counts in pair], measure)[0])


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
    assert p_of(pair, measure) == listed(*pair, measure)


def test_units_without_a_difference_do_not_matter() -> None:
    """Two thousand equal sentences beside ten others: still all 2**10 swaps."""
    pair = [
        counts_of([*counts.table, *[[3, 5, 5]] * 2000])
        for counts in systems_on_shared_units(10, [0.8, 0.6], seed=4).values()
    ]
    p_value = p_of(pair, ACCURACY)
    assert p_value * 2**10 == int(p_value * 2**10)


@loop_over(
    "sizes", [(4, 4), (3, 5), (6, 7), (5, 5, 5), (8, 8), (12, 9), (40, 3), (40, 1)]
)
def test_small_test_sets_are_swapped_each_by_itself(sizes: tuple[int, ...]) -> None:
    """One system right where the other is wrong, everywhere: all swaps but two shrink
    the difference, and sets of equal size are not swapped in step."""
    strata = [
        [
            (counts_of([[right, 4, 4]] * size), Plan(seed=number))
            for number, size in enumerate(sizes)
        ]
        for right in (4, 0)
    ]
    units = sum(sizes)
    expected = 2 / 2**units if units <= 13 else 0
    found = float(randomization(strata, ACCURACY)[0])
    assert found == pytest.approx(expected, abs=8 / SWAPS)


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
    ours = p_of((first, second), ACCURACY, Plan(seed=2))
    error = np.sqrt(2 * theirs * (1 - theirs) / 10_000)
    assert ours == pytest.approx(theirs, abs=5 * error)


def test_both_methods_say_much_the_same() -> None:
    plan = Plan(5000, 1)
    pair = MANY["system1"], MANY["system2"]
    found = compare(("a", "b"), pair, ACCURACY, plan)
    assert found.randomization == pytest.approx(found.p_value, abs=0.05)


def test_all_pairs_equal_pairs_alone() -> None:
    systems = list(MANY.values())
    rows = [[(counts, PLAN)] for counts in systems]
    alone = [p_of((systems[i], systems[j]), F1) for i, j in ((0, 1), (0, 2), (1, 2))]
    assert randomization(rows, F1).tolist() == alone


def test_swaps_depend_on_their_arguments_only() -> None:
    assert np.array_equal(swaps(100, 50, (1, 0)), swaps(100, 50, (1, 0)))
    assert not np.array_equal(swaps(100, 50, (1, 0)), swaps(100, 50, (2, 0)))
    assert not np.array_equal(swaps(100, 50, (1, 0)), swaps(100, 50, (1, 1)))


def test_every_unit_is_swapped_half_the_time() -> None:
    share = swaps(130, 20_000, (1,)).mean(axis=0)
    assert share == pytest.approx(np.full(130, 0.5), abs=0.02)


def test_swaps_are_not_the_draws_bits() -> None:
    """A stream of its own: the two methods must not share their luck."""
    raw = np.random.PCG64(1).random_raw(4).astype("<u8").view(np.uint8)
    drawn = np.unpackbits(raw, bitorder="little")
    assert not np.array_equal(swaps(256, 1, (1,))[0], drawn)


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
    assert np.isnan(p_of((nothing, nothing), ACCURACY))
