"""Probabilities: against scikit-learn and PyEvALL, cases by hand, refusals."""

import json
import math
from collections.abc import Callable

import numpy as np
import pytest
from sklearn import metrics

from scoring import Job, Plan, Refused, SetupError, Source, check, evaluate
from scoring.engine import Result
from scoring.options import Raw, parse
from scoring.scorers import get
from tests.loops import loop_over
from tests.timing import grows_linearly

PROBABILITIES = get("probabilities")
Row = dict[str, object]


def rows(found: list[Row]) -> Source:
    lines = [json.dumps({"id": f"i{i}", **row}) for i, row in enumerate(found)]
    return Source.of_bytes("rows.jsonl", ("\n".join(lines) + "\n").encode())


def scored(gold: Source, system: Source, raw: Raw | None = None) -> Result:
    options = parse(PROBABILITIES.options, raw or {})
    return evaluate(Job(PROBABILITIES, options, "", Plan(resamples=0)), gold, system)


def values(gold: list[Row], system: list[Row]) -> dict[str, float | None]:
    found = scored(rows(gold), rows(system)).measures
    return {name: estimate.value for name, estimate in found.items()}


@loop_over("seed", range(8))
def test_curves_and_losses_are_those_of_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    classes = ["a", "b", "c", "d"][: 2 + seed % 3]
    size = 40
    truth = np.concatenate(
        [np.arange(len(classes)), rng.integers(0, len(classes), size)]
    )
    # Of twelve parts, so that many are equal, and some 0.
    parts = rng.multinomial(12, [1 / len(classes)] * len(classes), size=len(truth))
    given = parts / 12
    found = values(
        [{"label": classes[place]} for place in truth],
        [dict(zip(classes, own, strict=True)) for own in given.tolist()],
    )
    held = np.eye(len(classes))[truth]
    for place, name in enumerate(classes):
        sides = held[:, place], given[:, place]
        assert found[f"auc[{name}]"] == pytest.approx(metrics.roc_auc_score(*sides))
        expected = metrics.average_precision_score(*sides)
        assert found[f"ap[{name}]"] == pytest.approx(expected)
    assert found["auc"] == pytest.approx(
        metrics.roc_auc_score(held, given, average="macro")
    )
    assert found["ap"] == pytest.approx(
        metrics.average_precision_score(held, given, average="macro")
    )
    assert found["log_loss"] == pytest.approx(metrics.log_loss(held, given))
    sides = truth, given if len(classes) > 2 else given[:, 1]
    assert found["brier"] == pytest.approx(metrics.brier_score_loss(*sides))


# What PyEvALL 0.2.11 answers to random cases that were made for it.
GOLD = "0 0.166667 0.714286 0.333333 0.2 0 0.833333 0.375"
SYSTEM = "0.375 0.666667 0.571429 0.666667 0.5 0.4 0.4 0.428571"


def soft(of_first: str) -> list[Row]:
    return [
        {"A": float(share), "B": round(1 - float(share), 6)}
        for share in of_first.split()
    ]


def test_information_contrasts_are_those_of_pyevall() -> None:
    found = values(soft(GOLD), soft(SYSTEM))
    assert found["icm_soft"] == pytest.approx(-2.1895588640268153, abs=1e-9)
    assert found["icm_soft_norm"] == pytest.approx(0.1666656249234793, abs=1e-9)
    sent = [
        {"A": float(label == "A"), "B": float(label == "B")} for label in "BAAAABBB"
    ]
    found = values([{"label": label} for label in "BBABBBAB"], list(sent))
    assert found["icm"] == pytest.approx(-0.8018796874098555, abs=1e-9)
    assert found["icm_norm"] == pytest.approx(0.005792364397562951, abs=1e-9)


def test_distances_of_soft_labels_are_worked_out_by_hand() -> None:
    gold: list[Row] = [{"yes": 1, "no": 0}, {"yes": 0.25, "no": 0.75}]
    system: list[Row] = [{"yes": 0.5, "no": 0.5}, {"yes": 0.25, "no": 0.75}]
    found = values(gold, system)
    assert found["manhattan"] == (0.5 + 0.5) / 2
    assert found["euclid"] == pytest.approx(math.sqrt(0.5) / 2)
    assert found["brier"] == 0.25 / 2
    entropy = -(0.25 * math.log(0.25) + 0.75 * math.log(0.75))
    assert found["log_loss"] == pytest.approx((math.log(2) + entropy) / 2)


def test_what_is_not_answered_counts_as_the_others_for_c_at_1() -> None:
    gold: list[Row] = [{"label": label} for label in ("yes", "yes", "no", "no")]
    sure: Row = {"yes": 0.75, "no": 0.25}
    system: list[Row] = [sure, {"yes": 0.5, "no": 0.5}, sure, {"yes": 0, "no": 1}]
    result = scored(rows(gold), rows(system))
    # Two are right, one is not answered: (2 + 1 * 2 / 4) / 4.
    assert result.measures["c@1"].value == 0.625
    assert result.measures["accuracy"].value == (1 + 0.5 + 0 + 1) / 4
    assert any("1 item has no class above" in remark for remark in result.remarks)


def test_calibration_is_the_gap_of_each_range_of_probabilities() -> None:
    gold: list[Row] = [{"label": label} for label in ("yes", "no", "yes", "yes")]
    own = (0.75, 0.75, 0.625, 0.875)
    found = values(gold, [{"yes": share, "no": 1 - share} for share in own])
    # 0.7 to 0.8: 1 of 2 right, 1.5 claimed; the others are 0.375 and 0.125 too low.
    assert found["calibration_error"] == (0.5 + 0.375 + 0.125) / 4


BLIND = Source.of_bytes("blind.csv", b"id,no,yes\na,,\nb,,\n")
WRONG = [
    ("a,0.5,0.5\nb,1.5,-0.5", "probability", 3),
    ("a,0.5,0.4\nb,1,0", "sum", 2),
    ("a,50%,0.5\nb,1,0", "probability", 2),
    ('a,"0,5",0.5\nb,1,0', "probability", 2),
    ("a,0.5,0.5\na,0.5,0.5", "repeated_id", 3),
    ("a,0.5,0.5", "missing_id", None),
    ("a,0.5,0.5\nb,1,0\nc,1,0", "unknown_id", 4),
]


@loop_over(("sent", "code", "line"), WRONG)
def test_what_is_wrong_is_told_with_its_line(
    sent: str, code: str, line: int | None
) -> None:
    mine = Source.of_bytes("mine.csv", f"id,no,yes\n{sent}\n".encode())
    found = check(PROBABILITIES, BLIND, mine, parse(PROBABILITIES.options, {}))
    assert (code, line) in [(problem.code, problem.line) for problem in found]


def test_a_class_without_a_column_is_named() -> None:
    mine = Source.of_bytes("mine.csv", b"id,yes\na,1\nb,1\n")
    problems = check(PROBABILITIES, BLIND, mine, parse(PROBABILITIES.options, {}))
    found = next(problem for problem in problems if problem.line == 1)
    assert found.code == "header" and "'no'" in found.message
    assert found.hint.endswith("id,no,yes")


def test_several_classes_may_hold_at_once_where_the_task_says_so() -> None:
    sent: list[Row] = [{"joy": 0.75, "fear": 0.5}, {"joy": 0.25, "fear": 0}]
    with pytest.raises(SetupError, match=r"add up to 1\.25"):
        scored(rows(sent), rows(sent))
    found = scored(rows(sent), rows(sent), {"sums": ["any"]}).measures
    assert found["manhattan"].value == 0


def test_gold_with_a_class_that_is_none_is_an_error_of_the_setup() -> None:
    gold = rows([{"label": "yes"}, {"label": "perhaps"}])
    with pytest.raises(SetupError, match="'perhaps' is none of the classes"):
        scored(gold, gold, {"labels": ["yes,no"]})


def test_the_published_file_names_the_classes_and_no_share() -> None:
    options = parse(PROBABILITIES.options, {"inputs": ["text"]})
    gold = Source.of_bytes("g.csv", b"id,text,label\na,Fog.,yes\nb,Sun.,no\n")
    blind = PROBABILITIES.blind(gold, options).single()
    assert blind == b"id,text,no,yes\na,Fog.,,\nb,Sun.,,\n"


def test_the_error_browser_shows_each_class() -> None:
    options = parse(PROBABILITIES.options, {})
    gold = PROBABILITIES.read_gold(rows([{"label": "yes"}, {"label": "no"}]), options)
    sent = rows([{"yes": 0.25, "no": 0.75}, {"yes": 0.25, "no": 0.75}])
    system = PROBABILITIES.read_system(sent, options, gold)
    assert PROBABILITIES.inspect is not None
    found = PROBABILITIES.inspect(gold, system, options)
    assert found.wrong["wrong"].tolist() == [True, False]
    sheet = found.picture(0).sheet
    assert sheet.rows == (("no", 0.0, 0.75), ("yes", 1.0, 0.25))


@pytest.mark.parametrize("row", ["a,x,x\n", "{number},0.5,0.6\n", "{number},1\n"])
def test_reading_broken_files_takes_linear_time(row: str) -> None:
    options = parse(PROBABILITIES.options, {})

    def checking(count: int) -> Callable[[], object]:
        lines = "".join(row.format(number=number) for number in range(count))
        data = ("id,no,yes\n" + lines).encode()
        return lambda: check(
            PROBABILITIES, BLIND, Source.of_bytes("m.csv", data), options
        )

    assert grows_linearly(checking, 5_000)


@pytest.mark.parametrize(
    "record",
    [
        '{"data": {"id": "a", "no": 1}}',
        '{"no": {}}',
        '{"soft": {"no": 0.5, "yes": 0.5}}',
    ],
)
def test_objects_without_an_id_beside_them_are_refused_in_words(record: str) -> None:
    scorer = get("probabilities")
    options = parse(scorer.options, {})
    gold = Source.of_bytes("gold", b"id,no,yes\na,1,0\nb,0,1\n")
    sent = Source.of_bytes("sent", f"{record}\n{record}\n".encode())
    with pytest.raises(Refused, match="no column '"):
        scorer.read_system(sent, options, scorer.read_gold(gold, options))
