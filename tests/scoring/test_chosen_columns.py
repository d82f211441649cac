"""Columns of tables that a task calls otherwise: the options `id` and `value`."""

import io
import json
import lzma
import zipfile
from collections.abc import Sequence

import pytest

from scoring.engine import Job, check, evaluate, examine, read_pair
from scoring.errors import Refused, SetupError
from scoring.examples import make_guess, spoil_some
from scoring.options import parse
from scoring.scorers import all_scorers, get
from scoring.source import Source
from scoring.statistics.bootstrap import Plan
from tests.loops import loop_over

RAW = {"id": ["tweet"], "value": ["stance"]}
ROWS = [("t1", "for"), ("t2", "against"), ("t3", "for")]


def table(kind: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> Source:
    if kind == "jsonl":
        lines = [json.dumps(dict(zip(header, row, strict=True))) for row in rows]
    else:
        mark = "\t" if kind == "tsv" else ","
        lines = [mark.join(row) for row in (header, *rows)]
    return Source.of_bytes(f"file.{kind}", ("\n".join(lines) + "\n").encode())


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl"])
def test_a_task_names_the_columns_of_its_files(kind: str) -> None:
    scorer = get("classes")
    options = parse(scorer.options, {**RAW, "inputs": ["text"]})
    job = Job(scorer, options, plan=Plan(resamples=0))
    rows = [(*row, f'"stance": {{no}} {i}') for i, row in enumerate(ROWS)]
    if kind != "jsonl":
        rows = [(*row, f"text {i}") for i, row in enumerate(ROWS)]
    gold = table(kind, ["tweet", "stance", "text"], rows)
    system = table(kind, ["Stance", "tweet"], [("for", i) for i, _ in ROWS])
    assert evaluate(job, gold, system).measures["accuracy"].value == 2 / 3
    blind = scorer.blind(gold, options)
    assert b"tweet" in blind.single() and b"against" not in blind.single()
    assert not check(scorer, blind, system, options)
    guess = make_guess(scorer, blind, options)
    assert b"tweet" in guess.single() and b"stance" in guess.single()
    assert not check(scorer, blind, guess, options)
    wrong = spoil_some(scorer, gold, options, 0.5, 1)
    assert evaluate(job, gold, wrong).measures["accuracy"].value == 1 / 3


def test_a_column_of_the_scorers_name_is_not_taken_for_the_chosen_one() -> None:
    scorer = get("numbers")
    options = parse(scorer.options, RAW)
    gold = table(
        "csv",
        ["id", "tweet", "value", "stance"],
        [
            ("9", "a", "0", "1"),
            ("9", "b", "0", "2"),
            ("9", "c", "0", "4"),
        ],
    )
    pair = read_pair(scorer, gold, gold, options)
    assert [*pair[0].answers.ids] == ["a", "b", "c"]


def test_a_chosen_column_that_is_missing_is_named_with_those_that_are_there() -> None:
    scorer = get("classes")
    options = parse(scorer.options, RAW)
    gold = table("csv", ["tweet", "stance"], ROWS)
    system = table("csv", ["id", "stance"], ROWS)
    said = (
        r"no column 'tweet' \(option id\); there are: 'id', 'stance'. "
        "Name the column as the task does."
    )
    with pytest.raises(Refused, match=said):
        scorer.read_system(system, options, scorer.read_gold(gold, options))
    with pytest.raises(SetupError, match=r"no column 'tweet' \(option id\)"):
        scorer.read_gold(system, options)
    (problem,) = check(scorer, scorer.blind(gold, options), system, options)
    assert problem.line == 1


def test_places_in_messages_are_those_of_the_file() -> None:
    scorer = get("classes")
    options = parse(scorer.options, RAW)
    gold = table("csv", ["tweet", "stance"], ROWS)
    system = table("csv", ["tweet", "stance"], [*ROWS[:2], ("t3", "")])
    found = examine(scorer, scorer.blind(gold, options), system, options)
    assert [problem.line for problem in found.problems] == [4]
    assert "t3," in found.problems[0].excerpt


def test_further_references_are_called_as_the_first_one() -> None:
    scorer = get("texts")
    options = parse(scorer.options, {"value": ["answer"]})
    gold = table("csv", ["id", "answer", "answer2"], [("1", "the cat", "a dog")])
    system = table("csv", ["id", "answer"], [("1", "a dog")])
    result = evaluate(Job(scorer, options, plan=Plan(resamples=0)), gold, system)
    assert result.measures["exact_match"].value == 1


def test_every_scorer_of_tables_of_items_lets_its_columns_be_chosen() -> None:
    names = {n for n, s in all_scorers().items() if s.example.startswith("id,")}
    chosen = {n for n in names if {"id"} <= {o.name for o in get(n).options}}
    assert names - chosen == {"table"}  # which names its columns in its declaration


def workbook() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name in ("[Content_Types].xml", "xl/workbook.xml"):
            archive.writestr(name, "<x/>")
    return data.getvalue()


@loop_over(
    ("text", "advice"),
    [
        ("t1,for\nt2,against\nt3,for\n", "Begin the file with this line: tweet,stance"),
        (
            "tweet,stanc\nt1,for\nt2,for\nt3,for\n",
            "Call it 'stance' in the first line.",
        ),
        (",stance\n0,for\n1,for\n2,for\n", "Write the ids under the line tweet,stance"),
        ("for\nagainst\nfor\n", "expected 'tweet,stance'"),
        ("tweet,stance\nt1,for\nt2,\nt3,for\n", "'stance' is empty."),
        ("tweet,label\nt1,for\nt2,for\nt3,for\n", "'tweet', 'label'"),
    ],
)
def test_advice_names_the_columns_as_the_task_does(text: str, advice: str) -> None:
    scorer = get("classes")
    options = parse(scorer.options, RAW)
    blind = Source.of_bytes("blind.csv", b"tweet\nt1\nt2\nt3\n")
    verdict = examine(scorer, blind, Source.of_bytes("mine", text.encode()), options)
    texts = [f"{found.message} {found.hint}" for found in verdict.findings]
    assert any(advice in found for found in texts)
    assert not any("id,label" in found or "'id'" in found for found in texts)


@loop_over(
    "text",
    [
        "Run of today\n{id},{value}\nt1,for\nt2,for\nt3,for\n",
        "\n{id},{value}\nt1,for\nt2,for\nt3,for\n",
        "{id},{value} t1,for\nt2,for\nt3,for\n",
        "{id},{value}\nt1,for\nt2,for\nt3,for\n{id},{value}\n",
        "{id},{value}\nt1,for\nt2,for\nt3,for\n{id},{value}\nt1,for\nt2,for\nt3,for\n",
        "{id} {value}\nt1 for\nt2 for\nt3 for\n",
        "  {id} {value}\n0  t1  for\n1  t2  for\n2  t3  for\n",
        "{id},{value},{value}\nt1,for,for\nt2,for,for\nt3,for,for\n",
        "{id},gold_{value},pred_{value}\nt1,for,for\nt2,for,for\nt3,for,for\n",
    ],
)
def test_a_mistake_has_the_same_cause_whatever_the_columns_are_called(
    text: str,
) -> None:
    scorer = get("classes")

    def cause(name: str, value: str) -> str:
        options = parse(scorer.options, {"id": [name], "value": [value]})
        blind = Source.of_bytes("blind.csv", f"{name}\nt1\nt2\nt3\n".encode())
        sent = text.format(id=name, value=value).encode()
        verdict = examine(scorer, blind, Source.of_bytes("mine", sent), options)
        return verdict.findings[0].code

    assert cause("tweet", "stance") == cause("id", "label")
    assert cause("id", "label").startswith("diagnosis_")


@pytest.mark.parametrize("column", ["label", "id", "why"])
def test_remarks_name_the_columns_of_the_file(column: str) -> None:
    scorer = get("classes")
    options = parse(scorer.options, RAW)
    blind = Source.of_bytes("blind.csv", b"tweet\nt1\nt2\nt3\n")
    rows = "".join(f"t{n},{'for' if n % 2 else 'against'},x\n" for n in (1, 2, 3))
    sent = Source.of_bytes("mine", f"tweet,stance,{column}\n{rows}".encode())
    remarks = [
        remark.message for remark in examine(scorer, blind, sent, options).remarks
    ]
    assert f"These columns are not read: '{column}'." in remarks


@pytest.mark.parametrize("name", ["label \u200bone", "the id \u200b"])
def test_what_a_file_holds_is_quoted_as_it_stands(name: str) -> None:
    """Also where it has a word that the scorer calls a column."""
    scorer = get("classes")
    options = parse(scorer.options, RAW)
    blind = Source.of_bytes("blind.csv", b"tweet\nt1\nt2\n")
    sent = Source.of_bytes("mine", f"tweet,stance\n{name},for\nt2,for\n".encode())
    texts = " ".join(
        found.message for found in examine(scorer, blind, sent, options).findings
    )
    renamed = name.replace("label", "stance").replace("id", "tweet")
    assert name.split("\u200b")[0] in texts and renamed.split("\u200b")[0] not in texts


@loop_over(
    ("data", "kind"),
    [
        (lzma.compress(b"tweet,stance"), "an xz archive"),
        (workbook(), "an Office document"),
        (b"ARROW1\0\0" + bytes(40), "an Arrow"),
        (b"\x80\x04\x95" + bytes(40), "a pickle"),
        ("tweet,stance\n".encode("utf-16"), "UTF-16"),
        (b"<!DOCTYPE html><html><body>502</body></html>", "an HTML page"),
    ],
)
@pytest.mark.parametrize("name", ["classes", "numbers"])
def test_what_is_no_table_is_called_what_it_is(
    name: str, data: bytes, kind: str
) -> None:
    """Before anybody looks for columns in it."""
    scorer = get(name)
    options = parse(scorer.options, RAW)
    blind = Source.of_bytes("blind.csv", b"tweet\nt1\nt2\n")
    verdict = examine(scorer, blind, Source.of_bytes("mine.csv", data), options)
    assert kind in verdict.findings[0].message
