"""Spans: documents are paired by name, texts compared, everything else refused."""

import pytest

from scoring import Refused, SetupError, Source
from scoring import check as check_format
from scoring.engine import read_pair
from scoring.formats.bundle import zip_files
from scoring.options import parse
from scoring.scorers.spans import corpus
from tests.loops import loop_over
from tests.scoring.harbour import (
    GOLD,
    SPANS,
    TEXT,
    Rows,
    document,
    evaluate,
    refusal,
    row,
    source,
)
from tests.scoring.zips import named


def test_documents_are_paired_by_name_and_not_by_order() -> None:
    gold = source({"X": [[0, 4]]}, {"Y": [[0, 4]]}, name="gold")
    swapped = Source("system", dict(reversed(gold.files.items())))
    assert row(evaluate(gold, swapped)) == (2, 0, 0, 0, 0)


def test_suffixes_lead_from_a_submission_to_its_reference() -> None:
    gold = Source("gold", {"a.gold.json": document({})})
    system = Source("system", {"a.txt.json": document({})})
    options = {"ref_suffix_off": ".txt.json", "ref_suffix_on": ".gold.json"}
    assert evaluate(gold, system, **options).units == 1
    assert refusal(gold, system) == [
        ("a.txt.json", "there is no such document in the reference")
    ]


def test_a_single_file_answers_a_single_document_whatever_its_name() -> None:
    system = Source.of_bytes("mine.json", document({"PLACE": [[0, 10]]}))
    assert row(evaluate(GOLD, system)) == (1, 0, 1, 0, 0)


def test_a_zip_of_several_files_for_one_is_said_to_be_that() -> None:
    """Not where one of them has its name, nor where the reference has several."""
    columns = b"fog\tB-X\n"
    for gold, files in (
        (Source.of_bytes("gold.conll", columns), ("a.conll", "b.conll")),
        (Source.of_bytes("gold.conll", columns), ("run1/a.txt", "run2/a.txt", "c")),
        (GOLD, ("a.json", "b.json")),
        (Source.of_bytes("gold.xml", b"<r><X>fog</X></r>"), ("a.xml", "b.xml")),
    ):
        data = GOLD.files["d0.json"] if gold is GOLD else gold.single()
        sent = zip_files("sent.zip", dict.fromkeys(files, data))
        names = ", ".join(map(repr, sorted(files)))
        expected = f"expected one file, found a zip of {len(files)}: {names}"
        assert refusal(gold, sent) == [("sent.zip", expected)]
    named = zip_files("sent.zip", {**GOLD.files, "e.json": GOLD.files["d0.json"]})
    assert [file for file, _said in refusal(GOLD, named)] == ["e.json"]
    gold = source({}, {}, name="gold")
    sent = zip_files("sent.zip", {"a.json": document({}), "b.json": document({})})
    assert [file for file, _said in refusal(gold, sent)] == ["a.json", "b.json"]


def test_a_single_file_does_not_answer_a_directory() -> None:
    gold = source({}, {}, name="gold")
    found = refusal(gold, Source.of_bytes("mine.json", document({})))
    assert found == [("mine.json", "there is no such document in the reference")]


def test_missing_documents_are_all_named() -> None:
    gold = source({}, {}, {}, name="gold")
    assert refusal(gold, source({})) == [
        ("system", "document d1.json is missing"),
        ("system", "document d2.json is missing"),
    ]


def test_extra_documents_are_refused() -> None:
    assert refusal(GOLD, source({}, {}))[0][0] == "d1.json"


def test_a_name_without_the_suffix_has_no_reference() -> None:
    files = {"d0": document({}), "d0.txt": document({})}
    gold = Source("gold", {"d0": document({})})
    found = refusal(gold, Source("system", files), ref_suffix_off=".txt")
    assert found == [("d0", "there is no such document in the reference")]


def test_two_documents_for_one_of_the_reference_are_refused() -> None:
    gold = Source("gold", {"d0.ann": b"", "d0.txt": TEXT.encode()})
    system = Source("system", {"d0": document({}), "d0.ann": document({})})
    found = refusal(gold, system, format="mat-json")
    assert found == [("d0.ann", "a second document for d0")]


def test_another_text_is_refused_where_it_differs() -> None:
    system = Source("system", {"d0.json": document({}, TEXT.replace("hail", "hoist"))})
    message = (
        "the text differs from the reference at character 12: "
        "expected 'ailed Mira', found 'oisted Mira'"
    )
    assert refusal(GOLD, system) == [("d0.json", message)]


def test_another_token_in_columns_is_refused_with_its_line() -> None:
    gold = Source.of_bytes("gold", b"Port\tB-X\nAnser\tI-X\n\nrests\tO\n")
    for text, line in (
        (b"Port\tO\n\nAnser\tO\nrests\tO\n", 1),
        (b"Port\tO\nAnsar\tO\n\nrests\tO\n", 2),
        (b"Port\tO\nAnser\tO\n\nrest\tO\n", 4),
        (b"Port\tO\nAnser\tO\n", 2),
        (b"Port\tO\nAnser\tO\n\nrests\tO\nlong\tO\n", 4),
    ):
        with pytest.raises(Refused) as caught:
            evaluate(gold, Source.of_bytes("system", text))
        assert [p.line for p in caught.value.problems] == [line]


def test_problems_of_all_documents_are_reported_at_once() -> None:
    gold = source({}, {}, {}, name="gold")
    files = {
        "d0.json": b"{",
        "d1.json": document({"X": [[0, 99]]}),
        "d2.json": document({}, "other"),
    }
    found = refusal(gold, Source("system", files))
    assert [file for file, _ in found] == ["d0.json", "d1.json", "d2.json"]


@pytest.mark.parametrize("data", [b"{", b'{"signal": "a", "asets": [], "version": 9}'])
def test_a_bad_reference_is_an_error_of_the_set_up(data: bytes) -> None:
    with pytest.raises(SetupError, match=r"d0\.json"):
        evaluate(Source("gold", {"d0.json": data}), source({}))


def test_a_reference_without_documents_is_an_error_of_the_set_up() -> None:
    with pytest.raises(SetupError, match="no document"):
        evaluate(Source("gold", {}), source({}))


def test_a_zip_of_odd_names_is_refused() -> None:
    found = refusal(GOLD, Source.of_bytes("a.zip", named("../d0.json")))
    assert found[0][0] == "a.zip"


def test_the_format_is_told_by_name_or_content() -> None:
    xml = f"<r><PLACE>{TEXT[:10]}</PLACE>{TEXT[10:]}</r>".encode()
    for data in (xml, document({"PLACE": [[0, 10]]})):
        assert row(evaluate(GOLD, Source.of_bytes("answer", data))) == (1, 0, 1, 0, 0)


def test_columns_may_begin_like_json_or_xml() -> None:
    for first in ("{", "<", "<a", "{'"):
        text = f"{first}\tO\nfog\tB-X\n".encode()
        source = Source.of_bytes("a", text)
        assert row(evaluate(source, source)) == (1, 0, 0, 0, 0)


def test_too_many_labels_are_refused() -> None:
    rows: Rows = {f"L{i}": [[0, 4]] for i in range(99)}
    rows |= {f"M{i}": [[5, 10]] for i in range(99)}
    rows |= {f"N{i}": [[11, 17]] for i in range(99)}
    found = refusal(GOLD, source(rows))
    assert found == [("d0.json", f"more than {corpus.MOST_LABELS} different labels")]


def test_spans_nested_without_end_are_refused() -> None:
    rows: Rows = {"X": [[i, 300 - i] for i in range(101)]}
    text = "x" * 300
    gold = Source("gold", {"d0.json": document({}, text)})
    system = Source("system", {"d0.json": document(rows, text)})
    assert "more than 100 spans cover one character" in str(refusal(gold, system))


def test_the_check_needs_no_gold() -> None:
    options = parse(SPANS.options, {})
    blind = SPANS.blind(GOLD, options)
    assert b"PERSON" not in blind.files["d0.json"]
    assert list(check_format(SPANS, blind, GOLD, options)) == []
    wrong = source({"X": [[0, 0]]})
    problems = check_format(SPANS, blind, wrong, options)
    assert [problem.code for problem in problems] == ["extent"]


def test_the_blind_columns_keep_tokens_sentences_and_documents() -> None:
    text = "-DOCSTART- secret O\n\na b\tsecret\tB-X\n\nc d O\n"
    blind = SPANS.blind(Source.of_bytes("g", text.encode()), parse(SPANS.options, {}))
    assert blind.single() == b"-DOCSTART-\n\na b\tO\n\nc\tO\n"


def test_the_blind_xml_keeps_text_and_tokens() -> None:
    text = b"<r><X a='1'><lex>a&lt;</lex></X> <zone>&#13;<lex>b</lex></zone></r>"
    blind = SPANS.blind(Source.of_bytes("g.xml", text), parse(SPANS.options, {}))
    expected = b"<doc><lex>a&lt;</lex> &#13;<lex>b</lex></doc>"
    assert blind.single() == expected


def test_documents_in_folders_can_be_summed_by_folder() -> None:
    files = {f"{folder}/a.json": document({}) for folder in ("news", "mail")}
    gold = Source("gold", files)
    options = parse(SPANS.options, {})
    pair = read_pair(SPANS, gold, gold, options)
    counts = SPANS.count(*pair, options)
    assert counts.by("folder").units == ("mail", "news")


@loop_over(
    ("kind", "unit"),
    [
        ("mat-json", b"[],"),
        ("xml-inline", b"<a>"),
        ("xml-inline", b' a="b"'),
        ("conll", b"\n"),
        ("conll", b"-DOCSTART-\n"),
        ("brat", b"T1\t\t"),
    ],
)
def test_what_cannot_be_read_in_good_time_is_refused_unread(
    kind: str, unit: bytes
) -> None:
    files = {"d0.json": document({})} | {f"{i}": unit * 300_000 for i in range(9)}
    found = refusal(GOLD, Source("system", files), format=kind)
    assert [file for file, _ in found] == ["system"]
    assert "too much to read" in found[0][1]
