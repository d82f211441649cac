"""Classes: every figure as scikit-learn gives it, and what is refused."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from sklearn import metrics

from scoring.counts import Counts, Floats
from scoring.engine import Job, count, evaluate, read_pair
from scoring.errors import Refused, SetupError
from scoring.inspection.overview import matrices
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source
from scoring.statistics.bootstrap import Plan, draws, jackknife, mean_samples_of
from scoring.statistics.comparison import compare
from scoring.statistics.exchange import Exchange, tables_of
from scoring.statistics.row_weights import Rows, slopes_of
from scoring.statistics.runs import value_of
from tests.loops import loop_over

CLASSES, MULTILABEL = get("classes"), get("multilabel")
PLAN = Plan(resamples=200, seed=5)
CLOSE = 1e-12
NAMES = [f"i{number:03d}" for number in range(200)]


def table(labels: Sequence[str], name: str = "file") -> Source:
    rows = "".join(f"{i},{x}\n" for i, x in zip(NAMES, labels, strict=False))
    return Source.of_bytes(name, f"id,label\n{rows}".encode())


def counted(
    gold: Sequence[str], system: Sequence[str], scorer: Any = CLASSES, **raw: str
) -> Counts:
    options = parse(scorer.options, {name: [value] for name, value in raw.items()})
    pair = read_pair(scorer, table(gold), table(system), options)
    return count(scorer, pair, options)


def values(
    counts: Counts, scorer: Any = CLASSES, totals: Floats | None = None
) -> dict[str, float]:
    totals = counts.totals if totals is None else totals
    return {
        measure.name: float(measure.of(totals, counts.columns))
        for measure in scorer.measures(counts.columns)
    }


def random_labels(
    labels: Sequence[str], size: int, skill: float, seed: int
) -> tuple[list[str], list[str]]:
    random = Random(seed)
    gold = random.choices(labels, weights=range(1, len(labels) + 1), k=size)
    system = [x if random.random() < skill else random.choice(labels) for x in gold]
    return gold, system


KINDS = ("precision", "recall", "f1")


def oracle(
    gold: Sequence[Any], system: Sequence[Any], labels: Sequence[str] | None = None
) -> dict[str, float]:
    """Averages as scikit-learn gives them; a class never given has precision 0."""
    found = {}
    for average in ("macro", "micro", "weighted"):
        of_three = metrics.precision_recall_fscore_support(
            gold, system, labels=labels, average=average, zero_division=0
        )
        for kind, value in zip(KINDS, of_three, strict=False):
            found[f"{average}_{kind}"] = value
    return found


def oracle_of_one(gold: Sequence[str], system: Sequence[str]) -> dict[str, float]:
    each = metrics.precision_recall_fscore_support(gold, system, zero_division=0)
    names = sorted({*gold, *system})
    of_classes = {
        f"{kind}[{name}]": float(value)
        for kind, row in zip(KINDS, each, strict=False)
        for name, value in zip(names, row, strict=True)
    }
    return {
        "accuracy": metrics.accuracy_score(gold, system),
        "balanced_accuracy": metrics.balanced_accuracy_score(gold, system),
        "mcc": metrics.matthews_corrcoef(gold, system),
        "kappa": metrics.cohen_kappa_score(gold, system),
        **of_classes,
        **oracle(gold, system),
    }


def assert_all(found: Mapping[str, float], expected: Mapping[str, float]) -> None:
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=CLOSE, nan_ok=True), name


def case(gold: str, system: str) -> tuple[list[str], list[str]]:
    return gold.split(), system.split()


CASES = {
    "three": random_labels("abc", 60, 0.6, seed=1),
    "many": random_labels([f"class {i}" for i in range(20)], 200, 0.5, seed=2),
    "binary": random_labels(["ham", "spam"], 40, 0.8, seed=3),
    "never given": case("a b c a b c", "a a b a b b"),
    "not in gold": case("a b a b", "a c b b"),
    "apart": case("a a b b", "c c d d"),
    "constant": case("a b a c", "a a a a"),
    "perfect": case("a b a c", "a b a c"),
    "brackets": case("[ ] [] [ ] a]", "[ [] [] ] ] ["),
    "tie": case("a a b b", "a b a b"),
}


@pytest.mark.filterwarnings("ignore")
@loop_over("name", CASES)
def test_every_figure_is_that_of_scikit_learn(name: str) -> None:
    assert_all(values(counted(*CASES[name])), oracle_of_one(*CASES[name]))


@pytest.mark.filterwarnings("ignore")
def test_a_single_class_has_neither_correlation_nor_kappa() -> None:
    found = values(counted(["a", "a"], ["a", "a"]))
    assert_all(found, oracle_of_one(["a", "a"], ["a", "a"]))
    assert [found["accuracy"], found["mcc"]] == [1, 0]
    assert np.isnan(found["kappa"])


def test_labels_that_are_ignored_leave_averages_and_nothing_else() -> None:
    gold, system = random_labels(["fine", "odd", "NONE"], 80, 0.6, seed=4)
    found = values(counted(gold, system, ignore="NONE"))
    scored = ["fine", "odd"]
    assert_all(found, oracle(gold, system, scored))
    rest = oracle_of_one(gold, system)
    names = ("accuracy", "balanced_accuracy", "mcc", "kappa")
    assert_all(found, {name: rest[name] for name in names})
    assert "f1[NONE]" not in found and "f1[odd]" in found


def kappas(gold: Sequence[str], system: Sequence[str], **raw: str) -> list[float]:
    found = values(counted(gold, system, **raw))
    return [found["quadratic_kappa"], found["linear_kappa"]]


def weighted_kappas(
    gold: Sequence[str], system: Sequence[str], grades: Sequence[str]
) -> list[float]:
    return [
        metrics.cohen_kappa_score(gold, system, labels=grades, weights=weights)
        for weights in ("quadratic", "linear")
    ]


def test_weighted_kappas_go_by_the_order_of_the_labels() -> None:
    grades = ["poor", "fair", "good", "superb"]
    gold, system = random_labels(grades, 90, 0.5, seed=6)
    expected = weighted_kappas(gold, system, grades)
    assert kappas(gold, system, labels=",".join(grades)) == pytest.approx(expected)
    assert np.isnan(kappas(gold, system)).all()


@pytest.mark.parametrize("most", [2, 5, 12])
def test_numbers_are_in_order_without_a_list(most: int) -> None:
    grades = [str(grade) for grade in range(most)]
    gold, system = random_labels(grades, 120, 0.4, seed=most)
    expected = weighted_kappas([*map(int, gold)], [*map(int, system)], range(most))
    assert kappas(gold, system) == pytest.approx(expected)


@loop_over("seed", range(300))
def test_accuracy_within_one_grade_takes_neighbours_for_right(seed: int) -> None:
    grades = ["A1", "A2", "B1", "B2", "C1", "C2"]
    size, skill = (1, 2, 40)[seed % 3], (0, 0.4, 1)[seed % 7 % 3]
    gold, system = random_labels(grades, size, skill, seed=seed)
    found = values(counted(gold, system, labels=",".join(grades)))
    pairs = zip(gold, system, strict=True)
    near = [abs(grades.index(one) - grades.index(other)) <= 1 for one, other in pairs]
    assert found["adjacent_accuracy"] == pytest.approx(np.mean(near))
    assert np.isnan(values(counted(gold, system))["adjacent_accuracy"])


def test_grades_of_one_system_alone_do_not_disturb_its_test_against_another() -> None:
    gold, first = random_labels("234", 60, 0.6, seed=8)
    second = ["0", "1", "5", *first[3:]]
    pair = counted(gold, first), counted(gold, second)
    measure = CLASSES.measure("linear_kappa")
    mixed = [*second[:2], *first[2:]]
    columns = tuple(dict.fromkeys([*pair[0].columns, *pair[1].columns]))
    rows = [dict(zip(one.columns, one.table.T, strict=True)) for one in pair]
    none = np.zeros(60)
    of_both = [np.stack([one.get(c, none) for c in columns], axis=1) for one in rows]
    totals = of_both[1][:2].sum(axis=0) + of_both[0][2:].sum(axis=0)
    expected = weighted_kappas([*map(int, gold)], [*map(int, mixed)], range(6))[1]
    assert float(measure.of(totals, columns)) == pytest.approx(expected)


@pytest.mark.filterwarnings("ignore")
def test_a_resample_scores_as_its_items_would_by_themselves() -> None:
    gold, system = random_labels("abcdefgh", 25, 0.5, seed=7)
    counts = counted(gold, system)
    for weights in np.concatenate(list(draws(25, 12, 3))):
        items = np.repeat(np.arange(25), weights)
        drawn = [gold[i] for i in items], [system[i] for i in items]
        found = values(counts, totals=weights @ counts.table)
        assert_all(found, oracle_of_one(*drawn))


def binary(rows: Sequence[str], labels: str) -> Any:
    return np.array([[label in row.split("|") for label in labels] for row in rows])


SEVERAL = {
    "usual": (["a|b", "c", "a", "b|c", "c"], ["a", "c|b", "b", "b|c", "a|c"]),
    "none": (["a|b", "", "c", ""], ["", "", "a|c", "b"]),
    "not in gold": (["a", "b", "a|b"], ["c", "b", "a|c"]),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SEVERAL)
def test_several_labels_are_scored_as_by_scikit_learn(name: str) -> None:
    gold, system = SEVERAL[name]
    found = values(counted(gold, system, MULTILABEL), MULTILABEL)
    labels = "abc" if name != "few" else "ab"
    one, other = binary(gold, labels), binary(system, labels)
    either = {"average": "samples", "zero_division": 1}
    assert_all(
        found,
        {
            **oracle(one, other),
            "subset_accuracy": metrics.accuracy_score(one, other),
            "hamming_loss": metrics.hamming_loss(one, other),
            "item_f1": metrics.f1_score(one, other, **either),
            "item_jaccard": metrics.jaccard_score(one, other, **either),
        },
    )


def test_the_list_of_labels_is_what_hamming_loss_is_over() -> None:
    counts = counted(["a", "b"], ["a", "a"], MULTILABEL, labels="a,b,c,d")
    assert values(counts, MULTILABEL)["hamming_loss"] == 2 / (2 * 4)


@pytest.mark.parametrize("name", ["macro_f1", "weighted_recall", "kappa", "f1[c]"])
def test_a_label_that_only_another_system_gives_changes_nothing(name: str) -> None:
    gold, first = CASES["three"]
    second = ["dreadful" if i % 7 == 0 else x for i, x in enumerate(first)]
    pair = counted(gold, first), counted(gold, second)
    measure = CLASSES.measure(name)
    (both,) = mean_samples_of([[(counts, PLAN)] for counts in pair], [measure])
    for counts, value, row in zip(pair, both.values, both.resampled, strict=True):
        (alone,) = mean_samples_of([[(counts, PLAN)]], [measure])
        assert value == float(measure.of(counts.totals, counts.columns))
        assert np.array_equal(row, alone.resampled[0], equal_nan=True)


def test_two_systems_are_told_apart_by_the_slope_of_an_average() -> None:
    """The gradient of macro F1 in the middle, by steps small enough to be seen."""
    gold, first = random_labels("abc", 150, 0.9, seed=8)
    _, second = random_labels("abc", 150, 0.5, seed=8)
    pair = counted(gold, first), counted(gold, second)
    measure = CLASSES.measure("macro_f1")
    exchange = Exchange(tables_of([[counts] for counts in pair], [measure]), measure)
    sums = exchange.pairs()
    middle = (pair[0].totals + pair[1].totals) / 2
    towards = (pair[0].totals - pair[1].totals) * 1e-6
    ends = [float(measure.of(middle + s * towards, pair[0].columns)) for s in (1, -1)]
    assert sums.shift[0] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6)
    found = compare(("first", "second"), pair, measure, PLAN).as_dict()
    own = [metrics.f1_score(gold, x, average="macro") for x in (first, second)]
    assert found["difference"] == pytest.approx(own[0] - own[1], abs=CLOSE)
    assert found["p_value"] < 0.001


def refused(system: str, gold: str = "a\nb\nc\n", **raw: str) -> list[str]:
    options = parse(CLASSES.options, {name: [value] for name, value in raw.items()})
    with pytest.raises(Refused) as caught:
        read_pair(CLASSES, table(gold.split()), table(system.split("/")), options)
    return [str(problem) for problem in caught.value.problems]


def test_labels_that_are_not_the_tasks_are_refused_with_those_that_are() -> None:
    assert refused("a/B/d", labels="a,b,c") == [
        "file:3: the label 'B' is not one of the task's. Did you mean 'b'? "
        "The labels of this task are: 'a', 'b', 'c'.",
        "file:4: the label 'd' is not one of the task's. "
        "The labels of this task are: 'a', 'b', 'c'.",
    ]


@pytest.mark.parametrize(
    ("separator", "written", "said"),
    [("|", "a;b", "'|'"), ("space", "a;b", "' '"), (";", "a|b", "';'")],
)
def test_labels_of_an_item_with_another_sign_between_them_are_told_the_right_one(
    separator: str, written: str, said: str
) -> None:
    raw = {"labels": ["a,b"], "separator": [separator]}
    options = parse(MULTILABEL.options, raw)
    system = Source.of_bytes("file", f'id,label\ni000,"{written}"\n'.encode())
    with pytest.raises(Refused) as caught:
        read_pair(MULTILABEL, table(["a"]), system, options)
    hint = f"Several labels of an item are separated by {said}."
    assert [problem.hint for problem in caught.value.problems] == [hint]


def test_wrong_labels_and_wrong_ids_are_told_at_once() -> None:
    codes = "label", "missing_id", "unknown_id"
    options = parse(CLASSES.options, {"labels": ["a,b"]})
    system = Source.of_bytes("file", b"id,label\ni000,c\nx,a\n")
    with pytest.raises(Refused) as caught:
        read_pair(CLASSES, table(["a", "b"]), system, options)
    assert tuple(problem.code for problem in caught.value.problems) == codes


def test_an_item_has_a_label_once_however_often_it_is_given() -> None:
    counts = counted(["a", "b"], ["a|a", ""], MULTILABEL)
    found = values(counts, MULTILABEL)
    assert [found["micro_precision"], found["micro_recall"]] == [1, 0.5]


def test_labels_that_cannot_be_shown_are_refused() -> None:
    assert "longer than 100 characters" in refused(f"a/{'b' * 101}/c")[0]
    assert "a character that cannot be seen" in refused("a/b\u200bb/c")[0]


def test_texts_in_place_of_labels_are_refused() -> None:
    many = [f"text {i}" for i in range(300)]
    source = Source.of_bytes(
        "file", ("id,label\n" + "".join(f"{x},{x}\n" for x in many)).encode()
    )
    options = parse(CLASSES.options, {})
    with pytest.raises(SetupError, match="more than 250 different labels"):
        CLASSES.read_gold(source, options)


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ({"labels": "a,b"}, "the label 'c' is not one of the task's"),
        (
            {"labels": "a,b,c", "ignore": "NONE"},
            "what option 'labels' does not: 'NONE'",
        ),
    ],
)
def test_a_gold_that_does_not_fit_its_labels_is_a_matter_of_the_setup(
    raw: dict[str, str], said: str
) -> None:
    options = parse(CLASSES.options, {name: [value] for name, value in raw.items()})
    with pytest.raises(SetupError, match=said):
        CLASSES.read_gold(table(["a", "b", "c"]), options)


def test_an_ignored_label_that_no_item_has_is_remarked() -> None:
    options = parse(CLASSES.options, {"ignore": ["NONE"]})
    result = evaluate(Job(CLASSES, options, "", PLAN), table("ab"), table("ab"))
    assert "no item of the gold has the ignored label 'NONE'" in result.remarks


def test_a_result_has_an_interval_for_averages_and_a_row_for_each_class() -> None:
    gold, system = CASES["three"]
    job = Job(CLASSES, parse(CLASSES.options, {}), "", PLAN)
    result = evaluate(job, table(gold), table(system))
    estimate = result.measures["macro_f1"]
    assert estimate.low is not None and estimate.value is not None
    assert estimate.low < estimate.value < (estimate.high or 0)
    row = result.tables["class"]["a"]
    assert row["gold"] == gold.count("a")
    assert row["f1"] == result.measures["f1[a]"].value


def test_the_class_of_interest_may_be_the_headline() -> None:
    counts = counted(*CASES["binary"])
    gold, system = CASES["binary"]
    measure = CLASSES.measure("f1[spam]")
    expected = metrics.f1_score(gold, system, pos_label="spam")
    found = float(measure.of(counts.totals, counts.columns))
    assert found == pytest.approx(expected, abs=CLOSE)


def test_labels_are_confused_as_often_as_scikit_learn_counts() -> None:
    gold, system = CASES["three"]
    options = parse(CLASSES.options, {})
    pair = read_pair(CLASSES, table(gold), table(system), options)
    assert CLASSES.inspect is not None
    (matrix,) = matrices(CLASSES.inspect(*pair, options))
    expected = metrics.confusion_matrix(gold, system, labels=matrix.labels)
    assert matrix.cells == expected.tolist()


@pytest.mark.parametrize("scorer", [CLASSES, MULTILABEL])
def test_an_item_is_marked_where_it_is_not_right(scorer: Any) -> None:
    options = parse(scorer.options, {})
    gold, system = ["a", "b", "c", "a"], ["a", "c", "c", "b"]
    pair = read_pair(scorer, table(gold), table(system), options)
    found = scorer.inspect(*pair, options)
    assert found.any_wrong.tolist() == [False, True, False, True]
    rows = [row for row in scorer.details(*pair, options).rows]
    assert rows[1] == ("i001", "b", "c", 0)
    sheet = found.picture(1).sheet
    assert sheet.rows == (("missing", "b"), ("spurious", "c"))


def test_what_was_asked_stands_beside_the_labels() -> None:
    options = parse(MULTILABEL.options, {"inputs": ["text"]})
    gold = Source.of_bytes("gold", b'id,text,label\n1,"Fog, rain",cold|wet\n2,Sun,\n')
    system = Source.of_bytes("system", b"id,label\n1,wet|wet\n2,cold\n")
    pair = read_pair(MULTILABEL, gold, system, options)
    found = MULTILABEL.inspect(*pair, options)  # type: ignore[misc]
    assert found.picture(0).sheet.rows == (
        ("missing", "cold", "Fog, rain"),
        ("match", "wet", "Fog, rain"),
    )
    assert {k: f.tolist() for k, f in found.wrong.items()} == {
        "missing": [True, False],
        "spurious": [False, True],
    }


def test_each_of_very_many_classes_has_a_row_and_no_interval() -> None:
    gold, system = random_labels([f"class {i}" for i in range(60)], 200, 0.7, seed=9)
    counts = counted(gold, system)
    assert "macro_f1" in values(counts) and "f1[class 7]" not in values(counts)
    row = CLASSES.tables(counts, {})["class"]["class 7"]
    measure = CLASSES.measure("f1[class 7]", counts.columns)
    assert row["f1"] == float(measure.of(counts.totals, counts.columns))


def test_so_many_labels_of_so_many_items_are_too_many() -> None:
    labels = [f"label {i % 240}" for i in range(8_400)]
    rows = "".join(f"{i},{label}\n" for i, label in enumerate(labels))
    gold = Source.of_bytes("gold", f"id,label\n{rows}".encode())
    with pytest.raises(SetupError, match="240 labels of 8400 units are too many"):
        CLASSES.read_gold(gold, parse(CLASSES.options, {}))


def same_in_numbers(scorer: Any, gold: Sequence[str], system: Sequence[str]) -> None:
    """Figures, resamples and units left out are those of a column for each class."""
    raw = {"ignore": "b"}
    usual = counted(gold, system, scorer, **raw)
    many = counted(gold, system, scorer, **raw, many="true")
    declared = scorer.of_task({"many": ["true"]})
    assert [m.name for m in declared.measures(())] == [
        m.name for m in scorer.measures(())
    ]
    for measure in declared.measures(many.columns):
        own = scorer.measure(measure.name)
        assert value_of(many, measure) == pytest.approx(
            value_of(usual, own), abs=CLOSE, nan_ok=True
        ), measure.name
        (one,), (other,) = (
            mean_samples_of([[(counts, PLAN)]], [of])
            for counts, of in ((usual, own), (many, measure))
        )
        apart = np.nan_to_num(one.resampled - other.resampled)
        assert np.abs(apart).max() < CLOSE, measure.name
        apart = jackknife(usual, own) - jackknife(many, measure)
        assert np.abs(np.nan_to_num(apart)).max() < CLOSE, measure.name


@pytest.mark.filterwarnings("ignore")
@loop_over("name", CASES)
def test_many_classes_are_added_up_to_the_same_figures(name: str) -> None:
    same_in_numbers(CLASSES, *CASES[name])


@pytest.mark.parametrize("name", SEVERAL)
def test_many_labels_of_an_item_are_added_up_to_the_same_figures(name: str) -> None:
    same_in_numbers(MULTILABEL, *SEVERAL[name])


def test_slopes_of_many_classes_are_those_of_small_steps() -> None:
    gold, system = random_labels([f"c{i}" for i in range(12)], 60, 0.5, seed=9)
    counts = counted(gold, system, many="true", ignore="c3")
    weights = np.random.default_rng(1).integers(1, 4, 60).astype(np.float64)
    found = []
    for measure in CLASSES.of_task({"many": ["true"]}).measures(()):
        if measure.weighted is None:
            continue
        rows = Rows.of([counts], measure).tables[0]
        by_steps = slopes_of(replace(measure, slopes=None), weights, rows)
        assert slopes_of(measure, weights, rows) == pytest.approx(by_steps, abs=1e-6)
        found.append(measure.name)
    assert {"macro_f1", "weighted_precision", "mcc", "kappa"} <= {*found}


@pytest.mark.filterwarnings("ignore")
def test_more_classes_than_columns_have_the_figures_of_scikit_learn() -> None:
    places = [f"place {number}" for number in range(3000)]
    gold, system = random_labels(places, 4000, 0.6, seed=10)
    names = [f"i{number}" for number in range(len(gold))]
    sources = [
        Source.of_bytes("x", "".join(["id,label\n", *rows]).encode())
        for rows in (
            [f"{i},{x}\n" for i, x in zip(names, side, strict=True)]
            for side in (gold, system)
        )
    ]
    raw = {"many": ["true"]}
    scorer = CLASSES.of_task(raw)
    plan = Plan(resamples=50, seed=1)
    result = evaluate(Job(scorer, parse(scorer.options, raw), plan=plan), *sources)
    expected = {
        "mcc": metrics.matthews_corrcoef(gold, system),
        "kappa": metrics.cohen_kappa_score(gold, system),
        "balanced_accuracy": metrics.balanced_accuracy_score(gold, system),
        "accuracy": metrics.accuracy_score(gold, system),
        **oracle(gold, system),
    }
    assert_all({n: e.value for n, e in result.measures.items()}, expected)
    assert result.measures["macro_f1"].interval is not None


def test_labels_far_too_many_are_told_of_the_option() -> None:
    many = [f"text {i}" for i in range(300)]
    source = Source.of_bytes(
        "file", ("id,label\n" + "".join(f"{x},{x}\n" for x in many)).encode()
    )
    with pytest.raises(SetupError) as caught:
        CLASSES.read_gold(source, parse(CLASSES.options, {}))
    assert "many=true" in str(caught.value)
    found = CLASSES.read_gold(source, parse(CLASSES.options, {"many": ["true"]}))
    assert len(found.names) == 300


def test_labels_may_hold_signs_that_join_letters() -> None:
    family = "\N{MAN}\N{ZERO WIDTH JOINER}\N{WOMAN}\N{ZERO WIDTH JOINER}\N{GIRL}"
    persian = "\u0645\u06cc\N{ZERO WIDTH NON-JOINER}\u062e\u0648\u0627\u0647\u0645"
    gold = [family, persian, "co\N{SOFT HYPHEN}op", "b"]
    assert values(counted(gold, gold))["accuracy"] == 1
    system = [family, persian, "coop", "b"]
    assert values(counted(gold, system))["accuracy"] == 0.75
    options = parse(CLASSES.options, {})
    _, answers = read_pair(CLASSES, table(gold), table([*gold[:3], "coop"]), options)
    (problem,) = CLASSES.notes(answers, options)
    assert problem.code == "alike"


@pytest.mark.filterwarnings("ignore")
def test_weighted_averages_are_0_where_gold_has_no_label() -> None:
    gold, system = ["", "", ""], ["a", "", "a|b"]
    found = values(counted(gold, system, MULTILABEL), MULTILABEL)
    assert_all(found, oracle(binary(gold, "ab"), binary(system, "ab")))


@pytest.mark.parametrize(
    ("gold", "system"),
    [
        (["1", "0"], ["1.0", "0.0"]),
        (["1", "0"], ["1e0", "-0.0"]),
        (["10.0", "0.5"], ["10", "5e-1"]),
        (["True", "False"], ["true", "false"]),
        (["TRUE", "no"], ["true", '"no"']),
        (["1", "1.0"], ["1", "1.0"]),
    ],
)
@pytest.mark.parametrize("scorer", [CLASSES, MULTILABEL])
@pytest.mark.parametrize("declared", [True, False])
def test_a_number_of_json_is_the_label_of_its_value(
    gold: list[str], system: list[str], scorer: Any, declared: bool
) -> None:
    raw = {"labels": [",".join(gold)]} if declared else {}
    options = parse(scorer.options, raw)
    lines = [f'{{"id": "i00{i}", "label": {x}}}' for i, x in enumerate(system)]
    answers = Source.of_bytes("s.jsonl", "\n".join(lines).encode())
    pair = read_pair(scorer, table(gold), answers, options)
    measure = "accuracy" if scorer is CLASSES else "subset_accuracy"
    assert values(count(scorer, pair, options), scorer)[measure] == 1


def test_values_in_lists_of_json_are_labels_too() -> None:
    lines = '{"id": "i000", "label": [1.0, 0]}\n{"id": "i001", "label": [true]}\n'
    answers = Source.of_bytes("s.jsonl", lines.encode())
    options = parse(MULTILABEL.options, {})
    pair = read_pair(MULTILABEL, table(["1|0", "True"]), answers, options)
    assert values(count(MULTILABEL, pair, options), MULTILABEL)["subset_accuracy"] == 1


def test_a_text_of_json_is_no_number() -> None:
    lines = '{"id": "i000", "label": "1.0"}\n{"id": "i001", "label": "0"}\n'
    answers = Source.of_bytes("s.jsonl", lines.encode())
    options = parse(CLASSES.options, {})
    pair = read_pair(CLASSES, table(["1", "0"]), answers, options)
    assert values(count(CLASSES, pair, options))["accuracy"] == 0.5
