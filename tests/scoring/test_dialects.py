"""Ways to write the same that are read, and offsets that are counted otherwise."""

import json
from typing import Any

import pytest

from scoring.engine import Job, evaluate, examine
from scoring.errors import Refused, ScoringError
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source
from scoring.statistics.bootstrap import Plan
from tests.loops import loop_over


def result(name: str, gold: str, sent: str, **raw: str) -> Any:
    scorer = get(name)
    options = parse(scorer.options, {option: [value] for option, value in raw.items()})
    job = Job(scorer, options, plan=Plan(resamples=0))
    return evaluate(job, *(Source.of_bytes("a", x.encode()) for x in (gold, sent)))


def value(measure: str, name: str, gold: str, sent: str, **raw: str) -> float:
    found: float = result(name, gold, sent, **raw).measures[measure].value
    return found


def refusal(name: str, gold: str, sent: str, **raw: str) -> Any:
    with pytest.raises(ScoringError) as caught:
        result(name, gold, sent, **raw)
    return caught.value.problems[0]


# Offsets ----------------------------------------------------------------------------

TEXT = "\U0001f600 Zoë sails on"


def record(start: int, end: int, quote: str | None = None) -> str:
    span: dict[str, Any] = {"start": start, "end": end, "label": "NAME"}
    span |= {} if quote is None else {"text": quote}
    return json.dumps({"id": "t", "text": TEXT, "spans": [span]}) + "\n"


GOLD = record(2, 5, "Zoë")
COUNTED = {
    "inclusive": (2, 4, "add 1 to each"),
    "from 1": (3, 6, "count from 1: take 1 off each."),
    "from 1, inclusive": (3, 5, "each start"),
    "UTF-16": (3, 6, "count"),
    "bytes": (5, 9, "bytes"),
    "something else": (9, 12, "Offsets count characters from 0"),
}


@loop_over("way", COUNTED)
def test_a_quote_that_is_not_at_its_offsets_is_refused(way: str) -> None:
    start, end, advice = COUNTED[way]
    problem = refusal("spans", GOLD, record(start, end, "Zoë"))
    assert problem.code == "quote" and problem.line == 1
    assert repr(TEXT[start:end]) in problem.message and "'Zoë'" in problem.message
    assert advice in problem.hint


def test_offsets_of_javascript_are_named() -> None:
    text = "\U0001f600\U0001f600 Zoë sails"
    row = {"id": "t", "text": text, "spans": [{"start": 5, "end": 8, "label": "N"}]}
    row["spans"][0]["text"] = "Zoë"  # type: ignore[index]
    sent = json.dumps(row) + "\n"
    gold = sent.replace('"start": 5, "end": 8', '"start": 3, "end": 6')
    assert "UTF-16" in refusal("spans", gold, sent).hint


def test_a_quote_is_compared_where_the_file_leaves_out_the_text() -> None:
    sent = json.loads(record(3, 6, "Zoë"))
    del sent["text"]
    assert refusal("spans", GOLD, json.dumps(sent)).code == "quote"
    sent["spans"][0] |= {"start": 2, "end": 5}
    assert value("f1", "spans", GOLD, json.dumps(sent)) == 1.0


def test_a_right_quote_and_none_are_fine() -> None:
    for quote in ("Zoë", "Zoë ", "", None):
        assert value("f1", "spans", GOLD, record(2, 5, quote)) == 1.0


@loop_over("extent", [(5, 2), (5, 5), (3, 99)])
def test_offsets_are_quoted_as_they_are_written(extent: tuple[int, int]) -> None:
    problem = refusal("spans", GOLD, record(*extent))
    assert f"NAME {extent[0]}-{extent[1]}:" in problem.message


SHIFTED = {
    "inclusive": (0, -1, "add 1 to each"),
    "from 1": (1, 1, "count from 1: take 1 off each."),
    "from 1, inclusive": (1, 0, "take 1 off each start"),
    "right": (0, 0, ""),
    "quite elsewhere": (-2, -3, ""),
}


@loop_over("way", SHIFTED)
def test_offsets_that_cut_all_words_alike_are_remarked(way: str) -> None:
    first, last, advice = SHIFTED[way]
    text, places = (
        "both Ada and Brook sail to Elmhaven now",
        [(5, 8), (13, 18), (27, 35)],
    )
    lines = []
    for moved in ((0, 0), (first, last)):
        spans = [[a + moved[0], b + moved[1], "NAME"] for a, b in places]
        lines.append(json.dumps({"id": "t", "text": text, "spans": spans}) + "\n")
    told = [one for one in result("spans", *lines).remarks if "seem to" in one]
    assert len(told) == bool(advice) and all(advice in one for one in told)


# Tags -------------------------------------------------------------------------------

BARE = "w0\tO\nw1\tB\nw2\tI\nw3\tO\nw4\tB\n"


@loop_over("tags", ["OBIOB", "OBEOS", "OBEOW", "OBEOU", "OBLOU"])
def test_prefixes_alone_are_spans_of_one_label(tags: str) -> None:
    sent = "".join(f"w{place}\t{tag}\n" for place, tag in enumerate(tags))
    found = result("spans", BARE, sent)
    assert found.measures["f1"].value == 1.0
    assert found.measures["f1[_]"].value == 1.0


@loop_over("tags", ["B-X M-X E-X S-X", "B-X I-X E-X W-X", "B-X M-X I-X U-X"])
def test_middles_and_wholes_are_read(tags: str) -> None:
    gold = "a\tB-X\nb\tI-X\nc\tI-X\nd\tB-X\n"
    sent = "".join(
        f"{word}\t{tag}\n" for word, tag in zip("abcd", tags.split(), strict=True)
    )
    assert value("f1", "spans", gold, sent) == 1.0


@loop_over("tag", ["B", "M-X", "Q-X", "X-B", "B_X"])
def test_other_tags_are_refused_among_whole_ones(tag: str) -> None:
    gold = "a\tB-X\nb\tI-X\n"
    scheme = {"scheme": "iob2"}
    assert refusal("spans", gold, f"a\tB-X\nb\t{tag}\n", **scheme).code == "tag"


def test_middles_do_not_belong_to_iob() -> None:
    with pytest.raises(Refused):
        result("spans", BARE, BARE.replace("I", "M"), scheme="iob2")


# Tables -----------------------------------------------------------------------------


@loop_over("mark", [",", ";", "\t"])
def test_separators_at_the_end_of_every_row_are_passed_over(mark: str) -> None:
    gold = "id,label\n1,a\n2,b\n"
    for ends in (mark, 2 * mark):
        sent = "id,label\n1,a{0}\n2,b{0}\n".replace(",", mark).format(ends)
        assert value("accuracy", "classes", gold, sent) == 1.0
    for sent in ("id,label,\n1,a,\n2,b,\n", "id,label,\n1,a\n2,b\n"):
        assert value("accuracy", "classes", gold, sent.replace(",", mark)) == 1.0


def test_a_separator_at_the_end_of_some_rows_is_refused_with_its_line() -> None:
    problem = refusal("classes", "id,label\n1,a\n2,b\n", "id,label\n1,a\n2,b,\n")
    assert (problem.code, problem.line) == ("columns", 3)


# Labels and shares --------------------------------------------------------------------

EMOTIONS = "id,label\n1,joy|fear\n2,\n3,fear\n"
ONE_HOT = {
    "CSV": "id,joy,fear\n1,1,1\n2,0,0\n3,0,1\n",
    "TSV": "id\tjoy\tfear\n1\t1\t1\n2\t0\t0\n3\t0\t1\n",
    "decimals": "id,joy,fear\n1,1.0,1.0\n2,0.0,0.0\n3,0.0,1.0\n",
    "words": "id,joy,fear\n1,True,True\n2,False,False\n3,False,True\n",
    "JSON Lines": (
        '{"id": "1", "joy": 1, "fear": true}\n{"id": "2", "joy": 0, "fear": 0}\n'
        '{"id": "3", "joy": 0, "fear": 1}\n'
    ),
    "beside texts": "id,text,joy,fear\n1,a,1,1\n2,b,0,0\n3,c,0,1\n",
}


@loop_over("form", ONE_HOT)
def test_a_column_of_0_and_1_for_each_label_is_read(form: str) -> None:
    sent = ONE_HOT[form]
    for gold in (EMOTIONS, sent):
        assert value("subset_accuracy", "multilabel", gold, sent) == 1.0
    assert value("subset_accuracy", "multilabel", sent, EMOTIONS) == 1.0


def test_what_a_column_of_0_and_1_lacks_is_missed() -> None:
    gold, sent = "id,joy,fear\n1,1,1\n2,0,0\n", "id,joy,fear\n1,1,0\n2,0,0\n"
    found = result("multilabel", gold, sent)
    assert found.measures["subset_accuracy"].value == 0.5
    assert found.measures["recall[fear]"].value == 0
    assert any("a column for each label" in one for one in found.remarks)


def test_a_task_of_such_columns_can_be_set_up() -> None:
    scorer = get("multilabel")
    options = parse(scorer.options, {})
    gold = Source.of_bytes("gold.csv", ONE_HOT["CSV"].encode())
    blind = scorer.blind(gold, options)
    assert b"joy" not in blind.single() and b"1" in blind.single()
    for name in ("CSV", "JSON Lines"):
        sent = Source.of_bytes("sent", ONE_HOT[name].encode())
        verdict = examine(scorer, blind, sent, options)
        assert not verdict.problems
        assert [one.code for one in verdict.remarks] == ["one_hot"]


PUBLISHED = {
    "id,joy,fear\nx,1,0\ny,0,1\n": "id\nx\ny\n",
    "id\tjoy\tfear\nx\t1\t0\ny\t0\t1\n": "id\nx\ny\n",
    "id;joy;fear\nx;1;0\ny;0;1\n": "id\nx\ny\n",
    "id,label\nx,joy\ny,fear\n": "id\nx\ny\n",
    '{"id":"x","joy":1,"fear":0}\n{"id":"y","joy":0,"fear":1}\n': (
        '{"id": "x"}\n{"id": "y"}\n'
    ),
}


@loop_over("gold", PUBLISHED)
def test_the_published_file_has_the_form_of_the_gold(gold: str) -> None:
    scorer = get("multilabel")
    source = Source.of_bytes("gold", gold.encode())
    blind = scorer.blind(source, parse(scorer.options, {}))
    assert blind.single().decode() == PUBLISHED[gold]


def test_what_was_asked_is_published_beside_columns_of_labels() -> None:
    scorer = get("multilabel")
    gold = Source.of_bytes("gold", b"id,text,joy,fear\nx,so,1,0\ny,no,0,1\n")
    blind = scorer.blind(gold, parse(scorer.options, {"inputs": ["text"]}))
    assert blind.single() == b"id,text\nx,so\ny,no\n"


@loop_over("sent", ["id,joy,fear\n1,0.7,1\n2,0,0\n3,0,1\n", "id,joy\n1,1\n2,0\n3,0\n"])
def test_other_columns_are_no_labels(sent: str) -> None:
    assert refusal("multilabel", EMOTIONS, sent).code == "header"


NESTED = {
    "an object": (
        '{"id": 1, "soft_label": {"0": 0.25, "1": 0.75}}\n'
        '{"id": 2, "soft_label": {"0": 1, "1": 0}}\n'
    ),
    "another name": (
        '{"id": 1, "p": {"1": 0.75, "0": 0.25}, "text": "a"}\n'
        '{"id": 2, "p": {"1": 0, "0": 1}, "text": "b"}\n'
    ),
    "a map of ids": '{"1": {"0": 0.25, "1": 0.75}, "2": {"0": 1, "1": 0}}',
    "an array": (
        '[{"id": 1, "soft_label": {"0": 0.25, "1": 0.75}}, '
        '{"id": 2, "soft_label": {"0": 1, "1": 0}}]'
    ),
    "columns": "id,0,1\n1,0.25,0.75\n2,1,0\n",
}


@loop_over("form", NESTED)
def test_shares_in_an_object_are_read(form: str) -> None:
    for gold in NESTED["an object"], NESTED["columns"]:
        assert value("manhattan", "probabilities", gold, NESTED[form]) == 0
    if form != "another name":
        assert value("manhattan", "probabilities", NESTED[form], NESTED["columns"]) == 0


def test_a_task_of_nested_shares_can_be_set_up() -> None:
    scorer = get("probabilities")
    options = parse(scorer.options, {})
    gold = Source.of_bytes("gold.jsonl", NESTED["an object"].encode())
    blind = scorer.blind(gold, options)
    for form in NESTED.values():
        sent = Source.of_bytes("sent", form.encode())
        assert not examine(scorer, blind, sent, options).problems


# Judgements ----------------------------------------------------------------------

QRELS = "1 0 d1 1\n1 0 d2 0\n2 0 d3 2\n"
RUN = "1 Q0 d1 1 2.5 a\n1 Q0 d2 2 1.5 a\n2 Q0 d3 1 2.5 a\n"
JUDGED = {
    "BEIR": "query-id\tcorpus-id\tscore\n1\td1\t1\n1\td2\t0\n2\td3\t2\n",
    "grades with a point": QRELS.replace(" 1\n", " 1.0\n").replace(" 2\n", " 2.0\n"),
    "comments": "# made by hand\n" + QRELS + "# the end\n",
    "a header": "topic iteration document grade\n" + QRELS,
}


@loop_over("form", JUDGED)
def test_judgements_of_other_programs_are_read(form: str) -> None:
    expected = result("retrieval", QRELS, RUN).measures
    found = result("retrieval", JUDGED[form], RUN).measures
    assert {n: one.value for n, one in found.items()} == {
        n: one.value for n, one in expected.items()
    }


def test_half_a_grade_is_refused_with_its_line() -> None:
    problem = refusal("retrieval", "# a\n1 0 d1 0.5\n1 0 d2 1\n", RUN)
    assert (problem.code, problem.line) == ("grade", 2)


# Offsets without quotes  -------------------------------


def texts(text: str, extents: list[tuple[int, int]]) -> str:
    spans = [[start, end, "N"] for start, end in extents]
    return json.dumps({"id": "t", "text": text, "spans": spans}) + "\n"


PLAIN = "Ada and Zoe met Bob here"
NAMES = [(0, 3), (8, 11), (16, 19)]
FACES = "\U0001f600\U0001f600 Ada and Zoe met Bob here"
BEHIND = [(start + 3, end + 3) for start, end in NAMES]


@loop_over(
    ("text", "units", "name"),
    [
        ("\U0001f600\U0001f600 met Bob", "UTF-16 units", (8, 11)),
        ("\U0001f44d\U0001f3fd Zo\u00eb met Bob", "UTF-16 units", (12, 15)),
        ("J\u00f6rg und Z\u00f6e Gro\u00df", "bytes", (13, 17)),
        ("\u041e\u043d\u0430 met Bob", "bytes", (8, 11)),
    ],
)
@pytest.mark.parametrize("quoted", [False, True])
def test_offsets_behind_the_text_are_called_by_what_they_count(
    text: str, units: str, name: tuple[int, int], quoted: bool
) -> None:
    encoding, size = ("utf-8", 1) if units == "bytes" else ("utf-16-le", 2)
    start, end = (len(text[:place].encode(encoding)) // size for place in name)
    spans = [[{"start": a, "end": b, "label": "N"} for a, b in (name, (start, end))]]
    for span in spans[0] if quoted else ():
        span["text"] = text[slice(*name)]
    gold, sent = (
        json.dumps({"id": "t", "text": text, "spans": [span]}) + "\n"
        for span in spans[0]
    )
    assert f"seem to count {units}" in refusal("spans", gold, sent).message


@loop_over(
    ("text", "right", "move", "advice"),
    [
        (PLAIN, NAMES, (0, -1), "add 1 to each"),
        (FACES, BEHIND, (2, 2), "UTF-16"),
        (PLAIN, NAMES, (0, 0), ""),
        (FACES, BEHIND, (0, 0), ""),
        (PLAIN, NAMES[:2], (0, -1), ""),
    ],
)
def test_another_way_of_counting_is_remarked(
    text: str, right: list[tuple[int, int]], move: tuple[int, int], advice: str
) -> None:
    moved = [(start + move[0], end + move[1]) for start, end in right]
    remarks = " ".join(result("spans", texts(text, right), texts(text, moved)).remarks)
    assert advice in remarks
    assert ("seem" in remarks) == bool(advice)
