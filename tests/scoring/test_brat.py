"""brat standoff: T lines, their attributes, pairs of files, line ends."""

import pytest

from scoring.errors import Refused
from scoring.scorers.spans.annotations import Document, ReaderOptions
from scoring.scorers.spans.brat import read
from tests.loops import loop_over

ASKED = ReaderOptions(attributes=frozenset({"Sure", "Kind"}))
TEXT = "Port Anser.\nFog."


def documents(ann: str, text: str = TEXT, **more: str) -> list[Document]:
    files = {"a.ann": ann, "a.txt": text, **more}
    return list(read({n: t.encode() for n, t in files.items()}, ASKED))


def spans(ann: str, text: str = TEXT) -> list[tuple[str, str]]:
    (found,) = documents(ann, text)
    rows = zip(found.codes, found.starts, found.ends, strict=True)
    return [(found.kinds[c][0], found.text[s:e]) for c, s, e in rows]


def refusal(ann: str, text: str = TEXT) -> list[tuple[str, int | None]]:
    with pytest.raises(Refused) as caught:
        documents(ann, text)
    return [(p.file, p.line) for p in caught.value.problems]


def test_t_lines_are_spans_and_other_kinds_are_passed_over() -> None:
    ann = (
        "T1\tPLACE 0 10\tPort Anser\n"
        "R1\tNear Arg1:T1 Arg2:T2\nE1\tAct:T1\n*\tEquiv T1 T2\n#1\tNote T1\tx\n"
        "N1\tReference T1 Wiki:5\tPort\n"
        "T2\tWEATHER 12 15\tFog\n"
    )
    assert spans(ann) == [("PLACE", "Port Anser"), ("WEATHER", "Fog")]


def test_a_document_is_called_without_its_ending() -> None:
    (found,) = documents("")
    assert (found.name, found.also, found.text) == ("a", "a.ann", TEXT)


def test_attributes_belong_to_their_span_in_whatever_order() -> None:
    ann = "A1\tSure T1\nA2\tKind T1 free port\nT1\tPLACE 0 4\tPort\nM1\tSure E9\n"
    (found,) = documents(ann)
    expected = frozenset({("Sure", "true"), ("Kind", "free port")})
    assert found.kinds == (("PLACE", expected),)


def test_settings_beside_the_documents_are_passed_over() -> None:
    found = documents("", **{"annotation.conf": "[entities]"})
    assert len(found) == 1


@pytest.mark.parametrize("ann", ["", "\n", "\r\n \n", "\ufeff"])
def test_no_annotations_are_fine(ann: str) -> None:
    assert spans(ann) == []


def test_lines_that_end_with_cr_alone_are_named_as_the_cause() -> None:
    with pytest.raises(Refused, match="lines end with CR alone"):
        documents("T1\tPLACE 0 4\tPort\rT2\tWEATHER 12 15\tFog\r")


def test_an_empty_text_is_a_document() -> None:
    assert documents("", "")[0].text == ""


def test_offsets_of_a_text_with_lf_fit_its_copy_with_crlf() -> None:
    ann = "T1\tWEATHER 12 15\tFog\n"
    assert spans(ann, TEXT.replace("\n", "\r\n")) == [("WEATHER", "Fog")]


def test_offsets_that_count_crlf_as_two_are_brought_down() -> None:
    ann = "T1\tPLACE 0 10\tPort Anser\r\nT2\tWEATHER 13 16\tFog\r\n"
    expected = [("PLACE", "Port Anser"), ("WEATHER", "Fog")]
    assert spans(ann, TEXT.replace("\n", "\r\n")) == expected


def test_a_quote_over_a_line_end_is_no_reason_to_shift() -> None:
    ann = "T1\tX 5 15\tAnser. Fog\n"
    assert spans(ann, TEXT.replace("\n", "\r\n")) == [("X", "Anser.\nFog")]


@loop_over(
    "line",
    [
        "T2\tPLACE 0 4;5\tPort Anser",
        "T2\tPLACE 0\tPort",
        "T2\tPLACE 0 x\tPort",
        "T2\tPLACE -1 4\tPort",
        "T2\tPLACE ² 4\tPort",
        "T2\tPLACE 0 99999999999\tPort",
        "T2 PLACE 0 4 Port",
        "T2",
        "T2\tPLACE 4 4\t",
        "T2\tPLACE 4 0\tPort",
        "T2\tPLACE 0 17\tPort",
        "T1\tPLACE 0 4\tPort",
        "T2\tPLACE 0 4\tQuay",
        "A1\tSure T7",
        "A1\tSure",
        "A1",
        "what is this",
        "Port Anser",
    ],
)
def test_a_bad_line_is_named(line: str) -> None:
    assert refusal(f"T1\tPLACE 5 10\tAnser\n{line}\n") == [("a.ann", 2)]


def test_all_bad_lines_are_named_at_once() -> None:
    found = refusal("T1\tX 0\ty\n\nT2\tX\nbad\n")
    assert [line for _, line in found] == [1, 3, 4]


@pytest.mark.parametrize("odd", ["b.ann", "b.txt", "readme.md"])
def test_a_file_without_its_partner_is_refused(odd: str) -> None:
    with pytest.raises(Refused) as caught:
        documents("", **{odd: ""})
    assert [problem.file for problem in caught.value.problems] == [odd]
