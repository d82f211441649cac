"""Measures that a task declares in words: formulas, values of files, mistakes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr

from scoring import Plan, UsageError
from scoring.statistics.bootstrap import estimates
from scoring.statistics.comparison import compare
from scoring.vocabulary import LARGEST, count_units, declared_measures
from tests.loops import loop_over

NAN = float("nan")


@pytest.mark.parametrize(
    ("line", "columns", "value"),
    [
        # By hand: three units, the second without a value in x.
        ("a = mean(x)", {"x": [1.0, NAN, 4.0]}, 2.5),
        ("a = sum(x)", {"x": [1.0, NAN, 4.5]}, 5.5),
        ("a = ratio(x, y)", {"x": [1.0, 2.0, 0.5], "y": [2.0, 3.0, 2.0]}, 0.5),
        ("a = root_mean(x)", {"x": [4.0, 9.0, 14.0]}, 3.0),
        (
            "a = f1(tp, out, in)",
            {"tp": [1.0, 1.0, 0.0], "out": [1.0, 2.0, 1.0], "in": [1.0, 1.0, 0.0]},
            2 * 2 / (4 + 2),
        ),
    ],
)
def test_a_formula_gives_what_one_computes_by_hand(
    line: str, columns: dict[str, list[float]], value: float
) -> None:
    (one,) = declared_measures([line])
    table = {name: np.array(values) for name, values in columns.items()}
    counts = count_units(("u1", "u2", "u3"), table)
    assert estimates(counts, [one.measure], Plan())["a"].value == pytest.approx(value)


def test_what_surrounds_a_measure_is_told_behind_semicolons() -> None:
    line = "cer = ratio(errors, all); lower; percent; decimals 4; title Error rate"
    measure = declared_measures([line])[0].measure
    assert (measure.name, measure.title) == ("cer", "Error rate")
    assert (measure.higher_is_better, measure.percent) == (False, True)
    assert (measure.decimals, measure.formula) == (4, "ratio(errors, all)")


def test_the_worst_value_of_a_unit_is_told_behind_a_semicolon() -> None:
    lines = [
        "a = mean(x); lower; most 25",
        "b = ratio(x, y); least -2.5",
        "c = mean(x)",
    ]
    assert [one.measure.worst for one in declared_measures(lines)] == [25, -2.5, None]


def test_errors_are_open_ended_until_somebody_says_how_bad_a_unit_can_be() -> None:
    lines = {
        "a = mean(x); lower": True,
        "b = ratio(x, y); lower": True,
        "c = mean(x); lower; most 25": False,
        "d = mean(x)": False,
        "e = ratio(x, y); lower; percent": False,
        "f = share(x); lower": False,
    }
    found = {line: declared_measures([line])[0].measure.open_ended for line in lines}
    assert found == lines


@pytest.mark.parametrize("values", [[-0.3, 0.1, 0.2, 0.1], [1.2, 0.9, 0.7, 1.1]])
def test_the_interval_of_a_probability_stays_between_0_and_1(
    values: list[float],
) -> None:
    """Jackknife estimates of single units may lie outside, as those of a mean do."""
    lines = ["p = probability(x); percent", "m = mean(x); percent"]
    measures = [one.measure for one in declared_measures(lines, of_judgements=True)]
    counts = count_units(("a", "b", "c", "d"), {"x": np.array(values)})
    estimate = estimates(counts, measures, Plan())
    bounded, free = estimate["p"], estimate["m"]
    assert bounded.value == free.value
    assert (bounded.low, bounded.high) == (max(free.low, 0), min(free.high, 1))
    assert (free.low, free.high) != (bounded.low, bounded.high)


def test_a_value_of_the_whole_file_has_no_interval_beside_measures_that_have() -> None:
    mean, whole = (one.measure for one in declared_measures(["a = mean(x)", "b"]))
    values = {"x": np.array([0.0, 1.0, 1.0, 0.5])}
    counts = count_units(("d", "c", "b", "a"), values, {"b": 71.25})
    found = estimates(counts, [mean, whole], Plan())
    assert found["b"].value == 71.25
    assert (found["b"].low, found["b"].high) == (None, None)
    assert found["a"].low is not None and found["a"].low < 0.625


def test_a_value_that_is_not_given_is_undefined_and_never_0() -> None:
    (whole,) = (one.measure for one in declared_measures(["b"]))
    counts = count_units(("a",), {}, {"b": None})
    assert estimates(counts, [whole], Plan())["b"].value is None


@loop_over(
    ("line", "said"),
    [
        ("= mean(x)", "expected a name"),
        ("a b", "expected a name"),
        ("a = median(x)", "there is no 'median'; there are: mean, sum"),
        ("a = ratio(x)", "ratio takes names of columns, this many: 2"),
        ("a = mean(x y)", "mean takes names of columns, this many: 1"),
        ("a = mean", "expected a formula with its columns"),
        ("a = __import__('os')", "there is no '__import__'"),
        ("a; smaller", "'smaller' is none of: lower, higher"),
        ("a; decimals 9", "'decimals 9' is none of"),
        ("a; title " + "x" * 200, "is none of"),
        ("a = mean(x); lower; most", "'most' is none of"),
        ("a = mean(x); lower; most 1e9", "'most 1e9' is none of"),
        ("a = mean(x); most 25", "'most' goes with 'lower'"),
        ("a = mean(x); lower; least 0", "'least' is the worst value of a unit"),
        ("a = mean(x); lower; most 5; least 0", "'most and least' is the worst"),
        ("a = kendall(x, y); least 0", "both with mean, ratio"),
        ("a; lower; most 25", "both with mean, ratio"),
    ],
)
def test_a_line_that_cannot_be_read_is_refused_with_an_example(
    line: str, said: str
) -> None:
    with pytest.raises(UsageError, match="accuracy = mean") as caught:
        declared_measures([line])
    assert said in str(caught.value)


def test_every_mistake_is_told_at_once_and_a_name_stands_for_one_measure() -> None:
    with pytest.raises(UsageError) as caught:
        declared_measures(["a", "", "a = mean(x)", "b = max(x)"])
    assert [problem.code for problem in caught.value.problems] == ["measure"] * 2


def test_sums_of_the_largest_values_are_exact() -> None:
    one = declared_measures(["a = sum(x)"])[0].measure
    values = np.full(64, LARGEST / 64 - 2.0**-26)
    counts = count_units(tuple(map(str, range(64))), {"x": values})
    assert float(one.of(counts.totals, counts.columns)) == LARGEST - 2.0**-20


@pytest.mark.parametrize(
    ("formula", "oracle"), [("spearman", spearmanr), ("kendall", kendalltau)]
)
def test_rank_correlations_are_over_the_units_with_both_values(
    formula: str, oracle: Callable[..., Any]
) -> None:
    one = declared_measures([f"a = {formula}(people, metric)"])[0].measure
    rng = np.random.default_rng(1)
    people = rng.integers(0, 6, 40).astype(float)
    metric = np.round(people + rng.normal(size=40), 1)
    people[3] = metric[5] = metric[6] = np.nan
    names = tuple(f"u{i:02}" for i in range(40))
    counts = count_units(names, {"people": people, "metric": metric})
    known = ~np.isnan(people + metric)
    expected = float(oracle(people[known], metric[known]).statistic)
    found = estimates(counts, [one], Plan(resamples=100))["a"]
    assert found.value == pytest.approx(expected)
    assert found.low is not None
    assert found.low < expected
    other = count_units(names, {"people": people, "metric": rng.permutation(metric)})
    pair = compare(("a", "b"), (counts, other), one, Plan(resamples=100))
    assert pair.p_value is not None
    assert pair.p_value < 0.05
