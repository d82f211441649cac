"""Values counted elsewhere: tables, their judges, and measures beside others."""

import numpy as np
import pytest

from scoring import Job, Plan, Refused, Source, UsageError, check, evaluate
from scoring.counts import Counts
from scoring.elsewhere import Units, measures_of, read, with_judgements, with_table
from scoring.examples import make_guess
from scoring.options import parse
from scoring.receipt import receipt_of, verify
from scoring.report import as_json
from scoring.scorers import get, of_task
from scoring.statistics.agreement import alpha
from scoring.statistics.bootstrap import estimates
from scoring.vocabulary import columns_of

GOLD = Source.of_bytes(
    "units.csv", b"id,document,source\ns1,d1,kanariya\ns2,d1,b\ns3,d2,c\n"
)
LINES = ["adequacy = mean(adequacy)", "errors = sum(major); lower"]
RAW = {"measure": LINES}


def job(**raw: list[str]) -> Job:
    given = {**RAW, **raw}
    scorer = of_task("table", given)
    return Job(scorer, parse(scorer.options, given), "", Plan(100))


def table(text: str) -> Source:
    return Source.of_bytes("judged.csv", text.encode())


def refusal(text: str, **raw: list[str]) -> str:
    with pytest.raises(Refused) as caught:
        evaluate(job(**raw), GOLD, table(text))
    return "\n".join(map(str, caught.value.problems))


def test_measures_are_computed_from_the_columns_of_a_table() -> None:
    text = "id,adequacy,major\ns1,0.5,2\ns2,1,0\ns3,0,1\n"
    found = evaluate(job(), GOLD, table(text)).measures
    assert (found["adequacy"].value, found["errors"].value) == (0.5, 3)
    assert found["adequacy"].low is not None


@pytest.mark.parametrize(
    ("line", "value", "message"),
    [
        ("right = share(x)", "100", "'x' is 100; a unit has 0 at the least"),
        ("right = share(x)", "-0.5", "'x' is -0.5; a unit has 0 at the least"),
        (
            "mqm = mean(x); lower; most 25",
            "25.5",
            "'x' is 25.5; a unit has 25 at",
        ),
        ("grade = mean(x); least 1", "0", "'x' is 0; a unit has 1 at the least."),
    ],
)
def test_a_value_that_no_unit_can_have_is_refused_with_its_line(
    line: str, value: str, message: str
) -> None:
    text = "id,x\ns1,1\ns2,{}\ns3,1\n"
    assert f"judged.csv:3: {message}" in refusal(text.format(value), measure=[line])
    assert evaluate(job(measure=[line]), GOLD, table(text.format("1"))).measures


@pytest.mark.parametrize("value", ["1.0000000000000002", "-1e-17", "1"])
def test_what_rounding_leaves_outside_of_a_share_is_taken(value: str) -> None:
    text = table(f"id,x\ns1,{value}\ns2,0\ns3,1\n")
    assert evaluate(job(measure=["right = share(x)"]), GOLD, text).measures


def test_a_unit_counts_once_with_the_mean_of_its_judges() -> None:
    # By hand: s1 (1 + 0.5) / 2, s2 0.25 of one judge, s3 without a value: mean of two.
    text = (
        "id,judge,adequacy,major\n"
        "s1,ann,1,0\ns1,ben,0.5,1\ns2,ann,0.25,\ns3,ben,,0\ns2,ben,,3\n"
    )
    found = evaluate(job(), GOLD, table(text)).measures
    assert found["adequacy"].value == (0.75 + 0.25) / 2
    assert found["errors"].value == 0.5 + 3 + 0


def test_the_order_of_lines_changes_no_byte() -> None:
    lines = [f"s{u},{j},0.{u}{j},{j}.1\n" for u in (1, 2, 3) for j in range(1, 9)]
    head = "id,judge,adequacy,major\n"
    first, second = (
        as_json(evaluate(job(), GOLD, table(head + "".join(order))))
        for order in (lines, lines[::-1])
    )
    assert first == second


UNITS = 200
JUDGED_UNITS = Source.of_bytes(
    "units.csv",
    b"id,source\n" + b"".join(b"s%d,text %d\n" % (n, n) for n in range(UNITS)),
)


def corrected_by_two(judge_of_model: str | None) -> Source:
    """60 units judged by two people, all by a model; whose name stands beside what
    only the model said, or no column of names and the people's means."""
    rng = np.random.default_rng(3)
    quality = rng.normal(50, 10, UNITS)
    model, strict = quality + rng.normal(8, 6, UNITS), rng.normal(2, 1, UNITS)
    lines = []
    for n in range(UNITS):
        people = [quality[n], quality[n] - strict[n]] if n < 60 else []
        if judge_of_model is None:
            mean = f"{np.mean(people):.6f}" if people else ""
            lines.append(f"s{n},{model[n]:.6f},{mean}")
            continue
        for name, value in zip(("ann", "ben"), people, strict=False):
            lines.append(f"s{n},{name},{model[n]:.6f},{value:.6f}")
        if not people:
            lines.append(f"s{n},{judge_of_model},{model[n]:.6f},")
    head = "id,metric,people" if judge_of_model is None else "id,judge,metric,people"
    return table("\n".join([head, *lines]) + "\n")


CORRECTED = {"measure": ["quality = corrected(metric, people)"]}


def test_the_name_beside_a_model_s_value_changes_no_interval() -> None:
    found = [
        evaluate(job(**CORRECTED), JUDGED_UNITS, corrected_by_two(name)).measures
        for name in ("", "ann", "ben", "model")
    ]
    told = [
        {name: (one.value, one.low, one.high) for name, one in measures.items()}
        for measures in found
    ]
    assert told[1:] == told[:1] * 3
    # One of two judges may be the stricter one: that widens, and the mean stays.
    plain = evaluate(job(**CORRECTED), JUDGED_UNITS, corrected_by_two(None)).measures
    value, low, high = told[0]["quality"]
    assert value == pytest.approx(plain["quality"].value, abs=1e-5)
    assert low < plain["quality"].low and high > plain["quality"].high


def test_one_judge_beside_a_model_is_no_sample_of_judges() -> None:
    lines = [
        f"s{n},{'ann' if n < 60 else 'model'},{n},{n if n < 60 else ''}\n"
        for n in range(UNITS)
    ]
    apart = [f"s{n},{n},{n if n < 60 else ''}\n" for n in range(UNITS)]
    with_names, without = (
        evaluate(job(**CORRECTED), JUDGED_UNITS, table(head + "".join(rows))).measures
        for head, rows in (
            ("id,judge,metric,people\n", lines),
            ("id,metric,people\n", apart),
        )
    )
    assert with_names["quality"] == without["quality"]


@pytest.mark.parametrize(
    ("row", "wrong"),
    [("s70,,1,2", True), ("s70,,,", True), ("s70,,1,", False), ("s70,x,1,", False)],
)
def test_a_judge_has_to_be_named_where_somebody_else_than_a_model_speaks(
    row: str, wrong: bool
) -> None:
    given = corrected_by_two("model").single().decode().splitlines()
    lines = [line for line in given if not line.startswith("s70,")]
    source = table("\n".join([*lines, row]) + "\n")
    units = Units(tuple(f"s{n}" for n in range(UNITS)))
    asked = {"models": {"metric"}, "complete": True}
    if not wrong:
        assert read(source, units, ("metric", "people"), **asked)
        return
    with pytest.raises(Refused) as caught:
        read(source, units, ("metric", "people"), **asked)
    assert "expected a name or number of the judge" in str(caught.value.problems[0])


@pytest.mark.parametrize("kind", ["\t", ""])
def test_a_table_may_be_of_tabs_or_json(kind: str) -> None:
    text = "id\tadequacy\tmajor\n" + "".join(f"s{i}\t1\t0\n" for i in (1, 2, 3))
    if not kind:
        text = "".join(
            f'{{"id": "s{i}", "adequacy": 1, "major": null}}\n' for i in (1, 2, 3)
        )
    assert evaluate(job(), GOLD, table(text)).measures["adequacy"].value == 1


def test_every_mistake_of_a_table_is_told_with_its_line() -> None:
    text = "id,adequacy,major\ns1,good,0\ns9,1,0\ns1,1,1e30\ns2,nan,0\n"
    said = refusal(text)
    for part in (
        "judged.csv:2: 'adequacy': expected a number, found 'good'",
        "judged.csv:3: there is no unit 's9'",
        "judged.csv:4: unit 's1' was judged in line 2 already. Add a column 'judge'",
        "judged.csv:4: 'major': 1e30 is too large",
        "judged.csv:5: 'adequacy': expected a number, found 'nan'",
        "1 of 3 units has no line: 's3'",
    ):
        assert part in said


def test_columns_are_those_that_measures_use() -> None:
    said = refusal("id,adequacy,fluency\ns1,1,1\n")
    assert "no column 'major' found; there are: 'id', 'adequacy', 'fluency'" in said
    assert "no measure of the task uses a column 'fluency'" in said


def test_a_judge_judges_a_unit_once_and_has_a_name() -> None:
    said = refusal("id,judge,adequacy,major\ns1,a,1,1\ns1,a,1,1\ns2,,1,1\n")
    assert "unit 's1' was judged by judge 'a' in line 2 already" in said
    assert "judged.csv:4: expected a name or number of the judge" in said


def test_units_may_be_left_out_where_the_task_says_so() -> None:
    text = table("id,adequacy,major\ns1,0.5,2\n")
    found = evaluate(job(missing=["leave"]), GOLD, text).measures
    assert found["adequacy"].value == 0.5
    empty = "id,adequacy,major\ns1,,\n"
    assert "gives no unit any value" in refusal(empty, missing=["leave"])


def test_participants_send_answers_and_no_table() -> None:
    scorer, options = job().scorer, job().options
    blind = scorer.blind(GOLD, options)
    sent = Source.of_bytes("sent.csv", b"id,text\ns3,x\ns1,y\ns2,z\n")
    assert list(check(scorer, blind, sent, options)) == []
    (problem,) = check(scorer, blind, table("id,adequacy\ns1,1\n"), options)
    assert "no column 'text' found" in problem.message
    guess = make_guess(scorer, blind, options)
    assert list(check(scorer, blind, guess, options)) == []


def test_the_published_file_holds_ids_and_what_inputs_name() -> None:
    assert b"kanariya" not in job().scorer.blind(GOLD, job().options).single()
    asked = job(inputs=["source"])
    assert b"kanariya" in asked.scorer.blind(GOLD, asked.options).single()


def test_a_receipt_of_a_table_holds_and_notices_another_table() -> None:
    text = table("id,adequacy,major\ns1,0.5,2\ns2,1,0\ns3,0,1\n")
    result = evaluate(job(), GOLD, text)
    receipt = receipt_of(job(), RAW, (GOLD, text), result)
    assert verify(receipt, GOLD, text, {}) == []
    other = table("id,adequacy,major\ns1,0.5,2\ns2,1,0\ns3,1,1\n")
    assert [one.code for one in verify(receipt, GOLD, other, {})] == ["other_file"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("quality", "says of no columns how it is computed"),
        ("a = mean(judge)", "a column 'judge' has another meaning"),
        ("a = median(x)", "there is no 'median'"),
    ],
)
def test_a_measure_of_judgements_has_a_formula_of_columns(line: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        measures_of([line])


def test_judgements_stand_beside_the_measures_of_any_scorer() -> None:
    scorer = with_judgements(get("classes"), LINES)
    assert [m.name for m in scorer.fixed_measures][-2:] == ["adequacy", "errors"]
    with pytest.raises(UsageError, match="'accuracy' of its own"):
        with_judgements(get("classes"), ["accuracy = mean(accuracy)"])
    with pytest.raises(UsageError, match="beside a scoring program"):
        with_judgements(get("program"), LINES)


def test_a_system_that_nobody_judged_has_no_value_and_keeps_its_others() -> None:
    units = ("s1", "s2", "s3")
    own = Counts.per_unit(units, np.arange(3), {"right": np.array([1.0, 0.0, 1.0])})
    scorer = with_judgements(get("classes"), LINES)
    adequacy, errors = scorer.measure("adequacy"), scorer.measure("errors")
    nobody = estimates(own, [adequacy, errors], Plan(100))
    assert (nobody["adequacy"].value, nobody["errors"].value) == (None, None)
    counts = with_table(own, table("id,adequacy,major\ns3,0.5,2\n"), LINES)
    somebody = estimates(counts, [adequacy, errors], Plan(100))
    assert (somebody["adequacy"].value, somebody["errors"].value) == (0.5, 2)
    assert counts.total("right") == 2


def test_judges_who_never_meet_or_never_differ_have_no_alpha() -> None:
    assert alpha(np.array([0, 1, 2]), np.array([1.0, 2.0, 3.0])) is None
    assert alpha(np.array([0, 0, 1, 1]), np.ones(4)) is None
    columns = columns_of(measures_of(LINES))
    text = "id,judge,adequacy,major\ns1,a,1,0\ns1,b,1,2\ns2,a,0,1\ns2,b,0,\ns3,a,,\n"
    found = read(table(text), Units(("s1", "s2", "s3")), columns)
    assert found.judged_units() == {"adequacy": 2, "major": 2}
    agreement = found.agreement()
    assert agreement["adequacy"] == 1.0


@pytest.mark.parametrize("head", ["ID,Score", "Id,SCORE", "id,Score,Judge"])
def test_names_of_columns_may_be_written_in_other_capitals(head: str) -> None:
    more = ",ada" * head.count("Judge")
    text = f"{head}\n" + "".join(f"u{n},0.{n}{more}\n" for n in (1, 2, 3))
    units = Units(("u1", "u2", "u3"))
    judged = read(table(text), units, ["score"])
    assert judged.means()["score"].tolist() == [0.1, 0.2, 0.3]
