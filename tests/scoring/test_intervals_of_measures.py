"""Intervals of each kind of measure: none has no width, none is far too wide.

scipy's intervals, formulas of textbooks and cases worked by hand are the oracles;
`make simulate` counts how often such intervals hold the truth.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from scoring.counts import Counts, Floats, fixed_point
from scoring.measures import Measure
from scoring.scorers import get
from scoring.statistics.bootstrap import (
    Numbers,
    Plan,
    board_numbers,
    estimates,
    mean_estimates,
)
from scoring.statistics.comparison import compare
from scoring.statistics.intervals import Estimate
from scoring.vocabulary import declared_measures
from tests.loops import loop_over
from tests.scoring.made import ACCURACY, random_counts
from tests.scoring.made import counts_of as rows_of

PLAN = Plan(resamples=1000, seed=3)
CLASSES, NUMBERS = get("classes"), get("numbers")
T = stats.t.ppf


def counts_of(columns: dict[str, Floats]) -> Counts:
    size = len(next(iter(columns.values())))
    names = tuple(f"u{i:05}" for i in range(size))
    return Counts(names, tuple(columns), np.stack([*columns.values()], axis=1) * 1.0)


def found(counts: Counts, measure: Measure) -> Estimate:
    return estimates(counts, [measure], PLAN)[measure.name]


def fractions(scorer: str, name: str, values: Floats) -> tuple[Counts, Measure]:
    """Counts of a mean of fractions as a scorer declares it."""
    measure = get(scorer).measure(name)
    column, whole = measure.columns
    return counts_of({**fixed_point(column, values), whole: np.ones(len(values))}), (
        measure
    )


def spaced(law: stats.rv_continuous, units: int) -> Floats:
    """Values whose distribution is just that of a law."""
    return np.asarray(law.ppf((np.arange(units) + 0.5) / units))


def labels(gold: str, said: str) -> Counts:
    """Counts of labels of one letter each."""
    one, other = (np.array(list(side)) for side in (gold, said))
    columns = {"items": np.ones(len(one)), "right": one == other}
    for name in sorted({*gold, *said}):
        columns[f"correct[{name}]"] = (one == name) & (other == name)
        columns[f"system[{name}]"] = other == name
        columns[f"gold[{name}]"] = one == name
    return counts_of(columns)


def wilson(share: float, answers: float, t: float) -> tuple[float, float]:
    level = 2 * stats.norm.cdf(t) - 1
    ends = stats.binomtest(round(share * answers), answers).proportion_ci(
        level, "wilson"
    )
    return float(ends.low), float(ends.high)


# Means of fractions.


def test_three_hundred_texts_that_score_alike_are_more_than_three_hundred_coins() -> (
    None
):
    values = spaced(stats.beta(10, 6.64), 300)
    e = found(*fractions("texts", "rougeL", values))
    half = 1.96 * values.std(ddof=1) / math.sqrt(300)
    assert e.value == pytest.approx(0.601, abs=1e-3)
    assert (e.low, e.high) == pytest.approx((e.value - half, e.value + half), abs=2e-3)
    assert (e.low, e.high) == pytest.approx((0.588, 0.614), abs=3e-3)


def test_topics_have_the_interval_of_their_own_spread() -> None:
    values = spaced(stats.beta(8.5, 3.68), 60)
    e = found(*fractions("retrieval", "ndcg@10", values))
    assert e.value == pytest.approx(0.698, abs=2e-3)
    assert (e.low, e.high) == pytest.approx((0.664, 0.729), abs=6e-3)


@loop_over(
    ("scorer", "name"),
    [
        ("texts", "rouge1"),
        ("texts", "f1"),
        ("texts", "similarity"),
        ("retrieval", "map"),
        ("retrieval", "mrr"),
        ("retrieval", "p@10"),
        ("multilabel", "item_f1"),
    ],
)
def test_a_mean_of_fractions_is_little_wider_than_its_resamples(
    scorer: str, name: str
) -> None:
    rng = np.random.default_rng(1)
    for units, law in ((30, (4, 3)), (100, (20, 20)), (300, (2, 1))):
        e = found(*fractions(scorer, name, rng.beta(*law, units)))
        assert e.high - e.low <= 1.2 * (e.percentile_high - e.percentile_low)


def test_a_share_that_nobody_declared_a_mean_is_seen_to_be_one() -> None:
    """A plug-in that says `share` of similarities between 0 and 1."""
    values = spaced(stats.beta(10, 6.64), 300)
    counts, measure = fractions("texts", "rougeL", values)
    unsaid = replace(measure, fractions=False)
    assert found(counts, unsaid) == found(counts, measure)


def test_weighted_answers_stay_answers() -> None:
    """Words of weight 0.5, all right: the interval reaches as far as before."""
    weights = {**fixed_point("right", np.full(50, 0.5))}
    whole = {f"wanted{k[5:]}": v for k, v in weights.items()}
    e = found(counts_of({**weights, **whole}), ACCURACY)
    low, _ = wilson(1.0, 50, T(0.975, 49))
    assert (e.low, e.high) == (pytest.approx(low), 1)


def test_fractions_that_are_all_one_are_as_many_answers() -> None:
    e = found(*fractions("texts", "rougeL", np.ones(50)))
    low, _ = wilson(1.0, 50, T(0.975, 49))
    assert (e.low, e.high) == (pytest.approx(low), 1)


# Averages over classes.


def test_an_average_adds_the_distances_of_its_classes_as_squares() -> None:
    """Balanced accuracy: recalls 30 of 40 and 9 of 10; Zou and Donner's formula."""
    gold = "a" * 40 + "b" * 10
    said = "a" * 30 + "b" * 10 + "b" * 9 + "a"
    e = found(labels(gold, said), CLASSES.measure("balanced_accuracy"))
    t = T(0.975, 49)
    # The linearised variance has n / (n - 1): so many answers.
    below = 0.0
    for right, items in ((30, 40), (9, 10)):
        share, answers = right / items, items * 49 / 50
        part = t * t / answers
        middle = (share + part / 2) / (1 + part)
        half = math.sqrt(part * (share * (1 - share) + part / 4)) / (1 + part)
        below += (share - (middle - half)) ** 2 / 4
    assert e.value == pytest.approx((0.75 + 0.9) / 2)
    assert e.low == pytest.approx(e.value - math.sqrt(below), rel=1e-9)


ALL_RIGHT = labels("a" * 199 + "b", "a" * 199 + "b")


@pytest.mark.parametrize(
    "name",
    ["macro_f1", "macro_precision", "macro_recall", "balanced_accuracy"],
)
def test_one_item_of_a_class_says_next_to_nothing_of_it(name: str) -> None:
    """One of one right: Wilson's interval of the class begins at 0.21 or below."""
    e = found(ALL_RIGHT, CLASSES.measure(name))
    assert e.high == 1
    assert 0.5 <= e.low <= 0.5 + 0.21 / 2


@pytest.mark.parametrize("name", ["mcc", "kappa"])
def test_agreement_that_hangs_on_one_item_is_not_certain(name: str) -> None:
    e = found(ALL_RIGHT, CLASSES.measure(name))
    assert e.value == e.high == 1
    assert 0 <= e.low < 0.5


def test_linear_kappa_of_grades_that_all_agree_is_not_certain() -> None:
    gold = np.array([1, 2, 3, 2] * 10)
    columns = {"items": np.ones(40), "rank_distance[gold]": np.zeros(40)}
    for rank in range(3):
        for side in ("gold_above", "system_above"):
            columns[f"{side}[{rank}]"] = gold > rank
    e = found(counts_of(columns), CLASSES.measure("linear_kappa"))
    assert e.value == e.high == 1
    assert 0.7 < e.low < 0.99


def test_a_file_of_one_class_does_not_say_that_there_is_no_other() -> None:
    e = found(labels("a" * 40, "a" * 40), CLASSES.measure("mcc"))
    assert e.value == 0
    assert e.low < 0 < e.high or e.high > 0


def test_even_classes_need_no_more_than_their_resamples() -> None:
    rng = np.random.default_rng(2)
    gold = rng.choice(list("abc"), 300)
    said = np.where(rng.random(300) < 0.8, gold, rng.choice(list("abc"), 300))
    counts = labels("".join(gold), "".join(said))
    for name in ("macro_f1", "mcc", "kappa"):
        e = found(counts, CLASSES.measure(name))
        assert e.high - e.low <= 1.1 * (e.percentile_high - e.percentile_low)


# What nobody has seen fail.


def transcripts(errors: Sequence[float]) -> tuple[Counts, Measure]:
    measure = get("transcripts").measure("wer")
    wrong = np.array(errors)
    sides = (10 - wrong, wrong, 0 * wrong, 0 * wrong)
    return counts_of(dict(zip(measure.columns, sides, strict=True))), measure


def test_no_error_in_fifty_segments_may_be_three_in_fifty() -> None:
    e = found(*transcripts([0.0] * 50))
    assert (e.value, e.low, e.high) == (0, 0, pytest.approx(3 / 50, rel=2e-3))


def test_a_first_error_does_not_make_it_more_certain() -> None:
    e = found(*transcripts([0.0] * 49 + [1.0]))
    assert e.high > 3 / 50


def numbers(gold: Floats, system: Floats) -> Counts:
    from benchmarks.simulation.populations import numbers_of

    return numbers_of(gold, system)


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall"])
def test_a_perfect_correlation_of_ten_is_not_certain(name: str) -> None:
    """Three of ten may be otherwise, each by the range from -1 to 1."""
    gold = np.arange(10.0)
    e = found(numbers(gold, gold), NUMBERS.measure(name))
    assert (e.value, e.high) == (pytest.approx(1), 1)
    assert e.low == pytest.approx(1 - 2 * 3 / 10, abs=1e-3)


@pytest.mark.parametrize("name", ["rmse", "mae"])
def test_no_error_in_numbers_may_be_some(name: str) -> None:
    gold = np.arange(10.0)
    e = found(numbers(gold, gold), NUMBERS.measure(name))
    assert e.value == e.low == 0
    assert 1 < e.high < 9


def test_r_squared_of_equal_numbers_is_not_certain() -> None:
    gold = np.arange(30.0)
    e = found(numbers(gold, gold), NUMBERS.measure("r2"))
    assert (e.low, e.high) == (pytest.approx(0.9, abs=1e-3), 1)


def judged(values: Sequence[float], formula: str = "mean") -> tuple[Counts, Measure]:
    measure = declared_measures([f"grade = {formula}(grade)"])[0].measure
    columns = {**fixed_point("grade", np.array(values) * 1.0)}
    columns["given:grade"] = np.ones(len(values))
    return counts_of(columns), measure


def test_ten_equal_judgements_may_have_been_otherwise() -> None:
    e = found(*judged([3] * 10))
    assert (e.low, e.high) == pytest.approx((3 - 0.9, 3 + 0.9), abs=1e-2)
    nothing = found(*judged([0] * 10))
    assert nothing.low < 0 < nothing.high


def test_judgements_that_vary_have_at_least_students_interval() -> None:
    values = [1, 2, 2, 3, 3, 3, 4, 4, 5, 5, 3, 2]
    e = found(*judged(values))
    student = stats.t.interval(0.95, 11, np.mean(values), stats.sem(values))
    assert e.low <= student[0] and student[1] <= e.high
    assert e.high - e.low <= 1.6 * (student[1] - student[0])


def test_a_sum_and_a_mean_of_equal_values_are_equally_uncertain() -> None:
    total, mean = found(*judged([3] * 10, "sum")), found(*judged([3] * 10))
    assert (total.low, total.high) == pytest.approx((10 * mean.low, 10 * mean.high))


# The same numbers whoever else is there, and over test sets.

KINDS = (
    *(CLASSES.measure(n) for n in ("macro_f1", "weighted_f1", "balanced_accuracy")),
    *(CLASSES.measure(n) for n in ("mcc", "kappa")),
)


def test_a_board_prints_what_each_of_its_systems_has_alone() -> None:
    """To the last bit, though each has labels that others never used."""
    gold = "aabbccaaab" * 4
    saids = [gold, gold.replace("b", "x"), "a" * 40, gold[::-1], gold.replace("c", "y")]
    plans = Plan(200, 1), Plan(200, 2)
    systems = [
        [(labels(gold, said), plans[0]), (labels(gold[:30], said[:30]), plans[1])]
        for said in saids
    ]
    for measure, numbers in zip(KINDS, board_numbers(systems, KINDS), strict=True):
        for row, there in zip(systems, numbers.tolist(), strict=True):
            alone = mean_estimates(row, [measure])[measure.name].as_dict()
            for name, number in zip(Numbers._fields[:3], there, strict=False):
                expected = math.nan if alone[name] is None else alone[name]
                assert str(number) == str(expected), (measure.name, name)


def test_runs_make_an_average_over_classes_less_certain() -> None:
    gold = "aabbccaaab" * 6
    saids = [gold.replace("c", "b", n) for n in (0, 4, 8)]
    runs = [labels(gold, said) for said in saids]
    several = Counts.of_runs(runs)
    for name in ("macro_f1", "kappa"):
        measure = CLASSES.measure(name)
        wide = found(several, measure)
        alone = found(Counts.of_runs([runs[1]] * 3), measure)
        assert wide.high - wide.low > alone.high - alone.low


# Differences.


def test_two_units_all_right_against_all_wrong_prove_nothing() -> None:
    pair = rows_of([[1, 1, 1]] * 2), rows_of([[0, 1, 1]] * 2)
    c = compare(("a", "b"), pair, ACCURACY, PLAN)
    assert c.p_value == 0.5
    assert c.low < 0 < c.high == 1


def test_systems_that_answer_alike_may_differ_in_three_of_a_hundred() -> None:
    rows = rows_of([[1, 1, 1]] * 98 + [[0, 1, 1]] * 2)
    c = compare(("a", "b"), (rows, rows), ACCURACY, PLAN)
    assert (c.low, c.high) == pytest.approx((-0.03, 0.03), rel=2e-3)


def test_a_rare_class_leaves_more_room_for_a_difference_than_a_frequent_one() -> None:
    measure = CLASSES.measure("macro_f1")
    rare, even = (
        labels("a" * n + "b" * (100 - n), "a" * n + "b" * (100 - n)) for n in (98, 50)
    )
    reaches = [compare(("a", "b"), (c, c), measure, PLAN).high for c in (rare, even)]
    # Two of two may be otherwise, which is half the average; 3 of 50 each of both.
    assert reaches[0] == pytest.approx(0.5, rel=0.01)
    assert reaches[1] == pytest.approx(math.sqrt(2) * 0.5 * 3 / 50, rel=0.01)


def test_a_difference_of_many_units_is_the_paired_t_interval() -> None:
    first, second = random_counts(400, 1), random_counts(400, 2, 0.7)
    first = replace(first, table=np.minimum(first.table, second.table[:, [2]]))
    pair = [replace(c, table=c.table * 1.0) for c in (first, second)]
    same = np.column_stack([pair[0].table[:, 0], second.table[:, 1:]])
    c = compare(("a", "b"), (replace(first, table=same), second), ACCURACY, PLAN)
    d = (same[:, 0] - second.table[:, 0]) / second.total("wanted")
    ends = stats.t.interval(0.95, 399, d.sum(), math.sqrt(400) * np.std(d, ddof=1))
    assert (c.low, c.high) == pytest.approx(ends, rel=0.1)
