"""The count table: exact sums, order, coarser units, storage."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.counts import Counts, exact_point, fixed_point, pick

ROWS = Counts(
    ("s3", "s1", "s2"),
    ("right", "wanted"),
    np.array([[3.0, 5.0], [1.0, 2.0], [4.0, 4.0]]),
    {"document": ("d2", "d1", "d1")},
)


def test_items_are_summed_into_their_units() -> None:
    items = {"right": np.array([1, 0, 1, 1]), "all": np.ones(4, dtype=np.int64)}
    unit_of = np.array([0, 0, 2, 2])
    counts = Counts.per_unit(("a", "b", "c"), unit_of, items)
    assert counts.columns == ("right", "all")
    assert counts.table.tolist() == [[1, 2], [0, 0], [2, 2]]


def test_units_without_columns_still_are_units() -> None:
    counts = Counts.per_unit(("a", "b"), np.array([0, 1]), {})
    assert counts.table.shape == (2, 0)


def test_totals_are_column_sums() -> None:
    assert ROWS.totals.tolist() == [8, 11]
    assert ROWS.as_numbers() == {"right": 8.0, "wanted": 11.0}


def test_order_is_that_of_unit_names_and_takes_groups_along() -> None:
    ordered = ROWS.in_order()
    assert ordered.units == ("s1", "s2", "s3")
    assert ordered.table[:, 0].tolist() == [1, 4, 3]
    assert ordered.groups == {"document": ("d1", "d1", "d2")}


def test_a_mask_and_indices_choose_the_same_units() -> None:
    masked = ROWS.where(np.array([True, False, True]))
    indexed = ROWS.where(np.array([0, 2]))
    assert masked.units == indexed.units == ("s3", "s2")
    assert masked.groups == {"document": ("d2", "d1")}


def test_documents_are_sums_of_their_sentences() -> None:
    documents = ROWS.by("document")
    assert dict(zip(documents.units, documents.table.tolist(), strict=True)) == {
        "d2": [3, 5],
        "d1": [5, 6],
    }
    assert documents.totals.tolist() == ROWS.totals.tolist()


def test_an_unknown_grouping_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        ROWS.by("genre")


def test_stored_counts_come_back_whole() -> None:
    back = Counts.load(ROWS.save())
    assert (back.units, back.columns, back.groups) == (
        ROWS.units,
        ROWS.columns,
        ROWS.groups,
    )
    assert np.array_equal(back.table, ROWS.table)
    assert back.table.dtype == np.float64


def test_counts_without_units_can_be_stored() -> None:
    back = Counts.load(Counts((), ("right",), np.zeros((0, 1))).save())
    assert back.units == ()
    assert back.totals.tolist() == [0]


VALUES = st.lists(st.floats(-1000, 1000), min_size=1, max_size=40)


@given(VALUES)
def test_fractions_are_kept_in_two_whole_numbers(values: list[float]) -> None:
    parts = fixed_point("w", np.array(values))
    assert list(parts) == ["w", "w~low"]
    for column in parts.values():
        assert np.array_equal(column, np.rint(column))
    table = np.stack(list(parts.values()), axis=1)
    assert np.allclose(pick(table, tuple(parts), "w"), values, rtol=0, atol=2**-52)


@given(st.floats(-(2.0**20), 2.0**20).filter(lambda x: x == 0 or abs(x) > 2**-47))
def test_three_whole_numbers_give_back_every_bit(value: float) -> None:
    parts = exact_point("w", np.array([value]))
    counts = Counts.per_unit(("a",), np.array([0]), parts)
    assert Counts.load(counts.save()).as_numbers() == {"w": value}


@given(VALUES, st.randoms(use_true_random=False))
def test_sums_of_fractions_do_not_depend_on_their_order(
    values: list[float], random: object
) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    totals = [
        np.stack(list(fixed_point("w", np.array(order)).values()), axis=1).sum(axis=0)
        for order in (values, shuffled)
    ]
    assert totals[0].tolist() == totals[1].tolist()


@given(VALUES)
def test_a_sum_of_fractions_is_right_to_the_last_digit_kept(
    values: list[float],
) -> None:
    parts = fixed_point("w", np.array(values))
    totals = np.array([column.sum() for column in parts.values()])
    exact = sum(map(Fraction, values))
    error = abs(Fraction(float(pick(totals, tuple(parts), "w"))) - exact)
    assert error <= Fraction(len(values), 2**52) + abs(exact) * Fraction(1, 2**52)


def test_a_pair_of_columns_is_one_number_to_the_reader() -> None:
    parts = fixed_point("w", np.array([0.5, 0.25]))
    counts = Counts.per_unit(("a", "b"), np.array([0, 1]), parts)
    assert counts.as_numbers() == {"w": 0.75}
    assert counts.total("w") == 0.75


def test_the_columns_of_all_tags_come_together_in_one_order() -> None:
    columns = ("hit[b]", "all", "hit[a]", "hits[a]")
    table = np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])
    assert pick(table, columns, "hit[]").tolist() == [[3.0, 1.0], [7.0, 5.0]]
    assert pick(table, columns, "miss[]").shape == (2, 0)
