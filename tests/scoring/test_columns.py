"""CoNLL columns: what is a token, a chunk, a sentence, a document, and what is not."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.errors import Refused
from scoring.scorers.spans.annotations import Document, ReaderOptions
from scoring.scorers.spans.columns import read
from tests.loops import loop_over


def documents(text: str | bytes, scheme: str = "any") -> list[Document]:
    data = text if isinstance(text, bytes) else text.encode()
    return list(read({"a.conll": data}, ReaderOptions(scheme=scheme)))


def chunks(document: Document) -> list[tuple[str, str]]:
    """Label and text of every chunk."""
    extents = zip(document.starts, document.ends, document.codes, strict=True)
    return [(document.kinds[c][0], document.text[s:e]) for s, e, c in extents]


def tagged(tags: str) -> list[tuple[str, str]]:
    """Chunks of the tokens a, b, c, ... with these tags; `/` ends a sentence."""
    lines, letter = [], ord("a")
    for tag in tags.split():
        lines.append("" if tag == "/" else f"{chr(letter)}\t{tag}")
        letter += tag != "/"
    return chunks(documents("\n".join(lines) + "\n")[0])


def refusal(text: str | bytes, scheme: str = "any") -> list[tuple[int | None, str]]:
    with pytest.raises(Refused) as caught:
        documents(text, scheme)
    return [(p.line, p.message) for p in caught.value.problems]


def test_the_text_is_tokens_with_spaces_and_a_line_feed_per_sentence() -> None:
    (found,) = documents("Gulls\tO\nsail\tB-ACT\n\n\n.\tO\n")
    assert found.text == "Gulls sail\n.\n"
    assert found.tokens is not None and found.lines is not None
    assert found.tokens.tolist() == [[0, 5], [6, 10], [11, 12]]
    assert found.lines.tolist() == [1, 2, 5]
    assert chunks(found) == [("ACT", "sail")]


@loop_over(
    ("tags", "expected"),
    [
        ("B-X I-X O B-X", [("X", "a b"), ("X", "d")]),
        ("I-X I-X B-X I-X", [("X", "a b"), ("X", "c d")]),
        ("B-X I-Y", [("X", "a"), ("Y", "b")]),
        ("O I-X / I-X", [("X", "b"), ("X", "c")]),
        ("B-X I-X E-X S-X", [("X", "a b c"), ("X", "d")]),
        ("B-X I-X L-X U-X", [("X", "a b c"), ("X", "d")]),
        ("B-X E-X I-X E-X", [("X", "a b"), ("X", "c d")]),
        ("S-X I-X", [("X", "a"), ("X", "b")]),
        ("E-X E-X", [("X", "a"), ("X", "b")]),
        ("B-X B-X", [("X", "a"), ("X", "b")]),
        ("B-X-Y I-X-Y", [("X-Y", "a b")]),
        ("O O", []),
    ],
)
def test_chunks_are_those_of_conlleval(
    tags: str, expected: list[tuple[str, str]]
) -> None:
    assert tagged(tags) == expected


def naive_chunks(tags: list[str]) -> Iterator[tuple[int, int, str]]:
    """conlleval's two questions, asked token by token."""
    begin, before = 0, ("O", "")
    for i, tag in enumerate([*tags, "O"]):
        prefix, _, label = tag.partition("-")
        prefix = {"L": "E", "U": "S"}.get(prefix, prefix)
        inside = before[0] != "O"
        fresh = prefix in "BS" or before[0] in "OES" or label != before[1]
        if inside and (prefix == "O" or fresh):
            yield begin, i - 1, before[1]
        if prefix != "O" and fresh:
            begin = i
        before = (prefix, label)


TAGS = st.sampled_from(["O", *(f"{p}-{t}" for p in "BIESLU" for t in "XY")])


@settings(deadline=None)
@given(st.lists(TAGS, min_size=1, max_size=12))
def test_chunks_equal_a_loop_over_tokens(tags: list[str]) -> None:
    (found,) = documents("".join(f"{i:02}\t{tag}\n" for i, tag in enumerate(tags)))
    ours = [
        (s // 3, (e - 2) // 3, found.kinds[c][0])
        for s, e, c in zip(found.starts, found.ends, found.codes, strict=True)
    ]
    assert ours == list(naive_chunks(tags))


def test_docstart_lines_begin_documents() -> None:
    text = "-DOCSTART- -X- O\n\na\tO\n\n-DOCSTART-\nb\tB-X\n-DOCSTART-ed\tO\n"
    first, second = documents(text)
    assert (first.text, second.text) == ("a\n", "b -DOCSTART-ed\n")
    assert (first.name, second.name) == ("a.conll#000001", "a.conll#000002")
    assert chunks(second) == [("X", "b")]


def test_tokens_before_the_first_docstart_are_a_document() -> None:
    found = documents("a\tO\n-DOCSTART-\n-DOCSTART-\n")
    assert [d.text for d in found] == ["a\n", "", ""]


def test_offsets_count_code_points() -> None:
    (found,) = documents("žluťoučký\tO\n🎈🎉\tB-X\ny\tI-X\n")
    assert chunks(found) == [("X", "🎈🎉 y")]
    assert found.starts.tolist() == [10]


@loop_over(
    "text",
    [
        "Oslo NNP I-NP B-X\n. . O O\n",
        "Oslo\tNNP\tB-X\n.\t.\tO\n",
        "Oslo\tB-X\r\n.\tO\r\n",
        "\ufeffOslo\tB-X\n.\tO",
        "Oslo\tB-X \n.\tO\t\n",
        "Oslo  B-X\n.\tO\n \n",
    ],
)
def test_equal_files_written_differently_read_the_same(text: str) -> None:
    (found,) = documents(text)
    assert found.text == "Oslo .\n"
    assert chunks(found) == [("X", "Oslo")]


def test_a_token_may_hold_spaces_where_tabs_separate() -> None:
    (found,) = documents("New Holm\tB-X\n")
    assert chunks(found) == [("X", "New Holm")]


def test_only_line_feeds_end_lines() -> None:
    odd = "a\u2028b\x0bc\x0cd\x85e\x1cf"
    (found,) = documents(f"{odd}\tB-X\n")
    assert chunks(found) == [("X", odd)]


def test_bad_tags_are_all_named_with_their_lines() -> None:
    found = refusal("a\tO\nb\tX-Y\n\nc\tB\nd\tB-\ne\to\nf\tB-ok\n")
    assert [line for line, _ in found] == [2, 4, 5, 6]
    assert "expected O, B-LABEL" in found[0][1]


def test_a_scheme_without_end_tags_refuses_them() -> None:
    assert [line for line, _ in refusal("a\tB-X\nb\tE-X\n", "iob2")] == [2]
    assert tagged("B-X E-X") == [("X", "a b")]


@pytest.mark.parametrize("text", ["a\tO\nalone\n", "a\tO\n\tO\n", "a O\nb\n"])
def test_a_line_without_token_or_tag_is_named(text: str) -> None:
    assert [line for line, _ in refusal(text)] == [2]


def test_a_nul_is_named_with_its_line() -> None:
    assert refusal("a\tO\nb\0\tO\n") == [(2, "a NUL is not text")]


def test_a_byte_that_is_not_utf8_is_named_with_its_line() -> None:
    assert refusal(b"a\tO\n\xe9\tO\n")[0][0] == 2


def test_an_empty_file_is_refused() -> None:
    assert refusal("\n \n")[0][1] == "the file is empty"


def test_a_label_of_a_thousand_letters_is_refused() -> None:
    assert refusal(f"a\tB-{'X' * 1000}\n")[0][0] == 1


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        documents(data)
    except Refused as refusal:
        assert all(problem.file == "a.conll" for problem in refusal.problems)
