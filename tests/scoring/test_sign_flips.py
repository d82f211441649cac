"""Tails of sums whose signs are chance: against counting all signs, and known laws."""

import math

import numpy as np
import pytest
from scipy import stats

from scoring.counts import Floats
from scoring.statistics.exchange import FAR, NEAR, all_pairs
from scoring.statistics.sign_flips import Tails, _round, tails_of
from tests.loops import loop_over
from tests.scoring.made import ACCURACY, counts_of


def by_counting(terms: Floats) -> float:
    """The share of all signs whose sum is as far from 0, by two halves of the terms."""
    halves = []
    for half in np.array_split(terms, 2):
        sums = np.zeros(1)
        for term in half:
            sums = np.concatenate([sums + term, sums - term])
        halves.append(np.sort(sums))
    least = abs(terms.sum()) - 1e-9 * np.abs(terms).sum()
    above = len(halves[1]) - np.searchsorted(halves[1], least - halves[0])
    return 2 * float(above.sum()) / 2 ** len(terms)


def by_convolution(terms: Floats) -> float:
    """The same of whole numbers, by adding one after the other to all sums."""
    whole = np.abs(terms).astype(int)
    chances = np.zeros(2 * whole.sum() + 1)
    chances[whole.sum()] = 1.0
    for term in whole[whole > 0].tolist():
        chances = (np.roll(chances, term) + np.roll(chances, -term)) / 2
    return 2 * float(chances[whole.sum() + abs(int(terms.sum())) :].sum())


def signs(rng: np.random.Generator, units: int) -> Floats:
    return rng.choice([1.0, 1.0, 1.0, -1.0], units)


KINDS = {
    "normal": lambda rng, m: rng.normal(0.5, 1, m),
    "documents": lambda rng, m: np.exp(rng.normal(0, 1.5, m)) * signs(rng, m),
    "right or wrong": signs,
    "words": lambda rng, m: rng.integers(-2, 7, m) * 1.0,
    "thirds": lambda rng, m: rng.integers(-1, 4, m) / 3,
}


def of_one(terms: Floats) -> Tails:
    return tails_of(terms[None])


@loop_over("kind", KINDS)
@loop_over("units", [16, 19, 22])
def test_tails_are_close_to_counting_all_signs(kind: str, units: int) -> None:
    rng = np.random.default_rng(units)
    ratios = []
    for _ in range(60):
        terms = KINDS[kind](rng, units)
        expected = by_counting(terms)
        if expected < 0.2 and np.count_nonzero(terms) > 12:
            ratios.append(of_one(terms).p_value[0] / expected)
    assert len(ratios) > 10
    assert np.median(ratios) == pytest.approx(1, abs=0.05)
    assert min(ratios) > 0.5
    assert max(ratios) < 1.7


@pytest.mark.parametrize("units", [13, 17, 22])
def test_thirteen_units_and_more_agree_with_counting_on_boards(units: int) -> None:
    """Whole words of different units, one system better in nearly all."""
    rng = np.random.default_rng(units)
    words = rng.integers(20, 60, units)
    better, worse = (
        words - rng.integers(0, 6, units),
        words - rng.integers(4, 12, units),
    )
    better[0] = worse[0] - 2
    tables = [np.column_stack([right, words, words]) for right in (better, worse)]
    found = all_pairs([[counts_of(table)] for table in tables], ACCURACY)
    expected = by_counting((better - worse).astype(float))
    assert found.p_value[0] == pytest.approx(expected, rel=0.15)


@loop_over("spread", [0.0, 1.0, 1.5])
@loop_over("z", [2.0, 4.0, 6.0])
def test_far_tails_are_as_good_as_near_ones(spread: float, z: float) -> None:
    """Down to a billionth, for documents of any length: whole numbers are convolved."""
    rng = np.random.default_rng(7)
    sizes = np.ceil(8 * np.exp(rng.normal(0, spread, 90)))
    least = sizes.sum() - z * math.sqrt((sizes**2).sum())
    terms = sizes.copy()
    for unit in rng.permutation(90):
        if 2 * sizes[unit] <= least:
            terms[unit], least = -sizes[unit], least - 2 * sizes[unit]
    found = of_one(terms).p_value[0]
    assert found == pytest.approx(by_convolution(terms), rel=0.06)


def test_answers_of_one_size_follow_the_binomial() -> None:
    """A sign test: 60 of 80 units in favour, in steps of a third of a point."""
    terms = np.repeat([1 / 300, -1 / 300], [60, 20])
    expected = 2 * stats.binom.sf(59, 80, 0.5)
    assert of_one(terms).p_value[0] == pytest.approx(expected, rel=0.01)


def test_many_even_terms_are_as_good_as_normal() -> None:
    rng = np.random.default_rng(1)
    terms = rng.normal(0, 1, 20_000)
    terms += 3 / math.sqrt(20_000) - terms.mean()
    z = abs(terms.sum()) / math.sqrt((terms**2).sum())
    assert of_one(terms).p_value[0] == pytest.approx(2 * stats.norm.sf(z), rel=0.01)


def test_no_tail_is_below_that_of_all_signs_alike() -> None:
    for units in (13, 30):
        terms = np.exp(np.random.default_rng(units).normal(0, 1, units))
        assert of_one(terms).p_value[0] == pytest.approx(2.0 ** (1 - units))


def test_company_changes_no_digit() -> None:
    rng = np.random.default_rng(2)
    terms = np.concatenate([KINDS[kind](rng, 40)[None] for kind in KINDS])
    together = tails_of(terms)
    for i, row in enumerate(terms):
        alone = of_one(row)
        assert alone.p_value[0] == together.p_value[i]
        assert alone.effective_units[0] == together.effective_units[i]


def test_effective_units_are_those_of_one_size() -> None:
    """(sum d^2)^2 / sum d^4: 25 equal terms are 25, and one giant beside them is 1."""
    even = np.full(25, 0.2)
    assert of_one(even).effective_units[0] == pytest.approx(25)
    giant = np.append(even, 20.0)
    assert of_one(giant).effective_units[0] == pytest.approx(
        (25 * 0.04 + 400) ** 2 / (25 * 0.0016 + 160_000), rel=1e-8
    )


def documents(rng: np.random.Generator, units: int, skills: Floats) -> list[Floats]:
    """Tables of right words and words in documents of very unequal length."""
    words = np.ceil(np.exp(rng.normal(2.5, 1.5, units)))
    ease = rng.normal(0, 0.1, units)
    tables = []
    for skill in skills:
        own = np.clip(skill + ease + rng.normal(0, 0.03, units), 0, 1)
        right = rng.binomial(words.astype(int), own) * 1.0
        tables.append(np.column_stack([right, words, words]))
    return tables


def test_boards_of_fifty_find_what_the_exact_test_finds() -> None:
    """Pairs 8 points apart, at the first level of Holm's correction."""
    level, exact, found, normal = 0.05 / math.comb(50, 2), 0, 0, 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        better, worse = documents(rng, 100, np.array([0.84, 0.76]))
        terms = (better - worse)[:, 0]
        z = abs(terms.sum()) / math.sqrt((terms**2).sum())
        rows = [[counts_of(better)], [counts_of(worse)]]
        exact += by_convolution(terms) < level
        found += all_pairs(rows, ACCURACY).p_value[0] < level
        normal += 2 * stats.norm.sf(z) < level
    assert abs(found - exact) <= 1
    assert found > normal + 5


@pytest.mark.parametrize("spread", [0.5, 1.5])
def test_equals_are_told_apart_as_often_as_stated(spread: float) -> None:
    """Random signs of the same terms: .05, .01 and .001 of them, up to 3 errors."""
    rng = np.random.default_rng(3)
    sizes = np.exp(rng.normal(0, spread, 40))
    p_values = tails_of(sizes * rng.choice([1.0, -1.0], (40_000, 40))).p_value
    for level in (0.05, 0.01, 0.001):
        error = math.sqrt(level * (1 - level) / 40_000)
        assert np.mean(p_values < level) == pytest.approx(
            level, abs=3 * error + 0.1 * level
        )


def test_near_and_far_pairs_take_the_normal_tail() -> None:
    """There it tells enough: p is large, or smaller than any board asks for."""
    words = np.full(400, 50.0)
    rng = np.random.default_rng(5)
    systems = [rng.binomial(50, skill, 400) * 1.0 for skill in (0.8, 0.8, 0.6)]
    tables = [np.column_stack([right, words, words]) for right in systems]
    found = all_pairs([[counts_of(table)] for table in tables], ACCURACY)
    z = np.abs(found.difference) / found.spread
    outside = (z <= NEAR) | (z > FAR)
    assert outside.tolist() == np.isnan(found.effective).tolist()
    assert outside.any()
    expected = 2 * stats.norm.sf(z[outside])
    assert found.p_value[outside] == pytest.approx(expected, rel=1e-9)


def test_pairs_whose_tails_are_not_wanted_leave_the_others_as_they_are() -> None:
    rng = np.random.default_rng(3)
    terms = rng.normal(0.6, 1, (40, 30))
    wanted = rng.random(40) < 0.5
    every, some = tails_of(terms), tails_of(terms, wanted)
    np.testing.assert_array_equal(some.p_value, np.where(wanted, every.p_value, 1.0))
    np.testing.assert_array_equal(some.effective_units, every.effective_units)


def test_nine_digits_are_those_of_the_decimal() -> None:
    """Also beside powers of ten, between two decimals, and out of reach of a table."""
    rng = np.random.default_rng(4)
    middles = (rng.integers(10**8, 10**9, 3000) + 0.5) / 10.0 ** rng.integers(9, 14)
    edges = [0.0, 1.0, 1e-4, np.nextafter(1e-4, 0), 9.999999995e-5, 2.0**-29, 5e-324]
    values = np.concatenate(
        [10.0 ** rng.uniform(-30, 12, 20_000), rng.random(20_000), middles, edges]
    )
    expected = [float(f"{value:.9g}") for value in values.tolist()]
    assert _round(values).tolist() == expected
