"""Measures of weighed rows: written so, a measure of sums gives the same numbers."""

import math
from collections.abc import Mapping
from dataclasses import asdict, replace

import numpy as np
import pytest

from scoring import Counts, Plan
from scoring.counts import Floats
from scoring.engine import count, read_pair, summarise
from scoring.inspection.overview import (
    CountedSystem,
    UnitQuery,
    listing,
    unit_page,
)
from scoring.inspection.slices import slices
from scoring.measures import Measure, f1, ratio, weighed_measure
from scoring.options import parse
from scoring.statistics import bootstrap, row_weights
from scoring.statistics.bootstrap import board_numbers, estimates, mean_estimates
from scoring.statistics.comparison import compare, compare_all, compare_means
from scoring.statistics.exchange import all_pairs
from scoring.statistics.groups import design_effects
from scoring.statistics.intervals import Estimate
from scoring.statistics.power import separation
from scoring.statistics.ranks import in_words, standings
from scoring.statistics.row_weights import Rows, slopes_of
from scoring.statistics.runs import value_of
from tests.scoring.toy import GOLD, SYSTEM, TOY

COLUMNS = ("correct", "system", "gold")
PLAN = Plan(resamples=300, seed=5)


def weighed_f1(weights: Floats, table: Floats) -> Floats:
    """F1 of the summed rows, as a measure of weighed rows."""
    return f1(*(weights @ table).T)


def slopes_of_f1(weights: Floats, table: Floats) -> Floats:
    """2c / (s + g) by the weight of a row, worked out by hand."""
    correct, system, gold = weights @ table
    whole = system + gold
    rows = 2 * table[:, 0] * whole - 2 * correct * (table[:, 1] + table[:, 2])
    return np.asarray(rows / whole**2)


SUMS = Measure("f1", "F1", COLUMNS, f1, "")
STEPS = weighed_measure("f1", "F1", COLUMNS, weighed_f1, "", percent=True)
SLOPES = replace(STEPS, slopes=slopes_of_f1)
BOTH = pytest.mark.parametrize("weighed", [STEPS, SLOPES], ids=["steps", "slopes"])


def system(seed: int, quality: float = 0.7, units: int = 40, name: str = "s") -> Counts:
    """A system on sentences of three genres; gold is the same for every seed."""
    shared = np.random.default_rng(units)
    gold = shared.integers(1, 9, units)
    own = np.random.default_rng(seed)
    given = np.maximum(1, gold + own.integers(-1, 2, units))
    correct = own.binomial(np.minimum(gold, given), quality)
    names = tuple(f"{name}{i}" for i in shared.permutation(units))
    groups = {
        "document": tuple(f"d{i // 4}" for i in range(units)),
        "genre": tuple("abc"[i % 3] for i in range(units)),
    }
    table = np.stack([correct, given, gold], axis=1).astype(np.float64)
    return Counts(names, COLUMNS, table, groups)


ONE, TWO, THREE = system(1), system(2, 0.6), system(3, 0.75)
SMALL = system(4, units=8, name="t"), system(5, 0.5, units=8, name="t")


def but_for_ends(found: Mapping[str, Estimate]) -> dict[str, Estimate]:
    """Estimates without the ends that are shown: they need what single units add, which
    sums know by leaving each out, and weighed rows by their slopes, or not at all."""
    return {name: replace(e, low=None, high=None) for name, e in found.items()}


@BOTH
def test_an_estimate_is_the_same_to_the_last_digit(weighed: Measure) -> None:
    for counts in (ONE, SMALL[0]):
        found, expected = (estimates(counts, [m], PLAN) for m in (weighed, SUMS))
        assert but_for_ends(found) == but_for_ends(expected)


def test_of_coarser_units_all_rows_are_drawn_and_left_out_together() -> None:
    whole = ONE.by("document")
    kept = ONE.by("document", keep_rows=True)
    assert kept.table.tolist() == whole.table.tolist()
    found, expected = estimates(kept, [STEPS], PLAN), estimates(whole, [SUMS], PLAN)
    assert but_for_ends(found) == but_for_ends(expected)
    assert design_effects(ONE, STEPS, ["document"]) == design_effects(
        ONE, SUMS, ["document"]
    )


def test_coarser_units_without_their_rows_would_be_another_measure() -> None:
    """The square of what a row has, summed: of sums it is the square of the sum."""
    squares = weighed_measure("q", "Q", ("gold",), lambda w, t: w @ t[:, 0] ** 2, "")
    by_hand = float((ONE.table[:, 2] ** 2).sum())
    assert value_of(ONE, squares) == by_hand
    assert value_of(ONE.by("document", keep_rows=True), squares) == by_hand
    assert value_of(ONE.by("document"), squares) > by_hand


def test_what_was_joined_to_coarser_units_is_a_row_of_each() -> None:
    kept = ONE.by("document", keep_rows=True)
    table = np.hstack([kept.table, np.arange(10.0)[:, None]])
    joined = replace(kept, columns=(*COLUMNS, "judged"), table=table)
    squares = weighed_measure("q", "Q", ("judged",), lambda w, t: w @ t[:, 0] ** 2, "")
    assert value_of(joined, squares) == sum(i * i for i in range(10))
    assert value_of(joined, STEPS) == value_of(ONE, STEPS)


def test_several_test_sets_and_runs_give_the_same_numbers() -> None:
    runs = Counts.of_runs([ONE, TWO, THREE])
    few = Counts.of_runs([SMALL[0], SMALL[1], SMALL[0]])
    second = Plan(resamples=300, seed=6)
    rows = [
        [(runs, PLAN), (few, second)],
        [(TWO, PLAN), (SMALL[1], second)],
        [(THREE, PLAN), None],
    ]
    for row in rows:
        found, expected = (mean_estimates(row, [m]) for m in (STEPS, SUMS))
        assert but_for_ends(found) == but_for_ends(expected)
    boards = (board_numbers(rows, [measure])[0] for measure in (STEPS, SUMS))
    both = (np.delete(numbers, (1, 2), axis=1) for numbers in boards)
    assert np.array_equal(*both, equal_nan=True)


def equal_but_for_slopes(found: object, expected: object) -> bool:
    """Central differences, of totals or of weights, are good to nine digits."""
    if isinstance(found, float) and isinstance(expected, float):
        return found == pytest.approx(expected, rel=1e-6, abs=1e-9)
    return found == expected


@BOTH
def test_a_comparison_gives_the_same_numbers(weighed: Measure) -> None:
    pairs = ((ONE, TWO), (TWO, THREE), SMALL, (ONE, ONE))
    for pair in pairs:
        new = compare(("a", "b"), pair, weighed, PLAN).as_dict()
        old = compare(("a", "b"), pair, replace(SUMS, percent=True), PLAN).as_dict()
        assert new["randomization"] == old["randomization"]
        assert (new["won"], new["lost"]) == (old["won"], old["lost"])
        for name, number in old.items():
            assert equal_but_for_slopes(new[name], number), name


def test_coarser_units_are_swapped_as_one() -> None:
    kept = [counts.by("document", keep_rows=True) for counts in (ONE, TWO)]
    sums = [counts.by("document") for counts in (ONE, TWO)]
    new = compare(("a", "b"), (kept[0], kept[1]), SLOPES, PLAN).as_dict()
    old = compare(("a", "b"), (sums[0], sums[1]), replace(SUMS, percent=True), PLAN)
    # Ten documents: all signs and all swaps are tried.
    assert (new["p_value"], new["randomization"]) == (old.p_value, old.randomization)
    for name, number in old.as_dict().items():
        assert equal_but_for_slopes(new[name], number), name


def test_many_rows_are_swapped_less_often_on_every_test_set_alike(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cells = 4 * (40 + 8) * 2000
    monkeypatch.setattr("scoring.statistics.randomization.CELLS_OF_PAIR", cells)
    second = Plan(resamples=300, seed=6)
    rows = {
        "a": [(ONE, PLAN), (SMALL[0], second)],
        "b": [(TWO, PLAN), (SMALL[1], second)],
    }
    (few,), (all_,) = (compare_means(rows, measure) for measure in (STEPS, SUMS))
    assert few.randomization is not None
    assert few.randomization * 2001 == pytest.approx(round(few.randomization * 2001))
    assert few.randomization == pytest.approx(all_.randomization, abs=0.03)


def test_several_runs_are_tested_by_the_mean_of_their_influence() -> None:
    runs = [Counts.of_runs([ONE, TWO]), Counts.of_runs([THREE, THREE, ONE])]
    new, old = (all_pairs([[r] for r in runs], m) for m in (SLOPES, SUMS))
    assert new.p_value.tolist() == pytest.approx(old.p_value.tolist(), rel=1e-6)
    # Swapping makes one system of two: there is no such thing as their mean run.
    assert compare(("a", "b"), (runs[0], runs[1]), STEPS, PLAN).randomization is None


def test_a_board_over_test_sets_gives_the_same_tests_and_ranks() -> None:
    others = SMALL[0], SMALL[1], system(6, 0.9, units=8, name="t")
    rows = [[a, b] for a, b in zip((ONE, TWO, THREE), others, strict=True)]
    rows.append([ONE, None])
    new, old = (all_pairs(rows, measure) for measure in (SLOPES, SUMS))
    assert new.values.tolist() == old.values.tolist()
    differing = [np.count_nonzero(pairs.typical[0]) for pairs in (new, old)]
    assert (new.units, differing[0]) == (old.units, differing[1])
    for name in ("p_value", "adjusted", "spread"):
        found, expected = getattr(new, name), getattr(old, name)
        assert found == pytest.approx(expected, rel=1e-6, nan_ok=True)
    assert standings(new, True) == standings(old, True)


def test_replication_over_test_sets_is_the_same() -> None:
    second = Plan(resamples=300, seed=6)
    rows = {
        "a": [(ONE, PLAN), (SMALL[0], second), (TWO, PLAN)],
        "b": [(TWO, PLAN), (SMALL[1], second), (THREE, PLAN)],
    }
    (new,), (old,) = (compare_means(rows, m) for m in (SLOPES, SUMS))
    assert (new.test_sets, new.better_on) == (old.test_sets, old.better_on)
    assert new.new_low == pytest.approx(old.new_low, rel=1e-9)


def test_the_smallest_difference_that_pilots_separate_is_the_same() -> None:
    pilots = {"a": ONE, "b": TWO, "c": THREE}
    new, old = (separation(pilots, m, PLAN, systems=10) for m in (SLOPES, SUMS))
    # Of sums a unit's share is known, of rows all count alike.
    assert new.smallest == pytest.approx(old.smallest, rel=0.1)
    assert new.high == pytest.approx(old.high, rel=0.2)


def test_slices_and_parts_of_the_units_are_the_same() -> None:
    new, old = (slices(ONE, measure) for measure in (STEPS, SUMS))
    assert [asdict(part) for part in new] == [asdict(part) for part in old]
    part = np.arange(40) % 2 == 0
    kept = ONE.by("document", keep_rows=True).where(np.arange(10) < 6)
    sums = ONE.by("document").where(np.arange(10) < 6)
    found, expected = estimates(kept, [STEPS], PLAN), estimates(sums, [SUMS], PLAN)
    assert but_for_ends(found) == but_for_ends(expected)
    assert value_of(ONE.where(part), STEPS) == value_of(ONE.where(part), SUMS)


def test_a_single_unit_has_no_value() -> None:
    system = CountedSystem(ONE)
    assert {line.value for line in listing(system, STEPS, UnitQuery()).lines} == {None}
    assert unit_page([system], STEPS, 3)["systems"][0]["value"] is None


def test_stored_counts_bring_their_rows_back() -> None:
    runs = [counts.by("document", keep_rows=True) for counts in (ONE, TWO)]
    for counts in (runs[0], Counts.of_runs(runs)):
        again = Counts.load(counts.save())
        assert estimates(again, [STEPS], PLAN) == estimates(counts, [STEPS], PLAN)
        each = [value_of(run, STEPS) for run in again.each_run()]
        assert value_of(counts, STEPS) == math.fsum(each) / len(each)


def test_the_order_of_a_file_changes_no_byte() -> None:
    order = np.random.default_rng(1).permutation(40)
    for turn in (lambda c: c, lambda c: c.by("document", keep_rows=True)):
        found = [estimates(turn(c), [SLOPES], PLAN) for c in (ONE, ONE.where(order))]
        assert found[0] == found[1]


def test_systems_on_other_rows_of_the_same_units_are_not_compared() -> None:
    other = replace(ONE, units=tuple(f"other {name}" for name in ONE.units))
    pair = [counts.by("document", keep_rows=True) for counts in (ONE, other)]
    with pytest.raises(ValueError, match="same units"):
        all_pairs([[counts] for counts in pair], STEPS)


def test_blocks_of_weights_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = estimates(ONE, [STEPS], PLAN)
    row_weights.forget()
    monkeypatch.setattr(row_weights, "CELLS_AT_ONCE", 90)
    monkeypatch.setattr(bootstrap, "KEPT_CELLS", 0)
    monkeypatch.setattr(bootstrap, "BLOCK_CELLS", 170)
    assert estimates(ONE, [STEPS], PLAN) == expected


def test_a_system_that_joins_a_board_is_resampled_alone() -> None:
    asked = []

    def counting(weights: Floats, table: Floats) -> Floats:
        asked.append(len(weights))
        return weighed_f1(weights, table)

    measure = replace(STEPS, weighted=counting)
    board = [[(counts, PLAN)] for counts in (ONE, TWO)]
    first = board_numbers(board, [measure])[0]
    assert sum(asked) == 2 * 300 + 2
    asked.clear()
    again = board_numbers([[(THREE, PLAN)], *board], [measure])[0]
    assert sum(asked) == 300 + 3
    assert np.array_equal(again[1:], first, equal_nan=True)
    # Another seed, other units drawn.
    asked.clear()
    board_numbers([[(ONE, replace(PLAN, seed=6))]], [measure])
    assert sum(asked) == 300 + 1


def test_slopes_by_small_steps_are_those_worked_out_by_hand() -> None:
    weights = np.random.default_rng(3).integers(1, 5, 40) / 2
    by_hand = slopes_of_f1(weights, ONE.table)
    assert slopes_of(STEPS, weights, ONE.table) == pytest.approx(by_hand, abs=1e-10)


def test_of_very_many_units_influence_stands_for_leaving_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    many = system(7, units=400)
    exact = Rows.of([many], SLOPES).left_out(SLOPES)
    monkeypatch.setattr(row_weights, "FEW_LEFT_OUT", 1000)
    monkeypatch.setattr(row_weights, "MOST_LEFT_OUT", 1000)
    near = Rows.of([many], SLOPES).left_out(SLOPES)
    assert np.abs(near - exact).max() < 0.02 * np.ptp(exact)
    # Without slopes there is none, and no BCa interval.
    found = estimates(many, [STEPS], PLAN)["f1"]
    assert found.value is not None
    assert found.low is not None
    plain = estimates(many, [SUMS], PLAN)["f1"]
    assert (found.percentile_low, found.stddev) == (plain.percentile_low, plain.stddev)
    assert found.bca_low is None


def test_what_would_take_too_long_is_not_tested(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("scoring.statistics.influence.MOST_CELLS", 1000)
    monkeypatch.setattr("scoring.statistics.randomization.MOST_CELLS", 1000)
    found = compare(("a", "b"), (ONE, TWO), STEPS, PLAN)
    numbers = (found.p_value, found.randomization, found.won, found.equivalence_low)
    assert numbers == (None, None, None, None)
    assert found.low is not None
    pairs = all_pairs([[ONE], [TWO], [THREE]], STEPS)
    ranked = standings(pairs, True)
    assert [row.rank for row in ranked] == [2, 3, 1]
    assert {row.range for row in ranked} == {""}
    assert {in_words(row) for row in ranked} == {"not compared with other systems"}


def test_a_scorer_with_such_a_measure_keeps_the_rows_of_coarser_units() -> None:
    weighed = weighed_measure(
        "weighed", "W", ("right", "all"), lambda w, t: ratio(*(w @ t).T), ""
    )
    scorer = replace(TOY, fixed_measures=(*TOY.fixed_measures, weighed))
    options = parse(scorer.options, {})
    pair = read_pair(scorer, GOLD, SYSTEM, options)
    counts = count(scorer, pair, options, "document")
    assert counts.finer is not None
    assert count(TOY, pair, options, "document").finer is None
    result = summarise(scorer, counts, options, "document", PLAN)
    assert result.measures["weighed"].value == result.measures["accuracy"].value


def test_every_pair_of_many_systems_is_compared() -> None:
    systems = {str(i): system(i + 10, 0.5 + i / 20) for i in range(5)}
    found = compare_all(systems, SLOPES, PLAN)
    expected = compare_all(systems, SUMS, PLAN)
    for new, old in zip(found, expected, strict=True):
        assert new.adjusted == pytest.approx(old.adjusted, rel=1e-6)
        assert new.probability == old.probability
