"""Tuples: values worked out by hand, the pairing against scipy, refusals."""

import json
import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from scoring import Job, Plan, Refused, SetupError, Source, check, evaluate
from scoring.engine import Result, count, read_pair
from scoring.options import Raw, parse
from scoring.scorers import get
from scoring.scorers.tuples.credit import assign
from tests.loops import loop_over
from tests.scoring.examples.tuples import EXAMPLES, SYSTEM, cupt
from tests.timing import grows_linearly

TUPLES = get("tuples")
Records = list[dict[str, object]]


def rows(*items: Records) -> Source:
    lines = [json.dumps({"id": f"i{i}", "tuples": own}) for i, own in enumerate(items)]
    return Source.of_bytes("rows.jsonl", ("\n".join(lines) + "\n").encode())


def scored(gold: Source, system: Source, raw: Raw | None = None) -> Result:
    options = parse(TUPLES.options, raw or {})
    return evaluate(Job(TUPLES, options, "", Plan(resamples=0)), gold, system)


def values(gold: Source, system: Source, **raw: list[str]) -> dict[str, float | None]:
    found = scored(gold, system, raw).measures
    return {name: estimate.value for name, estimate in found.items()}


def test_records_are_right_where_all_fields_are_equal() -> None:
    soup, view = {"on": "soup", "is": "bad"}, {"on": "view", "is": "good"}
    gold = rows([soup, view], [soup], [])
    # One is right; a second like it has no partner, and one is wrong in one field.
    system = rows([view, view], [{"on": "soup", "is": "good"}], [])
    found = values(gold, system)
    assert (found["precision"], found["recall"]) == (1 / 3, 1 / 3)
    assert found["f1"] == found["partial_f1"] == 1 / 3
    assert found["part_f1"] is None


def test_a_field_that_is_not_there_is_like_an_empty_one() -> None:
    gold = rows([{"on": None, "is": "bad"}, {"on": "x", "is": "y"}])
    system = rows([{"is": " bad "}, {"on": "X", "is": "Y"}])
    assert values(gold, system)["recall"] == 0.5
    assert values(gold, system, lowercase=["true"])["recall"] == 1


def test_numbers_earn_credit_by_their_distance() -> None:
    """The continuous F1 of dimensional sentiment: 1 less the distance of valence and
    arousal over the largest there can be, sqrt(2) times 8."""
    gold = rows([{"on": "soup", "va": "2#7"}, {"on": "view", "va": "7.5#5"}])
    system = rows(
        [
            {"on": "view", "va": "6.5#6"},
            {"on": "view", "va": "9#9"},
            {"on": "sea", "va": "2#7"},
        ]
    )
    found = values(gold, system, fields=["on"], numbers=["va"], range=["1,9"])
    credit = 1 - math.sqrt(2) / math.sqrt(128)
    assert found["partial_precision"] == pytest.approx(credit / 3, abs=1e-12)
    assert found["partial_recall"] == pytest.approx(credit / 2, abs=1e-12)
    assert found["partial_f1"] == pytest.approx(2 * credit / 5, abs=1e-12)
    # Numbers apart, one record is right.
    assert found["f1"] == 2 / 5


def test_texts_earn_credit_by_the_words_that_both_have() -> None:
    gold = rows([{"on": "soup", "is": "far too too salty"}])
    system = rows([{"on": "soup", "is": "too salty too early"}])
    found = values(gold, system, fields=["on"], overlap=["is"])
    # Three of four words, of which one stands twice.
    assert found["partial_f1"] == 2 * 3 / 8
    assert (found["f1"], found["part_precision"], found["part_recall"]) == (
        0,
        0.75,
        0.75,
    )


def test_expressions_of_parseme_are_worked_out_by_hand() -> None:
    example = EXAMPLES[1]
    found = scored(example.gold, example.systems[0], example.options).measures
    value = {name: estimate.value for name, estimate in found.items()}
    # Of four expressions on either side one has just the words.
    assert value["f1"] == value["precision"] == value["recall"] == 0.25
    # Words of the best pairing: 2 + 1 in the first sentence, 2 in the last; 8 and 8.
    assert value["part_precision"] == value["part_recall"] == 5 / 8
    # 1, half, and four fifths.
    assert value["partial_f1"] == pytest.approx(2.3 / 4)
    # Two in gold, three of the system, one right; none of the others.
    assert value["f1[VID]"] == 2 / 5
    assert value["f1[LVC]"] == value["f1[VPC]"] == 0


@loop_over("seed", range(40))
def test_the_pairing_has_the_most_credit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    height = int(rng.integers(1, 8))
    width = height + int(rng.integers(0, 5))
    table = np.where(rng.random((height, width)) < 0.4, 0, rng.random((height, width)))
    if seed % 2:
        table = np.rint(3 * table)
    chosen = assign(-table)
    assert len(set(chosen)) == height
    best = table[linear_sum_assignment(table, maximize=True)].sum()
    found = table[np.arange(height), chosen].sum()
    assert found == pytest.approx(best)


BLIND = Source.of_bytes("blind.jsonl", b'{"id": "a"}\n{"id": "b"}\n')
A, B = '{"id": "a", "tuples": []}', '{"id": "b", "tuples": []}'
WRONG = [
    ([A, '{"id": "b", "tuples": {}}'], "records", 2),
    ([A, '{"id": "b", "tuples": ["x"]}'], "records", 2),
    ([A, '{"id": "b"}'], "records", 2),
    ([A, '{"id": " ", "tuples": []}'], "id", 2),
    ([A, '{"id": "b", "tuples": [{"va": "high"}]}'], "number", 2),
    ([A, '{"id": "b", "tuples": [{"va": "1#2"}, {"va": 3}]}'], "number", 2),
    ([A, '{"id": "b", "tuples": [{}]}'], "number", 2),
    ([A, A], "repeated_id", 2),
    ([A], "missing_id", None),
    ([A, B, '{"id": "c", "tuples": []}'], "unknown_id", 3),
    ([A, '{"id": 5.5'], "json", 2),
    (["a,b"], "format", 1),
]


@loop_over(("lines", "code", "line"), WRONG)
def test_what_is_wrong_is_told_with_its_line(
    lines: list[str], code: str, line: int | None
) -> None:
    mine = Source.of_bytes("mine.jsonl", ("\n".join(lines) + "\n").encode())
    options = parse(TUPLES.options, {"numbers": ["va"]})
    found = check(TUPLES, BLIND, mine, options)
    assert (code, line) in [(problem.code, problem.line) for problem in found]


def test_what_is_wrong_in_cupt_is_told_with_its_line() -> None:
    lines = SYSTEM.split("\n")
    lines[2] = lines[2].replace("\t*", "\tone")
    lines[3] = lines[3].replace("1:VID", "1")
    lines[5] += "\t_"
    mine = Source.of_bytes("mine.cupt", "\n".join(lines).encode())
    options = parse(TUPLES.options, {"overlap": ["words"]})
    blind = TUPLES.blind(EXAMPLES[1].gold, options)
    found = check(TUPLES, blind, mine, options)
    expected = {("code", 3), ("code", 4), ("columns", 6)}
    assert expected <= {(problem.code, problem.line) for problem in found}


def test_many_records_of_one_item_are_refused() -> None:
    many: Records = [{"on": str(number)} for number in range(201)]
    with pytest.raises(Refused, match="201 records; expected at most 200"):
        scored(rows([{"on": "x"}]), rows(many))


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ({"range": ["9,1"]}, "expected two numbers"),
        ({"fields": ["of"]}, "has the field 'of'"),
        ({"numbers": ["on"]}, "'soup' is no number"),
        ({"records": ["quads"]}, "no object has the member 'quads'"),
    ],
)
def test_options_that_do_not_fit_the_gold_are_errors_of_the_setup(
    raw: Raw, said: str
) -> None:
    with pytest.raises(SetupError, match=said):
        TUPLES.read_gold(rows([{"on": "soup"}]), parse(TUPLES.options, raw))


def test_columns_of_kinds_are_in_one_order_in_every_process() -> None:
    kinds = [f"kind-{number}" for number in (7, 3, 9, 1, 8, 2)]
    gold = rows([{"is": kind} for kind in kinds])
    options = parse(TUPLES.options, {"by": ["is"]})
    columns = count(TUPLES, read_pair(TUPLES, gold, gold, options), options).columns
    own = [name for name in columns if name.startswith("correct[")]
    assert own == [f"correct[{kind}]" for kind in kinds]


def test_the_published_file_has_no_record() -> None:
    example = EXAMPLES[0]
    blind = TUPLES.blind(example.gold, example.parse_options(TUPLES)).single().decode()
    assert json.loads(blind.split("\n", 1)[0]) == {
        "id": "r1",
        "text": "The soup was far too salty.",
    }
    options = EXAMPLES[1].parse_options(TUPLES)
    told = TUPLES.blind(EXAMPLES[1].gold, options).single().decode()
    assert "VID" not in told and told.count("\t_\n") == 14
    assert TUPLES.guess is not None
    guessed = TUPLES.guess({"blind.cupt": told.encode()}, options)["blind.cupt"]
    assert guessed.decode() == cupt(
        ("They", "set", "sail", "and", "gave", "us", "a", "wave"),
        ("Nothing", "happened"),
        ("He", "took", "heart", "off"),
    )


def test_the_error_browser_tells_what_is_missing_and_what_is_too_much() -> None:
    example = EXAMPLES[1]
    options = example.parse_options(TUPLES)
    gold = TUPLES.read_gold(example.gold, options)
    system = TUPLES.read_system(example.systems[0], options, gold)
    assert TUPLES.inspect is not None
    found = TUPLES.inspect(gold, system, options)
    kinds = {kind: int(flags.sum()) for kind, flags in found.wrong.items()}
    assert kinds == {"partial": 2, "missing": 1, "spurious": 1}
    sheet = found.picture(1).sheet
    shown = 'category: VID, words: ["2"]'
    assert sheet.rows == (("spurious", "", shown, 0.0),)


@pytest.mark.parametrize(
    "row",
    [
        '{{"id": "a", "tuples": [{{"va": "x"}}]}}\n',
        '{{"id": "{number}", "tuples": 5}}\n',
        "{{\n",
        "1\tx\t1:A;2\n",
        "{number}\ta\tb\tc\td\te\tf\tg\th\ti\t{number}:A\n",
    ],
)
def test_reading_broken_files_takes_linear_time(row: str) -> None:
    options = parse(TUPLES.options, {"numbers": ["va"]})

    def checking(count: int) -> Callable[[], object]:
        text = "".join(row.format(number=number) for number in range(count))
        data = text.encode()
        return lambda: check(TUPLES, BLIND, Source.of_bytes("mine", data), options)

    assert grows_linearly(checking, 2_500)
