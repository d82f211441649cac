"""Metrics of metrics: cases by hand, a slow program, refusals, published values."""

import json
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from random import Random
from statistics import NormalDist

import pytest

from scoring import Job, Plan, Refused, SetupError, Source, check, evaluate
from scoring.engine import Result
from scoring.options import Raw, parse
from scoring.scorers import get
from tests.loops import loop_over
from tests.scoring import outside
from tests.timing import grows_linearly

METRICS = get("metrics")
Scores = dict[tuple[str, str], float]

# Of two systems on three segments: in the first people prefer a, in the second neither,
# in the third b.
PEOPLE = {"a": (3, 1, 2), "b": (1, 1, 3)}
METRIC = {"a": (0.9, 0.5, 0.6), "b": (0.1, 0.4, 0.4)}


def csv(scores: Scores) -> Source:
    lines = [
        f"{system},{segment},{score}" for (system, segment), score in scores.items()
    ]
    text = "\n".join(["system,segment,score", *lines, ""])
    return Source.of_bytes("scores.csv", text.encode())


def table(of_systems: dict[str, tuple[float, ...]]) -> Scores:
    return {
        (system, str(segment)): score
        for system, own in of_systems.items()
        for segment, score in enumerate(own, 1)
    }


def scored(gold: Source, system: Source, raw: Raw | None = None) -> Result:
    plan = Plan(resamples=0)
    return evaluate(
        Job(METRICS, parse(METRICS.options, raw or {}), "", plan), gold, system
    )


def values(gold: Scores, system: Scores) -> dict[str, float | None]:
    found = scored(csv(gold), csv(system)).measures
    return {name: estimate.value for name, estimate in found.items()}


def test_two_systems_on_three_segments_are_worked_out_by_hand() -> None:
    found = values(table(PEOPLE), table(METRIC))
    # With a difference of 0.1 as a tie the first two segments are right.
    assert found["acc_eq_item"] == pytest.approx(2 / 3)
    # 1, 0 (a tie) and -1.
    assert found["kendall_b_item"] == found["pearson_item"] == 0
    # Of a's three pairs all agree. Of b's one does, one is a tie of people and one of
    # the metric: 1 / sqrt(2 * 2).
    assert found["kendall_b_sys"] == pytest.approx((1 + 0.5) / 2)
    # Means are 2 and 5/3, and 2/3 and 0.3.
    assert found["system_pairwise_accuracy"] == found["system_pearson"] == 1
    # Differences of people 2, 0, -1: of the four signs of 2 and 1 two reach 1. Those of
    # the metric are 0.8, 0.1, 0.2 in steps of 0.1.
    metric = 1 - NormalDist().cdf((1.1 - 0.1) / (0.8**2 + 0.1**2 + 0.2**2) ** 0.5)
    assert found["spa"] == pytest.approx(1 - abs(0.5 - metric), abs=1e-9)


def test_the_threshold_is_told_in_the_metrics_own_scale() -> None:
    metric = {key: 1000 * score for key, score in table(METRIC).items()}
    rows = scored(csv(table(PEOPLE)), csv(metric)).tables["ties"]
    assert rows["acc_eq_item"]["threshold"] == 100


def slow_accuracy(gold: Scores, system: Scores, average: str) -> Fraction:
    """The best of all thresholds, each tried on every pair."""
    place = {"none": None, "item": 1, "sys": 0}[average]
    groups: dict[str, list[tuple[str, str]]] = {}
    for key in gold:
        groups.setdefault("" if place is None else key[place], []).append(key)
    compared = [own for own in groups.values() if len(own) > 1]
    gaps = {
        abs(system[one] - system[other])
        for own in compared
        for one, other in combinations(own, 2)
    }

    def at(threshold: float) -> Fraction:
        whole = Fraction(0)
        for own in compared:
            pairs = list(combinations(own, 2))
            right = 0
            for one, other in pairs:
                human, metric = gold[one] - gold[other], system[one] - system[other]
                if abs(metric) <= threshold:
                    metric = 0
                right += (human > 0) - (human < 0) == (metric > 0) - (metric < 0)
            whole += Fraction(right, len(pairs))
        return whole / len(compared)

    return max(map(at, {0.0, *gaps}))


@loop_over("seed", range(12))
def test_accuracies_are_those_of_a_slow_program(seed: int) -> None:
    random = Random(seed)
    keys = [(f"s{i}", str(j)) for i in range(5) for j in range(7)]
    gold = {key: float(random.randrange(5)) for key in keys if random.random() < 0.8}
    system: Scores = {key: gold.get(key, 0) + random.randrange(6) for key in keys}
    found = values(gold, system)
    for average in ("none", "item", "sys"):
        expected = float(slow_accuracy(gold, system, average))
        assert found[f"acc_eq_{average}"] == pytest.approx(expected, abs=1e-12)


def test_of_very_many_pairs_some_are_taken_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    random = Random(1)
    keys = [(f"s{i}", str(j)) for i in range(6) for j in range(60)]
    gold = {key: float(random.randrange(100)) for key in keys}
    system = {key: score + random.gauss(0, 30) for key, score in gold.items()}
    exact = values(gold, system)
    for module in ("ties", "counts"):
        monkeypatch.setattr(f"scoring.scorers.metrics.{module}.MOST_PAIRS", 5000)
    result = scored(csv(gold), csv(system))
    assert "acc_eq_none is of 5,000 of its 64,620 pairs" in result.remarks
    for name in ("acc_eq_none", "acc_eq_sys"):
        found = result.measures[name].value
        assert found == pytest.approx(exact[name], abs=0.02)
    assert result.measures["acc_eq_item"].value == exact["acc_eq_item"]


def test_scores_of_what_people_did_not_score_are_left_out() -> None:
    gold = table(PEOPLE)
    more = {**table(METRIC), ("c", "1"): 0.5, ("a", "9"): 0.1}
    result = scored(csv(gold), csv(more))
    assert "2 scores have no human score: left out" in result.remarks
    before = values(gold, table(METRIC))
    assert {name: one.value for name, one in result.measures.items()} == before


WRONG = [
    ("a,1,0.9\na,1,0.8", "repeated", 3),
    ("a,1,high", "number", 2),
    ("a,1,\n", "number", 2),
    ("a,,1", "name", 2),
    ("a,1\x7f,1", "name", 2),
    ("a,1", "columns", 2),
]


@loop_over(("rows", "code", "line"), WRONG)
def test_what_is_wrong_is_told_with_its_line(rows: str, code: str, line: int) -> None:
    blind = Source.of_bytes("blind.csv", b"system,segment\na,1\nb,1\n")
    mine = Source.of_bytes("mine.csv", f"system,segment,score\n{rows}\n".encode())
    found = check(METRICS, blind, mine, parse(METRICS.options, {}))
    assert (code, line) in [(problem.code, problem.line) for problem in found]
    # And in the same answer, what is missing; where a line lacks columns or names,
    # that follows from it.
    assert ("missing" in [p.code for p in found]) != (code in ("columns", "name"))


def test_a_file_without_the_columns_is_refused_by_their_names() -> None:
    mine = Source.of_bytes("mine.csv", b"id,value\n1,2\n")
    with pytest.raises(Refused, match="no column 'system' found"):
        scored(csv(table(PEOPLE)), mine)


@pytest.mark.parametrize(
    ("gold", "said"),
    [
        ("a,1,1\na,2,2", "all scores are of one system"),
        ("a,1,1\nb,2,2", "no segment has scores of two systems"),
    ],
)
def test_gold_that_compares_nothing_is_an_error_of_the_setup(
    gold: str, said: str
) -> None:
    source = Source.of_bytes("gold.csv", f"system,segment,score\n{gold}\n".encode())
    with pytest.raises(SetupError, match=said):
        METRICS.read_gold(source, parse(METRICS.options, {}))


def test_a_segment_of_two_documents_is_an_error_of_the_setup() -> None:
    text = "system,segment,document,score\na,1,x,1\nb,1,y,2\n"
    with pytest.raises(SetupError, match="'document' 'y' here and 'x' before") as found:
        source = Source.of_bytes("gold.csv", text.encode())
        METRICS.read_gold(source, parse(METRICS.options, {}))
    assert found.value.problems[0].line == 3


def test_the_error_browser_tells_who_is_placed_too_high() -> None:
    options = parse(METRICS.options, {})
    gold = METRICS.read_gold(csv(table(PEOPLE)), options)
    system = METRICS.read_system(csv(table(METRIC)), options, gold)
    assert METRICS.inspect is not None
    found = METRICS.inspect(gold, system, options)
    sheet = found.picture(2).sheet
    assert sheet.rows == (("a", 2.0, 0.6), ("b", 3.0, 0.4))
    assert sheet.wrong == (("placed_high",), ("placed_low",))


@pytest.mark.parametrize(
    "row", ["a,1,x\n", "{number},\x7f,1\n", "{number},1,\n", '"a\n', "a,1,1\n"]
)
def test_reading_broken_files_takes_linear_time(row: str) -> None:
    blind = Source.of_bytes("blind.csv", b"system,segment\na,1\nb,1\n")

    options = parse(METRICS.options, {})

    def checking(rows: int) -> Callable[[], object]:
        lines = "".join(row.format(number=number) for number in range(rows))
        text = "system,segment,score\n" + lines
        data = text.encode()
        return lambda: check(METRICS, blind, Source.of_bytes("m.csv", data), options)

    assert grows_linearly(checking, 5_000)


@pytest.mark.published
def test_random_cases_are_those_of_mt_metrics_eval() -> None:
    folder = outside.published("metric-of-metrics")
    compared = 0
    for case in json.loads((folder / "cases.json").read_text("utf-8")):
        sides = [Source.of_path(folder / case[side]) for side in ("gold", "metric")]
        result = scored(*sides)
        for name, expected in case["expected"].items():
            compared += 1
            if name.endswith("_threshold"):
                row = result.tables["ties"][name.removesuffix("_threshold")]
                assert row["threshold"] == pytest.approx(expected, abs=1e-9)
            elif name.startswith("spa"):
                found = result.measures["spa"].value
                assert found == pytest.approx(expected, abs=0.02), case["gold"]
            else:
                found = result.measures[name].value
                assert found == pytest.approx(expected, abs=1e-9), (case["gold"], name)
    assert compared == 540
