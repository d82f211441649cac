"""Measures over the test sets of a task: correlation and cumulative variance."""

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.statistics.groups import correlations, cumulative_variance, pearson

SETS = {
    "en": {"las": 0.5, "uas": 0.6, "wlas": 0.9},
    "fi": {"las": 0.6, "uas": 0.8, "wlas": 0.7},
    "fa": {"las": 0.7, "uas": 1.0, "wlas": None},
    "no": {"las": 0.8, "uas": None, "wlas": 0.8},
}


def test_pairs_use_the_test_sets_that_have_both() -> None:
    found = correlations(SETS)
    assert found["las"]["uas"] == found["uas"]["las"] == pytest.approx(1.0)
    # en, fi, no: deviations of las -2/15, -1/30, 1/6 and of wlas 1/10, -1/10, 0.
    assert found["las"]["wlas"] == pytest.approx(-0.327326835353989)


def test_fewer_than_three_test_sets_have_no_correlation() -> None:
    found = correlations(SETS)
    assert found["uas"]["wlas"] is None
    assert correlations({"en": SETS["en"], "fi": SETS["fi"]})["las"]["las"] is None


def test_every_measure_goes_with_itself_and_one_that_stands_still_with_none() -> None:
    still = {name: {"a": 0.1 * i, "b": 0.5} for i, name in enumerate("xyz")}
    assert correlations(still) == {
        "a": {"a": 1.0, "b": None},
        "b": {"a": None, "b": None},
    }


def test_rounding_alone_is_no_variation() -> None:
    """0.1 + 0.2 is 0.3, reached on another way."""
    assert pearson([0.3, 0.1 + 0.2, 0.3], [0.5, 0.6, 0.7]) is None
    assert pearson([0.3, 0.3 + 1e-9, 0.3], [0.5, 0.6, 0.5]) == pytest.approx(1)


def test_no_test_sets_have_an_empty_matrix() -> None:
    assert correlations({}) == {}


NUMBERS = st.floats(0, 1, width=32)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=3))
def test_pearson_is_that_of_the_standard_library(
    pairs: list[tuple[float, float]],
) -> None:
    left, right = zip(*pairs, strict=True)
    found = pearson(left, right)
    if min(statistics.pstdev(left), statistics.pstdev(right)) < 1e-6:
        assert found is None or -1 <= found <= 1
    else:
        assert found == pytest.approx(statistics.correlation(left, right), abs=1e-6)


def test_test_sets_come_best_first_with_the_variance_so_far() -> None:
    rows = cumulative_variance({"en": 0.8, "fi": 0.6, "fa": None, "no": 0.9})
    assert [row[:2] for row in rows] == [("no", 0.9), ("en", 0.8), ("fi", 0.6)]
    assert rows[0][2] is None
    assert rows[1][2] == pytest.approx(0.005)
    assert rows[2][2] == pytest.approx(7 / 300)


def test_the_best_may_be_the_lowest() -> None:
    rows = cumulative_variance({"en": 0.8, "fi": 0.6}, higher_is_better=False)
    assert [row[0] for row in rows] == ["fi", "en"]


@given(st.dictionaries(st.text(max_size=3), NUMBERS, max_size=12))
def test_each_variance_is_the_sample_variance_of_the_rows_above(
    values: dict[str, float],
) -> None:
    rows = cumulative_variance(values)
    assert [row[1] for row in rows] == sorted(values.values(), reverse=True)
    for size, row in enumerate(rows, 1):
        if size > 1:
            expected = statistics.variance(sorted(values.values(), reverse=True)[:size])
            assert row[2] is not None
            assert math.isclose(row[2], expected, rel_tol=1e-9, abs_tol=1e-15)
