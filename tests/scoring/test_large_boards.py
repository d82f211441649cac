"""A large board's pairs, decided by bounds: against the tests of all pairs."""

from dataclasses import replace

import numpy as np
import pytest

from scoring.counts import Counts, Floats, Integers
from scoring.measures import Measure
from scoring.statistics import large_boards
from scoring.statistics.arrivals import spent
from scoring.statistics.exchange import (
    Exchange,
    Pairs,
    Sums,
    all_pairs,
    p_values,
    tables_of,
)
from scoring.statistics.large_boards import HolmFamily, ToldApart, told_apart
from scoring.statistics.power import resolution
from scoring.statistics.ranks import better_than, standings
from tests.loops import loop_over
from tests.scoring.made import ACCURACY, ERROR, F1

System = list[Counts | None]


def made(seed: int, measure: Measure = ACCURACY, most: int = 60) -> list[System]:
    """Systems of a random board: some twice, some without one of two test sets, units
    of all sizes, and differences from none to clear ones."""
    rng = np.random.default_rng(seed)
    units = int(rng.choice([3, 8, 13, 40, 200, 1000]))
    names = tuple(f"u{i:04}" for i in range(units))
    size = rng.integers(1, rng.choice([2, 5, 40]), units)
    if rng.random() < 0.3:
        size = size * np.where(rng.random(units) < 0.02, 50, 1)
    spread, base = rng.choice([0, 0.02, 0.2, 0.5]), rng.binomial(size, 0.8)
    counted: list[Counts] = []
    for _system in range(int(rng.integers(2, most))):
        if counted and rng.random() < 0.15:
            counted.append(counted[int(rng.integers(len(counted)))])
            continue
        own = rng.binomial(size, 0.85 - spread * rng.random())
        right = np.where(rng.random(units) < 0.5, base, own)
        columns = {name: size for name in measure.columns}
        columns[measure.columns[0]] = right
        if measure is F1:
            columns[measure.columns[1]] = right + rng.binomial(size, 0.2)
        table = np.stack(list(columns.values()), axis=1).astype(float)
        counted.append(Counts(names, tuple(columns), table))
    systems: list[System] = [[counts] for counts in counted]
    if rng.random() < 0.3:
        systems = [[*row, *systems[int(rng.integers(len(systems)))]] for row in systems]
    for row in systems:
        if rng.random() < 0.1:
            row[-1] = None
    return systems


def agree(found: ToldApart, pairs: Pairs, measure: Measure, level: float) -> None:
    higher = measure.higher_is_better
    assert not found.too_many
    np.testing.assert_array_equal(found.better, better_than(pairs, higher, level))
    assert standings(found, higher, level) == standings(pairs, higher, level)
    assert resolution(found, level) == resolution(pairs, level)


@loop_over("measure", [ACCURACY, ERROR, F1], ids=lambda one: one.name)
@loop_over("seed", range(12))
def test_ranks_and_lines_are_those_of_the_tests_of_all_pairs(
    seed: int, measure: Measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    systems = made(seed, measure)
    level = (0.95, 0.9, 0.99)[seed % 3]
    monkeypatch.setattr(large_boards, "PRODUCTS_AT_ONCE", (30, 500_000)[seed % 2])
    pairs = all_pairs(systems, measure)
    agree(told_apart(systems, measure, level), pairs, measure, level)


@loop_over("seed", range(8))
def test_differences_that_stay_are_those_of_all_pairs(seed: int) -> None:
    systems = made(100 + seed)
    arrived: Integers = np.random.default_rng(seed).permutation(len(systems)) + 1
    pairs = all_pairs(systems, ACCURACY)
    numbers = arrived[pairs.first], arrived[pairs.second]
    pairs = replace(pairs, adjusted=spent(pairs.p_value, *numbers))
    agree(told_apart(systems, ACCURACY, 0.95, arrived), pairs, ACCURACY, 0.95)


@pytest.mark.parametrize("seed", range(6))
def test_a_guess_that_is_too_low_is_made_again(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large_boards._Search, "guess", lambda self: 1e-12)
    systems = made(200 + seed)
    found = told_apart(systems, ACCURACY, 0.95)
    agree(found, all_pairs(systems, ACCURACY), ACCURACY, 0.95)


@loop_over("seed", range(10))
def test_every_p_value_lies_between_its_bounds(seed: int) -> None:
    systems = [row for row in made(300 + seed) if None not in row]
    tables = tables_of([[c for c in row if c] for row in systems], [ACCURACY])
    exchange = Exchange(tables, ACCURACY)
    sums = exchange.pairs()
    z = np.abs(sums.shift) / np.where(sums.spread > 0, sums.spread, 1.0)
    p_value, _effective = p_values(exchange, sums)
    terms = exchange.terms_in_order(sums)
    fourth: Floats = (terms**4).sum(axis=1)
    fourth /= np.where(sums.spread > 0, sums.spread, 1.0) ** 4
    search = large_boards._Search(exchange, np.zeros(len(systems)), True, 0.05, None)
    bound = search._fourth_at_most(sums)
    assert (bound >= fourth * (1 - 1e-9)).all()
    for known in (fourth, bound):
        least, most = large_boards._between(z, known)
        assert (least <= p_value).all() and (p_value <= most).all()


@loop_over("seed", range(6))
def test_an_adjusted_p_value_is_at_least_holms_and_on_the_same_side(seed: int) -> None:
    systems = made(400 + seed)
    pairs, family = (
        all_pairs(systems, ACCURACY),
        told_apart(systems, ACCURACY, 0.95).family,
    )
    assert family is not None
    tested = ~np.isnan(pairs.p_value)
    found = np.array([family.adjust(p) for p in pairs.p_value[tested].tolist()])
    assert (found >= pairs.adjusted[tested] * (1 - 1e-12)).all()
    assert ((found < 0.05) == (pairs.adjusted[tested] < 0.05)).all()


def test_where_holm_ends_by_hand() -> None:
    """Of four pairs two are told apart, by .001 (four times) and .01 (three times); the
    others are multiplied by the two that are left."""
    family = HolmFamily(pairs=4, told_apart=2, p_value=0.01, last=0.03)
    assert family.adjust(0.001) == 0.004
    assert family.adjust(0.01) == 0.03
    assert family.adjust(0.04) == 0.08
    assert family.adjust(0.9) == 1


@pytest.mark.parametrize(
    ("units", "size", "most"),
    [(400, 1, 0.25), (60, 30, 0.25), (14, 30, 0.0)],
    ids=["by sentence", "by document", "by so few that none can be told apart"],
)
def test_few_tests_are_made_of_many_pairs(
    units: int, size: int, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(7)
    names = tuple(f"u{i:04}" for i in range(units))
    sizes = rng.integers(size, 2 * size, units)
    systems: list[System] = []
    for _system in range(150):
        right = rng.binomial(sizes, 0.5 + 0.4 * rng.random(), units)
        table = np.stack([right, sizes], axis=1) * 1.0
        systems.append([Counts(names, ACCURACY.columns, table)])
    tested: list[int] = []

    def counted(exchange: Exchange, sums: Sums) -> object:
        tested.append(len(sums))
        return p_values(exchange, sums)

    pairs = all_pairs(systems, ACCURACY)
    monkeypatch.setattr(large_boards, "p_values", counted)
    agree(told_apart(systems, ACCURACY, 0.95), pairs, ACCURACY, 0.95)
    assert len(tested) > 0
    assert bool(sum(tested)) is (units > 14)
    assert sum(tested) <= 150 * 149 / 2 * most


def test_systems_of_several_runs_are_not_tested_on_a_large_board() -> None:
    systems = made(500)
    several = [
        [c and replace(c, runs=np.stack([c.table, c.table])) for c in row]
        for row in systems
    ]
    assert told_apart(several, ACCURACY, 0.95).too_many
