"""Answer keys that went wrong before an organizer sent them: what is said of them, and
what beside them when they can be scored."""

import json

import pytest

from scoring.engine import Job
from scoring.errors import SetupError
from scoring.gold_check import blind_of, read_gold, remarks_on_gold
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source
from scoring.statistics.bootstrap import Plan

ROWS = range(1, 13)


def lines(texts: list[str]) -> str:
    return "".join(f"{text}\n" for text in texts)


def job_of(scorer: str, **options: str) -> Job:
    own = get(scorer)
    chosen = parse(own.options, {name: [value] for name, value in options.items()})
    return Job(own, chosen, plan=Plan(resamples=0))


def gold_of(text: str, name: str = "gold.csv") -> Source:
    return Source.of_bytes(name, text.encode())


def remarks_of(scorer: str, text: str, **options: str) -> str:
    return "\n".join(remarks_on_gold(job_of(scorer, **options), gold_of(text)))


def refusal_of(scorer: str, text: str, **options: str) -> str:
    with pytest.raises(SetupError) as error:
        read_gold(job_of(scorer, **options), gold_of(text))
    return error.value.problems[0].message


@pytest.mark.parametrize(
    ("scorer", "row"),
    [
        ("texts", "q{0},Where?,at the mill"),
        ("translation", "s-{0}\tWo?\tat the mill"),
        ("transcripts", "rec_{0};at the mill;clean"),
        ("numbers", "p{0},a boat,3.5"),
        ("numbers", "p{0};3,5"),
        ("classes", "r{0},pos"),
        ("numbers", "{0},3.5"),
        ("multilabel", "t{0},"),
        ("clusterings", "w{0}\tc1"),
        ("early", "subject{0},1"),
    ],
)
def test_a_table_without_its_header_is_called_so_and_is_no_lines_of_text(
    scorer: str, row: str
) -> None:
    said = refusal_of(scorer, lines([row.format(f"{n:02d}") for n in ROWS]))
    assert said == "the first line is a row already: the columns have no names."


@pytest.mark.parametrize(
    ("scorer", "row"),
    [("classes", "{0}\tpos"), ("multilabel", "{0},a;b"), ("clusterings", "{0}\t7")],
)
def test_numbered_items_without_a_header_lack_the_names_of_columns(
    scorer: str, row: str
) -> None:
    said = refusal_of(scorer, lines([row.format(n) for n in ROWS]))
    expected = "first line is an answer already: the names of the columns are missing."
    assert expected in said


@pytest.mark.parametrize(
    "texts",
    [
        ["Well, it is late.", "So, we sail.", "Now, row."],
        ["0,5", "1,25", "2,5"],
        ["1 boat, two oars", "2 boats, four oars", "no boat, no oar"],
    ],
)
def test_lines_of_text_with_commas_stay_lines(texts: list[str]) -> None:
    job = job_of("translation")
    assert blind_of(job, gold_of(lines(texts))).single() == b"1\n2\n3\n"


@pytest.mark.parametrize(
    ("first", "names"),
    [("x1,y1", "x1"), ("item,rank", "item"), ("a-01,b-01", "a-01")],
)
def test_a_header_of_other_names_is_no_row(first: str, names: str) -> None:
    said = refusal_of("classes", lines([first, *(f"r-{n:02d},pos" for n in ROWS)]))
    assert "row already" not in said and names in said


@pytest.mark.parametrize(
    ("scorer", "text", "remark"),
    [
        ("classes", lines(["id,label", *(f"{n},pos" for n in ROWS)]), "is the same"),
        ("texts", lines(["id,text", *(f"{n},nan" for n in ROWS)]), "is the same"),
        (
            "texts",
            lines(["id,text", "0,#REF!", *(f"{n},boat {n}" for n in ROWS)]),
            "1 of 13 answers are '#REF!'",
        ),
        (
            "translation",
            lines([f"It is {n} o'clock." for n in ROWS]) + "\n\n",
            "2 of 14 answers are empty",
        ),
        (
            "transcripts",
            lines(["None", *(f"boat {n}" for n in ROWS)]),
            "1 of 13 answers are 'None'",
        ),
        (
            "simultaneous",
            lines(
                ["recording,start,end,text"]
                + [f"r,{n}000,{n}900,it is {n}" for n in ROWS]
            ),
            "and not milliseconds",
        ),
        (
            "texts",
            lines(["id,text", *(f"{n},boat {n}" for n in ROWS), "3,boat 3"]),
            "is an id there twice?",
        ),
    ],
)
def test_gold_that_can_be_scored_and_looks_wrong_gets_a_remark(
    scorer: str, text: str, remark: str
) -> None:
    assert remark in remarks_of(scorer, text)


@pytest.mark.parametrize("slip", ["positve", "posittive", "positives"])
def test_a_label_that_stands_once_and_is_nearly_another_is_a_slip(slip: str) -> None:
    rows = [f"{n},{'positive' if n % 2 else 'negative'}" for n in ROWS]
    gold = lines(["id,label", *rows, f"99,{slip}"])
    assert f"'{slip}' stands at one item alone, and is nearly 'positive'" in remarks_of(
        "classes", gold
    )
    assert remarks_of("classes", gold.replace(slip, "neutral")) == ""


@pytest.mark.parametrize("scorer", ["classes", "numbers", "texts", "tuples"])
def test_gold_that_is_right_gets_no_remark(scorer: str) -> None:
    if scorer == "tuples":
        rows = [
            json.dumps({"id": f"{n}", "tuples": [{"a": f"x{n}", "b": "y"}]})
            for n in ROWS
        ]
        text = lines(rows)
    else:
        column = {"classes": "label", "numbers": "value", "texts": "text"}[scorer]
        text = lines([f"id,{column}", *(f"{n},{n % 3}" for n in ROWS)])
    assert remarks_of(scorer, text) == ""


@pytest.mark.parametrize("name", ["mine", "run.1", "Otter_v2"])
def test_a_run_in_place_of_judgements_is_called_so(name: str) -> None:
    run = [f"30{n % 3} Q0 doc-{n} {n} {20 - n}.5 {name}" for n in ROWS]
    assert refusal_of("retrieval", lines(sorted(run))) == (
        "This is a run of a system, not judgements of relevance."
    )


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}\n', "JSON"),
        ("<qrels>\n<topic id='1'/>\n</qrels>\n", "XML"),
        ("import json\n\nprint(json.dumps({}))\n", "a program"),
        ("https://example.org/qrels.txt\n", "the address of a page"),
    ],
)
def test_judgements_in_another_form_are_called_so(text: str, kind: str) -> None:
    assert f"it looks like {kind}" in refusal_of("retrieval", text)


@pytest.mark.parametrize("label", ["?", "--", "\u2026"])
def test_a_label_without_a_letter_gets_a_remark(label: str) -> None:
    rows = [f"{n},{label if n % 4 == 0 else 'pos'}" for n in ROWS]
    said = remarks_of("classes", lines(["id,label", *rows, "99,neg"]))
    assert f"the label '{label}' stands at 3 items: is it meant as one?" in said


@pytest.mark.parametrize(("one", "other"), [("pos", "POS"), ("True", "true")])
def test_two_spellings_of_a_label_get_a_remark(one: str, other: str) -> None:
    rows = [f"{n},{one if n % 3 else other}" for n in ROWS]
    assert "count as two labels" in remarks_of("classes", lines(["id,label", *rows]))


@pytest.mark.parametrize("value", ["null", '"x"'])
def test_fields_of_gold_without_a_value_get_a_remark(value: str) -> None:
    rows = [f'{{"id": "{n}", "tuples": [{{"a": {value}, "b": "{n}"}}]}}' for n in ROWS]
    assert ("have no value (null)" in remarks_of("tuples", lines(rows))) == (
        value == "null"
    )


@pytest.mark.parametrize(
    "broken", ["Traceback (most recent call last):", "KeyError: 3", "Killed"]
)
def test_gold_whose_program_broke_off_gets_a_remark(broken: str) -> None:
    text = lines([*(f"the boat {n}" for n in ROWS), broken])
    assert "The program that wrote the file broke off" in remarks_of(
        "translation", text
    )


@pytest.mark.parametrize("bare", [1, 2, 4])
def test_topics_without_a_relevant_document_are_counted(bare: int) -> None:
    rows = [f"q{n} 0 d{n} {int(n > bare)}" for n in range(1, 7)]
    said = f"{bare} of 6 topics have no relevant document, first 'q1'"
    assert said in remarks_of("retrieval", lines(rows))
    assert (
        remarks_of("retrieval", lines([*rows, *(f"q{n} 0 x 1" for n in range(7))]))
        == ""
    )


@pytest.mark.parametrize(
    ("scorer", "text"),
    [
        ("classes", "id,label\na,up\nb,\n"),
        ("clusterings", "id,cluster\na,1\nb\u200b,1\n"),
        ("multilabel", "id,labels\na,up\n,down\n"),
        ("coreference", "# newdoc id = d\n\n"),
        ("semarkup", "1\tA\ta\tNOUN\t_\t_\t0\troot\t_\t_\n\n"),
        ("unl-text", "[S:1]\n{org}\nA\n{/org}\n[/S]\n" * 2),
    ],
)
def test_an_organizer_is_not_sent_to_an_input_file_that_there_is_not_yet(
    scorer: str, text: str
) -> None:
    with pytest.raises(SetupError) as error:
        read_gold(job_of(scorer), gold_of(text))
    hints = [problem.hint for problem in error.value.problems]
    assert not [hint for hint in hints if "input file" in hint or "Answer" in hint]
