"""The exchange test: against trying all signs, scipy, and cases worked by hand."""

import math
from dataclasses import astuple, replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from scoring.counts import Counts, Floats, fixed_point
from scoring.measures import Measure, ratio, ratio_or_zero
from scoring.statistics.bootstrap import Plan, mean_sample_of
from scoring.statistics.differences import difference_intervals, first_against_others
from scoring.statistics.exchange import (
    FAR,
    NEAR,
    Pairs,
    TestedPairs,
    all_pairs,
    holm_beside,
    pairs_of,
)
from scoring.statistics.sign_flips import tails_of
from tests.loops import loop_over
from tests.scoring.made import (
    ACCURACY,
    ERROR,
    F1,
    counts_of,
    random_counts,
    systems_on_shared_units,
)

MANY = systems_on_shared_units(80, [0.8, 0.78, 0.7], seed=6)
WEIGHTED = Measure("weighted", "Weighted", ("right", "all"), ratio, "right / all")
TAG = Measure(
    "f1[EVENT]",
    "F1",
    ("match[EVENT]", "returned[EVENT]", "wanted[EVENT]"),
    lambda match, returned, wanted: ratio_or_zero(2 * match, returned + wanted),
    "F1",
    present=("wanted[EVENT]",),
)


def result_of(*systems: Counts, measure: Measure = ACCURACY) -> Pairs:
    return all_pairs([[counts] for counts in systems], measure)


def exactly(first: Counts, second: Counts) -> float:
    """All signs of the differences in right words, in whole numbers."""
    apart = (first.table - second.table)[:, 0].astype(int).tolist()
    sums = [
        abs(sum(sign * one for sign, one in zip(signs, apart, strict=True)))
        for signs in product((1, -1), repeat=len(apart))
    ]
    return sum(one >= abs(sum(apart)) for one in sums) / len(sums)


def by_signs(terms: Floats) -> float:
    """The p-value of the sum of more than twelve terms."""
    z = abs(terms.sum()) / math.sqrt((terms**2).sum())
    near = 2 * stats.norm.sf(z)
    return float(near if z <= NEAR or z > FAR else tails_of(terms[None]).p_value[0])


@given(st.integers(1, 12), st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_few_units_are_tested_by_trying_all_signs(units: int, seed: int) -> None:
    pair = systems_on_shared_units(units, [0.8, 0.6], seed=seed).values()
    assert result_of(*pair).p_value.tolist() == [exactly(*pair)]


def test_many_units_are_tested_by_the_tail_of_random_signs() -> None:
    """sum(d) / sqrt(sum(d * d)) by hand: words are the same for both."""
    first, second = MANY["system1"], MANY["system2"]
    apart = (first.table - second.table)[:, 0]
    found = result_of(first, second)
    assert found.p_value[0] == pytest.approx(by_signs(apart), rel=1e-8)
    spread = math.sqrt((apart**2).sum()) / first.table[:, 2].sum()
    assert found.spread[0] == pytest.approx(spread, rel=1e-11)


@given(st.integers(0, 500), st.integers(40, 90))
@settings(max_examples=40, deadline=None)
def test_a_harmonic_mean_is_tested_along_its_own_gradient(
    seed: int, units: int
) -> None:
    """2 right / (returned + wanted), by the quotient rule."""
    pair = random_counts(units, seed, 0.9), random_counts(units, seed, 0.7)
    second = counts_of(np.column_stack([pair[1].table[:, :2], pair[0].table[:, 2]]))
    pair = pair[0], second
    middle = (pair[0].totals + pair[1].totals) / 2
    apart = pair[0].table - pair[1].table
    whole = middle[1] + middle[2]
    terms = 2 * apart[:, 0] / whole - 2 * middle[0] * apart[:, 1] / whole**2
    found = result_of(*pair, measure=F1)
    assert found.spread[0] == pytest.approx(math.sqrt((terms**2).sum()), rel=1e-6)
    assert found.p_value[0] == pytest.approx(by_signs(terms), rel=1e-4)


def test_large_numbers_of_units_agree_with_scipys_permutations() -> None:
    first, second = MANY["system1"], MANY["system2"]
    theirs = stats.permutation_test(
        (first.table[:, 0], second.table[:, 0]),
        lambda a, b, axis: a.sum(axis=axis) - b.sum(axis=axis),
        permutation_type="samples",
        n_resamples=40_000,
        vectorized=True,
        rng=np.random.default_rng(1),
    ).pvalue
    error = math.sqrt(theirs * (1 - theirs) / 40_000)
    assert result_of(first, second).p_value[0] == pytest.approx(
        theirs, abs=0.006 + error
    )


def test_heavy_documents_prove_no_more_than_they_are() -> None:
    """One document of ten thousand words among thirty: its sign is a coin."""
    words = np.array([10_000, *[5] * 29])
    right = np.array([9_000, *[4] * 29])
    other = np.array([8_000, *[4] * 28, 3])
    pair = (counts_of(np.column_stack([one, words, words])) for one in (right, other))
    assert result_of(*pair).p_value.tolist() == [0.5]


@pytest.mark.parametrize(
    ("bearing", "expected"), [(0, 1.0), (1, 1.0), (2, 0.5), (3, 0.25), (5, 0.0625)]
)
def test_only_documents_with_the_tag_are_evidence(
    bearing: int, expected: float
) -> None:
    """D3: thirty documents of which few hold an EVENT; one system finds each."""
    columns = ("match[EVENT]", "returned[EVENT]", "wanted[EVENT]")
    names = tuple(f"d{i:02}" for i in range(30))
    systems = []
    for found in (2, 0):
        table = np.zeros((30, 3))
        table[:bearing] = (found, 2, 2)
        systems.append(Counts(names, columns, table))
    assert result_of(*systems, measure=TAG).p_value.tolist() == [expected]


@pytest.mark.parametrize("small", [1, 2, 3, 5])
def test_a_small_test_set_beside_a_large_one_proves_little(small: int) -> None:
    """D2: 1,000 sentences of equals, and one system right on all of a few others."""
    first, second = systems_on_shared_units(1000, [0.8, 0.8], seed=3).values()
    few = [counts_of([[right, 9, 9]] * small) for right in (9, 0)]
    found = all_pairs([[first, few[0]], [second, few[1]]], ACCURACY)
    assert found.difference[0] > 0.4
    assert found.p_value[0] >= 2 * stats.norm.sf(math.sqrt(small)) * 0.95


def test_test_sets_are_added_up_by_their_share_of_the_mean() -> None:
    """Two sets by hand: each unit's difference over its set's words, halved."""
    other = systems_on_shared_units(40, [0.8, 0.7], seed=9)
    rows = [[MANY[name], other[name]] for name in ("system1", "system2")]
    terms = np.concatenate(
        [
            (one.table - two.table)[:, 0] / one.table[:, 2].sum() / 2
            for one, two in zip(*rows, strict=True)
        ]
    )
    found = all_pairs(rows, ACCURACY)
    assert found.spread[0] == pytest.approx(math.sqrt((terms**2).sum()), rel=1e-9)
    assert found.p_value[0] == pytest.approx(by_signs(terms), rel=1e-6)


@pytest.mark.thorough
def test_one_extreme_resample_does_not_hide_a_clear_difference() -> None:
    """D16: two of a thousand resamples were extreme, and p could not be below 0.002.

    Of a hundred thousand random signs none reaches the difference.
    """
    rng = np.random.default_rng(865)
    words = np.ceil(np.exp(rng.normal(2.5, 1.5, 600))).astype(int)
    pair = [
        counts_of(
            np.column_stack(
                [
                    rng.binomial(
                        words, np.clip(skill + rng.normal(0, 0.08, 600), 0, 1)
                    ),
                    words,
                    words,
                ]
            )
        )
        for skill in (0.80, 0.74)
    ]
    apart = (pair[0].table - pair[1].table)[:, 0]
    signs = np.random.default_rng(1).integers(0, 2, (100_000, 600)) * 2 - 1
    assert not (np.abs(signs @ apart) >= abs(apart.sum())).any()
    assert result_of(*pair).p_value[0] < 1e-5


def test_company_does_not_change_a_p_value() -> None:
    """Not by a byte: neither more systems, nor larger numbers, nor more measures."""
    systems = systems_on_shared_units(300, [0.8, 0.79, 0.6, 0.9], seed=5)
    rows = [[counts] for counts in systems.values()]
    huge = counts_of(next(iter(systems.values())).table * [2.0**30, 1, 1])
    alone = all_pairs(rows[:2], ACCURACY)
    for measures in ((ACCURACY,), (F1, ACCURACY, ERROR)):
        together = pairs_of([*rows, [huge]], measures)[measures.index(ACCURACY)]
        assert together.p_value[0] == alone.p_value[0]
        assert together.spread[0] == alone.spread[0]


MORE = systems_on_shared_units(60, [0.9, 0.85, 0.8, 0.8, 0.7, 0.6, 0.5], seed=11)
OTHER = systems_on_shared_units(9, [0.9, 0.6, 0.8, 0.8, 0.7, 0.6, 0.5], seed=12)


@given(
    st.permutations(list(MORE)),
    st.permutations(list(MORE)),
    st.integers(0, 7),
    st.integers(0, 7),
    st.sets(st.sampled_from(list(MORE)), max_size=2),
)
@settings(max_examples=40, deadline=None)
def test_known_pairs_are_not_tested_again_and_nothing_differs_by_a_byte(
    now: list[str], then: list[str], many: int, few: int, halves: set[str]
) -> None:
    now, then = now[:many], then[:few]
    rows: dict[str, list[Counts | None]] = {
        name: [MORE[name], None if name in halves else OTHER[name]] for name in MORE
    }
    whole = {name: [MORE[name], OTHER[name]] for name in MORE}
    for measure in (ACCURACY, F1):
        known = TestedPairs.of(all_pairs([whole[name] for name in then], measure))
        places = np.array([then.index(n) if n in then else -1 for n in now], dtype=int)
        alone = all_pairs([rows[name] for name in now], measure)
        found = all_pairs([rows[name] for name in now], measure, (known, places))
        for one, other in zip(astuple(alone), astuple(found), strict=True):
            np.testing.assert_array_equal(one, other)


def test_a_known_pair_is_taken_over_as_it_is() -> None:
    """What was known is not tested again: an invented p-value stays."""
    rows = [[counts] for counts in list(MORE.values())[:3]]
    pairs = all_pairs(rows[:2], ACCURACY)
    known = replace(TestedPairs.of(pairs), p_value=np.array([0.125]))
    found = all_pairs(rows, ACCURACY, (known, np.array([0, 1, -1])))
    assert found.p_value[0] == 0.125
    again = replace(known, basis=(2, 1))
    found = all_pairs(rows, ACCURACY, (again, np.array([0, 1, -1])))
    assert found.p_value[0] == pairs.p_value[0]


def weighted(units: int, seed: int, scale: float) -> list[Counts]:
    """Two systems on words with weights that are no whole numbers."""
    rng = np.random.default_rng(seed)
    weights = rng.random((units, 12)) * scale
    systems = []
    for _ in range(2):
        right = (rng.random(weights.shape) < 0.8) * weights
        columns = {
            name: half.sum(axis=1)
            for column, cells in (("right", right), ("all", weights))
            for name, half in fixed_point(column, cells).items()
        }
        names = tuple(f"s{i:04}" for i in range(units))
        table = np.stack(list(columns.values()), axis=1)
        systems.append(Counts(names, tuple(columns), table))
    return systems


@pytest.mark.parametrize("scale", [1e-9, 1.0, 10_000.0])
def test_fixed_point_weights_are_squared_exactly(scale: float) -> None:
    """Products of such columns pass 2**53; rational arithmetic says what they are."""
    first, second = weighted(2000, 1, scale)
    apart = [
        Fraction(int(high), 2**26) + Fraction(int(low), 2**52)
        for high, low in (first.table - second.table)[:, :2].tolist()
    ]
    z = float(sum(apart)) / math.sqrt(sum(one * one for one in apart))
    found = result_of(first, second, measure=WEIGHTED).p_value[0]
    assert found == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-10)


def test_turning_a_pair_round_changes_no_p_value() -> None:
    systems = [[counts] for counts in MANY.values()]
    for measure in (ACCURACY, F1, ERROR):
        one, other = (all_pairs(some, measure) for some in (systems, systems[::-1]))
        assert sorted(one.p_value) == sorted(other.p_value)


def test_systems_that_answer_alike_are_equal() -> None:
    found = result_of(MANY["system1"], MANY["system1"])
    assert (found.p_value[0], found.spread[0], found.typical[0].size) == (1.0, 0.0, 0)


def test_differences_that_cancel_are_no_evidence() -> None:
    pair = counts_of([[1, 2, 2], [2, 2, 2]]), counts_of([[2, 2, 2], [1, 2, 2]])
    assert result_of(*pair).p_value.tolist() == [1.0]


def test_an_undefined_measure_has_no_p_value() -> None:
    nothing = counts_of([[0, 0, 0]] * 80)
    found = result_of(MANY["system1"], nothing, MANY["system2"])
    assert np.isnan(found.p_value).tolist() == [True, False, True]
    assert np.isnan(found.adjusted).tolist() == [True, False, True]


def test_a_pair_beside_a_family_is_corrected_as_one_more() -> None:
    family = np.array([0.001, np.nan, 0.04])
    assert holm_beside(family, 0.02) == pytest.approx(0.04)
    assert holm_beside(family, 0.0004) == pytest.approx(0.0012)
    assert holm_beside(np.zeros(0), 0.3) == 0.3


def test_a_thousand_systems_are_tested_at_once() -> None:
    """Equal ones on thirty units: 499,500 pairs, hardly any with p below 0.001."""
    rng = np.random.default_rng(4)
    rows = [
        [counts_of(np.column_stack([right, np.full(30, 9), np.full(30, 9)]))]
        for right in rng.binomial(9, 0.8, (1000, 30))
    ]
    found = all_pairs(rows, ACCURACY)
    assert len(found.p_value) == 499_500
    assert np.mean(found.p_value < 0.05) == pytest.approx(0.05, abs=0.015)
    assert np.mean(found.p_value < 0.001) < 0.002
    assert not (found.adjusted < 0.05).any()


@loop_over("measure", [ACCURACY, ERROR])
@loop_over("missing", [None, 0, 2])
def test_one_system_against_all_others_has_the_numbers_of_all_pairs(
    measure: Measure, missing: int | None
) -> None:
    sets = [systems_on_shared_units(60, [0.8, 0.75, 0.7, 0.5], s) for s in (1, 2)]
    rows = [
        [(None if i == missing else c, Plan(50, seed)) for seed, c in enumerate(both)]
        for i, both in enumerate(zip(*(one.values() for one in sets), strict=True))
    ]
    strata = [[one if one[0] else None for one in row] for row in rows]
    sample = mean_sample_of(strata, measure)  # type: ignore[arg-type]
    counts = [[counts for counts, _plan in row] for row in rows]
    whole = difference_intervals(counts, measure, sample, 0.95)
    wanted = (*whole, all_pairs(counts, measure).p_value)
    found = first_against_others(counts, measure, sample, 0.95)
    for here, there in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(here, there[:3])
