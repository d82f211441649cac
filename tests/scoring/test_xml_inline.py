"""Inline XML: the root wraps, elements are spans, and traps of XML are refused."""

import pytest

from scoring.errors import Refused
from scoring.scorers.spans.annotations import Document, ReaderOptions
from scoring.scorers.spans.xml_inline import read
from tests.loops import loop_over


def document(text: str | bytes) -> Document:
    data = text if isinstance(text, bytes) else text.encode()
    (found,) = read({"a.xml": data}, ReaderOptions(attributes=frozenset({"type"})))
    return found


def spans(text: str | bytes) -> list[tuple[str, str]]:
    found = document(text)
    rows = zip(found.codes, found.starts, found.ends, strict=True)
    return [(found.kinds[c][0], found.text[s:e]) for c, s, e in rows]


def refusal(text: str | bytes) -> tuple[int | None, str]:
    with pytest.raises(Refused) as caught:
        document(text)
    problem = caught.value.problems[0]
    assert problem.file == "a.xml"
    return problem.line, problem.message


def test_the_root_is_no_span_and_everything_else_is() -> None:
    text = "<log>At <PLACE>Port <SHIP>Anser</SHIP></PLACE>.</log>"
    assert document(text).text == "At Port Anser."
    assert spans(text) == [("PLACE", "Port Anser"), ("SHIP", "Anser")]


def test_a_root_that_is_called_like_a_label_is_still_a_wrapper() -> None:
    assert spans("<PLACE>Port</PLACE>") == []


def test_tokens_and_what_is_not_content_are_no_spans() -> None:
    text = "<r><zone><lex>Fog</lex> <untaggable>x</untaggable><lex/></zone></r>"
    assert spans(text) == []
    tokens = document(text).tokens
    assert tokens is not None and tokens.tolist() == [[0, 3]]


def test_attributes_that_are_asked_for_are_kept() -> None:
    found = document('<r><N type="A" id="1">a</N><N type="A" id="2">b</N></r>')
    assert found.kinds == (("N", frozenset({("type", "A")})),)
    assert found.codes.tolist() == [0, 0]


def test_offsets_count_characters_and_not_their_spelling() -> None:
    text = "<r>&lt;&amp;&#127881;<![CDATA[<b>]]><X>é</X><!-- no --><?pi no?></r>"
    assert document(text).text == "<&🎉<b>é"
    assert document(text).starts.tolist() == [6]


@pytest.mark.parametrize(
    "text",
    [
        "<r>a\r\n<X>b</X></r>\r\n",
        "\ufeff<r>a\n<X>b</X></r>",
        '<?xml version="1.0" encoding="latin-1"?><r>a\n<X>b</X></r>',
        '<r xmlns:n="u:n">a\n<n:X>b</n:X></r>',
    ],
)
def test_equal_files_written_differently_read_the_same(text: str) -> None:
    assert document(text).text == "a\nb"
    assert spans(text) == [("X", "b")]


def test_an_element_without_text_is_refused_with_its_line() -> None:
    assert refusal("<r>a\n<X/></r>") == (2, "X 2-2: expected 0 <= start < end <= 2")


@loop_over(
    ("text", "line"),
    [
        ("<r>\n<X>a</r>", 2),
        ("<r>\n\n&nope;</r>", 3),
        ("<r/><r/>", 1),
        ("no xml", 1),
        ("<r>\0</r>", 1),
        ("<r>\ud83c</r>".encode("utf-8", "surrogatepass"), 1),
        (b"<r>\xe9</r>", 1),
    ],
)
def test_malformed_xml_is_refused_with_its_line(text: str, line: int) -> None:
    assert refusal(text)[0] == line


LAUGHS = (
    '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><r>&c;</r>'
)


@pytest.mark.parametrize(
    "text",
    [
        LAUGHS,
        '<!DOCTYPE r SYSTEM "file:///etc/hostname"><r>a</r>',
        '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/hostname">]><r>&x;</r>',
        '<!DOCTYPE r [<!ENTITY % p SYSTEM "http://example.org/">%p;]><r>a</r>',
    ],
)
def test_entities_and_document_types_are_refused(text: str) -> None:
    assert refusal(text) == (
        1,
        "document type and entity declarations are not accepted",
    )


def test_a_very_deep_document_is_read_without_recursion() -> None:
    depth = 50_000
    found = document("<r>" + "<a>" * depth + "x" + "</a>" * depth + "</r>")
    assert len(found.starts) == depth


def test_a_lone_carriage_return_ends_no_line() -> None:
    assert refusal("<log>a\rb\n<PLACE>c</PLACE")[0] == 2
    assert refusal("<log>a\rb\n<SHIP/></log>")[0] == 2
